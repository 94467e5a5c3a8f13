// Every number of every step of every lesson, computed again from the operands that its derivation
// names; and every step gone through in the order in which its cells are computed.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attempts.h"
#include "fixture.h"
#include "lessons.h"
#include "tensor/number/partial.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/terms.h"
#include "tensor/ops/elementwise.h"
#include "trace/run/step.h"
#include "trace/tape/order.h"

#include <check.h> // last: defines a macro fail

// Term by term, a sum of products ends with the bits of the cell; each of its pairs is added once, and a bias.
static void check_terms(struct arena *scratch, const struct cell *cell,
                        const struct derivation *derivation) {
    const struct terms terms = terms_of(scratch, cell, derivation);
    const int factors = derivation->origin->operation->factors;
    const bool is_sum = factors == 2 || adds_products(derivation);
    ck_assert_int_eq(terms.count > 0, is_sum && derivation->operand_count > 0);
    if (terms.count == 0) return;
    const struct partial *last = &terms.all[terms.count - 1];
    const float value = (float)derivation->value, sum = (float)last->sum;
    ck_assert_msg(memcmp(&value, &sum, sizeof value) == 0, "%a is not %a", last->sum,
                  derivation->value);
    int used = 0;
    for (int64_t i = 0; i < terms.count; i++) {
        const struct partial *term = &terms.all[i];
        used += operands_of_term(derivation, term).count;
        const char *text = term_text(scratch, derivation, term, ALL_DIGITS);
        const char *end = strrchr(text, '=') + 2;
        ck_assert_str_eq(end, number_in_digits(scratch, term->sum, ALL_DIGITS));
    }
    ck_assert_int_eq(used, derivation->operand_count);
}

// "0.4300 × (-0.1500) = -0.0645": what the first line writes comes out of the numbers that it writes.
static void check_pair(struct arena *scratch, const struct derivation *derivation) {
    const struct operation *operation = derivation->origin->operation;
    if (operation->account != account_of_pair || !isfinite(derivation->value)) return;
    if (derivation->operands[0].cell.tensor.storage->dtype == BOOL) return;
    const char *line = derivation->lines[0], *sign = strstr(line, operation->sign);
    ck_assert_msg(sign != NULL, "%s", line);
    const char *second = sign + strlen(operation->sign), *result = strrchr(line, '=') + 2;
    while (*second == ' ' || *second == '(') second++;
    const float again = operation->of_pair(strtof(line, NULL), strtof(second, NULL));
    const char *shown = number_in_arithmetic(scratch, (double)again, 4);
    ck_assert_msg(strtod(shown, NULL) == strtod(result, NULL), "%s, not %s", line, shown);
}

static void check_cell(const struct step *step, int64_t position) {
    struct arena scratch = arena_new(&failure);
    struct cell cell = {.tensor = step->tensor};
    index_at(shape_of(&step->tensor), position, cell.index);
    const struct derivation derivation = derive(&scratch, &cell, 4);
    const float value = (float)derivation.value, again = (float)derivation.recomputed;
    const bool is_same =
        memcmp(&value, &again, sizeof value) == 0 || (isnan(value) && isnan(again));
    ck_assert_msg(is_same, "%s%s: %a is not %a", step_label(&scratch, step),
                  cell_label(&scratch, &cell), derivation.recomputed, derivation.value);
    ck_assert_int_gt(derivation.line_count, 0);
    check_terms(&scratch, &cell, &derivation);
    check_pair(&scratch, &derivation);
    arena_free(&scratch);
}

static void check_order(const struct run *run, const struct step *step) {
    const struct order order = order_of(run, step);
    int64_t cells = 0;
    for (int64_t i = 0; i < order.moment_count; i++) {
        const struct moment moment = moment_at(&order, i);
        if (moment.part != COMPUTES_CELL) continue;
        ck_assert_int_eq(moment_of(&order, moment.cell.index), i);
        cells++;
    }
    ck_assert(cells == 0 || cells == count_of(shape_of(&step->tensor)));
}

static void check_lesson(const struct lesson *lesson, const struct parameters *parameters) {
    struct run run;
    ck_assert_msg(try_lesson(&run, &arena, lesson, parameters), "%s: %s", lesson->name,
                  failure.message);
    for (int i = 0; i < run.step_count; i++) {
        const struct step *step = &run.steps[i];
        const int64_t count = count_of(shape_of(&step->tensor));
        for (int64_t position = 0; position < count; position++) check_cell(step, position);
        check_order(&run, step);
    }
}

START_TEST(lessons_as_they_are) {
    check_lesson(lesson_table[_i], &(struct parameters){0});
}
END_TEST

START_TEST(lessons_with_biases_and_dropout) {
    const struct parameters parameters = {
        .given = USES_BIAS | USES_DROPOUT | USES_BERNOULLI | USES_D_OUT | USES_SEED,
        .bias = true,
        .dropout = 0.3,
        .stream = MCG31M1,
        .d_out = 8,
        .seed = 42,
    };
    check_lesson(lesson_table[_i], &parameters);
}
END_TEST

Suite *every_number_suite(void) {
    Suite *suite = suite_create("every number");
    TCase *tests = add_case(suite, "of every lesson", set_up_arena, tear_down_arena);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, lessons_as_they_are, 0, lesson_count);
    tcase_add_loop_test(tests, lessons_with_biases_and_dropout, 0, lesson_count);
    return suite;
}
