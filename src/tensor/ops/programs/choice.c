// Operations of programs only: other dtypes, the choice of one of two, bounds, order, running sums.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/number/elementary.h"
#include "tensor/operation/derivation.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/programs/choice.h"

static const struct tensor *operand_of(const struct backward *back, int operand) {
    return &back->origin->operands[operand];
}

// Copies an element as its dtype is, or converts it.
static void put_element(struct storage *storage, int64_t position, const struct tensor *x,
                        const int64_t *index) {
    if (is_floating(x->storage->dtype))
        put_number(storage, position, element(x, index));
    else
        put_whole(storage, position, whole_element(x, index));
}

// ---- Another dtype -----------------------------------------------------------------------------------

static struct tensor compute_to(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    const struct tensor result = tensor_like(arena, origin->dtype, x);
    const struct shape shape = shape_of(x);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&shape, index))
        put_element(result.storage, i, x, index);
    return result;
}

static struct tensor gradient_of_to(const struct backward *back, int operand) {
    return convert(back->grad, operand_of(back, operand)->storage->dtype);
}

static const struct operation to_row = {.name = "to",
                                        .backward = "ToCopyBackward0",
                                        .compute = compute_to,
                                        .find = find_same,
                                        .gradient = gradient_of_to};

struct tensor convert(struct tensor x, enum dtype dtype) {
    if (x.storage->dtype == dtype) return x;
    if (dtype == BOOL) return to_bool(x);
    if (dtype == FLOAT32 && !is_floating(x.storage->dtype)) return to_float(x);
    return perform_on(ONE(x), (struct origin){.operation = &to_row, .dtype = dtype});
}

// ---- One of two ----------------------------------------------------------------------------------------

static struct tensor compute_where(struct arena *arena, const struct origin *origin) {
    const struct tensor *mask = &origin->operands[0], *a = &origin->operands[1],
                        *b = &origin->operands[2];
    struct tensor both = *mask;
    const struct shape inner = broadcast_shape(arena, origin, a, b);
    both = broadcast_to(*a, inner);
    const struct shape shape = broadcast_shape(arena, origin, mask, &both);
    const struct tensor wide_mask = broadcast_to(*mask, shape), wide_a = broadcast_to(*a, shape);
    const struct tensor wide_b = broadcast_to(*b, shape);
    const struct tensor result = tensor_new(arena, a->storage->dtype, shape);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&shape, index))
        put_element(result.storage, i, element(&wide_mask, index) != 0 ? &wide_a : &wide_b, index);
    return result;
}

static void find_chosen(struct finding *finding) {
    add_broadcast(finding, 0, "mask");
    const bool is_first = finding->derivation->operands[0].value != 0;
    add_broadcast(finding, is_first ? 1 : 2, is_first ? "where True" : "where False");
}

// The one that was not chosen does not answer.
static struct tensor gradient_of_where(const struct backward *back, int operand) {
    const struct tensor mask = *operand_of(back, 0);
    if (operand == 0) return NO_TENSOR;
    return masked_fill(back->grad, operand == 1 ? logical_not(mask) : to_bool(mask), 0);
}

static const struct operation where_row = {.name = "where",
                                           .backward = "WhereBackward0",
                                           .find = find_chosen,
                                           .compute = compute_where,
                                           .gradient = gradient_of_where};

struct tensor where(struct tensor mask, struct tensor a, struct tensor b) {
    const struct tensor operands[] = {mask, a, b};
    return perform_on(3, operands, (struct origin){.operation = &where_row});
}

// ---- A product and a sum ---------------------------------------------------------------------------------

static struct tensor compute_multiply_add(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    const struct shape shape = shape_of(x);
    const struct tensor weight = broadcast_to(origin->operands[1], shape);
    const struct tensor bias = broadcast_to(origin->operands[2], shape);
    const struct tensor result = tensor_like(arena, FLOAT32, x);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&shape, index))
        floats_of(&result)[i] =
            fmaf(float_at(x, index), float_at(&weight, index), float_at(&bias, index));
    return result;
}

static void find_factors(struct finding *finding) {
    add_broadcast(finding, 0, "x");
    add_broadcast(finding, 1, "weight");
    add_broadcast(finding, 2, "bias");
}

static struct tensor gradient_of_multiply_add(const struct backward *back, int operand) {
    return operand == 2 ? back->grad : multiply(back->grad, *operand_of(back, 1 - operand));
}

static const struct operation multiply_add_row = {.name = "multiply_add",
                                                  .backward = "AddBackward0",
                                                  .find = find_factors,
                                                  .compute = compute_multiply_add,
                                                  .gradient = gradient_of_multiply_add};

struct tensor multiply_add(struct tensor x, struct tensor weight, struct tensor bias) {
    const struct tensor operands[] = {x, weight, bias};
    return perform_on(3, operands, (struct origin){.operation = &multiply_add_row});
}

// ---- Bounds ----------------------------------------------------------------------------------------------

static struct tensor compute_clamp(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    const struct tensor result = tensor_like(arena, x->storage->dtype, x);
    const struct shape shape = shape_of(x);
    const bool is_float = x->storage->dtype == FLOAT32;
    const double least = is_float ? (double)(float)origin->beta1 : origin->beta1;
    const double most = is_float ? (double)(float)origin->beta2 : origin->beta2;
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&shape, index)) {
        double value = element(x, index);
        if (value < least) value = least;
        if (value > most) value = most;
        put_number(result.storage, i, value);
    }
    return result;
}

static struct tensor gradient_of_clamp(const struct backward *back, int operand) {
    const struct tensor x = *operand_of(back, operand);
    const struct tensor least =
        full_of(x.storage->arena, x.storage->dtype, NO_DIMS, back->origin->beta1);
    const struct tensor most =
        full_of(x.storage->arena, x.storage->dtype, NO_DIMS, back->origin->beta2);
    return masked_fill(back->grad, logical_or(less(x, least), less(most, x)), 0);
}

static const struct operation clamp_row = {.name = "clamp",
                                           .backward = "ClampBackward1",
                                           .find = find_same,
                                           .compute = compute_clamp,
                                           .gradient = gradient_of_clamp};

struct tensor clamp(struct tensor x, double least, double most) {
    return perform_on(ONE(x),
                      (struct origin){.operation = &clamp_row, .beta1 = least, .beta2 = most});
}

// ---- Lines along a dimension -------------------------------------------------------------------------------

// Calls each(x, result, index) for the first element of every line along origin->dim.
static void for_lines(const struct tensor *x, int dim,
                      void (*each)(const struct tensor *x, int dim, int64_t *index, void *context),
                      void *context) {
    struct shape shape = shape_of(x);
    if (count_of(shape) == 0) return;
    shape.size[dim] = 1;
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index))
        each(x, dim, index, context);
}

// The elements up to this one.
static void find_up_to(struct finding *finding) {
    const int dim = finding->derivation->origin->dim;
    int64_t index[MAX_DIMS];
    memcpy(index, finding->derivation->index, sizeof index);
    for (int64_t i = 0; i <= finding->derivation->index[dim]; i++) {
        index[dim] = i;
        add_operand(finding, 0, "x", index);
    }
}

static void add_up(const struct tensor *x, int dim, int64_t *index, void *context) {
    struct tensor *result = context;
    double sum = 0;
    uint64_t whole = 0;
    for (int64_t i = 0; i < x->shape[dim]; i++) {
        index[dim] = i;
        const int64_t position = flat_index(result, index);
        if (is_floating(x->storage->dtype)) {
            sum += element(x, index);
            put_number(result->storage, position, sum);
        } else {
            whole += (uint64_t)whole_element(x, index);
            put_whole(result->storage, position, (int64_t)whole);
        }
    }
    index[dim] = 0;
}

// In double, each rounded: aten/src/ATen/native/cpu/ReduceOpsKernel.cpp, cumsum_cpu_kernel.
static struct tensor compute_cumsum(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    struct tensor result =
        tensor_like(arena, is_floating(x->storage->dtype) ? x->storage->dtype : INT64, x);
    for_lines(x, origin->dim, add_up, &result);
    return result;
}

static struct tensor gradient_of_cumsum(const struct backward *back, int operand) {
    (void)operand;
    return flip(cumsum(flip(back->grad, back->origin->dim), back->origin->dim), back->origin->dim);
}

static const struct operation cumsum_row = {.name = "cumsum",
                                            .backward = "CumsumBackward0",
                                            .find = find_up_to,
                                            .compute = compute_cumsum,
                                            .gradient = gradient_of_cumsum};

struct tensor cumsum(struct tensor x, int dim) {
    return perform_on(ONE(x), (struct origin){.operation = &cumsum_row, .dim = dim});
}

static void multiply_up(const struct tensor *x, int dim, int64_t *index, void *context) {
    struct tensor *result = context;
    double product = 1;
    uint64_t whole = 1;
    for (int64_t i = 0; i < x->shape[dim]; i++) {
        index[dim] = i;
        const int64_t position = flat_index(result, index);
        if (is_floating(x->storage->dtype)) {
            product *= element(x, index);
            put_number(result->storage, position, product);
        } else {
            whole *= (uint64_t)whole_element(x, index);
            put_whole(result->storage, position, (int64_t)whole);
        }
    }
    index[dim] = 0;
}

static struct tensor compute_cumprod(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    struct tensor result =
        tensor_like(arena, is_floating(x->storage->dtype) ? x->storage->dtype : INT64, x);
    for_lines(x, origin->dim, multiply_up, &result);
    return result;
}

// Where no number is 0: what the products after a number add up to, divided by it.
static struct tensor gradient_of_cumprod(const struct backward *back, int operand) {
    const int dim = back->origin->dim;
    const struct tensor answers = multiply(back->grad, back->result);
    return divide(flip(cumsum(flip(answers, dim), dim), dim), *operand_of(back, operand));
}

static const struct operation cumprod_row = {.name = "cumprod",
                                             .backward = "CumprodBackward0",
                                             .find = find_up_to,
                                             .compute = compute_cumprod,
                                             .gradient = gradient_of_cumprod};

struct tensor cumprod(struct tensor x, int dim) {
    return perform_on(ONE(x), (struct origin){.operation = &cumprod_row, .dim = dim});
}

// ---- Order ---------------------------------------------------------------------------------------------------

struct sorting {
    struct tensor *result;
    bool descends;
    struct placed *placed;
};
struct placed {
    double number;
    int64_t position;
};

// nan counts as the largest; equal ones stay in order.
static int compare_placed(const void *a, const void *b) {
    const struct placed *left = a, *right = b;
    const bool left_nan = isnan(left->number), right_nan = isnan(right->number);
    if (left_nan != right_nan) return left_nan ? 1 : -1;
    if (!left_nan && left->number < right->number) return -1;
    if (!left_nan && left->number > right->number) return 1;
    return left->position < right->position ? -1 : 1;
}

static int compare_falling(const void *a, const void *b) {
    const struct placed *left = a, *right = b;
    const bool is_same = !(left->number < right->number) && !(left->number > right->number) &&
                         isnan(left->number) == isnan(right->number);
    return is_same ? (left->position < right->position ? -1 : 1) : -compare_placed(a, b);
}

static void sort_line(const struct tensor *x, int dim, int64_t *index, void *context) {
    struct sorting *sorting = context;
    const int64_t count = x->shape[dim];
    for (int64_t i = 0; i < count; i++) {
        index[dim] = i;
        sorting->placed[i] = (struct placed){element(x, index), i};
    }
    qsort(sorting->placed, (size_t)count, sizeof *sorting->placed,
          sorting->descends ? compare_falling : compare_placed);
    for (int64_t i = 0; i < count; i++) {
        index[dim] = i;
        put_whole(sorting->result->storage, flat_index(sorting->result, index),
                  sorting->placed[i].position);
    }
    index[dim] = 0;
}

static struct tensor compute_argsort(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    struct tensor result = tensor_like(arena, INT64, x);
    struct sorting sorting = {
        &result, origin->is_biased,
        arena_array(arena, (size_t)x->shape[origin->dim] + 1, sizeof(struct placed))};
    for_lines(x, origin->dim, sort_line, &sorting);
    return result;
}

static const struct operation argsort_row = {
    .name = "argsort", .find = find_line, .compute = compute_argsort};

struct tensor argsort(struct tensor x, int dim, bool descends) {
    return perform_on(
        ONE(x), (struct origin){.operation = &argsort_row, .dim = dim, .is_biased = descends});
}

// ---- The place of the largest of each line ---------------------------------------------------------------------

struct finding_most {
    struct tensor *result;
    bool of_least;
};

static void find_most(const struct tensor *x, int dim, int64_t *index, void *context) {
    const struct finding_most *most = context;
    int64_t position = 0;
    double best = 0;
    for (int64_t i = 0; i < x->shape[dim]; i++) {
        index[dim] = i;
        const double value = element(x, index);
        const bool is_better = most->of_least ? value < best : value > best;
        if (i == 0 || (is_better && !isnan(best)) || (isnan(value) && !isnan(best))) {
            best = value;
            position = i;
        }
    }
    index[dim] = 0;
    put_whole(most->result->storage, flat_index(most->result, index), position);
}

static struct tensor compute_place(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    struct shape shape = shape_of(x);
    shape.size[origin->dim] = 1;
    struct tensor result = tensor_new(arena, INT64, shape);
    struct finding_most most = {&result, origin->is_biased};
    for_lines(x, origin->dim, find_most, &most);
    return result;
}

static const struct operation place_row = {
    .name = "argmax", .find = find_line, .compute = compute_place};

struct tensor place_of_most(struct tensor x, int dim, bool of_least) {
    return perform_on(ONE(x),
                      (struct origin){.operation = &place_row, .dim = dim, .is_biased = of_least});
}

// ---- Numbers at places -------------------------------------------------------------------------------------------

static struct tensor compute_taken(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0], *places = &origin->operands[1];
    const struct tensor result = tensor_new(arena, x->storage->dtype, shape_of(places));
    const struct shape shape = shape_of(places);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&shape, index)) {
        int64_t from[MAX_DIMS];
        memcpy(from, index, sizeof from);
        from[origin->dim] = whole_element(places, index);
        if (from[origin->dim] < 0 || from[origin->dim] >= x->shape[origin->dim])
            fail(arena->failure, FAIL_USAGE,
                 "index %lld is out of bounds for dimension %d with size %lld",
                 (long long)from[origin->dim], origin->dim, (long long)x->shape[origin->dim]);
        put_element(result.storage, i, x, from);
    }
    return result;
}

static void find_taken(struct finding *finding) {
    int64_t from[MAX_DIMS];
    add_operand(finding, 1, "place", finding->derivation->index);
    memcpy(from, finding->derivation->index, sizeof from);
    from[finding->derivation->origin->dim] =
        whole_element(operand_tensor(finding, 1), finding->derivation->index);
    add_operand(finding, 0, "x", from);
}

// Each answers at its place; several at one place are added up, in order.
static struct tensor compute_put_back(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0], *places = &origin->operands[1],
                        *from = &origin->operands[2];
    const struct tensor result = tensor_new(arena, x->storage->dtype, shape_of(x));
    const struct shape shape = shape_of(places);
    const struct shape all = shape_of(x);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&all, index))
        put_element(result.storage, i, x, index);
    memset(index, 0, sizeof index);
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index)) {
        int64_t to[MAX_DIMS];
        memcpy(to, index, sizeof to);
        to[origin->dim] = whole_element(places, index);
        if (to[origin->dim] < 0 || to[origin->dim] >= x->shape[origin->dim])
            fail(arena->failure, FAIL_USAGE,
                 "index %lld is out of bounds for dimension %d with size %lld",
                 (long long)to[origin->dim], origin->dim, (long long)x->shape[origin->dim]);
        const int64_t position = flat_index(&result, to);
        if (origin->is_biased && x->storage->dtype == FLOAT32)
            floats_of(&result)[position] += (float)element(from, index);
        else if (origin->is_biased)
            put_number(result.storage, position, element(&result, to) + element(from, index));
        else
            put_element(result.storage, position, from, index);
    }
    return result;
}

// What was put there: the last one, or all that are added to what was there.
static void find_put(struct finding *finding) {
    const struct derivation *d = finding->derivation;
    const struct tensor *places = operand_tensor(finding, 1);
    const int dim = d->origin->dim;
    int64_t index[MAX_DIMS], last = -1;
    memcpy(index, d->index, sizeof index);
    bool is_inside = true;
    for (int i = 0; i < places->ndim; i++) is_inside &= i == dim || index[i] < places->shape[i];
    for (int64_t i = 0; is_inside && i < places->shape[dim]; i++) {
        index[dim] = i;
        if (whole_element(places, index) != d->index[dim]) continue;
        last = i;
        if (d->origin->is_biased) add_operand(finding, 2, "added", index);
    }
    index[dim] = last;
    if (last >= 0 && !d->origin->is_biased)
        add_operand(finding, 2, "put", index);
    else
        add_operand(finding, 0, "x", d->index);
}

static struct tensor gradient_of_put(const struct backward *back, int operand) {
    const struct tensor places = *operand_of(back, 1);
    if (operand == 1) return NO_TENSOR;
    if (operand == 2) return take_along(back->grad, places, back->origin->dim);
    if (back->origin->is_biased) return back->grad;
    const struct tensor zeros = full(back->grad.storage->arena, shape_of(&places), 0);
    return put_along(back->grad, places, zeros, back->origin->dim, false);
}

static const struct operation put_row = {.name = "scatter",
                                         .backward = "ScatterBackward0",
                                         .find = find_put,
                                         .compute = compute_put_back,
                                         .gradient = gradient_of_put};

struct tensor put_along(struct tensor x, struct tensor places, struct tensor from, int dim,
                        bool adds) {
    const struct tensor operands[] = {x, places, from};
    return perform_on(3, operands,
                      (struct origin){.operation = &put_row, .dim = dim, .is_biased = adds});
}

static struct tensor gradient_of_taken(const struct backward *back, int operand) {
    const struct tensor *x = operand_of(back, 0);
    if (operand == 1) return NO_TENSOR;
    const struct tensor zeros = full(back->grad.storage->arena, shape_of(x), 0);
    return put_along(zeros, *operand_of(back, 1), back->grad, back->origin->dim, true);
}

static const struct operation take_row = {.name = "gather",
                                          .backward = "GatherBackward0",
                                          .find = find_taken,
                                          .compute = compute_taken,
                                          .gradient = gradient_of_taken};

struct tensor take_along(struct tensor x, struct tensor places, int dim) {
    return perform_on(TWO(x, places), (struct origin){.operation = &take_row, .dim = dim});
}

// ---- Sums of integers and doubles ------------------------------------------------------------------------------------

static void add_line(const struct tensor *x, int dim, int64_t *index, void *context) {
    struct tensor *result = context;
    double sum = 0;
    uint64_t whole = 0;
    for (int64_t i = 0; i < x->shape[dim]; i++) {
        index[dim] = i;
        if (x->storage->dtype == FLOAT64)
            sum += element(x, index);
        else
            whole += (uint64_t)whole_element(x, index);
    }
    index[dim] = 0;
    const int64_t position = flat_index(result, index);
    if (x->storage->dtype == FLOAT64)
        put_number(result->storage, position, sum);
    else
        put_whole(result->storage, position, (int64_t)whole);
}

static struct tensor compute_total(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    struct shape shape = shape_of(x);
    shape.size[origin->dim] = 1;
    struct tensor result = tensor_new(arena, x->storage->dtype == FLOAT64 ? FLOAT64 : INT64, shape);
    for_lines(x, origin->dim, add_line, &result);
    return result;
}

static struct tensor gradient_of_total(const struct backward *back, int operand) {
    return expand(back->grad, shape_of(operand_of(back, operand)));
}

static const struct operation total_row = {.name = "sum",
                                           .backward = "SumBackward1",
                                           .find = find_line,
                                           .compute = compute_total,
                                           .gradient = gradient_of_total};

struct tensor total(struct tensor x, int dim, bool keepdim) {
    const struct tensor kept =
        perform_on(ONE(x), (struct origin){.operation = &total_row, .dim = dim});
    struct tensor result = keepdim ? kept : select_index(kept, dim, 0);
    result.view = NULL;
    return result;
}

// ---- Products of other numbers than float32 ----------------------------------------------------------------------------

static struct tensor compute_typed_product(struct arena *arena, const struct origin *origin) {
    const struct tensor *a = &origin->operands[0],
                        *b = &origin->operands[1]; // (..., n, k) and (..., k, m), broadcast already
    struct shape shape = shape_of(a);
    shape.size[shape.ndim - 1] = b->shape[b->ndim - 1];
    const struct tensor result = tensor_new(arena, a->storage->dtype, shape);
    const bool is_whole = !is_floating(a->storage->dtype);
    const int row = shape.ndim - 2, column = shape.ndim - 1;
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&shape, index)) {
        int64_t left[MAX_DIMS], right[MAX_DIMS];
        double sum = 0;
        uint64_t whole = 0;
        memcpy(left, index, sizeof left);
        memcpy(right, index, sizeof right);
        for (int64_t k = 0; k < a->shape[column]; k++) {
            left[column] = right[row] = k;
            if (is_whole)
                whole += (uint64_t)whole_element(a, left) * (uint64_t)whole_element(b, right);
            else
                sum = fma(element(a, left), element(b, right), sum);
        }
        if (is_whole)
            put_whole(result.storage, i, (int64_t)whole);
        else
            put_number(result.storage, i, sum);
    }
    return result;
}

static void find_product(struct finding *finding) {
    const int column = finding->shape.ndim - 1, row = column - 1;
    int64_t left[MAX_DIMS], right[MAX_DIMS];
    memcpy(left, finding->derivation->index, sizeof left);
    memcpy(right, finding->derivation->index, sizeof right);
    for (int64_t k = 0; k < operand_tensor(finding, 0)->shape[column]; k++) {
        left[column] = right[row] = k;
        add_operand(finding, 0, "a", left);
        add_operand(finding, 1, "b", right);
    }
}

static struct tensor gradient_of_typed_product(const struct backward *back, int operand) {
    const struct tensor a = *operand_of(back, 0), b = *operand_of(back, 1);
    return operand == 0 ? typed_product(back->grad, transpose(b, -2, -1))
                        : typed_product(transpose(a, -2, -1), back->grad);
}

static const struct operation typed_product_row = {.name = "matmul",
                                                   .backward = "MmBackward0",
                                                   .find = find_product,
                                                   .compute = compute_typed_product,
                                                   .gradient = gradient_of_typed_product};

struct tensor typed_product(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &typed_product_row});
}
