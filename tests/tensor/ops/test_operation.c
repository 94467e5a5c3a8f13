// The operations: PyTorch's results, our own bits, and messages where shapes do not fit.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "records.h"
#include "tensor/ops/ops.h"

// ---- Operands -----------------------------------------------------------------------------------

// A float in [-0.5, 0.5), the same in torch_data.py.
static float value_of(uint32_t seed, uint32_t i) {
    uint32_t h = seed * 2654435761U + i * 2246822519U;
    h ^= h >> 15;
    h *= 3266489917U;
    h ^= h >> 13;
    return (float)(h >> 8) * 0x1p-24F - 0.5F;
}

static struct tensor operand(uint32_t seed, struct shape shape) {
    const int64_t count = count_of(shape);
    float *numbers = arena_array(&arena, (size_t)count, sizeof *numbers);
    for (int64_t i = 0; i < count; i++) numbers[i] = value_of(seed, (uint32_t)i);
    return tensor_of(&arena, shape, numbers);
}

static struct tensor filled(struct shape shape, const float *numbers) {
    return tensor_of(&arena, shape, numbers);
}

// ---- Any operation by name ----------------------------------------------------------------------

enum { MOST_OPERANDS = 4 };

struct call {
    const char *words; // name and attributes
    int count;
    struct tensor x[MOST_OPERANDS];
    struct tensor result;
};

static struct tensor above_zero(struct tensor x) {
    const struct tensor result = to_bool(relu(x));
    return result;
}

static struct tensor call_on_two(const char *name, struct tensor a, struct tensor b) {
    if (strcmp(name, "add") == 0) return add(a, b);
    if (strcmp(name, "subtract") == 0) return subtract(a, b);
    if (strcmp(name, "multiply") == 0) return multiply(a, b);
    if (strcmp(name, "divide") == 0) return divide(a, b);
    if (strcmp(name, "matmul") == 0) return matmul(a, b);
    if (strcmp(name, "masked_fill") == 0) return masked_fill(a, above_zero(b), -(double)INFINITY);
    return NO_TENSOR;
}

static struct tensor call_on_one(const char *name, struct tensor x, int first, int second) {
    if (strcmp(name, "softmax") == 0) return softmax(multiply(x, scalar(&arena, 20)), first);
    if (strcmp(name, "sum") == 0) return sum(x, first, second != 0);
    if (strcmp(name, "mean") == 0) return mean(x, first, false);
    if (strcmp(name, "var") == 0) return var(x, first, true, false);
    if (strcmp(name, "amax") == 0) return amax(x);
    if (strcmp(name, "amax_along") == 0) return amax_along(x, first);
    if (strcmp(name, "absolute") == 0) return absolute(x);
    if (strcmp(name, "relu") == 0) return relu(x);
    if (strcmp(name, "tril") == 0) return tril(x, first);
    if (strcmp(name, "triu") == 0) return triu(x, first);
    if (strcmp(name, "to_bool") == 0) return above_zero(x);
    if (strcmp(name, "contiguous") == 0) return contiguous(x);
    return NO_TENSOR;
}

static void do_call(void *context) {
    struct call *call = context;
    const char *words = call->words;
    const char *name = next_word(&arena, &words);
    const char *first = next_word(&arena, &words), *second = next_word(&arena, &words);
    const int number = first != NULL ? atoi(first) : 0;
    if (strcmp(name, "linear") == 0)
        call->result = linear(call->x[0], call->x[1], call->x[2]);
    else if (strcmp(name, "stack") == 0)
        call->result = stack(call->count, call->x, number);
    else if (strcmp(name, "cat") == 0)
        call->result = cat(call->count, call->x, number);
    else if (call->count == 2)
        call->result = call_on_two(name, call->x[0], call->x[1]);
    else
        call->result = call_on_one(name, call->x[0], number, second != NULL ? atoi(second) : 0);
}

static void do_dropout(void *context) {
    struct generator generator;
    manual_seed(&generator, 1);
    (void)drop(&generator, full(&arena, SHAPE(2), 1), *(double *)context, MT19937);
}

#include <check.h> // last: defines a macro fail

#include "expect.h"

// "4x3T 5" in words: 4x3 with its dimensions exchanged, and 5 floats.
static struct call read_call(const char *words, const char *shapes) {
    struct call call = {.words = words};
    for (const char *word; (word = next_word(&arena, &shapes)) != NULL; call.count++) {
        ck_assert_int_lt(call.count, MOST_OPERANDS);
        const struct tensor x = operand((uint32_t)call.count + 1, read_shape(word));
        const bool is_turned = word[strlen(word) - 1] == 'T';
        call.x[call.count] = is_turned ? transpose(x, -2, -1) : x;
    }
    return call;
}

// ---- Against PyTorch ----------------------------------------------------------------------------

static bool is_rounded_otherwise(const struct call *call) {
    static const char *const names[] = {"matmul", "linear", "softmax", "mean", "var"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(call->words, names[i], strlen(names[i])) == 0) return true;
    }
    // sums of up to 8 numbers side by side are added in PyTorch's order
    const struct tensor *x = &call->x[0];
    return strncmp(call->words, "sum", 3) == 0 &&
           (strncmp(call->words, "sum -1", 6) != 0 || x->shape[x->ndim - 1] > 8);
}

static void check_result(const struct call *call, const struct record *record) {
    const struct tensor *result = &call->result;
    const struct shape shape = read_shape(record->fields[2]);
    expect(is_tensor(result), "what is %s?", record->line);
    expect(shapes_equal(shape_of(result), shape), "%.70s: has shape %s", record->line,
           shape_text(&arena, shape_of(result)));
    const double *wanted = numbers_in(&arena, record->fields[3], count_of(shape));
    const bool is_loose = is_rounded_otherwise(call);
    for (int64_t i = 0; i < count_of(shape); i++) {
        const double value = element_at(result, i);
        const bool same = is_loose ? fabs(value - wanted[i]) <= 2e-6 * fmax(1, fabs(wanted[i]))
                                   : same_float((float)value, (float)wanted[i]);
        expect(same, "%.70s: element %d is %a, not %a", record->line, (int)i, value, wanted[i]);
    }
}

START_TEST(results_are_those_of_pytorch) {
    const char *text = data_file(&arena, "operations.txt");
    struct record record;
    int count = 0;
    for (; next_record(&arena, &text, &record); count++) {
        struct call call = read_call(record.fields[0], record.fields[1]);
        expect(attempt(&failure, do_call, &call), "%.70s: %s", record.line, failure.message);
        check_result(&call, &record);
    }
    ck_assert_int_eq(count, 318);
}
END_TEST

// ---- Products -----------------------------------------------------------------------------------

// The element of a product, in the plainest way there is: fused, but multiplied and then added in a batch
// of matrices smaller than 400 products.
static float element_of_product(const struct tensor *a, const struct tensor *b,
                                const int64_t *index, int ndim) {
    int64_t at_a[MAX_DIMS] = {0}, at_b[MAX_DIMS] = {0};
    for (int back = 3; back <= ndim; back++) {
        if (back <= a->ndim && a->shape[a->ndim - back] > 1)
            at_a[a->ndim - back] = index[ndim - back];
        if (back <= b->ndim && b->shape[b->ndim - back] > 1)
            at_b[b->ndim - back] = index[ndim - back];
    }
    at_a[a->ndim - 2] = index[ndim - 2];
    at_b[b->ndim - 1] = index[ndim - 1];
    float sum = 0;
    const int64_t inner = a->shape[a->ndim - 1];
    const bool is_small =
        a->ndim > 2 && b->ndim > 2 && a->shape[a->ndim - 2] * inner * b->shape[b->ndim - 1] < 400;
    for (int64_t k = 0; k < inner; k++) {
        at_a[a->ndim - 1] = k;
        at_b[b->ndim - 2] = k;
        const float left = float_at(a, at_a), right = float_at(b, at_b);
        sum = is_small ? sum + left * right : fmaf(left, right, sum);
    }
    return sum;
}

static uint32_t random_state;

static int64_t random_below(int64_t limit) {
    random_state = random_state * 1664525U + 1013904223U;
    return (int64_t)(random_state >> 8) % limit;
}

// A matrix, perhaps with a batch and heads in front, perhaps turned, perhaps part of a larger one.
static struct tensor random_operand(uint32_t seed, int64_t rows, int64_t columns, int64_t batch,
                                    int64_t heads) {
    struct shape shape = {0};
    const int64_t kind = random_below(4);
    if (kind > 0) shape.size[shape.ndim++] = random_below(2) ? batch : 1;
    if (kind > 1) shape.size[shape.ndim++] = random_below(2) ? heads : 1;
    const bool is_turned = random_below(2), is_part = random_below(2);
    shape.size[shape.ndim++] = (is_turned ? columns : rows) + is_part;
    shape.size[shape.ndim++] = is_turned ? rows : columns;
    struct tensor x = operand(seed, shape);
    if (is_part) x = narrow(x, -2, 1, is_turned ? columns : rows);
    return is_turned ? transpose(x, -2, -1) : x;
}

// Leading sizes are matched from the right; operands with three dimensions have only the batch.
START_TEST(a_product_of_few_columns_is_one_chain) {
    random_state = (uint32_t)_i * 7919U + 1;
    const int64_t n = 1 + random_below(9), k = 1 + random_below(40), m = 1 + random_below(7);
    const int64_t size = 1 + random_below(3);
    const struct tensor a = random_operand(1, n, k, size, size);
    const struct tensor b = random_operand(2, k, m, size, size);
    const struct tensor c = matmul(a, b);
    ck_assert_int_eq(c.ndim, a.ndim > b.ndim ? a.ndim : b.ndim);
    for (int64_t i = 0; i < count_of(shape_of(&c)); i++) {
        int64_t index[MAX_DIMS];
        index_at(shape_of(&c), i, index);
        expect(same_float((float)element_at(&c, i), element_of_product(&a, &b, index, c.ndim)),
               "not the same bits");
    }
}
END_TEST

START_TEST(linear_is_the_same_product_and_a_bias) {
    random_state = (uint32_t)_i * 104729U + 1;
    const int64_t in = 1 + random_below(30), out = 1 + random_below(9);
    const struct tensor x = random_operand(1, 1 + random_below(9), in, 2, 3);
    const struct tensor weight = operand(2, SHAPE(out, in)), bias = operand(3, SHAPE(out));
    const struct tensor products = matmul(x, transpose(weight, 0, 1));
    const struct tensor without = linear(x, weight, NO_TENSOR);
    const struct tensor with = linear(x, weight, bias);
    const struct tensor added = add(products, bias);
    ck_assert(shapes_equal(shape_of(&with), shape_of(&products)));
    for (int64_t i = 0; i < count_of(shape_of(&products)); i++) {
        expect(same_float((float)element_at(&without, i), (float)element_at(&products, i)),
               "not the same bits");
        expect(same_float((float)element_at(&with, i), (float)element_at(&added, i)),
               "not the same bits");
    }
}
END_TEST

// ---- Softmax ------------------------------------------------------------------------------------

START_TEST(rows_of_a_softmax_add_up_to_one) {
    for (int64_t width = 1; width <= 40; width++) {
        for (int scale = -3; scale <= 3; scale++) {
            const struct tensor factor = scalar(&arena, pow(10, scale));
            const struct tensor x = multiply(operand(1, SHAPE(4, width)), factor);
            const struct tensor y = softmax(x, -1);
            for (int64_t row = 0; row < 4; row++) {
                double total = 0;
                for (int64_t i = 0; i < width; i++) {
                    const double share = element(&y, (int64_t[]){row, i});
                    expect(share >= 0 && share <= 1, "%g", share);
                    total += share;
                }
                ck_assert(fabs(total - 1) <= 3e-7 + 1e-8 * (double)width);
            }
        }
    }
}
END_TEST

static void check_softmax(int count, const float *numbers, const double *wanted) {
    const struct tensor y = softmax(filled(SHAPE(count), numbers), 0);
    for (int64_t i = 0; i < count; i++) {
        const double value = element_at(&y, i);
        expect(isnan(wanted[i]) ? isnan(value) : fabs(value - wanted[i]) < 1e-7,
               "element %d is %g, not %g", (int)i, value, wanted[i]);
    }
}

START_TEST(softmax_bears_what_is_huge_or_hidden) {
    const float inf = INFINITY;
    check_softmax(3, (float[]){3e38F, 3e38F, -3e38F}, (double[]){0.5, 0.5, 0});
    check_softmax(3, (float[]){-3e38F, -3e38F, -3e38F}, (double[]){1.0 / 3, 1.0 / 3, 1.0 / 3});
    check_softmax(3, (float[]){1000, -inf, 1000}, (double[]){0.5, 0, 0.5});
    check_softmax(4, (float[]){-inf, -inf, -5, -inf}, (double[]){0, 0, 1, 0});
    check_softmax(2, (float[]){-0.0F, 0}, (double[]){0.5, 0.5});
    const double nan = NAN; // as in PyTorch: nothing to share among
    check_softmax(2, (float[]){-inf, -inf}, (double[]){nan, nan});
    check_softmax(2, (float[]){inf, 0}, (double[]){nan, nan});
    check_softmax(2, (float[]){NAN, 0}, (double[]){nan, nan});
    const struct tensor hidden = softmax(filled(SHAPE(2), (float[]){-inf, 0}), 0);
    expect(same_float((float)element_at(&hidden, 0), 0),
           "not the same bits"); // and not -0 or nearly 0
    expect(same_float((float)element_at(&hidden, 1), 1), "not the same bits");
}
END_TEST

// Where it divides and does not multiply by the inverse: the last bit may be another.
START_TEST(softmax_runs_along_any_dimension) {
    const struct tensor x = operand(1, SHAPE(2, 3, 4));
    for (int dim = 0; dim < 3; dim++) {
        const struct tensor down = softmax(x, dim);
        const struct tensor across =
            transpose(softmax(contiguous(transpose(x, dim, 2)), -1), dim, 2);
        for (int64_t i = 0; i < 24; i++)
            ck_assert_double_eq_tol(element_at(&down, i) / element_at(&across, i), 1, 0x1p-23);
    }
}
END_TEST

// ---- Sums ---------------------------------------------------------------------------------------

// Where each order would give another result: 2^24 + 1 + 1 is 2^24 from the left.
START_TEST(sums_are_added_in_their_order) {
    const float big = 0x1p24F;
    static const struct {
        int64_t count;
        double sum;
    } cases[] = {{2, 0x1p24}, {3, 0x1p24}, {4, 0x1p24}, {5, 0x1p24}, {8, 0x1p24}, {9, 0x1p24 + 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float numbers[16];
        for (int j = 0; j < 16; j++) numbers[j] = j == 0 ? big : 1;
        const struct tensor x = filled(SHAPE(cases[i].count), numbers);
        const struct tensor total = sum(x, 0, false);
        if (cases[i].count < 9) ck_assert_double_eq(element_at(&total, 0), cases[i].sum);
    }
    // five numbers: the fifth goes to the first accumulator
    const struct tensor five = filled(SHAPE(5), (float[]){big, 1, 1, 1, -big});
    const struct tensor total = sum(five, 0, false);
    ck_assert_double_eq(element_at(&total, 0), 3);
    // nine: eight accumulators in turn, so that the ninth joins the first
    const struct tensor nine = filled(SHAPE(9), (float[]){big, 1, 1, 1, 1, 1, 1, 1, -big});
    const struct tensor of_nine = sum(nine, 0, false);
    ck_assert_double_eq(element_at(&of_nine, 0), 7);
}
END_TEST

// ---- Masks --------------------------------------------------------------------------------------

START_TEST(masks_hide_and_keep) {
    const float numbers[] = {1, -0.0F, NAN, -2, 0, INFINITY};
    const struct tensor x = filled(SHAPE(2, 3), numbers);
    const struct tensor truth = to_bool(x);
    const double wanted[] = {1, 0, 1, 1, 0, 1}; // nan is not 0
    for (int64_t i = 0; i < 6; i++) ck_assert_double_eq(element_at(&truth, i), wanted[i]);
    const struct tensor lower = tril(x, 0);
    ck_assert_double_eq(element_at(&lower, 0), 1);
    expect(same_float((float)element_at(&lower, 2), 0), "not the same bits"); // 0, not nan · 0
    const struct tensor hidden = masked_fill(x, truth, -(double)INFINITY);
    expect(same_float((float)element_at(&hidden, 1), -0.0F), "not the same bits");
    expect(same_float((float)element_at(&hidden, 0), -INFINITY), "not the same bits");
    const struct tensor back = relu(filled(SHAPE(3), (float[]){-1, NAN, 2}));
    expect(same_float((float)element_at(&back, 0), 0), "not the same bits");
    ck_assert(isnan(element_at(&back, 1)));
}
END_TEST

// ---- Dropout ------------------------------------------------------------------------------------

START_TEST(dropped_negatives_are_minus_zero) {
    struct generator generator;
    const float scale = 1 / (float)(1 - 0.3);
    for (int stream = MT19937; stream <= MCG31M1; stream++) {
        manual_seed(&generator, 4);
        const struct tensor x = operand(1, SHAPE(10, 10));
        const struct tensor y = drop(&generator, x, 0.3, (enum bernoulli)stream);
        int dropped = 0;
        for (int64_t i = 0; i < 100; i++) {
            const float before = (float)element_at(&x, i), after = (float)element_at(&y, i);
            const bool is_dropped = same_float(after, copysignf(0, before));
            ck_assert(is_dropped || same_float(after, before * scale));
            dropped += is_dropped;
        }
        ck_assert(dropped > 10 && dropped < 50);
    }
}
END_TEST

START_TEST(dropout_with_certainty) {
    struct generator generator;
    manual_seed(&generator, 4);
    const float inf = INFINITY;
    const struct tensor x = filled(SHAPE(5), (float[]){1, -2, inf, NAN, 0});
    const struct tensor all = drop(&generator, x, 1, MT19937);
    expect(same_float((float)element_at(&all, 0), 0), "not the same bits");
    expect(same_float((float)element_at(&all, 1), -0.0F), "not the same bits");
    ck_assert(isnan(element_at(&all, 2))); // x · 0, as PyTorch has it
    ck_assert(isnan(element_at(&all, 3)));
    const struct tensor none = drop(&generator, x, 0, MCG31M1);
    ck_assert_ptr_eq(none.storage, x.storage);
    ck_assert_uint_eq(generator.drawn, 0);
}
END_TEST

// The mask belongs to the elements as they are counted, not as they lie in memory.
START_TEST(dropout_of_a_view_draws_row_by_row) {
    struct generator generator;
    const struct tensor x = transpose(operand(1, SHAPE(5, 4)), 0, 1);
    manual_seed(&generator, 4);
    const struct tensor of_view = drop(&generator, x, 0.5, MT19937);
    manual_seed(&generator, 4);
    const struct tensor copy = contiguous(x);
    const struct tensor of_copy = drop(&generator, copy, 0.5, MT19937);
    for (int64_t i = 0; i < 20; i++)
        expect(same_float((float)element_at(&of_view, i), (float)element_at(&of_copy, i)),
               "not the same bits");
}
END_TEST

START_TEST(impossible_probabilities_are_refused) {
    double probabilities[] = {-0.1, 1.0001, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        ck_assert(!attempt(&failure, do_dropout, &probabilities[i]));
        ck_assert_int_eq(failure.status, FAIL_USAGE);
        ck_assert_ptr_nonnull(strstr(failure.message, "dropout: "));
    }
}
END_TEST

// ---- Messages -----------------------------------------------------------------------------------

static const struct {
    const char *words, *shapes, *reasons[3];
} misfits[] = {
    {"matmul", "6x3 2x3", {"matmul: ", "(6, 3)", "(2, 3)"}},
    {"matmul", "6x3 2", {"matmul: ", "(6, 3)", "(2,)"}},
    {"matmul", "3 2x3", {"matmul: ", "(3,)", "(2, 3)"}},
    {"matmul", "3 4", {"matmul: ", "(3,)", "(4,)"}},
    {"matmul", "- 3", {"matmul: ", "()", "(3,)"}},
    {"matmul", "3x3 -", {"matmul: ", "(3, 3)", "()"}},
    {"matmul", "2x4x3 3x3x4", {"matmul: ", "(2, 4, 3)", "(3, 3, 4)"}},
    {"linear", "6x3 3x2 2", {"linear: ", "(6, 3)", "(3, 2)"}},
    {"linear", "- 3x2 3", {"linear: ", "()", "(3, 2)"}},
    {"linear", "6x3 2x3 3", {"linear: ", "(2, 3)", "(3,)"}},
    {"linear", "6x3 2x3 1", {"linear: ", "(2, 3)", "(1,)"}},
    {"linear", "6x3 2x3 1x2", {"linear: ", "(2, 3)", "(1, 2)"}},
    {"add", "2x3 2x4", {"add: ", "(2, 3)", "(2, 4)"}},
    {"subtract", "2x3 3x2", {"sub", "(2, 3)", "(3, 2)"}},
    {"multiply", "2x3 2", {"mul", "(2, 3)", "(2,)"}},
    {"divide", "2 3", {"div", "(2,)", "(3,)"}},
    {"masked_fill", "2x3 3x3", {"masked_fill: ", "(2, 3)", "(3, 3)"}},
    {"masked_fill", "3 2x3", {"masked_fill: ", "(3,)", "(2, 3)"}},
    {"stack 0", "2x3 3x2", {"stack: ", "(2, 3)", "(3, 2)"}},
    {"stack 3", "2x3 2x3", {"stack: ", "(2, 3)", "3"}},
    {"stack 0", "1x1x1x1x1x1 1x1x1x1x1x1", {"stack: ", "(1, 1, 1, 1, 1, 1)", ""}},
    {"cat 0", "2x3 2x4", {"cat: ", "(2, 3)", "(2, 4)"}},
    {"cat 0", "2x3 3", {"cat: ", "(2, 3)", "(3,)"}},
    {"cat 1", "3 3", {"cat: ", "(3,)", "1"}},
    {"cat 0", "- -", {"cat: ", "()", "0"}},
    {"softmax 2", "2x3", {"softmax: ", "(2, 3)", "2"}},
    {"softmax 0", "-", {"softmax: ", "()", "0"}},
    {"sum -3", "2x3", {"sum: ", "(2, 3)", "-3"}},
    {"mean 1", "3", {"mean: ", "(3,)", "1"}},
    {"tril", "3", {"tril: ", "(3,)", ""}},
    {"triu", "-", {"triu: ", "()", ""}},
};
enum { MISFITS = sizeof misfits / sizeof *misfits };

START_TEST(misfits_are_refused_with_name_and_shapes) {
    struct call call = read_call(misfits[_i].words, misfits[_i].shapes);
    expect(!attempt(&failure, do_call, &call), "%s of %s is not refused", misfits[_i].words,
           misfits[_i].shapes);
    ck_assert_int_eq(failure.status, FAIL_USAGE);
    for (int i = 0; i < 3; i++)
        expect(strstr(failure.message, misfits[_i].reasons[i]) != NULL, "no '%s' in: %s",
               misfits[_i].reasons[i], failure.message);
}
END_TEST

Suite *operation_suite(void) {
    Suite *suite = suite_create("operation");
    TCase *results = add_case(suite, "results", set_up_arena, tear_down_arena);
    tcase_add_test(results, results_are_those_of_pytorch);
    tcase_add_loop_test(results, a_product_of_few_columns_is_one_chain, 0, 60);
    tcase_add_loop_test(results, linear_is_the_same_product_and_a_bias, 0, 20);
    tcase_add_test(results, rows_of_a_softmax_add_up_to_one);
    tcase_add_test(results, softmax_bears_what_is_huge_or_hidden);
    tcase_add_test(results, softmax_runs_along_any_dimension);
    tcase_add_test(results, sums_are_added_in_their_order);
    tcase_add_test(results, masks_hide_and_keep);

    TCase *dropping = add_case(suite, "dropout", set_up_arena, tear_down_arena);
    tcase_add_test(dropping, dropped_negatives_are_minus_zero);
    tcase_add_test(dropping, dropout_with_certainty);
    tcase_add_test(dropping, dropout_of_a_view_draws_row_by_row);
    tcase_add_test(dropping, impossible_probabilities_are_refused);

    TCase *messages = add_case(suite, "messages", set_up_arena, tear_down_arena);
    tcase_add_loop_test(messages, misfits_are_refused_with_name_and_shapes, 0, MISFITS);
    return suite;
}
