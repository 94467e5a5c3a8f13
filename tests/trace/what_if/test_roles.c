// A lesson that says nothing of mistakes gets those that apply, with the numbers that PyTorch gives (pytorch_grouped.py).

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
            const struct mistake *mistake = &mistake_table[i];
            struct run wrong;
            replay_run(&wrong, &arena, &right, &mistake, 1);
            const bool has_effect = count_touched(&right, &wrong, NULL) > 0;
            ck_assert_msg(has_effect == has_case[batch][i], "%s, batch %d", mistake_table[i].name,
                          batch);
        }
    }
}
END_TEST

Suite *roles_suite(void) {
    Suite *suite = suite_create("roles");
    TCase *tests = add_case(suite, "grouped queries", set_up_arena, tear_down_arena);
    tcase_add_test(tests, a_new_lesson_gets_mistakes_as_pytorch_makes_them);
    return suite;
}
