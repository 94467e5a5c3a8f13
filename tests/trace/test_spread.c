// A step computed anew has the lesson's bits; with other last bits, it lies where rounding may bring it.

#include <inttypes.h>
#include <math.h>

#include "fixture.h"
#include "lessons.h"
#include "tensor/operation/disturbance.h"
#include "trace/run/step.h"
#include "trace/tape/replay.h"
#include "trace/tape/spread.h"
#include "trace/what_if/effects.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

static struct run run;

static void run_shortly(int lesson) {
    const struct parameters few = {.given = USES_UPDATES, .updates = 3};
    run_lesson(&run, &arena, lesson_table[lesson], &few);
}

START_TEST(a_step_computed_anew_has_the_same_bits) {
    run_shortly(_i);
    for (int i = 0; i < run.step_count; i++) {
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, &failure);
        struct tensor again;
        recompute_step(&again, m, &run, i);
        expect(!differ(&run.steps[i].tensor, &again), "%s: %s", run.lesson->name,
               run.steps[i].name);
        scratch_close(&scratch);
    }
}
END_TEST

// Both ways to measure find a spread where there is one, and none where all bits are settled.
START_TEST(steps_spread_alone_as_in_a_whole_run) {
    run_shortly(_i);
    const struct spread *all = spreads_of(&arena, &run);
    for (int i = 0; i < run.step_count; i++) {
        struct spread spread = spread_of(&arena, &run.steps[i]);
        for (int j = 0; j < FEW_DISTURBED; j++) widen_spread(&spread, &run, &run.steps[i]);
        double alone = 0, together = 0;
        for (int64_t j = 0; j < spread.count; j++) {
            alone = fmax(alone, moved_at(&spread, j));
            together = fmax(together, moved_at(&all[i], j));
        }
        expect((alone > 0) == (together > 0) && alone <= 100 * together && together <= 100 * alone,
               "%s: %s: %g and %g", run.lesson->name, run.steps[i].name, alone, together);
    }
}
END_TEST

Suite *spread_suite(void) {
    Suite *suite = suite_create("spread");
    TCase *cases = add_case(suite, "spread", set_up_arena, tear_down_arena);
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, a_step_computed_anew_has_the_same_bits, 0, lesson_count);
    tcase_add_loop_test(cases, steps_spread_alone_as_in_a_whole_run, 0, lesson_count);
    return suite;
}
