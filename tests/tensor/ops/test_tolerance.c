// Tolerances keep what they promise: operands that err within theirs make results that err within theirs,
// however large that is beside the numbers.

#include <math.h>
#include <string.h>

#include "fixture.h"
#include "tensor/number/generator.h"
#include "tensor/operation/tolerance.h"
#include "tensor/ops/ops.h"

#include <check.h> // last: defines a macro fail

static struct generator generator;

static float between(float least, float most) {
    return least + (most - least) * random_float(&generator);
}

// ---- Operands that err ---------------------------------------------------------------------------

enum { ROWS = 3, SIZE = 4, COUNT = ROWS * SIZE };

struct operand {
    struct tensor x;
    float moved[COUNT]; // x, each number as far off as it may be, or somewhat less
};

// What is added to numbers and taken away again leaves them with an error of its size.
static struct tensor erring(struct tensor x, struct tensor size) {
    return subtract(add(x, size), size);
}

// Numbers between `least` and `most` that err by up to `error`.
static struct operand draw(float least, float most, double error) {
    float numbers[COUNT], sizes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = between(least, most);
        sizes[i] = between(0, 1) * (float)(error / ROUNDING / 3);
    }
    const struct tensor x = tensor_of(&arena, SHAPE(ROWS, SIZE), numbers);
    struct operand operand = {.x = erring(x, tensor_of(&arena, SHAPE(ROWS, SIZE), sizes))};
    const double *tolerances = tolerances_of(&arena, &operand.x);
    for (int i = 0; i < COUNT; i++) {
        static const double parts[] = {-1, 1, -0.5, 0.5};
        const double part = parts[random_bits(&generator) % 4];
        operand.moved[i] = (float)(element_at(&operand.x, i) + part * 0.9 * tolerances[i]);
    }
    return operand;
}

// ---- Operations ----------------------------------------------------------------------------------

static struct tensor product(struct tensor a, struct tensor b) {
    return matmul(a, transpose(b, 0, 1));
}

static struct tensor softmax_of_rows(struct tensor a, struct tensor b) {
    (void)b;
    return softmax(a, 1);
}

static struct tensor softmax_of_columns(struct tensor a, struct tensor b) {
    (void)b;
    return softmax(a, 0);
}

static struct tensor log_of_softmax(struct tensor a, struct tensor b) {
    (void)b;
    return log_softmax(a, 1);
}

static struct tensor loss(struct tensor a, struct tensor b) {
    (void)b;
    return cross_entropy(a, arange(a.storage->arena, 1, ROWS));
}

static struct tensor variance(struct tensor a, struct tensor b) {
    (void)b;
    return var(a, 1, true, false);
}

static struct tensor root(struct tensor a, struct tensor b) {
    (void)b;
    return square_root(a);
}

static struct tensor logarithm(struct tensor a, struct tensor b) {
    (void)b;
    return natural_log(a);
}

static const struct {
    const char *name;
    struct tensor (*of)(struct tensor a, struct tensor b);
    bool is_positive; // takes nothing else
} operations[] = {
    {"multiply", multiply, false},
    {"divide", divide, true},
    {"add", add, false},
    {"matmul", product, false},
    {"softmax", softmax_of_rows, false},
    {"softmax, dim=0", softmax_of_columns, false},
    {"log_softmax", log_of_softmax, false},
    {"cross_entropy", loss, false},
    {"var", variance, false},
    {"sqrt", root, true},
    {"log", logarithm, true},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static bool is_positive(const struct operand *operand) {
    for (int i = 0; i < COUNT; i++) {
        if (operand->moved[i] <= 0 || element_at(&operand->x, i) <= 0) return false;
    }
    return true;
}

START_TEST(errors_of_operands_stay_within_tolerances) {
    static const double errors[] = {1e-4, 0.01, 0.3, 1, 3, 20, 1000};
    manual_seed(&generator, 5);
    int tried = 0;
    for (int i = 0; i < 3000; i++, arena_free(&arena)) {
        const double error = errors[i % 7], size = errors[i / 7 % 7];
        const bool is_bound = operations[_i].is_positive;
        const float least = is_bound ? (float)size : -(float)size, most = 3 * (float)size;
        const struct operand a = draw(least, most, error), b = draw(least, most, error);
        if (is_bound && (!is_positive(&a) || !is_positive(&b))) continue;
        tried++;
        const struct tensor result = operations[_i].of(a.x, b.x);
        const struct shape shape = shape_of(&a.x);
        const struct tensor other =
            operations[_i].of(tensor_of(&arena, shape, a.moved), tensor_of(&arena, shape, b.moved));
        const double *tolerances = tolerances_of(&arena, &result);
        for (int64_t j = 0; j < count_of(shape_of(&result)); j++) {
            const double mine = element_at(&result, j), theirs = element_at(&other, j);
            if (agree(theirs, mine, tolerances[j])) continue;
            ck_abort_msg("%s of numbers up to %g that err by %g: %.9g and %.9g, allowed %.3g",
                         operations[_i].name, 3 * size, error, mine, theirs, tolerances[j]);
        }
    }
    ck_assert_int_gt(tried, 500);
}
END_TEST

// An error that is small beside its number is no excuse for more than itself.
START_TEST(small_errors_stay_small) {
    manual_seed(&generator, 6);
    for (int i = 0; i < 200; i++, arena_free(&arena)) {
        const struct operand a = draw(-2, 2, 1e-4);
        const struct tensor weights = softmax(a.x, 1);
        const double *tolerances = tolerances_of(&arena, &weights);
        for (int64_t j = 0; j < COUNT; j++)
            ck_assert_double_lt(tolerances[j], 3e-4 * element_at(&weights, j));
    }
}
END_TEST

// The next float is far away from a number near 0.
START_TEST(what_is_nearly_nothing_rounds_to_the_next_float) {
    manual_seed(&generator, 8);
    for (int i = 0; i < 200; i++, arena_free(&arena)) {
        const struct operand a = draw(0.5F, 2, 0.05);
        const struct tensor tiny = full(&arena, SHAPE(ROWS, SIZE), 1e-44);
        const struct tensor result = multiply(a.x, tiny);
        const struct tensor other = multiply(tensor_of(&arena, SHAPE(ROWS, SIZE), a.moved), tiny);
        const double *tolerances = tolerances_of(&arena, &result);
        for (int64_t j = 0; j < COUNT; j++)
            ck_assert(agree(element_at(&other, j), element_at(&result, j), tolerances[j]));
    }
}
END_TEST

// Numbers that are added up from the last to the first, each product rounded.
static float backwards(const float *a, const float *b, int count) {
    float sum = 0;
    for (int i = count - 1; i >= 0; i--) sum += a[i] * b[i];
    return sum;
}

START_TEST(another_order_of_a_sum_agrees) {
    enum { LONG = 40 };
    static const float sizes[] = {1e18F, 1, 1e-30F, 1e-38F, 1e-42F, 1e-44F};
    manual_seed(&generator, 7);
    for (int i = 0; i < 600; i++, arena_free(&arena)) {
        float a[LONG], b[LONG];
        for (int k = 0; k < LONG; k++) {
            a[k] = between(-1, 1) * sizes[i % 6];
            b[k] = between(-1, 1);
        }
        const struct tensor result =
            matmul(tensor_of(&arena, SHAPE(1, LONG), a), tensor_of(&arena, SHAPE(LONG, 1), b));
        const double other = (double)backwards(a, b, LONG), mine = element_at(&result, 0);
        const double allowed = tolerances_of(&arena, &result)[0];
        ck_assert_msg(agree(other, mine, allowed), "%g and %g, allowed %g", mine, other, allowed);
    }
}
END_TEST

Suite *tolerance_suite(void) {
    Suite *suite = suite_create("tolerance");
    TCase *tcase = add_case(suite, "errors", set_up_arena, tear_down_arena);
    tcase_add_loop_test(tcase, errors_of_operands_stay_within_tolerances, 0, OPERATIONS);
    tcase_add_test(tcase, small_errors_stay_small);
    tcase_add_test(tcase, what_is_nearly_nothing_rounds_to_the_next_float);
    tcase_add_test(tcase, another_order_of_a_sum_agrees);
    return suite;
}
