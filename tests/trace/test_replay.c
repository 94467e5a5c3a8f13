// A lesson played again from its tape is the lesson, bit for bit, whatever the parameters; so what other numbers
// change is all that differs.

#include <math.h>
#include <string.h>

#include "attempts.h"
#include "fixture.h"
#include "lesson.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"
#include "trace/tape/replay.h"

#include <check.h> // last: defines a macro fail

// Parameter sets that change what is drawn, how much, and in which order.
static const struct parameters parameter_sets[] = {
    {.given = 0},
    {.given = USES_SEED, .seed = 42},
    {.given = USES_BIAS | USES_SEED | USES_D_OUT | USES_HEADS,
     .bias = true,
     .seed = 1,
     .d_out = 12,
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

static void check_draws(const struct draws *draws, const struct draws *again) {
    ck_assert_uint_eq(again->seed, draws->seed);
    ck_assert_uint_eq(again->sequence, draws->sequence);
    ck_assert_uint_eq(again->first, draws->first);
    ck_assert_uint_eq(again->count, draws->count);
    ck_assert_int_eq(again->has_normal, draws->has_normal);
    ck_assert_int_eq(again->keeps_normal, draws->keeps_normal);
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
            check_draws(&run.steps[i].tensor.storage->origin->draws, &again.storage->origin->draws);
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

// Other numbers in the middle: what was before them is the lesson's own, and what follows is the same whether
// all is computed anew or only what the change reached.
START_TEST(computing_only_changes_is_enough) {
    struct run run;
    if (!run_with(&run, lesson_table[_i], 3)) return;
    for (int n = 0; n < run.step_count; n += 1 + run.step_count / 20) {
        const struct tensor *tensor = &run.steps[n].tensor;
        if (tensor->storage->dtype != FLOAT32) continue;
        struct replay sparing = replay_of(&arena, &run), full = replay_of(&arena, &run);
        const struct tensor whole = tensor_over(tensor->storage, tensor->storage->shape);
        const struct tensor halved = multiply_by(whole, 0.5);
        ck_assert(put(&sparing, tensor->storage, halved.storage));
        ck_assert(put(&full, tensor->storage, halved.storage));
        must_play(&sparing, ALL_STEPS, ONLY_CHANGES);
        must_play(&full, ALL_STEPS, EVERYTHING);
        for (int i = 0; i < run.step_count; i++) {
            const struct tensor a = played(&sparing.steps[i]), b = played(&full.steps[i]);
            const struct step step = {
                .name = arena_format(&arena, "%s with %s", run.steps[i].name, run.steps[n].name),
                .tensor = a};
            check_equal(&step, &b);
            if (i < n && run.steps[i].tensor.storage != tensor->storage && !run.lesson->trains)
                ck_assert_ptr_eq(a.storage, run.steps[i].tensor.storage);
        }
        const struct tensor put_there = played(&sparing.steps[n]);
        ck_assert_double_eq_tol(element_at(&put_there, 0), element_at(tensor, 0) * 0.5, 1e-30);
    }
}
END_TEST

// Its own numbers change nothing; a row given to another gets that row's weights, and no other row changes.
START_TEST(a_row_of_queries_can_be_put) {
    struct run run;
    run_with(&run, lesson_table[lesson_number("causal")], 0);
    const struct step *queries = step_called(&run, "queries"),
                      *weights = step_called(&run, "weights");
    const struct tensor numbers = tensor_of(&arena, SHAPE(6, 2), floats_of(&queries->tensor));
    struct replay same = replay_of(&arena, &run);
    ck_assert(put(&same, queries->tensor.storage, numbers.storage));
    must_play(&same, ALL_STEPS, ONLY_CHANGES);
    for (int i = 0; i < run.step_count; i++) {
        const struct tensor again = played(&same.steps[i]);
        check_equal(&run.steps[i], &again);
    }
    memcpy(floats_of(&numbers) + 2, floats_of(&numbers),
           2 * sizeof(float)); // journey asks as Your does
    struct replay other = replay_of(&arena, &run);
    ck_assert(put(&other, queries->tensor.storage, numbers.storage));
    must_play(&other, weights->number - 1, ONLY_CHANGES);
    const struct tensor again = played(&other.steps[weights->number - 1]);
    for (int64_t i = 0; i < 36; i++) {
        const int64_t from = i >= 6 && i < 12 ? i - 6 : i;
        ck_assert(element_at(&again, i) == element_at(&weights->tensor, from));
    }
    ck_assert(!put(&other, tensor_of(&arena, SHAPE(1), (float[]){1}).storage, numbers.storage));
}
END_TEST

Suite *replay_suite(void) {
    Suite *suite = suite_create("replay");
    TCase *lessons = add_case(suite, "lessons", set_up_arena, tear_down_arena);
    tcase_set_timeout(lessons, 120);
    tcase_add_loop_test(lessons, a_replay_is_the_lesson, 0, lesson_count);
    tcase_add_loop_test(lessons, one_step_alone_is_the_same, 0, lesson_count);
    tcase_add_loop_test(lessons, nothing_changed_is_nothing_computed, 0, lesson_count);
    tcase_add_loop_test(lessons, computing_only_changes_is_enough, 0, lesson_count);
    tcase_add_test(lessons, a_row_of_queries_can_be_put);
    return suite;
}
