// A lesson played again from its tape is the lesson, bit for bit, whatever the parameters; so what a rule
// changes is all that differs.

#include <math.h>
#include <string.h>

#include "attempts.h"
#include "fixture.h"
#include "lesson.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"
#include "trace/what_if/replay.h"

#include <check.h> // last: defines a macro fail

// Parameter sets that change what is drawn, how much, and in which order.
static const struct parameters parameter_sets[] = {
    {.given = 0},
    {.given = USES_SEED, .seed = 42},
    {.given = USES_BIAS | USES_SEED | USES_D_OUT | USES_HEADS,
     .bias = true,
     .seed = 1,
     .d_out = 6,
     .heads = 2},
    {.given = USES_DROPOUT, .dropout = 0.5},
    {.given = USES_DROPOUT | USES_BERNOULLI | USES_BIAS,
     .dropout = 0.3,
     .stream = MCG31M1,
     .bias = true},
    {.given = USES_DROPOUT | USES_DROPOUT_SEED, .dropout = 0.1, .dropout_seed = 7},
    {.given = USES_DROPOUT_SEED, .no_dropout_seed = true},
    {.given = USES_DROPOUT, .dropout = 1},
    {.given = USES_DROPOUT | USES_EVAL, .dropout = 0.5, .eval = true},
    {.given = USES_HEADS | USES_D_OUT | USES_GROUPS, .heads = 1, .d_out = 6, .groups = 1},
    {.given = USES_HEADS | USES_D_OUT | USES_BATCH, .heads = 4, .d_out = 8, .batch = 3},
    {.given = USES_CONTEXT_LENGTH | USES_QUERY, .context_length = 10, .query = "step"},
};
enum { SET_COUNT = sizeof parameter_sets / sizeof *parameter_sets };

static bool run_with(struct run *run, const struct lesson *lesson, int set) {
    const bool went_well = try_lesson(run, &arena, lesson, &parameter_sets[set]);
    // Only the set with 4 heads may be refused, by the model, whose d_out is its own.
    ck_assert_msg(went_well || parameter_sets[set].heads == 4, "%s: %s", lesson->name,
                  failure.message);
    return went_well;
}

struct playing {
    struct replay *replay;
    int step;
    enum effort effort;
};

static void play_it(void *context) {
    const struct playing *playing = context;
    play(playing->replay, playing->step, playing->effort);
}

static void must_play(struct replay *replay, int step, enum effort effort) {
    struct playing playing = {replay, step, effort};
    ck_assert_msg(attempt(&failure, play_it, &playing), "%s", failure.message);
}

static void check_equal(const struct step *step, const struct tensor *again) {
    const struct tensor *tensor = &step->tensor;
    const struct shape shape = shape_of(tensor);
    const char *label = step_label(&arena, step);
    ck_assert_msg(shapes_equal(shape, shape_of(again)), "%s: another shape", label);
    for (int dim = 0; dim < shape.ndim; dim++) {
        ck_assert_int_eq(tensor->stride[dim], again->stride[dim]);
    }
    ck_assert_int_eq(tensor->storage->dtype, again->storage->dtype);
    for (int64_t i = 0; i < count_of(shape); i++) {
        const double x = element_at(tensor, i), y = element_at(again, i);
        const bool is_same = memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y));
        ck_assert_msg(is_same, "%s: number %d is %a, not %a", label, (int)i, y, x);
    }
}

START_TEST(a_replay_is_the_lesson) {
    for (int set = 0; set < SET_COUNT; set++) {
        struct run run;
        if (!run_with(&run, lesson_table[_i], set)) continue;
        struct replay replay = replay_of(&arena, &run);
        must_play(&replay, ALL_STEPS, EVERYTHING);
        for (int i = 0; i < run.step_count; i++) {
            const struct tensor again = played(&replay.steps[i]);
            const struct operation *operation = again.storage->origin->operation;
            if (operation->compute != NULL) ck_assert(again.storage != run.steps[i].tensor.storage);
            check_equal(&run.steps[i], &again);
        }
    }
}
END_TEST

START_TEST(one_step_alone_is_the_same) {
    struct run run;
    if (!run_with(&run, lesson_table[_i], 2)) return;
    for (int i = 0; i < run.step_count; i++) {
        struct arena scratch = arena_new(&failure);
        struct replay replay = replay_of(&scratch, &run);
        must_play(&replay, i, EVERYTHING);
        const struct tensor again = played(&replay.steps[i]);
        check_equal(&run.steps[i], &again);
        arena_free(&scratch);
    }
}
END_TEST

START_TEST(draws_are_noted_as_in_the_lesson) {
    struct run run;
    if (!run_with(&run, lesson_table[_i], 4)) return;
    struct replay replay = replay_of(&arena, &run);
    must_play(&replay, ALL_STEPS, EVERYTHING);
    for (int i = 0; i < replay.count; i++) {
        const struct node *node = replay.nodes[i];
        if (!node->turn.is_taken) continue;
        const struct draws *draws = &node->result.storage->origin->draws;
        ck_assert_uint_eq(draws->seed, node->origin.draws.seed);
        ck_assert_uint_eq(draws->sequence, node->origin.draws.sequence);
        ck_assert_uint_eq(draws->first, node->origin.draws.first);
        ck_assert_uint_eq(draws->count, node->origin.draws.count);
    }
}
END_TEST

START_TEST(nothing_changed_is_nothing_computed) {
    struct run run;
    if (!run_with(&run, lesson_table[_i], 3)) return;
    struct replay replay = replay_of(&arena, &run);
    must_play(&replay, ALL_STEPS, ONLY_CHANGES);
    for (int i = 0; i < run.step_count; i++) {
        const struct tensor again = played(&replay.steps[i]);
        ck_assert_ptr_eq(again.storage, run.steps[i].tensor.storage);
        ck_assert_int_eq(again.offset, run.steps[i].tensor.offset);
    }
}
END_TEST

// A change in the middle: what was before it is the lesson's own, and what follows is the same whether
// all is computed anew or only what the change reached.
START_TEST(computing_only_changes_is_enough) {
    struct run run;
    if (!run_with(&run, lesson_table[_i], 3)) return;
    const struct replay whole = replay_of(&arena, &run);
    for (int n = 0; n < whole.count; n += 1 + whole.count / 40) {
        struct replay sparing = replay_of(&arena, &run), full = replay_of(&arena, &run);
        if (sparing.nodes[n]->origin.operation->compute == NULL) continue;
        struct node *nodes[] = {sparing.nodes[n], full.nodes[n]};
        for (int i = 0; i < 2; i++) {
            rewrite(nodes[i])->operation = &full_row;
            nodes[i]->origin.number = 0.25;
            nodes[i]->origin.operand_count = 0;
        }
        if (nodes[0]->lesson->dtype != FLOAT32) continue;
        must_play(&sparing, ALL_STEPS, ONLY_CHANGES);
        must_play(&full, ALL_STEPS, EVERYTHING);
        for (int i = 0; i < run.step_count; i++) {
            struct step step = run.steps[i];
            step.tensor = played(&full.steps[i]);
            const struct tensor again = played(&sparing.steps[i]);
            check_equal(&step, &again);
        }
    }
}
END_TEST

// ---- By hand: a lesson of its own ---------------------------------------------------------------

// Two weights, a draw that leaves no trace, and a third weight.
static void draw_three(struct run *r) {
    struct generator *g = &r->generator;
    reseed(r, 123);
    r->steps = arena_array(r->memory, 3, sizeof *r->steps);
    r->steps[0].tensor = uniform(r->memory, g, SHAPE(2, 2), 0, 1);
    r->steps[1].tensor = uniform(r->memory, g, SHAPE(2, 2), 0, 1);
    (void)random_bits(g);
    r->steps[2].tensor = normal(r->memory, g, SHAPE(3));
    r->step_count = 3;
}

static float first_of(const struct tensor *tensor) {
    return (float)element_at(tensor, 0);
}

START_TEST(draws_shift_as_they_would) {
    struct run run = {.memory = &arena};
    draw_three(&run);
    struct replay replay = replay_of(&arena, &run);
    ck_assert_int_eq(replay.count, 3);
    rewrite(replay.nodes[0])->operation = &full_row; // four draws less
    must_play(&replay, ALL_STEPS, ONLY_CHANGES);
    const struct tensor second = played(&replay.steps[1]), third = played(&replay.steps[2]);
    ck_assert_float_eq(first_of(&second), first_of(&run.steps[0].tensor));

    struct generator generator;
    manual_seed(&generator, 123);
    skip_to(&generator, 5); // four of the second weight, and the one without a trace
    float numbers[3];
    random_normal(&generator, numbers, 3);
    ck_assert_float_eq(first_of(&third), numbers[0]);
}
END_TEST

START_TEST(exchanged_nodes_exchange_draws) {
    struct run run = {.memory = &arena};
    draw_three(&run);
    struct replay replay = replay_of(&arena, &run);
    exchange(&replay, replay.nodes[0], replay.nodes[1]);
    must_play(&replay, 0, ONLY_CHANGES);
    const struct tensor first = played(&replay.steps[0]);
    ck_assert_float_eq(first_of(&first), first_of(&run.steps[1].tensor));
    must_play(&replay, ALL_STEPS, ONLY_CHANGES);
    const struct tensor third = played(&replay.steps[2]);
    ck_assert_float_eq(first_of(&third), first_of(&run.steps[2].tensor));
}
END_TEST

START_TEST(nodes_can_be_put_in_front) {
    struct run run = {.memory = &arena};
    draw_three(&run);
    struct replay replay = replay_of(&arena, &run);
    struct node *node = replay.nodes[0];
    const struct view two = constant(&replay, node, 2);
    insert_after(&replay, node, &multiply_row, &two);
    must_play(&replay, ALL_STEPS, ONLY_CHANGES);
    const struct tensor doubled = played(&replay.steps[0]);
    ck_assert_float_eq(first_of(&doubled), 2 * first_of(&run.steps[0].tensor));
    ck_assert_ptr_eq(doubled.storage->origin->operands[0].storage, run.steps[0].tensor.storage);
    ck_assert_ptr_eq(played(&replay.steps[1]).storage, run.steps[1].tensor.storage);
}
END_TEST

// ---- Given numbers --------------------------------------------------------------------------------

// Its own numbers change nothing; a row given to another gets that row's weights, and no other row changes.
START_TEST(a_storage_can_be_given) {
    struct run run;
    run_with(&run, lesson_table[lesson_number("causal")], 0);
    const struct step *queries = step_called(&run, "queries"),
                      *weights = step_called(&run, "weights");
    const struct tensor numbers = tensor_of(&arena, SHAPE(6, 2), floats_of(&queries->tensor));
    struct replay same = replay_of(&arena, &run);
    give(&same, node_with(&same, queries->tensor.storage), &numbers);
    must_play(&same, ALL_STEPS, ONLY_CHANGES);
    for (int i = 0; i < run.step_count; i++) {
        const struct tensor again = played(&same.steps[i]);
        check_equal(&run.steps[i], &again);
    }
    memcpy(floats_of(&numbers) + 2, floats_of(&numbers),
           2 * sizeof(float)); // journey asks as Your does
    struct replay other = replay_of(&arena, &run);
    give(&other, node_with(&other, queries->tensor.storage), &numbers);
    must_play(&other, weights->number - 1, ONLY_CHANGES);
    const struct tensor again = played(&other.steps[weights->number - 1]);
    for (int64_t i = 0; i < 36; i++) {
        const int64_t from = i >= 6 && i < 12 ? i - 6 : i;
        ck_assert(element_at(&again, i) == element_at(&weights->tensor, from));
    }
}
END_TEST

Suite *replay_suite(void) {
    Suite *suite = suite_create("replay");
    TCase *lessons = add_case(suite, "of every lesson", set_up_arena, tear_down_arena);
    tcase_set_timeout(lessons, 120);
    tcase_add_loop_test(lessons, a_replay_is_the_lesson, 0, lesson_count);
    tcase_add_loop_test(lessons, one_step_alone_is_the_same, 0, lesson_count);
    tcase_add_loop_test(lessons, draws_are_noted_as_in_the_lesson, 0, lesson_count);
    tcase_add_loop_test(lessons, nothing_changed_is_nothing_computed, 0, lesson_count);
    tcase_add_loop_test(lessons, computing_only_changes_is_enough, 0, lesson_count);
    tcase_add_test(lessons, a_storage_can_be_given);
    TCase *tapes = add_case(suite, "of a tape", set_up_arena, tear_down_arena);
    tcase_add_test(tapes, draws_shift_as_they_would);
    tcase_add_test(tapes, exchanged_nodes_exchange_draws);
    tcase_add_test(tapes, nodes_can_be_put_in_front);
    return suite;
}
