// Names of torch that work along dimensions: sums, means, the largest, order, softmax.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "script/torch/tensor_object.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/programs/choice.h"

// The numbers of x as one line, as they lie in memory where they can be walked so; else row by row.
static struct tensor as_line(struct tensor x) {
    for (int dim = 0; dim < x.ndim; dim++) { // the widest step first
        int widest = dim;
        for (int i = dim + 1; i < x.ndim; i++)
            if (x.shape[i] > 1 && (x.stride[i] > x.stride[widest] || x.shape[widest] == 1))
                widest = i;
        if (widest != dim) x = transpose(x, dim, widest);
    }
    return reshape(x, SHAPE(count_of(shape_of(&x))));
}

typedef struct tensor along(struct tensor x, int dim, bool keepdim);

static struct tensor sum_any(struct tensor x, int dim, bool keepdim) {
    return x.storage->dtype == FLOAT32 ? sum(x, dim, keepdim) : total(x, dim, keepdim);
}

static struct tensor mean_any(struct tensor x, int dim, bool keepdim) {
    if (x.storage->dtype == FLOAT32) return mean(x, dim, keepdim);
    return divide(total(x, dim, keepdim),
                  full_of(x.storage->arena, FLOAT64, NO_DIMS, (double)x.shape[dim]));
}

static struct shape ones_of(int ndim) {
    struct shape shape = {.ndim = ndim};
    for (int dim = 0; dim < ndim; dim++) shape.size[dim] = 1;
    return shape;
}

// Which dimensions values[1] names: an int, several, or None (all).
static int dims_argument(struct torch_call *call, const struct tensor *x, bool is_in[MAX_DIMS]) {
    const struct value *items;
    int count = 0;
    memset(is_in, 0, MAX_DIMS * sizeof *is_in);
    if (!is_given(call, 1)) {
        for (int dim = 0; dim < x->ndim; dim++) is_in[dim] = true;
        return x->ndim;
    }
    if (call->values[1].kind == VALUE_INT) {
        is_in[dim_argument(call, 1, x)] = true;
        return 1;
    }
    const int64_t given = items_of(call, call->values[1], &items);
    for (int64_t i = 0; i < given; i++) {
        const int dim = dim_of(call, int_of_value(call, items[i]), x->ndim);
        if (is_in[dim]) refuse(call, "dim %d appears multiple times in the list of dims", dim);
        is_in[dim] = true;
        count++;
    }
    if (count == 0)
        for (int dim = 0; dim < x->ndim; dim++) is_in[dim] = true;
    return count == 0 ? x->ndim : count;
}

// Over dims, in one go where they are all, or lie beside each other.
static struct tensor reduced(struct torch_call *call, struct tensor x, bool keepdim, along *each) {
    bool is_in[MAX_DIMS];
    const int ndim = x.ndim, count = dims_argument(call, &x, is_in);
    if (count == ndim) {
        const struct tensor one = each(as_line(x), 0, false);
        return keepdim ? view(one, ones_of(ndim)) : one;
    }
    int first = 0, last = ndim - 1;
    while (!is_in[first]) first++;
    while (!is_in[last]) last--;
    if (last - first + 1 == count && count > 1 && is_contiguous(&x)) {
        struct shape shape = {0};
        for (int dim = 0; dim < ndim; dim++) {
            if (dim > first && dim <= last)
                shape.size[shape.ndim - 1] *= x.shape[dim];
            else
                shape.size[shape.ndim++] = x.shape[dim];
        }
        x = each(view(x, shape), first, keepdim);
        if (!keepdim) return x;
        shape.ndim = ndim;
        for (int dim = 0, from = 0; dim < ndim; dim++) {
            const bool is_inside = dim >= first && dim <= last;
            shape.size[dim] = is_inside ? 1 : x.shape[from];
            if (!is_inside || dim == last) from++;
        }
        return view(x, shape);
    }
    for (int dim = ndim - 1; dim >= 0; dim--)
        if (is_in[dim]) x = each(x, dim, keepdim);
    return x;
}

static struct tensor run_sum(struct torch_call *call) {
    struct tensor x = tensor_argument(call, 0);
    x = to_dtype(x, dtype_argument(call, 3, x.storage->dtype));
    if (x.ndim == 0)
        return is_floating(x.storage->dtype)
                   ? multiply(x, full_of(call->arena, x.storage->dtype, NO_DIMS, 1))
                   : convert(x, INT64);
    return named(call, reduced(call, x, truth_argument(call, 2), sum_any),
                 is_given(call, 1) ? "SumBackward1" : "SumBackward0");
}

static struct tensor run_mean(struct torch_call *call) {
    struct tensor x = tensor_argument(call, 0);
    x = to_dtype(x, dtype_argument(call, 3, x.storage->dtype));
    if (!is_floating(x.storage->dtype))
        refuse(call,
               "mean(): could not infer output dtype. Input dtype must be either a floating point "
               "or complex dtype. Got: %s",
               scalar_type(x.storage));
    if (x.ndim == 0) return x;
    return named(call, reduced(call, x, truth_argument(call, 2), mean_any),
                 is_given(call, 1) ? "MeanBackward1" : "MeanBackward0");
}

// ---- Variance ----------------------------------------------------------------------------------------

typedef struct tensor spread_along(struct tensor x, int dim, bool unbiased, bool keepdim);

// Dimensions that are left out go to the end, where they are one line.
static struct tensor variance_of_several(const struct tensor *x, const bool is_in[MAX_DIMS],
                                         bool unbiased, bool keepdim, spread_along *spread) {
    struct tensor turned = *x;
    struct shape rows = {0}, kept = {.ndim = x->ndim};
    int64_t length = 1;
    int at = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int dim = 0; dim < x->ndim; dim++) {
            if (is_in[dim] != (pass == 1)) continue;
            turned.shape[at] = x->shape[dim];
            turned.stride[at] = x->stride[dim];
            turned.axis[at++] = x->axis[dim];
            kept.size[dim] = pass == 1 ? 1 : x->shape[dim];
            if (pass == 1)
                length *= x->shape[dim];
            else
                rows.size[rows.ndim++] = x->shape[dim];
        }
    }
    struct shape lines = rows;
    lines.size[lines.ndim++] = length;
    const struct tensor result = spread(reshape(turned, lines), lines.ndim - 1, unbiased, false);
    return keepdim ? reshape(result, kept) : result;
}

// "input, dim=None, unbiased=True, keepdim=False, *, correction=None"
static struct tensor variance(struct torch_call *call, spread_along *spread) {
    struct tensor x = tensor_argument(call, 0);
    bool unbiased = truth_argument(call, 2);
    if (is_given(call, 4)) unbiased = int_argument(call, 4) != 0;
    if (!is_floating(x.storage->dtype))
        refuse(call, "%s only support floating point and complex dtypes", "std and var");
    if (is_given(call, 1) && call->values[1].kind == VALUE_BOOL)
        return spread(as_line(x), 0, call->values[1].truth, false);
    if (x.storage->dtype != FLOAT32) {
        bool is_in[MAX_DIMS];
        (void)dims_argument(call, &x, is_in);
        const struct tensor middle = reduced(call, x, true, mean_any), apart = subtract(x, middle);
        const struct tensor squares =
            reduced(call, multiply(apart, apart), truth_argument(call, 3), sum_any);
        int64_t count = 1;
        for (int dim = 0; dim < x.ndim; dim++)
            if (is_in[dim]) count *= x.shape[dim];
        const struct tensor result =
            divide(squares, full_of(call->arena, FLOAT64, NO_DIMS, (double)(count - unbiased)));
        return spread == var ? result : square_root(result);
    }
    bool is_in[MAX_DIMS];
    const int count = dims_argument(call, &x, is_in), ndim = x.ndim;
    const bool keepdim = truth_argument(call, 3);
    if (count == ndim) {
        const struct tensor one = spread(as_line(x), 0, unbiased, false);
        return keepdim ? view(one, ones_of(ndim)) : one;
    }
    if (count > 1) return variance_of_several(&x, is_in, unbiased, keepdim, spread);
    return spread(x, dim_argument(call, 1, &x), unbiased, keepdim);
}

static struct tensor run_var(struct torch_call *call) {
    return variance(call, var);
}
static struct tensor run_std(struct torch_call *call) {
    return named(call, variance(call, deviation), "StdBackward0");
}

// ---- The largest and the least -------------------------------------------------------------------------

static struct value pair_value(struct torch_call *call, const char *type, const char *name,
                               struct tensor values, struct tensor places) {
    static const char *const names[] = {"values", "indices"};
    const struct value items[] = {made(call, named(call, values, name)),
                                  tensor_value(call->machine, in_own_order(call, places), false)};
    const struct value tuple = tuple_new(call->machine, 2, items);
    struct list *list = (struct list *)tuple.object;
    list->type_name = type;
    list->names = names;
    return tuple;
}

static void refuse_empty(struct torch_call *call, const struct tensor *x, bool is_along) {
    if (count_of(shape_of(x)) > 0) return;
    if (is_along)
        refuse_as(call, INDEX_ERROR,
                  "%s(): Expected reduction dim to be specified for input.numel() == 0. Specify "
                  "the reduction dim with the 'dim' argument.",
                  call->row->name);
    refuse(call,
           "%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
           "reduction dim with the 'dim' argument.",
           call->row->name);
}

static struct tensor dropped(struct tensor x, int dim, bool keepdim) {
    return keepdim ? x : select_index(x, dim, 0);
}

// "input, dim=None, keepdim=False": of two tensors, of all, or along a dimension.
static struct value run_most(struct torch_call *call) {
    const bool of_least = call->row->number;
    const struct tensor x = tensor_argument(call, 0);
    if (is_given(call, 1) && is_tensor_value(call->values[1])) {
        struct tensor a, b;
        read_pair(call, call->values[0], call->values[1], &a, &b);
        return made(call, of_least ? minimum(a, b) : maximum(a, b));
    }
    if (!is_given(call, 1)) {
        refuse_empty(call, &x, false);
        if (!of_least && x.storage->dtype == FLOAT32) return made(call, amax(x));
        const struct tensor line = as_line(x), indices = place_of_most(line, 0, of_least);
        return made(call, named(call, select_index(take_along(line, indices, 0), 0, 0),
                                of_least ? "MinBackward1" : "MaxBackward1"));
    }
    const int dim = dim_argument(call, 1, &x);
    const bool keepdim = truth_argument(call, 2);
    if (x.ndim == 0)
        return pair_value(call, of_least ? "torch.return_types.min" : "torch.return_types.max",
                          of_least ? "MinBackward0" : "MaxBackward0", x,
                          full_of(call->arena, INT64, NO_DIMS, 0));
    const struct tensor chosen = place_of_most(x, dim, of_least),
                        values = take_along(x, chosen, dim);
    return pair_value(call, of_least ? "torch.return_types.min" : "torch.return_types.max",
                      of_least ? "MinBackward0" : "MaxBackward0", dropped(values, dim, keepdim),
                      dropped(chosen, dim, keepdim));
}
static void refuse_empty_along(struct torch_call *call, const struct tensor *x, int dim) {
    if (x->ndim > 0 && x->shape[dim] == 0)
        refuse_as(call, INDEX_ERROR, "%s(): Expected reduction dim %lld to have non-zero size.",
                  call->row->name, (long long)int_argument(call, 1));
}

static struct tensor run_place(struct torch_call *call) {
    const bool of_least = call->row->number;
    const struct tensor x = tensor_argument(call, 0);
    const bool keepdim = truth_argument(call, 2);
    if (is_given(call, 1))
        refuse_empty_along(call, &x, dim_argument(call, 1, &x));
    else
        refuse_empty(call, &x, true);
    if (x.storage->dtype == BOOL)
        refuse(call, "\"%s_cpu\" not implemented for 'Bool'", call->row->name);
    if (!is_given(call, 1)) {
        const struct tensor all = contiguous(x);
        const struct tensor indices = select_index(
            place_of_most(reshape(all, SHAPE(count_of(shape_of(&x)))), 0, of_least), 0, 0);
        return keepdim ? view(contiguous(indices), ones_of(x.ndim)) : indices;
    }
    const int dim = dim_argument(call, 1, &x);
    return x.ndim == 0 ? full_of(call->arena, INT64, NO_DIMS, 0)
                       : dropped(place_of_most(x, dim, of_least), dim, keepdim);
}
static struct tensor largest_along(struct tensor x, int dim, bool keepdim) {
    return dropped(take_along(x, place_of_most(x, dim, false), dim), dim, keepdim);
}
static struct tensor least_along(struct tensor x, int dim, bool keepdim) {
    return dropped(take_along(x, place_of_most(x, dim, true), dim), dim, keepdim);
}

static struct tensor run_extreme(struct torch_call *call) {
    const bool of_least = call->row->number;
    const struct tensor x = tensor_argument(call, 0);
    if (is_given(call, 1) && call->values[1].kind == VALUE_INT) {
        const int at = dim_argument(call, 1, &x);
        if (x.ndim > 0 && x.shape[at] == 0)
            refuse_as(call, INDEX_ERROR, "%s(): Expected reduction dim %d to have non-zero size.",
                      call->row->name, at);
    }
    if (is_given(call, 1) && call->values[1].kind == VALUE_OBJECT)
        return reduced(call, x, truth_argument(call, 2), of_least ? least_along : largest_along);
    if (!of_least && x.storage->dtype == FLOAT32 && is_given(call, 1)) {
        const int along_dim = dim_argument(call, 1, &x);
        const struct tensor most_of = amax_along(x, along_dim);
        struct shape kept = shape_of(&x);
        kept.size[along_dim] = 1;
        return truth_argument(call, 2) ? view(contiguous(most_of), kept) : most_of;
    }
    if (!is_given(call, 1)) {
        if (!of_least && x.storage->dtype == FLOAT32) return amax(x);
        const struct tensor line = as_line(x);
        return select_index(take_along(line, place_of_most(line, 0, of_least), 0), 0, 0);
    }
    const int dim = dim_argument(call, 1, &x);
    const struct tensor indices = place_of_most(x, dim, of_least);
    return dropped(take_along(x, indices, dim), dim, truth_argument(call, 2));
}
// "input, dim=-1, descending=False, stable=False"
static struct value run_sort(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const int dim = dim_argument(call, 1, &x);
    const struct tensor places = argsort(x, dim, truth_argument(call, 2));
    return pair_value(call, "torch.return_types.sort", "SortBackward0", take_along(x, places, dim),
                      places);
}
static struct tensor run_argsort(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return argsort(x, dim_argument(call, 1, &x), truth_argument(call, 2));
}

// "input, k, dim=-1, largest=True, sorted=True"
static struct value run_topk(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const int64_t count = int_argument(call, 1);
    const int dim = dim_argument(call, 2, &x);
    if (count < 0 || count > (x.ndim > 0 ? x.shape[dim] : 1))
        refuse(call, "selected index k out of range");
    const struct tensor places =
        contiguous(narrow(argsort(x, dim, truth_argument(call, 3)), dim, 0, count));
    return pair_value(call, "torch.return_types.topk", "TopkBackward0", take_along(x, places, dim),
                      places);
}

// ---- Truths -----------------------------------------------------------------------------------------------

static struct tensor run_any(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0), truths = to_bool(x);
    if (x.ndim == 0) return truths;
    const struct tensor counts = reduced(call, truths, truth_argument(call, 2), sum_any);
    return to_bool(counts);
}
static struct tensor run_all(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0), wrongs = logical_not(x);
    if (x.ndim == 0) return to_bool(x);
    return logical_not(reduced(call, wrongs, truth_argument(call, 2), sum_any));
}

// ---- Softmax and sums of other kinds ------------------------------------------------------------------------

static struct tensor run_soft(struct torch_call *call) {
    struct tensor (*operation)(struct tensor, int) = call->row->at;
    struct tensor x = tensor_argument(call, 0);
    const char *name =
        operation == softmax ? "softmax_lastdim_kernel_impl" : "log_softmax_lastdim_kernel_impl";
    x = to_dtype(x, dtype_argument(call, 2, x.storage->dtype));
    const bool is_functional = strstr(call->row->signature, "_stacklevel") != NULL;
    if (!is_given(call, 1) && x.ndim > 0 && !is_functional)
        refuse_as(
            call, TYPE_ERROR,
            "%s() received an invalid combination of arguments - got (Tensor), but expected one "
            "of:\n * (Tensor input, int dim, torch.dtype dtype = None, *, Tensor out = None)",
            call->row->name);
    // torch.nn.functional takes one where none is given: _get_softmax_dim.
    const int dim = is_given(call, 1) || x.ndim == 0 ? dim_argument(call, 1, &x)
                    : x.ndim == 1 || x.ndim == 3     ? 0
                                                     : 1;
    if (!is_floating(x.storage->dtype))
        refuse(call, "\"%s\" not implemented for '%s'",
               dim == x.ndim - 1 ? name : "softmax_kernel_impl", scalar_type(x.storage));
    if (x.ndim == 0)
        return full_of(call->arena, x.storage->dtype, NO_DIMS, operation == softmax ? 1 : 0);
    if (narrow_of_call(call, x.storage->dtype) != ALL_BITS)
        return narrow_soft(call, x, dim, operation == log_softmax);
    if (x.storage->dtype == FLOAT32) return operation(x, dim);
    const struct tensor largest = take_along(x, place_of_most(x, dim, false), dim),
                        apart = subtract(x, largest);
    const struct tensor powers = exponential(apart), sums = total(powers, dim, true);
    return operation == softmax ? divide(powers, sums) : subtract(apart, natural_log(sums));
}
static struct tensor run_at(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const int dim = dim_argument(call, 1, &x);
    return x.ndim == 0 ? x : call->row->at(x, dim);
}

static struct tensor run_two_norm(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return named(call, reduced(call, x, truth_argument(call, 2), norm),
                 "LinalgVectorNormBackward0");
}

static struct tensor product_along(struct tensor x, int dim, bool keepdim) {
    struct tensor result = narrow(x, dim, 0, 1);
    for (int64_t i = 1; i < x.shape[dim]; i++) result = multiply(result, narrow(x, dim, i, 1));
    return dropped(result, dim, keepdim);
}
static struct tensor run_prod(struct torch_call *call) {
    struct tensor x = tensor_argument(call, 0);
    if (x.storage->dtype == BOOL) x = convert(x, INT64);
    return x.ndim == 0 ? x : reduced(call, x, truth_argument(call, 2), product_along);
}

// ---- At places -----------------------------------------------------------------------------------------------

static struct tensor run_gather(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0), places = tensor_argument(call, 2);
    const int dim = dim_argument(call, 1, &x);
    if (places.storage->dtype != INT64) refuse(call, "gather(): Expected dtype int64 for index");
    if (places.ndim != x.ndim)
        refuse(call, "Index tensor must have the same number of dimensions as input tensor");
    return take_along(x, places, dim);
}

// "input, dim, index, src": src a tensor or a number.
static struct tensor run_scatter(struct torch_call *call) {
    const bool adds = call->row->number;
    const struct tensor x = tensor_argument(call, 0), places = tensor_argument(call, 2);
    const int dim = dim_argument(call, 1, &x);
    if (places.storage->dtype != INT64) refuse(call, "scatter(): Expected dtype int64 for index");
    if (!is_tensor_value(call->values[3]))
        return put_along(
            x, places,
            expand(number_tensor(call, call->values[3], x.storage->dtype), shape_of(&places)), dim,
            adds);
    const struct tensor from = tensor_argument(call, 3);
    if (from.storage->dtype != x.storage->dtype)
        refuse(call, "scatter(): Expected self.dtype to be equal to src.dtype");
    return put_along(x, places, from, dim, adds);
}

struct value places_of(struct torch_call *call, struct tensor x, bool as_tuple) {
    const struct shape shape = shape_of(&x);
    int64_t index[MAX_DIMS] = {0}, count = 0, at = 0;
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index))
        count += element(&x, index) != 0;
    const struct tensor places = tensor_given(call->arena, INT64, SHAPE(x.ndim, count));
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index)) {
        if (element(&x, index) == 0) continue;
        for (int dim = 0; dim < x.ndim; dim++)
            put_whole(places.storage, dim * count + at, index[dim]);
        at++;
    }
    if (!as_tuple) {
        struct tensor rows = transpose(places, 0, 1);
        rows.stride[1] = count;
        return tensor_value(call->machine, rows, false);
    }
    struct value columns[MAX_DIMS];
    for (int dim = 0; dim < x.ndim; dim++)
        columns[dim] = tensor_value(call->machine, select_index(places, 0, dim), false);
    return tuple_new(call->machine, x.ndim, columns);
}

static struct value run_nonzero(struct torch_call *call) {
    return places_of(call, tensor_argument(call, 0), truth_argument(call, 1));
}

static bool has_negative(const struct tensor *x) {
    for (int64_t i = 0; i < count_of(shape_of(x)); i++)
        if (element_at(x, i) < 0) return true;
    return false;
}

static struct tensor run_bincount(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    int64_t classes = is_given(call, 2) ? int_argument(call, 2) : 0;
    if (x.ndim != 1 || is_floating(x.storage->dtype) || has_negative(&x))
        refuse(call, "bincount only supports 1-d non-negative integral inputs.");
    for (int64_t i = 0; i < count_of(shape_of(&x)); i++)
        if ((int64_t)element_at(&x, i) >= classes) classes = (int64_t)element_at(&x, i) + 1;
    return bincount(x, classes);
}

// "input, dim, index, source, *, alpha=1": rows are added, in the order of the index.
static struct tensor run_index_add(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0), places = tensor_argument(call, 2),
                        from = tensor_argument(call, 3);
    const int dim = dim_argument(call, 1, &x);
    struct shape line = ones_of(x.ndim);
    line.size[dim] = count_of(shape_of(&places));
    if (from.storage->dtype != x.storage->dtype)
        refuse(call, "index_add_(): self (%s) and source (%s) must have the same scalar type",
               scalar_type(x.storage), scalar_type(from.storage));
    return named(call,
                 put_along(x, expand(reshape(places, line), shape_of(&from)), from, dim, true),
                 "IndexAddBackward0");
}

static struct value run_median(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    if (!is_given(call, 1)) {
        const struct tensor line = reshape(x, SHAPE(count_of(shape_of(&x)))),
                            places = argsort(line, 0, false);
        return made(
            call,
            select_index(take_along(line, narrow(places, 0, (line.shape[0] - 1) / 2, 1), 0), 0, 0));
    }
    const int dim = dim_argument(call, 1, &x);
    const struct tensor indices =
        contiguous(narrow(argsort(x, dim, false), dim, (x.shape[dim] - 1) / 2, 1));
    const bool keepdim = truth_argument(call, 2);
    return pair_value(call, "torch.return_types.median", "MedianBackward1",
                      dropped(take_along(x, indices, dim), dim, keepdim),
                      dropped(indices, dim, keepdim));
}

static struct tensor run_masked_select(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0), mask = tensor_argument(call, 1);
    if (mask.storage->dtype != BOOL) refuse(call, "masked_select: expected BoolTensor for mask");
    const struct shape shape = broadcast_of(call, &mask, &x);
    const struct value wide = tensor_value(call->machine, contiguous(expand(mask, shape)), false);
    const struct tensor line = indexed(call, expand(x, shape), wide);
    return contiguous(reshape(line, SHAPE(count_of(shape_of(&line)))));
}

enum { ANY = IN_TORCH | IN_TENSOR, BOTH = IN_TORCH | IN_TENSOR | ALONG_DIM };
#define ALONG "input, dim=None, keepdim=False"

const struct torch_row along_rows[] = {
    TENSOR_ROW("sum", "input, dim=None, keepdim=False, *, dtype=None", run_sum, BOTH),
    TENSOR_ROW("mean", "input, dim=None, keepdim=False, *, dtype=None", run_mean, BOTH),
    TENSOR_ROW("var", "input, dim=None, unbiased=True, keepdim=False, *, correction=None", run_var,
               BOTH),
    TENSOR_ROW("std", "input, dim=None, unbiased=True, keepdim=False, *, correction=None", run_std,
               BOTH),
    VALUE_ROW("max", ALONG, run_most, BOTH),
    VALUE_ROW("min", ALONG, run_most, BOTH, .number = 1),
    TENSOR_ROW("argmax", ALONG, run_place, BOTH),
    TENSOR_ROW("argmin", ALONG, run_place, BOTH, .number = 1),
    TENSOR_ROW("amax", ALONG, run_extreme, BOTH),
    TENSOR_ROW("amin", ALONG, run_extreme, BOTH, .number = 1),
    VALUE_ROW("sort", "input, dim=-1, descending=False, stable=False", run_sort, BOTH),
    TENSOR_ROW("argsort", "input, dim=-1, descending=False, stable=False", run_argsort, BOTH),
    VALUE_ROW("topk", "input, k, dim=-1, largest=True, sorted=True", run_topk, BOTH),
    TENSOR_ROW("any", ALONG, run_any, BOTH),
    TENSOR_ROW("all", ALONG, run_all, BOTH),
    TENSOR_ROW("softmax", "input, dim=None, dtype=None", run_soft, BOTH, .at = softmax),
    TENSOR_ROW("log_softmax", "input, dim=None, dtype=None", run_soft, BOTH, .at = log_softmax),
    TENSOR_ROW("softmax", "input, dim=None, dtype=None, _stacklevel=3", run_soft,
               IN_FUNCTIONAL | ALONG_DIM, .at = softmax),
    TENSOR_ROW("log_softmax", "input, dim=None, dtype=None, _stacklevel=3", run_soft, IN_FUNCTIONAL,
               .at = log_softmax),
    TENSOR_ROW("cumsum", "input, dim", run_at, BOTH, .at = cumsum),
    TENSOR_ROW("_two_norm", ALONG, run_two_norm, IN_TENSOR | ALONG_DIM),
    TENSOR_ROW("prod", ALONG, run_prod, BOTH),
    TENSOR_ROW("gather", "input, dim, index", run_gather, BOTH),
    TENSOR_ROW("scatter", "input, dim, index, src", run_scatter, ANY | IN_PLACE),
    TENSOR_ROW("scatter_add", "input, dim, index, src", run_scatter, ANY | IN_PLACE, .number = 1),
    VALUE_ROW("nonzero", "input, *, as_tuple=False", run_nonzero, ANY),
    TENSOR_ROW("index_add", "input, dim, index, source", run_index_add, ANY | IN_PLACE),
    TENSOR_ROW("cumprod", "input, dim", run_at, BOTH, .at = cumprod),
    VALUE_ROW("median", "input, dim=None, keepdim=False", run_median, BOTH),
    TENSOR_ROW("masked_select", "input, mask", run_masked_select, ANY),
    TENSOR_ROW("bincount", "input, weights=None, minlength=None", run_bincount, ANY),
    {0},
};
