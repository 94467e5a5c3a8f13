// Gradients against PyTorch's. Each line of tests/data/gradients.txt is a graph (graph.h), how many numbers
// each of its given tensors has, and what PyTorch 1.13 computed: the loss, then the gradients. They must
// agree within 5e-6 of the largest. tests/pytorch_gradients.py wrote it, and compares far more. The lines of
// tests/data/autograd.txt are models of lesson 8, as PyTorch 2.6 computed them: every bit must agree.
// tests/pytorch_autograd.py wrote it, and compares far more.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "graph.h"
#include "tensor/operation/derivation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "trace/tape/gradient.h"

#include <check.h> // last: defines a macro fail

static struct arena *const m = &arena;

// ---- PyTorch's -----------------------------------------------------------------------------------

enum { MOST_LINES = 200 };
static char *lines[MOST_LINES];
static int near_count, line_count; // the first lines agree nearly, those behind them exactly

static void read_lines(const char *path) {
    static char line[1 << 14];
    FILE *file = fopen(path, "r");
    if (file == NULL) abort(); // no test runs yet that could fail
    while (line_count < MOST_LINES && fgets(line, sizeof line, file) != NULL)
        lines[line_count++] = strdup(line);
    fclose(file);
}

static double largest_of(const double *numbers, int64_t count) {
    double largest = 0;
    for (int64_t i = 1; i < count; i++) {
        if (!isnan(numbers[i])) largest = fmax(largest, fabs(numbers[i]));
    }
    return largest;
}

struct asking {
    const char *line;
    struct tensor answer;
};

static void ask(void *context) {
    struct asking *asking = context;
    asking->answer = graph(m, asking->line, NULL);
}

START_TEST(pytorch_computes_the_same) {
    char *wanted = strchr(strchr(lines[_i], '|') + 1, '|') + 1;
    struct asking asking = {.line = arena_copy_bytes(m, lines[_i], strcspn(lines[_i], "|"))};
    ck_assert_msg(attempt(&failure, ask, &asking), "%s: %s", asking.line, failure.message);
    const int64_t count = count_of(shape_of(&asking.answer));
    double *numbers = arena_array(m, (size_t)count, sizeof *numbers);
    for (int64_t i = 0; i < count; i++) numbers[i] = strtod(wanted, &wanted);
    ck_assert(wanted[strspn(wanted, " \n")] == 0);
    const double scale = _i < near_count ? largest_of(numbers, count) : 0;
    for (int64_t i = 0; i < count; i++) {
        const double own = element_at(&asking.answer, i);
        const double slack = 5e-6 * (i == 0 && _i < near_count ? 1 : scale);
        const bool agrees = isnan(numbers[i]) ? isnan(own) : fabs(own - numbers[i]) <= slack;
        ck_assert_msg(agrees, "number %d: %g, not %g: %s", (int)i, own, numbers[i], asking.line);
    }
}
END_TEST

// ---- What is promised ----------------------------------------------------------------------------

START_TEST(every_operation_has_a_rule_or_says_why_not) {
    static const struct operation *const sources[] = {&uniform_row, &normal_row, &given_row,
                                                      &constant_row, &full_row};
    for (int i = 0; i < operation_count; i++) {
        const struct operation *row = operation_list[i];
        bool has_operands = row->compute != NULL;
        for (size_t j = 0; j < sizeof sources / sizeof *sources; j++) {
            if (row == sources[j]) has_operands = false;
        }
        const bool has_one = (row->gradient != NULL) != (row->no_gradient != NULL);
        ck_assert_msg(has_operands == has_one, "%s", row->name);
    }
}
END_TEST

static struct tensor numbers(int64_t count, const float *values) {
    return tensor_of(m, SHAPE(count), values);
}

START_TEST(each_summand_gets_all_and_uses_add_up) {
    const struct tensor a = numbers(2, (const float[]){1, 2});
    const struct tensor b = add(a, a), c = add(b, b); // the order matters: b before a
    const struct tensor grad = gradient(sum(c, 0, false), a);
    ck_assert_double_eq(element_at(&grad, 0), 4);
    ck_assert_double_eq(element_at(&grad, 1), 4);
}
END_TEST

START_TEST(what_the_loss_does_not_see_has_none) {
    const struct tensor a = numbers(2, (const float[]){1, -2});
    const struct tensor other = numbers(2, (const float[]){3, 4});
    const struct tensor loss = sum(multiply(sign(a), other), 0, false);
    const struct tensor through_sign = gradient(loss, a), seen = gradient(loss, other);
    const struct tensor unseen = gradient(loss, numbers(1, (const float[]){5}));
    ck_assert(!is_tensor(&through_sign));
    ck_assert(!is_tensor(&unseen));
    ck_assert_double_eq(element_at(&seen, 1), -1);
}
END_TEST

START_TEST(a_view_of_a_parameter_sees_its_part) {
    const struct tensor a = numbers(3, (const float[]){1, 2, 3});
    const struct tensor end = narrow(a, 0, 1, 2);
    const struct tensor loss = sum(multiply(end, end), 0, false);
    const struct tensor of_end = gradient(loss, end), of_all = gradient(loss, a);
    ck_assert_int_eq(of_end.shape[0], 2);
    ck_assert_double_eq(element_at(&of_end, 1), 6);
    ck_assert_double_eq(element_at(&of_all, 0), 0);
    ck_assert_double_eq(element_at(&of_all, 1), 4);
}
END_TEST

// A closed ReLU, a hidden score and a row that was not read get exactly 0, and no -0.
START_TEST(what_nothing_got_through_is_0) {
    const struct tensor x = numbers(3, (const float[]){-1, 0, 2});
    const struct tensor grad = gradient(sum(multiply_by(relu(x), -1), 0, false), x);
    ck_assert_double_eq(element_at(&grad, 2), -1);
    for (int i = 0; i < 2; i++) ck_assert(!signbit(element_at(&grad, i)));
    for (int i = 0; i < 2; i++) ck_assert_double_eq(element_at(&grad, i), 0);
}
END_TEST

// Every number of a gradient can be asked where it came from, down to what was given.
START_TEST(gradients_know_where_they_came_from) {
    const struct tensor x = tensor_of(m, SHAPE(2, 2), (const float[]){1, 2, 3, 4});
    const struct tensor loss =
        sum(sum(softmax(matmul(x, transpose(x, 0, 1)), 1), 0, false), 0, false);
    const struct tensor grad = gradient(loss, x);
    struct cell cell = cell_at(&grad, (int64_t[]){1, 0});
    for (int steps = 0;; steps++) {
        const struct derivation derivation = derive(m, &cell, 4);
        ck_assert_float_eq((float)derivation.recomputed, (float)derivation.value);
        if (derivation.operand_count == 0) break;
        ck_assert_int_lt(steps, 100);
        cell = derivation.operands[0].cell;
    }
}
END_TEST

Suite *gradient_suite(void) {
    if (line_count == 0) {
        read_lines(TEST_DATA "/gradients.txt");
        near_count = line_count;
        read_lines(TEST_DATA "/autograd.txt");
    }
    Suite *suite = suite_create("gradient");
    TCase *tests = add_case(suite, "gradients", set_up_arena, tear_down_arena);
    tcase_add_loop_test(tests, pytorch_computes_the_same, 0, line_count);
    tcase_add_test(tests, every_operation_has_a_rule_or_says_why_not);
    tcase_add_test(tests, each_summand_gets_all_and_uses_add_up);
    tcase_add_test(tests, what_the_loss_does_not_see_has_none);
    tcase_add_test(tests, a_view_of_a_parameter_sees_its_part);
    tcase_add_test(tests, what_nothing_got_through_is_0);
    tcase_add_test(tests, gradients_know_where_they_came_from);
    return suite;
}
