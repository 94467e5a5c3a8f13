// Roles that lessons lose: arithmetic keeps them, and where an operation can't, the error says what to write.

#include <string.h>

#include "attempts.h"
#include "fixture.h"
#include "trace/lesson.h"
#include "trace/tape/lost_role.h"

#include <check.h> // last: defines a macro fail

static const struct excerpt excerpt = {1, 1000, 1, 1000, "\n"};
static const struct paragraph paragraph = {"test_lost_role.c", "Attention", "",  1,
                                           &excerpt,           false,       NULL};
static const struct source source = {1, &paragraph, NULL, NULL};

// ---- Lessons that differ in one place ------------------------------------------------------------

typedef struct tensor changed(struct run *run, tensor x);

static struct tensor same(struct run *run, tensor x) {
    (void)run;
    return x;
}

// As in ALiBi: the further away a key, the more is subtracted.
static struct tensor less_penalty(struct run *run, tensor x) {
    tensor places = numbers_from_0(run, x.shape[1]);
    return subtract(x, to_float(subtract(view(places, x.shape[0], 1), places)));
}

static struct tensor behind_two_operations(struct run *run, tensor x) {
    return multiply(number(run, 2), maximum(x, add(x, ones(run, x.shape[0], 1))));
}

static struct tensor bent(struct run *run, tensor x) {
    (void)run;
    return hyperbolic_tangent(x);
}

static struct tensor bent_and_named(struct run *run, tensor x) {
    (void)run;
    return as(ROLE_SCORES, hyperbolic_tangent(x));
}

static struct tensor squared_and_doubled(struct run *run, tensor x) {
    (void)run;
    return multiply_by(raise_to(x, 2), 2);
}

// What a lesson does to its queries, its scores and its weights; and whether its layers say what they make.
static struct {
    changed *queries, *scores, *weights;
    bool has_layers_without_role;
} now;

static void attention(struct run *run) {
    tensor inputs = run->inputs;
    const bool has_none = now.has_layers_without_role;
    layer W_query = draw_layer(run, has_none ? ROLE_NONE : ROLE_QUERIES, inputs.shape[1], 2, false);
    layer W_key = draw_layer(run, has_none ? ROLE_NONE : ROLE_KEYS, inputs.shape[1], 2, false);
    layer W_value = draw_layer(run, ROLE_VALUES, inputs.shape[1], 2, false);
    tensor queries = now.queries(run, apply(W_query, inputs));
    tensor scores = matmul(queries, transpose(apply(W_key, inputs), 0, 1));
    STEP(scores, "", "");
    tensor weights = softmax(divide_by(now.scores(run, scores), root(2)), -1);
    STEP(weights, "", "");
    tensor context = matmul(now.weights(run, weights), apply(W_value, inputs));
    STEP(context, "", "");
}

static const struct lesson attention_lesson = {
    .name = "bent", .teach = attention, .uses = USES_INPUT, .source = &source};

static const char *lost_with(changed *queries, changed *scores, changed *weights, bool has_roles) {
    now.queries = queries;
    now.scores = scores;
    now.weights = weights;
    now.has_layers_without_role = !has_roles;
    const struct run run = must_run(&arena, &attention_lesson, &(struct parameters){0});
    return lost_role(&arena, &run);
}

START_TEST(arithmetic_loses_no_role) {
    ck_assert_ptr_null(lost_with(same, same, same, true));
    ck_assert_ptr_null(lost_with(same, less_penalty, same, true));
    ck_assert_ptr_null(lost_with(same, behind_two_operations, same, true));
    ck_assert_ptr_null(lost_with(behind_two_operations, same, behind_two_operations, true));
    ck_assert_ptr_null(lost_with(same, bent_and_named, same, true));
}
END_TEST

START_TEST(a_lost_role_says_what_to_write) {
    ck_assert_str_eq(lost_with(same, bent, same, true),
                     "bent, step 'weights': the softmax over keys reads no scores. tanh before it "
                     "reads ROLE_SCORES, and "
                     "what it makes has no role: write as(ROLE_SCORES, ...) around it");
    ck_assert_str_eq(lost_with(same, same, squared_and_doubled, true),
                     "bent, step 'context': the product over keys reads no weights. pow before it "
                     "reads ROLE_WEIGHTS, and "
                     "what it makes has no role: write as(ROLE_WEIGHTS, ...) around it");
    ck_assert_str_eq(
        lost_with(same, same, same, false),
        "bent, step 'weights': the softmax over keys reads no scores. Say what the layers before "
        "it make, "
        "LAYER(W_query, ROLE_QUERIES, ...), or write as(ROLE_SCORES, ...) around what it reads");
}
END_TEST

// ---- Arithmetic of two --------------------------------------------------------------------------

START_TEST(the_larger_operand_gives_the_role) {
    tensor scores = as(ROLE_SCORES, full(&arena, SHAPE(3, 3), 2));
    tensor row = full(&arena, SHAPE(3), 3), cube = full(&arena, SHAPE(2, 3, 3), 3);
    tensor keys = as(ROLE_KEYS, full(&arena, SHAPE(3, 3), 1));
    tensor grad = gradient_of(scores, full(&arena, SHAPE(3, 3), 1));
    const struct {
        struct tensor made;
        enum role role;
    } cases[] = {
        {add(scores, row), ROLE_SCORES},
        {add(row, scores), ROLE_SCORES},
        {subtract(scores, row), ROLE_SCORES},
        {subtract(scores, scores), ROLE_NONE}, // how far apart they are
        {multiply(scores, scores), ROLE_NONE},
        {multiply(row, scores), ROLE_SCORES},
        {divide(scores, row), ROLE_SCORES},
        {maximum(scores, row), ROLE_SCORES},
        {negative(scores), ROLE_NONE},
        {add(scores, cube), ROLE_NONE},      // the larger one has none
        {subtract(row, scores), ROLE_NONE},  // what is left is something else
        {divide(row, scores), ROLE_NONE},    //
        {add(scores, keys), ROLE_NONE},      // neither of both
        {multiply(grad, scores), ROLE_NONE}, // no gradient of these scores
        {exponential(scores), ROLE_NONE},    //
        {divide(scores, sum(scores, -1, true)), ROLE_WEIGHTS},
        {divide(keys, square_root(var(keys, -1, true, true))), ROLE_NORMALIZED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(role_of(&cases[i].made) == cases[i].role, "case %zu has role %d", i,
                      (int)role_of(&cases[i].made));
}
END_TEST

Suite *lost_role_suite(void) {
    Suite *suite = suite_create("lost_role");
    TCase *lessons = add_case(suite, "lessons", set_up_arena, tear_down_arena);
    tcase_add_test(lessons, arithmetic_loses_no_role);
    tcase_add_test(lessons, a_lost_role_says_what_to_write);
    TCase *pairs = add_case(suite, "pairs", set_up_arena, tear_down_arena);
    tcase_add_test(pairs, the_larger_operand_gives_the_role);
    return suite;
}
