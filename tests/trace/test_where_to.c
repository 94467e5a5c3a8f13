// Where a number goes: through rows, of which each number answers alike unless a factor of 0 or a mask hides it.

#include <math.h>

#include "drawn.h"
#include "fixture.h"
#include "tensor/ops/ops.h"
#include "trace/tape/where_to.h"

#include <check.h> // last: defines a macro fail

enum { ROWS = 2, COLUMNS = 4 };

// Follows x[0, 1] to a step that was made of it. `expected` has a character for each number, row by row: + or -.
static void check_reached(struct tensor x, struct tensor made, const char *expected) {
    struct step steps[] = {{.tensor = x, .number = 1}, {.tensor = made, .number = 2}};
    const struct run run = {.steps = steps, .step_count = 2};
    const struct cell cell = cell_at(&x, (int64_t[]){0, 1});
    const struct where_to reached = where_to_of(m, &run, &cell);
    char found[ROWS * COLUMNS + 1] = "";
    for (int64_t i = 0; i < ROWS * COLUMNS; i++)
        found[i] = is_reached(&reached, &made, (int64_t[]){i / COLUMNS, i % COLUMNS}) ? '+' : '-';
    ck_assert_str_eq(found, expected);
}

// Column 2 has a factor of 0 for x[0, 1]; column 0 has one for another number.
static struct tensor weight(void) {
    return tensor_of(m, SHAPE(3, COLUMNS), (float[]){0, 1, 2, 3, 4, 5, 0, 7, 8, 9, 10, 11});
}

START_TEST(a_factor_of_0_hides_a_number_of_a_row) {
    const struct tensor x = full(m, SHAPE(ROWS, 3), 0.5), twice = multiply_by(x, 2);
    const struct tensor bias = full(m, SHAPE(COLUMNS), 1);
    check_reached(x, matmul(twice, weight()), "++-+----");
    check_reached(x, linear(twice, transpose(weight(), 0, 1), bias), "++-+----");
    check_reached(x, linear(twice, contiguous(transpose(weight(), 0, 1)), bias), "++-+----");
    check_reached(x, matmul(x, weight()), "++++----"); // made of it, all the same
}
END_TEST

START_TEST(a_row_whose_first_number_is_hidden_is_followed) {
    const struct tensor x = full(m, SHAPE(ROWS, 3), 0.5);
    const struct tensor first =
        tensor_of(m, SHAPE(3, COLUMNS), (float[]){1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1});
    check_reached(x, matmul(multiply_by(x, 2), first), "-++-----");
}
END_TEST

START_TEST(a_mask_hides_a_number_of_a_softmax) {
    const struct tensor x = full(m, SHAPE(ROWS, 3), 0.5), scores = matmul(x, weight());
    const struct tensor mask =
        equal(tensor_of(m, SHAPE(COLUMNS), (float[]){1, 0, 0, 0}), full(m, SHAPE(COLUMNS), 1));
    const struct tensor masked = masked_fill(scores, mask, -INFINITY);
    check_reached(x, softmax(masked, -1), "-+++----");
    check_reached(x, softmax(scores, 0), "++-+++-+");
    check_reached(scores, softmax(scores, -1), "++++----");
}
END_TEST

Suite *where_to_suite(void) {
    Suite *suite = suite_create("where to");
    TCase *rows = add_case(suite, "rows", set_up_drawn, tear_down_drawn);
    tcase_add_test(rows, a_factor_of_0_hides_a_number_of_a_row);
    tcase_add_test(rows, a_row_whose_first_number_is_hidden_is_followed);
    tcase_add_test(rows, a_mask_hides_a_number_of_a_softmax);
    return suite;
}
