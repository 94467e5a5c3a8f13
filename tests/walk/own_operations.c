#include "own_operations.h"

#include <math.h>
#include <string.h>

#include "tensor/operation/line.h"
#include "tensor/ops/elementwise.h"

// ---- gelu ---------------------------------------------------------------------------------------

static float gelu_of(float x) {
    return x * (1 + erff(x * 0.70710678F)) * 0.5F;
}

// It is nowhere steeper than 1.13.
static double error_of_gelu(const struct derivation *derivation, const double *errors) {
    return 1.13 * errors[0] + fabs(derivation->value);
}

const struct operation gelu_row = {
    .name = "gelu",
    .compute = compute_each,
    .find = find_same,
    .of_one = gelu_of,
    .account = account_of_each,
    .before = "gelu(",
    .after = ")",
    .error = error_of_gelu,
};

struct tensor own_gelu(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &gelu_row});
}

// ---- layer_norm ---------------------------------------------------------------------------------

enum { PARTS = 2 }; // of a line, before its first cell: the mean and the variance

struct normalizing {
    float mean, scale;
};

static struct normalizing normalizing_of(struct line line) {
    float sum = 0, squares = 0;
    for (int64_t i = 0; i < line.count; i++) sum += line.first[i * line.step];
    const float mean = sum / (float)line.count;
    for (int64_t i = 0; i < line.count; i++) {
        const float distance = line.first[i * line.step] - mean;
        squares += distance * distance;
    }
    return (struct normalizing){mean, 1 / sqrtf(squares / (float)line.count + 1e-5F)};
}

static float normalized(float x, struct normalizing n, float weight, float bias) {
    return (x - n.mean) * n.scale * weight + bias;
}

static struct tensor compute_layer_norm(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    const struct tensor *weight = &origin->operands[1], *bias = &origin->operands[2];
    if (!shapes_equal(shape_of(weight), SHAPE(x->shape[origin->dim])))
        refuse_shapes(arena, origin, x, weight, "do not fit");
    const struct tensor result = tensor_like(arena, FLOAT32, x);
    for (int64_t i = 0; i < lines_of(x, origin->dim); i++) {
        int64_t from, to;
        const struct line line = line_at(x, origin->dim, i, &from);
        (void)line_at(&result, origin->dim, i, &to);
        const struct normalizing n = normalizing_of(line);
        for (int64_t k = 0; k < line.count; k++)
            floats_of(&result)[to + k] =
                normalized(line.first[k * line.step], n, float_at(weight, &k), float_at(bias, &k));
    }
    return result;
}

static void find_normalized(struct finding *finding) {
    const int64_t *own = &finding->derivation->index[finding->derivation->origin->dim];
    find_line(finding);
    add_operand(finding, 1, "weight", own);
    add_operand(finding, 2, "bias", own);
}

static double account_of_layer_norm(struct account *account) {
    const struct derivation *d = account->derivation;
    const int count = d->operand_count - 2, own = (int)d->index[d->origin->dim];
    float *line = arena_array(account->arena, (size_t)count, sizeof *line);
    for (int i = 0; i < count; i++) line[i] = operand_value(account, i);
    const struct normalizing n = normalizing_of((struct line){line, 1, count});
    const float value =
        normalized(line[own], n, operand_value(account, count), operand_value(account, count + 1));
    say(account, "mean = %s", figure(account, (double)n.mean));
    end_part(account);
    say(account, "1 / √(variance + 1e-5) = %s", figure(account, (double)n.scale));
    end_part(account);
    say(account, "(%s − %s) × %s × %s + %s = %s", operand_figure(account, own),
        bracketed(account, (double)n.mean), figure(account, (double)n.scale),
        operand_figure(account, count), operand_term(account, count + 1),
        figure(account, (double)value));
    return (double)value;
}

// About 1: each number lies a few standard deviations from the mean.
static double error_of_layer_norm(const struct derivation *derivation, const double *errors) {
    (void)errors;
    return 1 + fabs(derivation->value);
}

const struct operation layer_norm_row = {
    .name = "layer_norm",
    .compute = compute_layer_norm,
    .find = find_normalized,
    .account = account_of_layer_norm,
    .error = error_of_layer_norm,
    .parts_of_line = PARTS,
};

struct tensor own_layer_norm(struct tensor x, struct tensor weight, struct tensor bias) {
    const struct tensor operands[] = {x, weight, bias};
    return perform_on(3, operands,
                      (struct origin){.operation = &layer_norm_row, .dim = x.ndim - 1});
}
