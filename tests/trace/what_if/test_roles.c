// A lesson that says nothing of mistakes gets those that apply, and no others (pytorch_grouped.py). Their numbers: test_grouped.c.

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
#include "script/lesson/interpreter.h"
#include "trace/run/step.h"
#include "trace/what_if/effects.h"

static struct run run_grouped(int64_t batch) {
    const struct parameters parameters = {.given = batch > 0 ? USES_BATCH : 0, .batch = batch};
    return must_run(&arena, &grouped_lesson, &parameters);
}

START_TEST(a_new_lesson_gets_its_mistakes) {
    struct arena of_file = arena_new(&failure);
    const char *text = data_file(&of_file, "grouped.txt");
    bool has_case[3][MOST_MISTAKES] = {{false}};
    for (struct case_lines lines; next_case(&text, &lines);) {
        const struct made made = make_case(&lines);
        has_case[made.right.batch_size][mistake_number(made.mistakes[0])] = true;
    }
    arena_free(&of_file);
    for (int batch = 0; batch <= 2; batch += 2) {
        const struct run right = run_grouped(batch);
        struct effects effects = {
            .failure = &failure, .words = &arena, .interpreter = &python_interpreter};
        for (int i = 0; i < mistake_total; i++) {
            const bool has_effect = effect_of(&effects, &right, i)->first >= 0;
            // Without a batch its lines have a batch of one, and PyTorch's case has none.
            if (batch == 0 && strcmp(mistake_table[i].name, "softmax-batch") == 0) continue;
            ck_assert_msg(
                has_effect == has_case[batch][i],
                "%s %s in the lesson of grouped.c, batch %d: %s tests/pytorch_grouped.py and write "
                "tests/data/grouped.txt anew",
                mistake_table[i].name, has_effect ? "changes numbers" : "changes nothing", batch,
                has_effect ? "add it to" : "take it out of");
        }
    }
}
END_TEST

Suite *roles_suite(void) {
    Suite *suite = suite_create("roles");
    TCase *tests = add_case(suite, "grouped queries", set_up_arena, tear_down_arena);
    tcase_add_test(tests, a_new_lesson_gets_its_mistakes);
    return suite;
}
