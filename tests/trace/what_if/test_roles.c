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
#include "trace/run/step.h"
#include "trace/what_if/effects.h"

static struct run run_grouped(int64_t batch) {
    const struct parameters parameters = {.given = batch > 0 ? USES_BATCH : 0, .batch = batch};
    return must_run(&arena, &grouped_lesson, &parameters);
}

// "tensor DIM... : NAME", and its values on the next line.
static void check_tensor(const struct run *wrong, const char *heading, char *line, char *values) {
    char *name = strstr(line, ": ") + 2, *sizes = line + strlen("tensor");
    name[strcspn(name, "\n")] = '\0';
    const struct step *step = step_called(wrong, name);
    ck_assert_msg(step != NULL, "%s%s: no such step", heading, name);
    for (int dim = 0; dim < step->tensor.ndim; dim++)
        ck_assert_int_eq(strtoll(sizes, &sizes, 10), step->tensor.shape[dim]);
    for (int64_t i = 0; i < count_of(shape_of(&step->tensor)); i++) {
        const double expected = strtod(values, &values), value = element_at(&step->tensor, i);
        const bool is_near = isfinite(expected)
                                 ? fabs(value - expected) <= 2e-6
                                 : isnan(value) == isnan(expected) && !isfinite(value);
        ck_assert_msg(is_near, "%s%s: number %d is %.9g, PyTorch has %.9g", heading, name, (int)i,
                      value, expected);
    }
}

// Reads the name behind the colon of a line.
static const struct mistake *mistake_in(char *line) {
    char *name = strstr(line, ": ") + 2;
    name[strcspn(name, "\n")] = '\0';
    const struct mistake *mistake = find_mistake(name);
    ck_assert_msg(mistake != NULL, "no mistake %s", name);
    return mistake;
}

START_TEST(a_new_lesson_gets_mistakes_as_pytorch_makes_them) {
    static char line[1 << 14], values[1 << 14];
    FILE *file = fopen(TEST_DATA "/grouped.txt", "r");
    ck_assert_ptr_nonnull(file);
    bool has_case[3][MOST_MISTAKES] = {{false}};
    struct run wrong = {0};
    const char *heading = "";
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "case ", 5) != 0) {
            ck_assert_ptr_nonnull(fgets(values, sizeof values, file));
            check_tensor(&wrong, heading, line, values);
            continue;
        }
        heading = arena_copy(&arena, line);
        const int64_t batch = strtoll(line + 5, NULL, 10);
        const struct run right = run_grouped(batch);
        const struct mistake *mistake = mistake_in(line);
        replay_run(&wrong, &arena, &right, &mistake, 1);
        has_case[batch][mistake_number(mistake)] = true;
    }
    fclose(file);
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
