// A lesson that says nothing of mistakes gets those that apply, with the numbers that PyTorch gives (pytorch_grouped.py),
// and no false reason why another one changes nothing.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempts.h"
#include "check.h"
#include "fixture.h"
#include "grouped.h"
#include "made.h"
#include "records.h"
#include "trace/run/step.h"
#include "trace/what_if/effects.h"

static struct run run_grouped(int64_t batch) {
    const struct parameters parameters = {.given = batch > 0 ? USES_BATCH : 0, .batch = batch};
    return must_run(&arena, &grouped_lesson, &parameters);
}

START_TEST(a_new_lesson_gets_mistakes_as_pytorch_makes_them) {
    struct arena of_file = arena_new(&failure);
    const char *text = data_file(&of_file, "grouped.txt");
    bool has_case[3][MOST_MISTAKES] = {{false}};
    for (struct case_lines lines; next_case(&text, &lines);) {
        const struct made made = make_case(&lines);
        struct case_lines rest = lines;
        for (struct made_step step; next_made_step(&rest, &made, &step);)
            (void)pytorchs_numbers(&made, &step);
        has_case[made.right.batch_size][mistake_number(made.mistakes[0])] = true;
    }
    arena_free(&of_file);
    for (int batch = 0; batch <= 2; batch += 2) {
        const struct run right = run_grouped(batch);
        for (int i = 0; i < mistake_total; i++) {
            const bool has_effect = effect_on(&arena, &right, &mistake_table[i]).why == NULL;
            ck_assert_msg(has_effect == has_case[batch][i], "%s, batch %d", mistake_table[i].name,
                          batch);
        }
    }
}
END_TEST

// What is said of a lesson that has no dropout, no bias, no loss, no training, and one set of layers for all heads.
static const char *const TRUE_OF_IT[] = {"what it changes is not in this lesson"};
static const char *const TRUE_WITHOUT_A_BATCH[] = {"there is no batch"};

static bool is_among(const char *reason, const char *const *reasons, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(reason, reasons[i]) == 0) return true;
    }
    return false;
}

START_TEST(reasons_are_true_of_a_new_lesson) {
    const int batch = _i * 2;
    const struct run right = run_grouped(batch);
    for (int i = 0; i < way_total; i++) {
        const char *why = effect_on(&arena, &right, &mistake_table[i]).why;
        const bool is_true =
            why == NULL || is_among(why, TRUE_OF_IT, sizeof TRUE_OF_IT / sizeof *TRUE_OF_IT) ||
            (batch == 0 && is_among(why, TRUE_WITHOUT_A_BATCH,
                                    sizeof TRUE_WITHOUT_A_BATCH / sizeof *TRUE_WITHOUT_A_BATCH));
        ck_assert_msg(is_true, "%s, batch %d: %s", mistake_table[i].name, batch, why);
    }
}
END_TEST

Suite *roles_suite(void) {
    Suite *suite = suite_create("roles");
    TCase *tests = add_case(suite, "grouped queries", set_up_arena, tear_down_arena);
    tcase_add_test(tests, a_new_lesson_gets_mistakes_as_pytorch_makes_them);
    tcase_add_loop_test(tests, reasons_are_true_of_a_new_lesson, 0, 2);
    return suite;
}
