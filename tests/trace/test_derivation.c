// Where numbers came from: every operation's cells are computed again from the operands that their
// derivation names; and the words for it.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cells.h"
#include "drawn.h"
#include "fixture.h"
#include "tensor/number/elementary.h"
#include "tensor/operation/derivation.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"

#include <check.h> // last: defines a macro fail

static const char *last_line(const struct derivation *derivation) {
    ck_assert_int_gt(derivation->line_count, 0);
    return derivation->lines[derivation->line_count - 1];
}

// ---- Every operation, computed again ------------------------------------------------------------

static bool same_bits(double a, double b) {
    const float x = (float)a, y = (float)b;
    return memcmp(&x, &y, sizeof x) == 0 || (isnan(a) && isnan(b));
}

static void check_cell(const struct cell *cell, int digits) {
    const struct derivation derivation = derive(m, cell, digits);
    ck_assert(same_bits(derivation.value, cell_value(cell)));
    ck_assert_msg(same_bits(derivation.recomputed, derivation.value), "%s: %a is not %a, %s",
                  derivation.operation, derivation.recomputed, derivation.value,
                  last_line(&derivation));
    for (int i = 0; i < derivation.operand_count; i++) {
        const struct operand *operand = &derivation.operands[i];
        const struct tensor *read = &derivation.origin->operands[operand->number];
        ck_assert(operand->cell.tensor.storage == read->storage);
        ck_assert(same_bits(operand->value, cell_value(&operand->cell)));
        ck_assert_ptr_nonnull(operand->role);
    }
    for (int i = 0; i < derivation.line_count; i++) check_line(m, derivation.lines[i]);
    ck_assert_str_ne(last_line(&derivation), "");
}

static void check_all(struct tensor tensor) {
    ck_assert_int_gt(elements_of(&tensor), 0);
    for (int64_t i = 0; i < elements_of(&tensor); i++) {
        const struct cell cell = cell_number_of(&tensor, i);
        check_cell(&cell, i % 2 == 0 ? 4 : ALL_DIGITS);
    }
}

START_TEST(given_numbers) {
    check_all(journey(m));
    check_all(arange(m, 3, 4));
    check_all(scalar(m, sqrt(2)));
    check_all(full(m, SHAPE(2, 3), 0.1));
}
END_TEST

START_TEST(products) {
    const struct tensor a = random_tensor(SHAPE(4, 5)), b = random_tensor(SHAPE(5, 3));
    check_all(matmul(a, b));
    check_all(matmul(a, transpose(random_tensor(SHAPE(3, 5)), 0, 1)));
    check_all(matmul(transpose(b, 0, 1), narrow(random_tensor(SHAPE(7, 4)), 0, 1, 5)));
    const struct tensor vector = random_tensor(SHAPE(5));
    check_all(matmul(a, vector));
    check_all(matmul(vector, b));
    check_all(matmul(vector, vector));
    const struct tensor wide = random_tensor(SHAPE(2, 1, 4, 5));
    check_all(matmul(wide, b));
    check_all(matmul(wide, random_tensor(SHAPE(3, 5, 2))));
    check_all(matmul(a, random_tensor(SHAPE(2, 3, 5, 2))));
    check_all(matmul(wide, vector));
    check_all(matmul(vector, random_tensor(SHAPE(2, 5, 3))));
}
END_TEST

START_TEST(linear_layers) {
    const struct tensor weight = uniform_weight(m, &generator, 4, 3);
    const struct tensor bias = uniform_bias(m, &generator, 4, 3);
    const struct tensor x = random_tensor(SHAPE(2, 5, 3));
    check_all(weight);
    check_all(linear(x, weight, NO_TENSOR));
    check_all(linear(x, weight, bias));
    check_all(linear(transpose(x, 0, 1), narrow(weight, 0, 2, 2), narrow(bias, 0, 2, 2)));
    check_all(linear(random_tensor(SHAPE(3)), weight, bias));
}
END_TEST

START_TEST(pairs_of_elements) {
    struct tensor (*const operations[])(struct tensor, struct tensor) = {add, subtract, multiply,
                                                                         divide};
    const struct tensor a = random_tensor(SHAPE(2, 3, 4));
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        check_all(operations[i](a, random_tensor(SHAPE(2, 3, 4))));
        check_all(operations[i](a, random_tensor(SHAPE(3, 1))));
        check_all(operations[i](random_tensor(SHAPE(4)), a));
        check_all(operations[i](transpose(a, 0, 2), scalar(m, 3)));
        check_all(operations[i](random_tensor(SHAPE(2, 1)), random_tensor(SHAPE(1, 3))));
        check_all(operations[i](full(m, SHAPE(2), INFINITY), full(m, SHAPE(2), -INFINITY)));
    }
}
END_TEST

START_TEST(single_elements) {
    const struct tensor x = transpose(random_tensor(SHAPE(3, 4)), 0, 1);
    check_all(absolute(x));
    check_all(relu(x));
    check_all(relu(full(m, SHAPE(1), NAN)));
    check_all(negative(x));
    check_all(exponential(x));
    check_all(hyperbolic_tangent(x));
}
END_TEST

START_TEST(comparisons) {
    const struct tensor x = random_tensor(SHAPE(3, 4)), y = random_tensor(SHAPE(4));
    const struct tensor i = arange(m, 0, 4), mask = less(x, y);
    check_all(less(x, y));
    check_all(equal(i, narrow(i, 0, 2, 1)));
    check_all(logical_or(mask, less(y, x)));
    check_all(logical_not(mask));
    check_all(to_float(mask));
    check_all(to_float(i));
    check_all(subtract(view(i, SHAPE(4, 1)), i));
    check_all(maximum(x, y));
    check_all(maximum(full(m, SHAPE(2), NAN), scalar(m, 1)));
}
END_TEST

START_TEST(samples) {
    const struct tensor p = softmax(random_tensor(SHAPE(9)), 0);
    const struct tensor drawn = multinomial(&generator, p, 40);
    check_all(drawn);
    check_all(bincount(drawn, 9));
    for (int64_t count = 1; count <= 5; count++) {
        const struct top top = topk(random_tensor(SHAPE(3, 5)), count);
        check_all(top.values);
        check_all(top.positions);
    }
    check_all(topk(tensor_of(m, SHAPE(5), (const float[]){1, 2, NAN, 2, 1}), 5).positions);
}
END_TEST

// Angles of one to a million: each of the three ways to reduce them.
START_TEST(circular_functions) {
    const struct tensor x = random_tensor(SHAPE(5, 4));
    for (int scale = 1; scale <= 1000000; scale *= 10) {
        check_all(sine(multiply_by(x, scale)));
        check_all(cosine(transpose(multiply_by(x, scale), 0, 1)));
    }
    check_all(sine(full(m, SHAPE(2), INFINITY)));
}
END_TEST

START_TEST(powers) {
    const struct tensor x = random_tensor(SHAPE(2, 19)), base = absolute(x);
    check_all(power(base, random_tensor(SHAPE(2, 19))));
    check_all(power(scalar(m, 10000), x));
    check_all(power(base, random_tensor(SHAPE(2, 1))));
    for (int exponent = 0; exponent <= 3; exponent++) check_all(raise_to(x, exponent));
}
END_TEST

START_TEST(what_gradients_are_made_of) {
    const struct tensor x = random_tensor(SHAPE(3, 4)), ids = narrow(arange(m, 0, 5), 0, 2, 3);
    check_all(sign(x));
    check_all(square_root(absolute(x)));
    check_all(at_most(x, random_tensor(SHAPE(4))));
    check_all(one_hot(ids, 6));
    check_all(index_add(6, ids, x));
    check_all(scatter_add(x, transpose(random_tensor(SHAPE(4, 3)), 0, 1)));
    check_all(scatter_add(x, expand(random_tensor(SHAPE(4)), SHAPE(3, 4))));
    check_all(expand(random_tensor(SHAPE(3, 1)), SHAPE(2, 3, 4)));
}
END_TEST

START_TEST(masks) {
    const struct tensor x = random_tensor(SHAPE(2, 4, 5));
    for (int diagonal = -2; diagonal <= 3; diagonal++) {
        check_all(tril(x, diagonal));
        check_all(triu(transpose(x, 1, 2), diagonal));
    }
    const struct tensor mask = to_bool(triu(full(m, SHAPE(6, 6), 1), 1));
    const struct tensor part = narrow(narrow(mask, 0, 0, 4), 1, 0, 5);
    check_all(mask);
    check_all(masked_fill(x, part, -INFINITY));
    check_all(masked_fill(x, narrow(part, 0, 1, 1), 0));
}
END_TEST

START_TEST(softmaxes) {
    const struct tensor x = random_tensor(SHAPE(3, 4, 5));
    for (int dim = 0; dim < 3; dim++) {
        check_all(softmax(x, dim));
        check_all(softmax(transpose(x, 0, 2), dim));
    }
    const struct tensor mask = to_bool(triu(full(m, SHAPE(4, 5), 1), 1));
    check_all(softmax(masked_fill(x, mask, -INFINITY), -1));
    check_all(softmax(full(m, SHAPE(2, 3), -INFINITY), -1));
    check_all(softmax(random_tensor(SHAPE(1)), 0));
}
END_TEST

START_TEST(reductions) {
    for (int64_t count = 1; count <= 20; count++) {
        const struct tensor x = random_tensor(SHAPE(2, count, 3));
        check_all(sum(x, 1, true));
        check_all(sum(x, 1, false));
        check_all(mean(transpose(x, 0, 1), 0, false));
        check_all(var(x, 1, true, false));
        check_all(var(x, 1, false, true));
        check_all(amax(transpose(x, 1, 2)));
        check_all(amax_along(transpose(x, 1, 2), 2));
    }
    check_all(sum(random_tensor(SHAPE(7)), 0, false));
    check_all(amax(full(m, SHAPE(2), -INFINITY)));
    check_all(amax(full(m, SHAPE(2), NAN)));
    check_all(amax(scalar(m, 2)));
}
END_TEST

START_TEST(copies) {
    const struct tensor x = random_tensor(SHAPE(2, 3, 4));
    const struct tensor y = random_tensor(SHAPE(2, 3, 4));
    for (int dim = 0; dim < 3; dim++) {
        check_all(cat(3, (struct tensor[]){x, narrow(y, dim, 1, 1), y}, dim));
        check_all(stack(2, (struct tensor[]){x, y}, dim));
        check_all(repeat_interleave(transpose(x, 0, 1), 2, dim));
        check_all(repeat(x, 3, dim));
        check_all(flip(slice(x, 2, 1, 2), dim));
    }
    check_all(stack(2, (struct tensor[]){transpose(x, 0, 2), transpose(y, 0, 2)}, -1));
    check_all(stack(2, (struct tensor[]){scalar(m, 1), scalar(m, 2)}, 0));
    check_all(contiguous(transpose(x, 0, 2)));
    check_all(contiguous(transpose(to_bool(x), 1, 2)));
    check_all(stack(2, (struct tensor[]){arange(m, 0, 3), arange(m, 1, 3)}, 1));
}
END_TEST

START_TEST(drawn_numbers) {
    check_all(uniform(m, &generator, SHAPE(20, 40), 0, 1));
    check_all(uniform(m, &generator, SHAPE(3, 2), -0.3, 0.7));
    manual_seed(&generator, 789);
    check_all(uniform(m, &generator, SHAPE(3), 0, 1));
    const int64_t counts[] = {1, 2, 3, 1, 4, 15, 2, 16, 17, 31, 32, 50, 1, 3};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        check_all(normal(m, &generator, SHAPE(counts[i])));
    }
}
END_TEST

START_TEST(dropouts) {
    const double probabilities[] = {0.1, 0.5, 0.9, 1};
    const struct tensor x = random_tensor(SHAPE(2, 5, 4));
    for (int i = 0; i < 8; i++) {
        const double p = probabilities[i % 4];
        const enum bernoulli stream = i < 4 ? MT19937 : MCG31M1;
        check_all(drop(&generator, x, p, stream));
        check_all(transpose(drop(&generator, transpose(x, 1, 2), p, stream), 0, 2));
    }
}
END_TEST

START_TEST(logarithms) {
    const struct tensor x = uniform(m, &generator, SHAPE(4, 3), 0, 2);
    check_all(natural_log(x));
    check_all(natural_log(transpose(x, 0, 1)));
}
END_TEST

START_TEST(log_softmax_and_loss) {
    const struct tensor x = random_tensor(SHAPE(4, 3));
    const struct tensor targets =
        stack(2, (struct tensor[]){arange(m, 0, 2), arange(m, 1, 2)}, 0); // ((0, 1), (1, 2))
    check_all(log_softmax(x, 1));
    check_all(log_softmax(x, 0));
    check_all(cross_entropy(x, view(targets, SHAPE(4))));
    const struct tensor is_first = less(arange(m, 0, 4), scalar(m, 1)); // a row that does not count
    check_all(cross_entropy(x, masked_fill(view(targets, SHAPE(4)), is_first, -100)));
}
END_TEST

START_TEST(embeddings) {
    const struct tensor weight = normal(m, &generator, SHAPE(6, 4));
    const struct tensor ids = stack(2, (struct tensor[]){arange(m, 0, 3), arange(m, 3, 3)}, 1);
    check_all(embed(ids, weight));
}
END_TEST

// Whatever the views, the element is the same, and so is its derivation.
START_TEST(views_lead_to_the_same_element) {
    const struct tensor x = matmul(random_tensor(SHAPE(2, 3, 4)), random_tensor(SHAPE(4, 6)));
    const struct tensor seen = select_index(transpose(view(x, SHAPE(2, 3, 2, 3)), 1, 2), 0, 1);
    for (int64_t i = 0; i < elements_of(&seen); i++) {
        const struct cell cell = cell_number_of(&seen, i);
        struct cell original;
        ck_assert(cell_in_view(&x, &cell, &original));
        const struct derivation a = derive(m, &cell, 4), b = derive(m, &original, 4);
        ck_assert_int_eq(a.flat_index, b.flat_index);
        ck_assert_int_eq(a.operand_count, 8);
        ck_assert_str_eq(last_line(&a), last_line(&b));
        for (int k = 0; k < a.operand_count; k++) {
            ck_assert(same_element(&a.operands[k].cell, &b.operands[k].cell));
        }
    }
}
END_TEST

static int depth_of(const struct cell *cell) {
    const struct derivation derivation = derive(m, cell, 4);
    int deepest = 0;
    for (int i = 0; i < derivation.operand_count; i++) {
        const int depth = depth_of(&derivation.operands[i].cell);
        if (depth > deepest) deepest = depth;
    }
    if (derivation.operand_count == 0) {
        ck_assert_ptr_nonnull(derivation.origin->operation->end);
    }
    return deepest + 1;
}

START_TEST(operands_lead_to_input_and_generator) {
    const struct tensor inputs = narrow(journey(m), 0, 0, 2);
    const struct tensor weight = uniform_weight(m, &generator, 2, 3);
    const struct tensor keys = linear(inputs, weight, NO_TENSOR);
    const struct tensor scores = matmul(keys, transpose(keys, 0, 1));
    const struct tensor weights = softmax(divide(scores, scalar(m, sqrt(2))), -1);
    const struct cell cell = cell_number_of(&weights, 3);
    ck_assert_int_eq(depth_of(&cell), 5);
}
END_TEST

// ---- Words --------------------------------------------------------------------------------------

static const char *line_of(struct tensor tensor, int64_t position, int line, int digits) {
    const struct cell cell = cell_number_of(&tensor, position);
    const struct derivation derivation = derive(m, &cell, digits);
    return derivation.lines[line < 0 ? derivation.line_count + line : line];
}

START_TEST(a_product_shows_its_chain) {
    const struct tensor inputs = journey(m);
    const struct tensor scores = matmul(inputs, transpose(inputs, 0, 1));
    ck_assert_str_eq(line_of(scores, 8, 0, 4),
                     "0.5500·0.5700 + 0.8700·0.8500 + 0.6600·0.6400 = 1.4754");
    ck_assert_str_eq(line_of(scores, 8, 0, 2), "0.55·0.57 + 0.87·0.85 + 0.66·0.64 = 1.48");
    ck_assert_str_eq(line_of(scores, 8, 0, ALL_DIGITS),
                     "0.550000012·0.569999993 + 0.870000005·0.850000024 + "
                     "0.660000026·0.639999986 = 1.47540009");
    const struct tensor weight = tensor_of(m, SHAPE(1, 3), (float[]){-1, 2, -3});
    const struct tensor bias = tensor_of(m, SHAPE(1), (float[]){-0.5F});
    ck_assert_str_eq(line_of(linear(inputs, weight, bias), 0, 0, 2),
                     "0.43·(-1.00) + 0.15·2.00 + 0.89·(-3.00) + (-0.50) (bias) = -3.30");
}
END_TEST

START_TEST(a_softmax_shows_its_row) {
    const struct tensor row = tensor_of(m, SHAPE(3), (float[]){1, 2, -INFINITY});
    const struct tensor weights = softmax(row, -1);
    ck_assert_str_eq(line_of(weights, 0, 0, 4), "max = 2.0000");
    ck_assert_str_eq(line_of(weights, 0, 1, 4), "e^(1.0000 − 2.0000) = 0.3679");
    ck_assert_str_eq(line_of(weights, 0, 2, 4), "e^(2.0000 − 2.0000) = 1.0000");
    ck_assert_str_eq(line_of(weights, 0, 3, 4), "e^(-inf − 2.0000) = 0.0000");
    ck_assert_str_eq(line_of(weights, 0, 4, 4), "sum = 0.3679 + 1.0000 + 0.0000 = 1.3679");
    ck_assert_str_eq(
        line_of(weights, 0, 5, 4),
        "e^(1.0000 − 2.0000) / (0.3679 + 1.0000 + 0.0000) = 0.3679 × (1 / 1.3679) = 0.2689");
}
END_TEST

START_TEST(a_mask_says_why) {
    const struct tensor mask = triu(full(m, SHAPE(3, 3), 1), 1);
    const struct tensor x = tensor_of(m, SHAPE(3, 3), (float[]){1, 2, 3, 4, 5, 6, 7, 8, 9});
    const struct tensor hidden = masked_fill(x, to_bool(mask), -INFINITY);
    ck_assert_str_eq(line_of(hidden, 2, 0, 1),
                     "the mask: 1: triu keeps it, as column 3 − row 1 = 2 is at least 1");
    ck_assert_str_eq(line_of(hidden, 2, 1, 1), "the mask is True: -inf replaces 3.0");
    ck_assert_str_eq(line_of(hidden, 3, 0, 1),
                     "the mask: 0, not 1: triu, as column 1 − row 2 = -1 is less than 1");
    ck_assert_str_eq(line_of(hidden, 3, 1, 1), "the mask is False: 4.0 stays");
    ck_assert_str_eq(line_of(tril(x, 0), 5, 0, 1),
                     "0, not 6.0: tril, as column 3 − row 2 = 1 is more than 0");
    ck_assert_str_eq(line_of(tril(x, 0), 4, 0, 1),
                     "5.0: tril keeps it, as column 2 − row 2 = 0 is at most 0");
    ck_assert_str_eq(line_of(to_bool(mask), 0, 0, 1), "0.0 is 0: False");
    ck_assert_str_eq(line_of(to_bool(mask), 1, 0, 1), "1.0 is not 0: True");
}
END_TEST

// torch.manual_seed(123); torch.rand(2)
START_TEST(a_drawn_number_shows_its_bits) {
    const struct tensor drawn = uniform(m, &generator, SHAPE(2), 0, 1);
    ck_assert_str_eq(line_of(drawn, 0, 0, 4), "draw 1 of seed 123: 0xB24BCDFE");
    ck_assert_str_eq(line_of(drawn, 0, 1, 4),
                     "u = low 24 bits of draw 1, 0x4BCDFE = 4967934, × 2^-24 = 0.2961");
    const struct tensor weight = uniform(m, &generator, SHAPE(2), -0.5, 0.5);
    ck_assert_str_eq(line_of(weight, 0, 0, 4), "draw 3 of seed 123: 0x49406D7E");
    ck_assert_str_eq(line_of(weight, 0, -1, 4),
                     "-0.5000 + (0.5000 − (-0.5000)) × 0.2517 = -0.2483");
}
END_TEST

START_TEST(a_dropout_shows_its_draw) {
    const struct tensor dropped = drop(&generator, full(m, SHAPE(6, 6), 1), 0.5, MT19937);
    ck_assert_str_eq(line_of(dropped, 0, 0, 4),
                     "draw 1 of seed 123: 0xB24BCDFE, draw 2: 0xB6843D6D");
    ck_assert_str_eq(line_of(dropped, 0, 1, 4),
                     "u = low 53 bits of both, 0x0BCDFEB6843D6D, × 2^-53 = 0.3689");
    ck_assert_str_eq(line_of(dropped, 0, 2, 4),
                     "drawn 0.3689 < 1 − 0.5, kept: 1.0000 × (1 / (1 − 0.5)) = 2.0000");
    ck_assert_str_eq(line_of(dropped, 2, 2, 4),
                     "drawn 0.5918 ≥ 1 − 0.5, dropped: 1.0000 × 0 = 0.0000");
    manual_seed(&generator, 123);
    const struct tensor other = drop(&generator, full(m, SHAPE(6, 6), 1), 0.5, MCG31M1);
    ck_assert_str_eq(line_of(other, 18, 0, 4),
                     "draw 1 of seed 123: 2991312382; x of element 1 = it "
                     "mod 2147483647 = 843828735");
    ck_assert_str_eq(
        line_of(other, 18, 1, 4),
        "x becomes 1132489760·x mod 2147483647, 18 times: x of element 19 = 985915250");
    ck_assert_str_eq(line_of(other, 18, 2, 4), "u = 985915250 / 2147483647 = 0.4591");
    const struct tensor none = drop(&generator, full(m, SHAPE(2), 1), 1, MT19937);
    ck_assert_str_eq(line_of(none, 0, 0, 4),
                     "p = 1 drops all, without a draw: 1.0000 × 0 = 0.0000");
}
END_TEST

// torch.manual_seed(123); torch.nn.Embedding(6, 3).weight, as published, to four digits.
START_TEST(normal_numbers_show_the_published_ones) {
    static const double published[] = {0.3374,  -0.1778, -0.1690, 0.9178,  1.5810,  1.3010,
                                       1.2753,  -0.2010, -0.1606, -0.4015, 0.9666,  -1.1481,
                                       -1.1589, 0.3255,  -0.6315, -2.8400, -0.7849, -1.4096};
    const struct tensor weight = normal(m, &generator, SHAPE(6, 3));
    for (int64_t i = 0; i < elements_of(&weight); i++) {
        const struct cell cell = cell_number_of(&weight, i);
        ck_assert_double_eq_tol(derive(m, &cell, 4).recomputed, published[i], 6e-5);
    }
    ck_assert_str_eq(line_of(weight, 0, 0, 4),
                     "draw 1 of seed 123: 0xB24BCDFE, draw 9: 0xB82F1E53");
}
END_TEST

START_TEST(sums_show_the_order_of_additions) {
    const struct tensor five = tensor_of(m, SHAPE(5), (float[]){1, 2, 3, 4, -5});
    const struct tensor total = sum(five, 0, false);
    ck_assert_str_eq(line_of(total, 0, 0, 0), "added in PyTorch's order: numbers 1, 5, 2, 3, 4");
    ck_assert_str_eq(line_of(total, 0, 1, 0), "1 + (-5) + 2 + 3 + 4 = 5");
    const struct tensor ten = add(arange(m, 1, 10), scalar(m, 0));
    const struct tensor lanes = sum(ten, 0, false);
    ck_assert_str_eq(line_of(lanes, 0, -1, 0), "9 + 10 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 = 55");
    const struct tensor two = tensor_of(m, SHAPE(2), (float[]){1, -2});
    ck_assert_str_eq(line_of(mean(two, 0, false), 0, -1, 1), "-1.0 / 2 = -0.5");
    ck_assert_str_eq(line_of(var(two, 0, true, false), 0, 0, 1),
                     "mean = (1.0 + (-2.0)) / 2 = -0.5");
    ck_assert_str_eq(line_of(var(two, 0, true, false), 0, 1, 1),
                     "squared distances from it: (1.0 − (-0.5))² + (-2.0 − (-0.5))² = 4.5");
    ck_assert_str_eq(line_of(var(two, 0, true, false), 0, 2, 1), "4.5 / (2 − 1) = 4.5");
    ck_assert_str_eq(line_of(amax(journey(m)), 0, 0, 2),
                     "the largest of 18 numbers, at [Your, feature 3], is 0.89");
}
END_TEST

START_TEST(copies_say_from_where) {
    const struct tensor inputs = journey(m);
    const struct tensor batch = stack(2, (struct tensor[]){inputs, inputs}, 0);
    ck_assert_str_eq(line_of(batch, 21, 0, 2),
                     "0.55, copied from [journey, feature 1] of tensor 2 of 2");
    ck_assert_str_eq(line_of(contiguous(transpose(inputs, 0, 1)), 1, 0, 2),
                     "0.55, copied from place 4 in memory to place 2 of new memory");
}
END_TEST

START_TEST(labels_name_what_would_be_unclear) {
    const struct tensor inputs = journey(m);
    struct cell cell = cell_number_of(&inputs, 5);
    ck_assert_str_eq(cell_label(m, &cell), "[journey, feature 3]");
    struct tensor scores = full(m, SHAPE(6, 6), 1);
    cell = cell_number_of(&scores, 8);
    ck_assert_str_eq(cell_label(m, &cell), "[2, 3]");
    scores = label_axis(label_axis(set_matrix(scores, AXIS_QUERY, AXIS_KEY), 0, tokens), 1, tokens);
    cell = cell_number_of(&scores, 8);
    ck_assert_str_eq(cell_label(m, &cell), "[journey, starts]");
    const struct tensor heads =
        set_axis(stack(2, (struct tensor[]){scores, scores}, 0), 0, AXIS_HEAD);
    cell = cell_number_of(&heads, 36 + 15);
    ck_assert_str_eq(cell_label(m, &cell), "[head 2, query starts, key with]");
    const struct tensor single = scalar(m, 2);
    cell = cell_number_of(&single, 0);
    ck_assert_str_eq(cell_label(m, &cell), "");
}
END_TEST

START_TEST(numbers_keep_what_digits_would_lose) {
    ck_assert_str_eq(number_in_digits(m, 1.495, 4), "1.4950");
    ck_assert_str_eq(number_in_digits(m, -0.25, 1), "-0.2");
    ck_assert_str_eq(number_in_digits(m, 0, 4), "0.0000");
    ck_assert_str_eq(number_in_digits(m, 2.98023224e-8, 4), "2.9802e-08");
    ck_assert_str_eq(number_in_digits(m, 1e-4, 4), "0.0001");
    ck_assert_str_eq(number_in_digits(m, 3e9, 2), "3.00e+09");
    ck_assert_str_eq(number_in_digits(m, (double)0.1F, ALL_DIGITS), "0.100000001");
    ck_assert_str_eq(number_in_digits(m, -INFINITY, 4), "-inf");
    ck_assert_str_eq(number_in_digits(m, NAN, 4), "nan");
    const struct tensor ids = arange(m, 7, 1), truth = to_bool(full(m, SHAPE(1), 1));
    const struct cell id = cell_number_of(&ids, 0), is_true = cell_number_of(&truth, 0);
    ck_assert_str_eq(cell_number(m, &id, 4), "7");
    ck_assert_str_eq(cell_number(m, &is_true, 4), "True");
}
END_TEST

static TCase *case_of(Suite *suite, const char *name) {
    TCase *tests = add_case(suite, name, set_up_drawn, tear_down_drawn);
    tcase_set_timeout(tests, 60);
    return tests;
}

static void add_operations(TCase *tests) {
    tcase_add_test(tests, given_numbers);
    tcase_add_test(tests, products);
    tcase_add_test(tests, linear_layers);
    tcase_add_test(tests, pairs_of_elements);
    tcase_add_test(tests, single_elements);
    tcase_add_test(tests, circular_functions);
    tcase_add_test(tests, comparisons);
    tcase_add_test(tests, samples);
    tcase_add_test(tests, powers);
    tcase_add_test(tests, what_gradients_are_made_of);
    tcase_add_test(tests, masks);
    tcase_add_test(tests, softmaxes);
    tcase_add_test(tests, reductions);
    tcase_add_test(tests, copies);
    tcase_add_test(tests, drawn_numbers);
    tcase_add_test(tests, dropouts);
    tcase_add_test(tests, logarithms);
    tcase_add_test(tests, log_softmax_and_loss);
    tcase_add_test(tests, embeddings);
    tcase_add_test(tests, views_lead_to_the_same_element);
    tcase_add_test(tests, operands_lead_to_input_and_generator);
}

static void add_words(TCase *tests) {
    tcase_add_test(tests, a_product_shows_its_chain);
    tcase_add_test(tests, a_softmax_shows_its_row);
    tcase_add_test(tests, a_mask_says_why);
    tcase_add_test(tests, a_drawn_number_shows_its_bits);
    tcase_add_test(tests, a_dropout_shows_its_draw);
    tcase_add_test(tests, normal_numbers_show_the_published_ones);
    tcase_add_test(tests, sums_show_the_order_of_additions);
    tcase_add_test(tests, copies_say_from_where);
    tcase_add_test(tests, labels_name_what_would_be_unclear);
    tcase_add_test(tests, numbers_keep_what_digits_would_lose);
}

Suite *derivation_suite(void) {
    Suite *suite = suite_create("derivation");
    add_operations(case_of(suite, "computed again"));
    add_words(case_of(suite, "words"));
    return suite;
}
