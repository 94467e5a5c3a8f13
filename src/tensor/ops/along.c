// Operations along a dimension: rows become sums, means, or weights.

#include <math.h>
#include <string.h>

#include "tensor/number/elementary.h"
#include "tensor/ops/operation.h"

// A fiber of x: its elements along one dimension, at one place of all others; `first`, then `step` apart.
struct fiber {
    const float *first;
    int64_t step;
    int64_t count;
};

// The fiber of x along `dim` through the place number `position`, counted over the other dimensions
// row by row. *flat is the flat index of its first element.
static struct fiber fiber_at(const struct tensor *x, int dim, int64_t position, int64_t *flat) {
    struct shape others = shape_of(x);
    others.size[dim] = 1;
    int64_t index[MAX_DIMS];
    index_at(others, position, index);
    *flat = flat_index(x, index);
    return (struct fiber){(const float *)x->storage->data + *flat, x->stride[dim], x->shape[dim]};
}

static int64_t fibers_of(const struct tensor *x, int dim) {
    return x->shape[dim] == 0 ? 0 : count_of(shape_of(x)) / x->shape[dim];
}

static float largest(struct fiber fiber) {
    float most = -INFINITY;
    for (int64_t i = 0; i < fiber.count; i++) {
        const float value = fiber.first[i * fiber.step];
        if (value > most || value != value) most = value;
    }
    return most;
}

// PyTorch 1.13's order of additions shows in the last bits. Up to 3 elements, and 8: one after the
// other. 4 to 7: four accumulators; what is left over after the first four goes to the first; then
// ((a0 + a1) + a2) + a3. Beyond 8 our own choice: eight accumulators take the elements in turn, then
// are added from the first to the last.
static float sum_of(struct fiber fiber) {
    enum { MOST = 8 };
    const int64_t lanes = fiber.count < 4 || fiber.count == 8 ? 1 : fiber.count < 8 ? 4 : MOST;
    float sums[MOST] = {0};
    for (int64_t i = 0; i < fiber.count; i++) {
        const int64_t lane = lanes == 4 && i >= 4 ? 0 : i % lanes;
        sums[lane] += fiber.first[i * fiber.step];
    }
    float sum = sums[0];
    for (int64_t lane = 1; lane < lanes; lane++) sum += sums[lane];
    return sum;
}

static float variance_of(struct fiber fiber) {
    double mean = 0, squares = 0;
    for (int64_t i = 0; i < fiber.count; i++) mean += (double)fiber.first[i * fiber.step];
    mean /= (double)fiber.count;
    for (int64_t i = 0; i < fiber.count; i++) {
        const double distance = (double)fiber.first[i * fiber.step] - mean;
        squares += distance * distance;
    }
    return (float)(squares / (double)(fiber.count - 1));
}

static struct origin *along(struct arena *m, enum operation operation, const struct tensor *x,
                            int dim) {
    struct origin *origin = origin_new(m, operation, 1, (const struct tensor *[]){x});
    origin->dim = dim;
    return origin;
}

static float reduce_fiber(enum operation operation, struct fiber fiber) {
    switch (operation) {
    case SUM:
        return sum_of(fiber);
    case MEAN:
        return sum_of(fiber) / (float)fiber.count;
    default:
        return variance_of(fiber);
    }
}

static struct tensor reduce(struct arena *m, enum operation operation, struct tensor x, int dim,
                            bool keepdim) {
    const int at = dimension(&x, dim, operation_name(operation));
    struct shape shape = shape_of(&x);
    shape.size[at] = 1;
    struct tensor result = tensor_new(m, FLOAT32, shape, along(m, operation, &x, at));
    for (int i = 0; i < x.ndim; i++) {
        if (i != at) result.axis[i] = x.axis[i];
    }
    const int64_t fibers = fibers_of(&x, at);
    for (int64_t i = 0; i < fibers; i++) {
        int64_t flat;
        floats_of(&result)[i] = reduce_fiber(operation, fiber_at(&x, at, i, &flat));
    }
    return keepdim ? result : select_index(result, at, 0);
}

struct tensor sum(struct arena *m, struct tensor x, int dim, bool keepdim) {
    return reduce(m, SUM, x, dim, keepdim);
}

struct tensor mean(struct arena *m, struct tensor x, int dim) {
    return reduce(m, MEAN, x, dim, false);
}

struct tensor var(struct arena *m, struct tensor x, int dim) {
    return reduce(m, VARIANCE, x, dim, false);
}

struct tensor amax(struct arena *m, struct tensor x) {
    const struct origin *origin = origin_new(m, LARGEST, 1, (const struct tensor *[]){&x});
    const struct tensor result = tensor_new(m, FLOAT32, NO_DIMS, origin);
    const struct tensor row = contiguous(m, x);
    floats_of(&result)[0] = largest((struct fiber){floats_of(&row), 1, count_of(shape_of(&x))});
    return result;
}

// One fiber of the softmax, to `result`, whose elements are `step` apart.
static void softmax_fiber(struct fiber fiber, float *result, int64_t step) {
    const float most = largest(fiber);
    float sum = 0;
    for (int64_t i = 0; i < fiber.count; i++) {
        const float power = exp_float(fiber.first[i * fiber.step] - most);
        result[i * step] = power;
        sum += power;
    }
    const float scale = 1 / sum;
    for (int64_t i = 0; i < fiber.count; i++) result[i * step] *= scale;
}

struct tensor softmax(struct arena *m, struct tensor x, int dim) {
    const int at = dimension(&x, dim, "softmax");
    struct tensor result = tensor_new(m, FLOAT32, shape_of(&x), along(m, SOFTMAX, &x, at));
    memcpy(result.axis, x.axis, sizeof result.axis);
    const int64_t fibers = fibers_of(&x, at);
    for (int64_t i = 0; i < fibers; i++) {
        int64_t flat_x, flat_result;
        const struct fiber fiber = fiber_at(&x, at, i, &flat_x);
        (void)fiber_at(&result, at, i, &flat_result);
        softmax_fiber(fiber, floats_of(&result) + flat_result, result.stride[at]);
    }
    return result;
}

// log of the softmax of a fiber, at one place: (x - max) - log(sum of e^(x - max)).
static float log_softmax_at(struct fiber fiber, int64_t place) {
    const float most = largest(fiber);
    float sum = 0;
    for (int64_t i = 0; i < fiber.count; i++) sum += exp_float(fiber.first[i * fiber.step] - most);
    return fiber.first[place * fiber.step] - most - log_float(sum);
}

struct tensor cross_entropy(struct arena *m, struct tensor logits, struct tensor targets) {
    const struct origin *origin =
        origin_new(m, CROSS_ENTROPY, 2, (const struct tensor *[]){&logits, &targets});
    const int classes = logits.ndim - 1;
    const int64_t count = count_of(shape_of(&targets));
    if (classes < 0 || targets.storage->dtype != INT64 || fibers_of(&logits, classes) != count) {
        fail(m->failure, FAIL_USAGE,
             "cross_entropy: logits of shape %s and targets of shape %s do not fit",
             shape_text(m, shape_of(&logits)), shape_text(m, shape_of(&targets)));
    }
    float sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t target = (int64_t)element_at(&targets, i);
        if (target < 0 || target >= logits.shape[classes]) {
            fail(m->failure, FAIL_USAGE, "cross_entropy: no class %lld in logits of shape %s",
                 (long long)target, shape_text(m, shape_of(&logits)));
        }
        int64_t flat;
        sum -= log_softmax_at(fiber_at(&logits, classes, i, &flat), target);
    }
    const struct tensor loss = tensor_new(m, FLOAT32, NO_DIMS, origin);
    floats_of(&loss)[0] = sum / (float)count;
    return loss;
}
