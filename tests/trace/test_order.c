// Inside a step: every cell has its moment, and the moments their order.

#include <string.h>

#include "cells.h"
#include "drawn.h"
#include "fixture.h"
#include "tensor/operation/derivation.h"
#include "tensor/ops/ops.h"
#include "trace/tape/order.h"

#include <check.h> // last: defines a macro fail

static struct run run_of(int count, struct step *steps) {
    for (int i = 0; i < count; i++) steps[i].number = i + 1;
    return (struct run){.steps = steps, .step_count = count};
}

static struct order order_of_first(struct tensor tensor) {
    struct step steps[] = {{.tensor = tensor}};
    const struct run run = run_of(1, steps);
    return order_of(&run, &steps[0]);
}

// What happens, behind where it does.
static const char *moment_text(const struct order *order, int64_t i, int digits) {
    const struct happening happening = what_happens(m, order, i, digits);
    const char *colon = *happening.where != '\0' ? ": " : "";
    return arena_format(m, "%s%s%s", happening.where, colon, happening.what);
}

// Every cell is computed once, at the moment that moment_of says; rows start where they should.
static void check_order(struct tensor tensor) {
    const struct order order = order_of_first(tensor);
    int64_t cells = 0;
    for (int64_t i = 0; i < order.moment_count; i++) {
        const struct moment moment = moment_at(&order, i);
        ck_assert_int_ge(i, row_start(&order, moment.row));
        ck_assert_int_lt(i, row_start(&order, moment.row + 1));
        ck_assert_ptr_eq(moment.cell.tensor.storage, tensor.storage);
        check_line(m, moment_text(&order, i, 4));
        if (moment.part != COMPUTES_CELL) continue;
        ck_assert_int_eq(moment_of(&order, moment.cell.index), i);
        cells++;
    }
    ck_assert_int_eq(cells, elements_of(&tensor));
    ck_assert_int_eq(row_start(&order, order.row_count), order.moment_count);
    for (int64_t k = 0; k < elements_of(&tensor); k++) {
        const struct cell cell = cell_number_of(&tensor, k);
        const struct moment moment = moment_at(&order, moment_of(&order, cell.index));
        ck_assert_int_eq(moment.part, COMPUTES_CELL);
        ck_assert(same_element(&moment.cell, &cell));
    }
}

START_TEST(every_cell_has_its_moment) {
    const struct tensor x = random_tensor(SHAPE(2, 3, 4));
    const struct tensor y = random_tensor(SHAPE(2, 3, 4));
    const struct tensor pair[] = {x, y};
    check_order(x);
    check_order(matmul(x, transpose(y, 1, 2)));
    check_order(transpose(matmul(x, transpose(y, 1, 2)), 0, 2));
    check_order(select_index(add(x, y), 1, 1));
    for (int dim = 0; dim < 3; dim++) {
        check_order(softmax(x, dim));
        check_order(transpose(softmax(x, dim), 0, 1));
        check_order(narrow(softmax(x, dim), 1, 1, 1));
        check_order(view(softmax(x, dim), SHAPE(4, 6)));
        check_order(cat(2, pair, dim));
        check_order(transpose(cat(2, pair, dim), 0, 2));
        check_order(narrow(cat(2, pair, dim), 2, 1, 2));
        check_order(stack(2, pair, dim));
        check_order(sum(x, dim, true));
        check_order(sum(x, dim, false));
    }
    check_order(softmax(random_tensor(SHAPE(3, 1)), -1));
    check_order(amax(x));
    check_order(stack(2, (struct tensor[]){scalar(m, 1), scalar(m, 2)}, 0));
}
END_TEST

START_TEST(views_and_inputs_have_no_moments) {
    const struct tensor inputs = journey(m), sums = add(inputs, inputs);
    struct step steps[] = {{.tensor = inputs}, {.tensor = sums}, {.tensor = transpose(sums, 0, 1)}};
    const struct run run = run_of(3, steps);
    ck_assert_int_eq(order_of(&run, &steps[0]).moment_count, 0);
    ck_assert_int_eq(order_of(&run, &steps[1]).moment_count, 18);
    ck_assert_int_eq(order_of(&run, &steps[2]).moment_count, 0);
    ck_assert_int_eq(row_start(&(struct order){0}, 0), 0);
}
END_TEST

static struct tensor square_weights(int dim) {
    const float scores[] = {1, 2, 3, 4};
    const struct tensor x = tensor_of(m, SHAPE(2, 2), scores);
    const struct tensor named = label_axis(set_matrix(x, AXIS_QUERY, AXIS_KEY), 0, tokens);
    return softmax(label_axis(named, 1, tokens), dim);
}

START_TEST(a_softmax_goes_line_by_line) {
    const struct order order = order_of_first(square_weights(-1));
    ck_assert_int_eq(order.moment_count, 10);
    ck_assert_int_eq(order.row_count, 2);
    const char *const rows[] = {
        "row Your: max = 2.00",
        "row Your: e^(1.00 − 2.00) = 0.37, e^(2.00 − 2.00) = 1.00",
        "row Your: sum = 0.37 + 1.00 = 1.37",
        "[Your, Your]: e^(1.00 − 2.00) / (0.37 + 1.00) = 0.37 × (1 / 1.37) = 0.27",
        "[Your, journey]: e^(2.00 − 2.00) / (0.37 + 1.00) = 1.00 × (1 / 1.37) = 0.73",
        "row journey: max = 4.00",
    };
    for (int i = 0; i < 6; i++) ck_assert_str_eq(moment_text(&order, i, 2), rows[i]);
    ck_assert_int_eq(moment_at(&order, 1).part, 1);
    const struct order columns = order_of_first(square_weights(0));
    ck_assert_str_eq(moment_text(&columns, 0, 2), "column Your: max = 3.00");
    ck_assert_str_eq(moment_text(&columns, 4, 2),
                     "[journey, Your]: e^(3.00 − 3.00) / (0.14 + 1.00) = 1.00 / 1.14 = 0.88");
    ck_assert_str_eq(moment_text(&columns, 5, 2), "column journey: max = 4.00");
    const struct order single = order_of_first(softmax(random_tensor(SHAPE(2)), 0));
    ck_assert_int_eq(strncmp(moment_text(&single, 0, 2), "max = ", 6), 0);
    const struct tensor x = set_axis(random_tensor(SHAPE(2, 2, 2)), 0, AXIS_HEAD);
    const struct order heads = order_of_first(softmax(x, -1));
    const char *text = moment_text(&heads, 15, 2);
    ck_assert_msg(strncmp(text, "row [head 2, 2]: max = ", 23) == 0, "%s", text);
}
END_TEST

// A transposed view shows the cells down its columns: in the order of memory, hence of the draws.
START_TEST(dropout_goes_in_the_order_of_draws) {
    const struct tensor dropped = drop(&generator, full(m, SHAPE(3, 4), 1), 0.5, MT19937);
    const struct order order = order_of_first(transpose(dropped, 0, 1));
    ck_assert_int_eq(order.row_count, 3);
    for (int64_t i = 0; i < order.moment_count; i++) {
        const struct moment moment = moment_at(&order, i);
        ck_assert_int_eq(derive(m, &moment.cell, 4).flat_index, i);
    }
}
END_TEST

START_TEST(cat_goes_operand_by_operand) {
    const struct tensor x = full(m, SHAPE(2, 1), 1), y = full(m, SHAPE(2, 2), 2);
    const struct order order = order_of_first(cat(2, (struct tensor[]){x, y}, 1));
    ck_assert_int_eq(order.moment_count, 6);
    ck_assert_int_eq(order.row_count, 4);
    const int64_t columns[] = {0, 0, 1, 2, 1, 2}, rows[] = {0, 1, 0, 0, 1, 1};
    for (int i = 0; i < 6; i++) {
        const struct moment moment = moment_at(&order, i);
        ck_assert_int_eq(moment.cell.index[0], rows[i]);
        ck_assert_int_eq(moment.cell.index[1], columns[i]);
    }
    ck_assert_int_eq(row_start(&order, 3), 4);
}
END_TEST

Suite *order_suite(void) {
    Suite *suite = suite_create("order");
    TCase *inside = add_case(suite, "inside a step", set_up_drawn, tear_down_drawn);
    tcase_set_timeout(inside, 60);
    tcase_add_test(inside, every_cell_has_its_moment);
    tcase_add_test(inside, views_and_inputs_have_no_moments);
    tcase_add_test(inside, a_softmax_goes_line_by_line);
    tcase_add_test(inside, dropout_goes_in_the_order_of_draws);
    tcase_add_test(inside, cat_goes_operand_by_operand);
    return suite;
}
