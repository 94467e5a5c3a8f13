// Products of matrices and vectors.

#include <math.h>
#include <string.h>

#include "tensor/number/partial.h"
#include "tensor/number/product.h"
#include "tensor/operation/account.h"
#include "tensor/operation/line.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/operation/terms.h"
#include "tensor/operation/tolerance.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/quick.h"

static _Noreturn void refuse_product(struct arena *arena, const struct origin *origin,
                                     const struct tensor *a, const struct tensor *b) {
    refuse_shapes(arena, origin, a, b, "do not fit together");
}

// Adds a dimension of size 1 at `at`, so that a vector is a matrix of one row or one column.
static struct tensor with_dimension(struct tensor x, int at) {
    for (int dim = x.ndim; dim > at; dim--) {
        x.shape[dim] = x.shape[dim - 1];
        x.stride[dim] = x.stride[dim - 1];
        x.axis[dim] = x.axis[dim - 1];
    }
    x.shape[at] = 1;
    x.stride[at] = 0;
    x.axis[at] = (struct axis){0};
    x.ndim++;
    return x;
}

// Shape of the product of (..., n, k) and (..., k, m), whose k agree. Leading sizes agree or are 1 or missing.
static struct shape product_shape(struct arena *arena, const struct origin *origin,
                                  const struct tensor *a, const struct tensor *b) {
    struct shape shape = {.ndim = a->ndim > b->ndim ? a->ndim : b->ndim};
    shape.size[shape.ndim - 2] = a->shape[a->ndim - 2];
    shape.size[shape.ndim - 1] = b->shape[b->ndim - 1];
    for (int back = 3; back <= shape.ndim; back++) {
        const int64_t size_a = back <= a->ndim ? a->shape[a->ndim - back] : 1;
        const int64_t size_b = back <= b->ndim ? b->shape[b->ndim - back] : 1;
        if (size_a != size_b && size_a != 1 && size_b != 1) refuse_product(arena, origin, a, b);
        shape.size[shape.ndim - back] = size_a == 1 ? size_b : size_a;
    }
    return shape;
}

// First element of the matrix of x that belongs to the leading indices of the result.
static const float *matrix_of(const struct tensor *x, const int64_t *index, int ndim) {
    const float *matrix = floats_of(x);
    for (int dim = 0; dim < x->ndim - 2; dim++) {
        const int64_t leading = index[dim + ndim - x->ndim];
        matrix += (x->shape[dim] == 1 ? 0 : leading) * x->stride[dim];
    }
    return matrix;
}

// ---- Which way -----------------------------------------------------------------------------------

// How PyTorch's matmul computes a product depends on the operands' dimensions
// (aten/src/ATen/native/LinearAlgebra.cpp, _matmul_impl), and the last bits depend on that. A matrix and
// a tensor of three dimensions or more are folded into one matrix product; PyTorch 1.13 does otherwise
// for some transposed tensors, 2.6 for those that can't be viewed as one matrix, if the smaller operand
// needs no gradient: then it is a batch.
enum way {
    VECTORS,                 // both have one dimension
    MATRIX_VECTOR,           // one has
    MATRICES,                // or rows of a linear layer
    SMALL_BATCH_OF_MATRICES, // both have three or more
};

static enum way way_of(const struct origin *origin) {
    const struct tensor *a = &origin->operands[0], *b = &origin->operands[1];
    if (origin->operation == &linear_row) return MATRICES;
    if (a->ndim == 1 && b->ndim == 1) return VECTORS;
    if (b->ndim == 1 || (a->ndim == 1 && b->ndim > 2)) return MATRIX_VECTOR;
    if (a->ndim < 3 || b->ndim < 3) return MATRICES;
    const int64_t rows = a->shape[a->ndim - 2], inner = a->shape[a->ndim - 1];
    return rows * inner * b->shape[b->ndim - 1] < SMALL_BATCH ? SMALL_BATCH_OF_MATRICES : MATRICES;
}

// Where element number `position` of `count` lies in a product of matrices: in its own of a batch, otherwise in
// the one into which PyTorch folds all rows.
static struct entry entry_at(const struct origin *origin, int64_t position, int64_t count) {
    const struct tensor *a = &origin->operands[0], *b = &origin->operands[1];
    const bool is_batch = a->ndim > 2 && b->ndim > 2, is_linear = origin->operation == &linear_row;
    const int64_t columns = b->shape[is_linear ? 0 : b->ndim - 1];
    const int64_t rows = is_batch ? a->shape[a->ndim - 2] : count / columns;
    return (struct entry){position / columns % rows, position % columns, rows,
                          a->shape[a->ndim - 1], columns};
}

// Element number `position` of `count` of a product: of a row and a column, or a vector. `start` is a layer's
// bias or 0.
static float element_of(const struct origin *origin, enum way way, struct line a, struct line b,
                        float start, int64_t position, int64_t count) {
    switch (way) {
    case VECTORS:
        return dot_product(a, b);
    case MATRIX_VECTOR:
        return origin->operands[1].ndim == 1 ? row_product(a, b, position, count)
                                             : row_product(b, a, position, count);
    case SMALL_BATCH_OF_MATRICES:
        return plain_product(a, b);
    default:
        return fused_product(a, b, start, entry_at(origin, position, count));
    }
}

// c = a b, both with two dimensions or more, and with a bias (columns) bias + a b.
static void fill_product(const struct origin *origin, const struct tensor *a,
                         const struct tensor *b, const struct tensor *bias,
                         const struct tensor *c) {
    const enum way way = way_of(origin);
    const int64_t inner = a->shape[a->ndim - 1], columns = c->shape[c->ndim - 1];
    const int64_t step_a = a->stride[a->ndim - 1], step_b = b->stride[b->ndim - 2];
    struct shape rows = shape_of(c);
    rows.size[c->ndim - 1] = 1;
    const int64_t count = count_of(shape_of(c));
    struct entry entry =
        way == MATRICES && count > 0 ? entry_at(origin, 0, count) : (struct entry){0};
    int64_t index[MAX_DIMS] = {0};
    for (int64_t position = 0; position < count; position += columns, next_index(&rows, index)) {
        const struct line row = {matrix_of(a, index, c->ndim) +
                                     index[c->ndim - 2] * a->stride[a->ndim - 2],
                                 step_a, inner};
        const struct columns all = {
            {matrix_of(b, index, c->ndim), step_b, inner}, b->stride[b->ndim - 1], columns};
        float *sums = floats_of(c) + position; // still 0
        if (bias != NULL) read_row(bias, (int64_t[]){0}, columns, sums);
        if (way == MATRICES)
            add_fused_products(row, all, entry, sums);
        else if (way == SMALL_BATCH_OF_MATRICES)
            add_plain_products(row, all, sums);
        else
            for (int64_t j = 0; j < columns; j++)
                sums[j] = element_of(origin, way, row, column_in(all, j), 0, position + j, count);
        entry.row = entry.row + 1 < entry.rows ? entry.row + 1 : 0;
    }
}

static void name_product(const struct tensor *a, const struct tensor *b, struct tensor *c) {
    for (int dim = 0; dim < c->ndim - 2; dim++) {
        const int own_a = dim - (c->ndim - a->ndim), own_b = dim - (c->ndim - b->ndim);
        if (own_a >= 0)
            c->axis[dim] = a->axis[own_a];
        else
            c->axis[dim] = b->axis[own_b];
    }
    c->axis[c->ndim - 2] = a->axis[a->ndim - 2];
    c->axis[c->ndim - 1] = b->axis[b->ndim - 1];
}

// The product of two tensors of two dimensions or more, in a new storage.
static struct tensor product(struct arena *arena, const struct origin *origin,
                             const struct tensor *a, const struct tensor *b,
                             const struct tensor *bias) {
    struct tensor result = tensor_new(arena, FLOAT32, product_shape(arena, origin, a, b));
    fill_product(origin, a, b, bias, &result);
    name_product(a, b, &result);
    return result;
}

// ---- The arithmetic, for both ---------------------------------------------------------------------

enum { FEW = 3 }; // terms of a matrix and a vector, which are added up in order

// How the terms are added up: the name of what is said of it.
enum order { IN_ORDER, IN_ORDER_ROUNDED, IN_DOUBLE, IN_LANES, BY_TURNS, IN_BLOCKS };

static enum order order_of_matrices(struct entry entry) {
    const int64_t end = end_of_block(&entry, 0);
    if (terms_by_turns(&entry, end) > 0) return BY_TURNS;
    return end < entry.inner ? IN_BLOCKS : IN_ORDER;
}

static enum order order_of(const struct account *account, enum way way, int terms) {
    const struct derivation *d = account->derivation;
    switch (way) {
    case VECTORS:
        return IN_DOUBLE;
    case MATRIX_VECTOR:
        return terms > FEW ? IN_LANES : IN_ORDER_ROUNDED;
    case SMALL_BATCH_OF_MATRICES:
        return IN_ORDER_ROUNDED;
    default:
        return order_of_matrices(entry_at(d->origin, d->flat_index, account->storage->count));
    }
}

// What is said where the numbers are not just multiplied and added up in order.
static const char *const ORDERS[] = {
    [IN_DOUBLE] = "added up in double, as PyTorch does for two vectors",
    [IN_LANES] = "added up in lanes, as PyTorch does for a matrix and a vector",
    [BY_TURNS] = "added by turns to two sums, as PyTorch does in this place of a matrix",
    [IN_BLOCKS] = "added up in blocks of terms, as PyTorch does if there are more than 320",
};

// The factors of a product, `a` and `b` by turns among the operands from `first` on.
static struct line factors(const struct account *account, int first, int count) {
    float *numbers = arena_array(account->arena, (size_t)count, sizeof *numbers);
    for (int i = 0; i < count; i++) numbers[i] = operand_value(account, first + 2 * i);
    return (struct line){numbers, 1, count};
}

// The operands are pairs, and one more if there is a bias.
static double account_of_product(struct account *account) {
    const struct derivation *d = account->derivation;
    const int pairs = d->operand_count / 2;
    const bool has_bias = d->operand_count % 2 == 1;
    const float bias = has_bias ? operand_value(account, 2 * pairs) : 0;
    struct text sum = empty_text(account);
    for (int i = 0; i < 2 * pairs; i += 2) {
        text_add_format(&sum, "%s%s·%s", i > 0 ? " + " : "",
                        i > 0 ? operand_term(account, i) : operand_figure(account, i),
                        operand_term(account, i + 1));
    }
    if (sum.length == 0) text_add(&sum, "0");
    if (has_bias) text_add_format(&sum, " + %s (bias)", operand_term(account, 2 * pairs));
    const struct line a = factors(account, 0, pairs), b = factors(account, 1, pairs);
    const enum way way = way_of(d->origin);
    const float value =
        element_of(d->origin, way, a, b, bias, d->flat_index, account->storage->count);
    const char *order = ORDERS[order_of(account, way, pairs)];
    if (order != NULL) say(account, "%s", order);
    say(account, "%s = %s", sum.bytes, figure(account, (double)value));
    return (double)value;
}

// How the terms are added up, for those who see them come.
static const char *const ROUNDINGS[] = {
    [IN_ORDER] = "Product and sum are rounded together, once a term (fused multiply-add).",
    [IN_ORDER_ROUNDED] = "Each product is rounded before it is added.",
    [IN_DOUBLE] =
        "Each product is rounded to a float, the sums are doubles, the last is rounded again.",
    [IN_LANES] = "PyTorch adds up several sums here, and adds these at the end.",
    [BY_TURNS] = "PyTorch adds the terms to two sums by turns here, and adds these at the end.",
    [IN_BLOCKS] = "PyTorch adds up a sum of each block of terms here, and adds these.",
};

static struct terms terms_of_product(const struct account *account) {
    const struct derivation *d = account->derivation;
    const int pairs = d->operand_count / 2;
    const bool has_bias = d->operand_count % 2 == 1;
    const float bias = has_bias ? operand_value(account, 2 * pairs) : 0;
    const struct line a = factors(account, 0, pairs), b = factors(account, 1, pairs);
    const enum way way = way_of(d->origin);
    const bool is_turned =
        d->origin->operands[1].ndim != 1; // a row of it times the vector before it
    const int64_t position = d->flat_index, places = account->storage->count;
    struct arena *arena = account->arena;
    const struct partials partials =
        way == VECTORS                   ? partials_of_dot(arena, a, b)
        : way == SMALL_BATCH_OF_MATRICES ? partials_of_plain(arena, a, b)
        : way == MATRICES                ? partials_of_fused(arena, a, b, has_bias ? &bias : NULL,
                                                             entry_at(d->origin, position, places))
        : is_turned                      ? partials_of_row(arena, b, a, position, places)
                                         : partials_of_row(arena, a, b, position, places);
    return (struct terms){partials.count, partials.all, ROUNDINGS[order_of(account, way, pairs)]};
}

// The operands are pairs, and one more if there is a bias. What is added up is the sum of all |a·b|.
static double error_of_products(const struct derivation *derivation, const double *errors) {
    const struct operand *operands = derivation->operands;
    const int count = derivation->operand_count;
    double error = 0;
    for (int i = 0; i + 1 < count; i += 2) {
        const double a = operands[i].value, b = operands[i + 1].value;
        error += error_of_factors(a, b, errors[i], errors[i + 1]) + fabs(a * b);
    }
    return count % 2 == 0 ? error : error + errors[count - 1] + fabs(operands[count - 1].value);
}

// ---- matmul --------------------------------------------------------------------------------------

static struct tensor compute_matmul(struct arena *arena, const struct origin *origin) {
    const struct tensor *a = &origin->operands[0], *b = &origin->operands[1];
    if (a->ndim == 0 || b->ndim == 0) refuse_product(arena, origin, a, b);
    const bool row_vector = a->ndim == 1, column_vector = b->ndim == 1;
    const struct tensor rows = row_vector ? with_dimension(*a, 0) : *a;
    const struct tensor columns = column_vector ? with_dimension(*b, 1) : *b;
    if (rows.shape[rows.ndim - 1] != columns.shape[columns.ndim - 2]) {
        refuse_product(arena, origin, a, b);
    }
    struct tensor result = product(arena, origin, &rows, &columns, NULL);
    if (column_vector) result = select_index(result, -1, 0);
    if (row_vector) result = select_index(result, column_vector ? -1 : -2, 0);
    return result;
}

// The index of a product's factor, its summed dimension still 0: leading dimensions broadcast, then
// comes the row (of a) or the column (of b) that this element has. A vector has neither.
static void factor_index(const struct finding *finding, const struct tensor *x, bool is_left,
                         int64_t *index) {
    const int64_t *index_of_result = finding->derivation->index;
    const int n = finding->shape.ndim;
    for (int dim = 0; dim < x->ndim - 2; dim++) {
        index[dim] = x->shape[dim] == 1 ? 0 : index_of_result[dim + n - x->ndim];
    }
    if (x->ndim >= 2)
        index[is_left ? x->ndim - 2 : x->ndim - 1] = index_of_result[is_left ? n - 2 : n - 1];
}

static void find_matmul(struct finding *finding) {
    const struct tensor *a = operand_tensor(finding, 0), *b = operand_tensor(finding, 1);
    int64_t index_a[MAX_DIMS] = {0}, index_b[MAX_DIMS] = {0};
    factor_index(finding, a, true, index_a);
    factor_index(finding, b, false, index_b);
    const int summed_a = a->ndim - 1, summed_b = b->ndim >= 2 ? b->ndim - 2 : 0;
    expect_operands(finding, 2 * a->shape[summed_a]);
    for (int64_t k = 0; k < a->shape[summed_a]; k++) {
        index_a[summed_a] = index_b[summed_b] = k;
        add_operand(finding, 0, "a", index_a);
        add_operand(finding, 1, "b", index_b);
    }
}

// C = A B: ∂A = ∂C Bᵀ, ∂B = Aᵀ ∂C. The result has two dimensions or more in memory; a vector among the
// operands was a row or a column.
static struct tensor gradient_of_matmul(const struct backward *back, int operand) {
    const struct tensor a = back->origin->operands[0], b = back->origin->operands[1];
    const struct tensor rows = a.ndim == 1 ? with_dimension(a, 0) : a;
    const struct tensor columns = b.ndim == 1 ? with_dimension(b, 1) : b;
    if (operand == 0) {
        const struct tensor grad = matmul(back->grad, transpose(columns, -2, -1));
        return a.ndim == 1 ? select_index(grad, -2, 0) : grad;
    }
    const struct tensor grad = matmul(transpose(rows, -2, -1), back->grad);
    return b.ndim == 1 ? select_index(grad, -1, 0) : grad;
}

static const char *backward_of_matmul(const struct origin *origin) {
    const int a = origin->operands[0].ndim, b = origin->operands[1].ndim;
    if (a > 2 || b > 2) return "UnsafeViewBackward0";
    if (a == 1) return b == 1 ? "DotBackward0" : "SqueezeBackward4";
    return b == 1 ? "MvBackward0" : "MmBackward0";
}

static bool means(const struct tensor *x, int back, enum meaning meaning) {
    return x->ndim >= back && x->axis[x->ndim - back].meaning == meaning;
}

// x Wᵀ: a layer's weight makes what it is there for. A table of words makes logits, if its rows are the outputs.
static enum role made_by(const struct tensor *weight) {
    if (role_of(weight) == ROLE_EMBEDDING) return ROLE_LOGITS;
    return weight->storage->purpose.makes;
}

// Queries times keys are scores, weights times anything are context. Weights that were turned, so that their
// columns are queries, make no context. One-hot rows times a table are rows of it.
static struct purpose purpose_of_matmul(const struct origin *origin, const struct tensor *result) {
    const struct tensor *a = &origin->operands[0], *b = &origin->operands[1];
    const bool is_of_one_query = result->ndim == 1 && means(result, 1, AXIS_KEY);
    const bool is_of_all = means(result, 2, AXIS_QUERY) && means(result, 1, AXIS_KEY);
    if (role_of(a) == ROLE_GRADIENT || role_of(b) == ROLE_GRADIENT) return (struct purpose){0};
    if (role_of(a) == ROLE_WEIGHTS || role_of(a) == ROLE_DROPPED_WEIGHTS)
        return (struct purpose){.role = means(a, 1, AXIS_QUERY) ? ROLE_NONE : ROLE_CONTEXT};
    if (role_of(b) == ROLE_LAYER_WEIGHT && means(b, 2, AXIS_INPUT))
        return (struct purpose){.role = b->storage->purpose.makes};
    if (role_of(b) == ROLE_EMBEDDING && means(b, 2, AXIS_FEATURE))
        return (struct purpose){.role = ROLE_LOGITS};
    if (role_of(b) == ROLE_EMBEDDING) return (struct purpose){.role = b->storage->purpose.makes};
    const bool is_of_both = role_of(a) == ROLE_QUERIES && role_of(b) == ROLE_KEYS;
    return (struct purpose){.role = is_of_both || is_of_one_query || is_of_all ? ROLE_SCORES
                                                                               : ROLE_NONE};
}

const struct operation matmul_row = {
    .name = "matmul",
    .purpose = purpose_of_matmul,
    .formula = "1 2",
    .backward_of = backward_of_matmul,
    .gradient = gradient_of_matmul,
    .help = {"matmul", "a @ b", "(..., n, k) and (..., k, m) give (..., n, m); new memory",
             "of C = A B: dA = dC Bᵀ, dB = Aᵀ dC"},
    .compute = compute_matmul,
    .find = find_matmul,
    .account = account_of_product,
    .factors = 2,
    .terms = terms_of_product,
    .error = error_of_products,
    .mixes_rows = true,
};

struct tensor matmul(struct tensor a, struct tensor b) {
    return perform_on(TWO(a, b), (struct origin){.operation = &matmul_row});
}

// ---- linear --------------------------------------------------------------------------------------

struct quick_ways quick_ways;

// Is a quick way there, and worth taking?
static bool is_quick(const struct tensor *x, const struct tensor *weight,
                     const struct tensor *bias) {
    const bool has_rows = x->ndim >= 2 && is_contiguous(x) && is_contiguous(weight);
    const bool has_bias = bias != NULL && is_contiguous(bias);
    const int64_t numbers = count_of(shape_of(x));
    return quick_ways.linear != NULL && is_large_product(1, numbers, weight->shape[0]) &&
           has_rows && (bias == NULL || has_bias);
}

static struct tensor quick_linear(struct arena *arena, const struct origin *origin,
                                  const struct tensor *x, const struct tensor *turned,
                                  const struct tensor *bias) {
    struct tensor result = tensor_new(arena, FLOAT32, product_shape(arena, origin, x, turned));
    quick_ways.linear(*x, origin->operands[1], bias != NULL ? *bias : NO_TENSOR, result);
    name_product(x, turned, &result);
    return result;
}

// x Wᵀ + b: matmul with the weight turned, and a bias.
static struct tensor compute_linear(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0], *weight = &origin->operands[1];
    const struct tensor *bias = origin->operand_count > 2 ? &origin->operands[2] : NULL;
    if (x->ndim == 0 || weight->ndim != 2 || x->shape[x->ndim - 1] != weight->shape[1]) {
        refuse_product(arena, origin, x, weight);
    }
    if (bias != NULL && !shapes_equal(shape_of(bias), SHAPE(weight->shape[0]))) {
        refuse_product(arena, origin, weight, bias);
    }
    const struct tensor rows = x->ndim == 1 ? with_dimension(*x, 0) : *x;
    const struct tensor turned = transpose(*weight, 0, 1);
    if (is_quick(x, weight, bias)) return quick_linear(arena, origin, x, &turned, bias);
    const struct tensor result = product(arena, origin, &rows, &turned, bias);
    return x->ndim > 1 ? result : select_index(result, 0, 0);
}

static void find_linear(struct finding *finding) {
    const struct tensor *x = operand_tensor(finding, 0);
    const int last = finding->shape.ndim - 1;
    int64_t index[MAX_DIMS];
    memcpy(index, finding->derivation->index, sizeof index);
    const int64_t out = index[last];
    for (int64_t k = 0; k < x->shape[x->ndim - 1]; k++) {
        index[last] = k;
        add_operand(finding, 0, "x", x->ndim == 1 ? &k : index);
        add_operand(finding, 1, "weight", (int64_t[]){out, k});
    }
    if (finding->derivation->origin->operand_count > 2) add_operand(finding, 2, "bias", &out);
}

// All rows below each other: (rows, width).
static struct tensor as_matrix(struct tensor x) {
    const int64_t width = x.shape[x.ndim - 1];
    const int64_t rows = width == 0 ? 0 : count_of(shape_of(&x)) / width;
    return reshape(x, SHAPE(rows, width));
}

// Y = X Wᵀ + b: ∂X = ∂Y W, ∂W = ∂Yᵀ X, and ∂b is the sum of ∂Y's rows.
static struct tensor gradient_of_linear(const struct backward *back, int operand) {
    const struct tensor x = back->origin->operands[0], weight = back->origin->operands[1];
    if (operand == 0) {
        const struct tensor grad = matmul(back->grad, weight);
        return x.ndim == 1 ? select_index(grad, 0, 0) : grad;
    }
    const struct tensor grad = as_matrix(back->grad);
    return operand == 1 ? matmul(transpose(grad, 0, 1), as_matrix(x)) : sum(grad, 0, false);
}

// A bias is added on the way, and more dimensions than two are folded and unfolded.
static const char *backward_of_linear(const struct origin *origin) {
    const bool has_bias = origin->operand_count > 2;
    if (origin->operands[0].ndim > 2) return has_bias ? "ViewBackward0" : "UnsafeViewBackward0";
    if (origin->operands[0].ndim < 2) return has_bias ? "ViewBackward0" : "SqueezeBackward4";
    return has_bias ? "AddmmBackward0" : "MmBackward0";
}

static struct purpose purpose_of_linear(const struct origin *origin, const struct tensor *result) {
    (void)result;
    return (struct purpose){.role = made_by(&origin->operands[1])};
}

const struct operation linear_row = {
    .name = "linear",
    .purpose = purpose_of_linear,
    .formula = "2(1)",
    .backward_of = backward_of_linear,
    .gradient = gradient_of_linear,
    .help = {"linear", "torch.nn.functional.linear(x, w, b)",
             "(..., in) and a weight (out, in) give (..., out); new memory",
             "of y = x Wᵀ + b: dx = dy W, dW = dyᵀ x, db = Σ dy over all rows"},
    .compute = compute_linear,
    .find = find_linear,
    .account = account_of_product,
    .factors = 2,
    .terms = terms_of_product,
    .error = error_of_products,
};

struct tensor linear(struct tensor x, struct tensor weight, struct tensor bias) {
    const struct tensor operands[] = {x, weight, bias};
    return perform_on(is_tensor(&bias) ? 3 : 2, operands,
                      (struct origin){.operation = &linear_row});
}
