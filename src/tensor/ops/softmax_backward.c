// The way back through softmax and its logarithm, along a dimension: how a loss answers to what they were
// given.
//
// PyTorch computes them one way along the last dimension, and another along all others, where it goes
// down columns (aten/src/ATen/native/cpu/SoftMaxKernel.cpp, vec_host_softmax_backward_lastdim and
// vec_softmax_backward). Down columns each product is fused into the sum. Along the last dimension 2.6, which is
// followed here, rounds each product before it is added up; 1.13 fuses those from the ninth on, so its rows
// of nine and more may differ in their last bits.

#include <math.h>
#include <string.h>

#include "tensor/number/elementary.h"
#include "tensor/operation/account.h"
#include "tensor/operation/addends.h"
#include "tensor/operation/line.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/operation/tolerance.h"
#include "tensor/ops/ops.h"

static enum sum_order order_of(const struct origin *origin) {
    return origin->dim == origin->operands[0].ndim - 1 ? LANES_BY_HALVES : IN_ORDER;
}

// What all cells of a line share, with room for a line; and a cell.
struct way_back {
    float (*add_up)(const struct origin *origin, struct line grads, struct line y, float *room);
    float (*cell)(float grad, float y, float shared);
};

// Fills a new tensor like y line by line.
static struct tensor compute_back(struct arena *arena, const struct origin *origin,
                                  struct way_back way) {
    const struct tensor *grad = &origin->operands[0], *y = &origin->operands[1];
    if (!shapes_equal(shape_of(grad), shape_of(y))) refuse_shapes(arena, origin, grad, y, "differ");
    const struct tensor result = tensor_like(arena, FLOAT32, y);
    const int64_t count = y->shape[origin->dim], step = result.stride[origin->dim];
    float *room = arena_array(arena, (size_t)count, sizeof *room);
    for (int64_t i = 0; i < lines_of(y, origin->dim); i++) {
        int64_t flat, first;
        const struct line grads = line_at(grad, origin->dim, i, &flat);
        const struct line outputs = line_at(y, origin->dim, i, &flat);
        (void)line_at(&result, origin->dim, i, &first);
        const float shared = way.add_up(origin, grads, outputs, room);
        float *out = floats_of(&result) + first;
        for (int64_t k = 0; k < count; k++)
            out[k * step] = way.cell(number_in(grads, k), number_in(outputs, k), shared);
    }
    return result;
}

// Number k of both lines, one after the other.
static void find_pairs(struct finding *finding) {
    const int dim = finding->derivation->origin->dim;
    int64_t index[MAX_DIMS];
    memcpy(index, finding->derivation->index, sizeof index);
    for (int64_t k = 0; k < operand_tensor(finding, 1)->shape[dim]; k++) {
        index[dim] = k;
        add_operand(finding, 0, "grad", index);
        add_operand(finding, 1, "y", index);
    }
}

// The grads, or the y, among the operands found.
static struct line found_line(const struct account *account, int first) {
    const int count = account->derivation->operand_count / 2;
    float *numbers = arena_array(account->arena, (size_t)count, sizeof *numbers);
    for (int i = 0; i < count; i++) numbers[i] = operand_value(account, 2 * i + first);
    return (struct line){numbers, 1, count};
}

static int own_place(const struct derivation *derivation) {
    return 2 * (int)derivation->index[derivation->origin->dim];
}

// ---- softmax -------------------------------------------------------------------------------------

static float sum_of_products(const struct origin *origin, struct line grads, struct line y,
                             float *products) {
    enum { LANES = 8 };
    const enum sum_order order = order_of(origin);
    if (order == IN_ORDER) {
        float sum = 0;
        for (int64_t i = 0; i < y.count; i++) sum = fmaf(number_in(grads, i), number_in(y, i), sum);
        return sum;
    }
    for (int64_t i = 0; i < y.count; i++) products[i] = number_in(grads, i) * number_in(y, i);
    const bool fuses = origin->is_of_1_13 && order == LANES_BY_HALVES && y.count > LANES;
    if (!fuses) return sum_of((struct line){products, 1, y.count}, order);
    float lanes[LANES];
    memcpy(lanes, products, sizeof lanes);
    for (int64_t i = LANES; i < y.count; i++)
        lanes[i % LANES] = fmaf(number_in(grads, i), number_in(y, i), lanes[i % LANES]);
    return sum_of((struct line){lanes, 1, LANES}, order);
}

static float softmax_cell(float grad, float y, float sum) {
    return (grad - sum) * y;
}

static struct tensor compute_softmax_backward(struct arena *arena, const struct origin *origin) {
    return compute_back(arena, origin, (struct way_back){sum_of_products, softmax_cell});
}

static double account_of_softmax_backward(struct account *account) {
    const struct derivation *d = account->derivation;
    const struct line grads = found_line(account, 0), y = found_line(account, 1);
    const enum sum_order order = order_of(d->origin);
    float *products = arena_array(account->arena, (size_t)y.count, sizeof *products);
    const float sum = sum_of_products(d->origin, grads, y, products);
    for (int i = 0; i < y.count; i++)
        say(account, "%s × %s = %s", operand_figure(account, 2 * i),
            operand_term(account, 2 * i + 1), figure(account, (double)products[i]));
    end_part(account);
    say_order(account, y.count, order);
    say(account, "sum = %s = %s", sum_text(account, (struct line){products, 1, y.count}, order),
        figure(account, (double)sum));
    end_part(account);
    const int position = own_place(d);
    const double result = (double)softmax_cell(operand_value(account, position),
                                               operand_value(account, position + 1), sum);
    say(account, "(%s − %s) × %s = %s", operand_figure(account, position),
        bracketed(account, (double)sum), operand_figure(account, position + 1),
        figure(account, result));
    return result;
}

static double error_of_softmax_backward(const struct derivation *derivation, const double *errors) {
    const struct operand *operands = derivation->operands;
    const int position = own_place(derivation);
    double sum = 0, sum_error = 0;
    for (int i = 0; i < derivation->operand_count; i += 2) {
        const double grad = operands[i].value, y = operands[i + 1].value;
        sum += grad * y;
        sum_error += error_of_factors(grad, y, errors[i], errors[i + 1]) + 2 * fabs(grad * y);
    }
    const double apart = operands[position].value - sum, y = operands[position + 1].value;
    const double apart_error = errors[position] + sum_error + fabs(apart);
    return error_of_factors(apart, y, apart_error, errors[position + 1]) + fabs(derivation->value);
}

// Raising one number of a line lowers all others, so a line's gradients add up to 0.
const struct operation softmax_backward_row = {
    .name = "softmax_backward",
    .compute = compute_softmax_backward,
    .find = find_pairs,
    .account = account_of_softmax_backward,
    .error = error_of_softmax_backward,
    .parts_of_line = 2,
    .no_gradient = "it is a gradient, and no gradient is asked of one",
};

struct tensor softmax_backward(struct tensor grad, struct tensor y, int dim, bool is_of_1_13) {
    return perform_on(TWO(grad, y), (struct origin){.operation = &softmax_backward_row,
                                                    .dim = dimension(&y, dim, "softmax_backward"),
                                                    .is_of_1_13 = is_of_1_13});
}

// ---- log_softmax ---------------------------------------------------------------------------------

static float sum_of_grads(const struct origin *origin, struct line grads, struct line y,
                          float *room) {
    (void)y;
    (void)room;
    return sum_of(grads, order_of(origin));
}

// Both versions fuse these two.
static float log_softmax_cell(float grad, float y, float sum) {
    return fmaf(-exp_float(y), sum, grad);
}

static struct tensor compute_log_softmax_backward(struct arena *arena,
                                                  const struct origin *origin) {
    return compute_back(arena, origin, (struct way_back){sum_of_grads, log_softmax_cell});
}

static double account_of_log_softmax_backward(struct account *account) {
    const struct derivation *d = account->derivation;
    const struct line grads = found_line(account, 0);
    const enum sum_order order = order_of(d->origin);
    const float sum = sum_of(grads, order);
    say_order(account, grads.count, order);
    say(account, "sum = %s = %s", sum_text(account, grads, order), figure(account, (double)sum));
    end_part(account);
    const int position = own_place(d);
    const float y = operand_value(account, position + 1);
    const double result = (double)log_softmax_cell(operand_value(account, position), y, sum);
    say(account, "e^%s = %s", operand_term(account, position + 1),
        figure(account, (double)exp_float(y)));
    say(account, "%s − %s × %s = %s", operand_figure(account, position),
        figure(account, (double)exp_float(y)), bracketed(account, (double)sum),
        figure(account, result));
    return result;
}

static double error_of_log_softmax_backward(const struct derivation *derivation,
                                            const double *errors) {
    const struct operand *operands = derivation->operands;
    const int position = own_place(derivation);
    double sum = 0, sum_error = 0;
    for (int i = 0; i < derivation->operand_count; i += 2) {
        sum += operands[i].value;
        sum_error += errors[i] + fabs(operands[i].value);
    }
    const double power = exp(operands[position + 1].value);
    const double power_error =
        power * fmin(1 / ROUNDING, expm1(ROUNDING * errors[position + 1]) / ROUNDING + 1);
    return errors[position] + error_of_factors(power, sum, power_error, sum_error) +
           fabs(derivation->value);
}

const struct operation log_softmax_backward_row = {
    .name = "log_softmax_backward",
    .compute = compute_log_softmax_backward,
    .find = find_pairs,
    .account = account_of_log_softmax_backward,
    .error = error_of_log_softmax_backward,
    .parts_of_line = 1,
    .no_gradient = "it is a gradient, and no gradient is asked of one",
};

struct tensor log_softmax_backward(struct tensor grad, struct tensor y, int dim) {
    const int at = dimension(&y, dim, "log_softmax_backward");
    return perform_on(TWO(grad, y),
                      (struct origin){.operation = &log_softmax_backward_row, .dim = at});
}
