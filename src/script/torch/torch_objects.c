// Names of tensors that are no operations: their attributes, numbers of Python, dtypes, what is written in place.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "script/torch/grad.h"
#include "script/torch/tensor_object.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/programs/choice.h"

// ---- Attributes ----------------------------------------------------------------------------------------

static const struct operation permute_row = {.name = "permute", .backward = "PermuteBackward0"};

static void turn(struct torch_call *call, void *context) {
    struct tensor x = tensor_of_value(call, *(const struct value *)context);
    for (int dim = 0; dim < x.ndim / 2; dim++) x = transpose(x, dim, x.ndim - 1 - dim);
    if (x.ndim > 1) x.view = &permute_row;
    call->result = made(call, x);
}

static void turn_last(struct torch_call *call, void *context) {
    const struct tensor x = tensor_of_value(call, *(const struct value *)context);
    if (x.ndim == 1)
        refuse(call,
               "tensor.mT is only supported on matrices or batches of matrices. Got %d-D tensor.",
               x.ndim);
    call->result = made(call, x.ndim == 0 ? x : transpose(x, -2, -1));
}

// The same numbers, apart from the graph of gradients.
static const struct operation shared_row = {.name = "detach",
                                            .no_gradient = "detach() lets nothing through"};

static struct tensor shared(struct torch_call *call, const struct tensor *x) {
    struct storage *storage = arena_allocate(call->arena, sizeof *storage);
    struct origin *origin = arena_allocate(call->arena, sizeof *origin);
    struct tensor result = *x;
    *storage = *x->storage;
    storage->keeper = NULL;
    storage->age = arena_number(call->arena); // behind what it is made of
    origin->operation = &shared_row;
    origin->operand_count = 1;
    struct tensor *operand = arena_allocate(call->arena, sizeof *operand);
    *operand = *x;
    origin->operands = operand;
    storage->origin = origin;
    result.storage = storage;
    result.view = NULL;
    return result;
}

static struct tensor_cell *cell_of_value(struct value tensor) {
    return ((struct tensor_object *)tensor.object)->cell;
}

// Another object over the numbers of `tensor`, apart from the graph of gradients.
static struct value shared_value(struct torch_call *call, struct value tensor,
                                 bool counts_together) {
    const struct tensor x = tensor_of_value(call, tensor);
    const struct value result = tensor_value(call->machine, shared(call, &x), false);
    join_cells(cell_of_value(tensor), cell_of_value(result), counts_together);
    return result;
}

static void detach_value(struct torch_call *call, void *context) {
    call->result = shared_value(call, *(const struct value *)context, false);
}

static int64_t size_in_bytes(const struct tensor *x) {
    const enum narrow narrow = x->storage->narrow;
    return x->storage->dtype == BOOL || narrow == UINT8 || narrow == INT8 ? 1
           : narrow != ALL_BITS                                           ? 2
           : x->storage->dtype == FLOAT32 || x->storage->dtype == INT32   ? 4
                                                                          : 8;
}

// The tensor that a view is of: the first of its cell; None for that one.
static struct value base_of(struct machine *machine, const struct tensor_object *object) {
    struct tensor_cell *cell = object->cell;
    if (cell->first == object) return NONE_VALUE;
    if (cell->first != NULL) return value_of_object(cell->first);
    return tensor_value(machine, tensor_over(cell->storage, cell->storage->shape),
                        object->requires_grad);
}

const char *const tensor_attributes[] = {"shape",   "dtype",    "device",  "ndim", "requires_grad",
                                         "is_leaf", "grad",     "grad_fn", "T",    "mT",
                                         "data",    "itemsize", "is_cuda", NULL};

bool tensor_get(struct machine *machine, struct value self, const char *name, struct value *value) {
    const struct tensor_object *object = (const struct tensor_object *)self.object;
    const struct tensor x = tensor_of_object(object);
    *value = NO_VALUE;
    if (strcmp(name, "shape") == 0)
        *value = size_value(machine, shape_of(&x));
    else if (strcmp(name, "dtype") == 0)
        *value = dtype_value(machine, x.storage->dtype, x.storage->narrow);
    else if (strcmp(name, "device") == 0)
        *value = value_of_object(torch_library_of(machine)->cpu);
    else if (strcmp(name, "ndim") == 0)
        *value = value_of_int(x.ndim);
    else if (strcmp(name, "requires_grad") == 0)
        *value = value_of_bool(requires_grad_of(object));
    else if (strcmp(name, "is_leaf") == 0)
        *value = value_of_bool(is_leaf(object));
    else if (strcmp(name, "grad") == 0)
        *value = object->grad;
    else if (strcmp(name, "grad_fn") == 0)
        *value = grad_fn_of(machine, self);
    else if (strcmp(name, "_version") == 0)
        *value = value_of_int(object->cell->writes->count);
    else if (strcmp(name, "itemsize") == 0)
        *value = value_of_int(size_in_bytes(&x));
    else if (strcmp(name, "_base") == 0)
        *value = base_of(machine, object);
    else if (strcmp(name, "is_cuda") == 0)
        *value = value_of_bool(false);
    else if (strcmp(name, "T") == 0)
        return torch_attempt(machine, turn, &self, value);
    else if (strcmp(name, "mT") == 0)
        return torch_attempt(machine, turn_last, &self, value);
    else if (strcmp(name, "data") == 0)
        return torch_attempt(machine, detach_value, &self, value);
    return true;
}

static void set_data(struct torch_call *call, void *context) {
    const struct value *both = context;
    struct tensor_object *object = (struct tensor_object *)both[0].object;
    const struct value shared = shared_value(call, both[1], false);
    if (object->before != NULL) object->before->cell->leaf = NULL;
    object->before = NULL;
    if (object->cell->leaf == object) {
        object->before = arena_allocate(object->view.storage->arena, sizeof *object->before);
        *object->before = (struct leaf_before){object->cell, tensor_of_object(object)};
    }
    object->view = ((struct tensor_object *)shared.object)->view;
    object->cell = cell_of_value(shared);
    grad_follow(object);
    call->result = NONE_VALUE;
}

bool tensor_set(struct machine *machine, struct value self, const char *name, struct value value) {
    struct tensor_object *object = (struct tensor_object *)self.object;
    struct value both[2] = {self, value}, nothing;
    if (strcmp(name, "grad") == 0 && (value.kind == VALUE_NONE || is_tensor_value(value))) {
        object->grad = value;
        return true;
    }
    if (strcmp(name, "grad") == 0)
        return machine_raise(
            machine, TYPE_ERROR,
            "assigned grad expected to be a Tensor or None but got grad of type %s",
            type_name(value));
    if (strcmp(name, "requires_grad") == 0 && value.kind == VALUE_BOOL) {
        if (!is_leaf(object) && !value.truth)
            return machine_raise(machine, RUNTIME_ERROR,
                                 "you can only change requires_grad flags of leaf variables. If "
                                 "you want to use a computed variable in a subgraph that doesn't "
                                 "require differentiation use var_no_grad = var.detach().");
        if (value.truth && !is_floating(object->cell->storage->dtype))
            return machine_raise(machine, RUNTIME_ERROR,
                                 "only Tensors of floating point dtype can require gradients");
        object->requires_grad = value.truth;
        grad_follow(object);
        return true;
    }
    if (strcmp(name, "data") == 0 && is_tensor_value(value))
        return torch_attempt(machine, set_data, both, &nothing);
    return machine_raise(machine, ATTRIBUTE_ERROR,
                         "onestep sets grad, data and requires_grad of a tensor, not '%s'", name);
}

// ---- Numbers of Python -------------------------------------------------------------------------------------

static struct value run_item(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const int64_t count = count_of(shape_of(&x));
    if (count != 1)
        refuse(call, "a Tensor with %" PRId64 " elements cannot be converted to Scalar", count);
    return number_value(&x, (int64_t[MAX_DIMS]){0});
}

static struct value listed(struct torch_call *call, const struct tensor *x, int64_t *index,
                           int dim) {
    if (dim == x->ndim) return number_value(x, index);
    const struct value list = list_new(call->machine, x->shape[dim], NULL);
    for (int64_t i = 0; i < x->shape[dim]; i++) {
        index[dim] = i;
        ((struct list *)list.object)->items[i] = listed(call, x, index, dim + 1);
    }
    index[dim] = 0;
    return list;
}
static struct value run_tolist(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    int64_t index[MAX_DIMS] = {0};
    return listed(call, &x, index, 0);
}

static struct value run_number(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    if (count_of(shape_of(&x)) != 1)
        refuse_as(call, VALUE_ERROR, "only one element tensors can be converted to Python scalars");
    const int64_t index[MAX_DIMS] = {0};
    if (call->row->number == FLOAT64) return value_of_float(element(&x, index));
    return value_of_int(whole_element(&x, index));
}
static struct value run_to_index(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    if (is_floating(x.storage->dtype) || count_of(shape_of(&x)) != 1)
        refuse_as(call, TYPE_ERROR,
                  "only integer tensors of a single element can be converted to an index");
    return run_number(call);
}

static struct value run_size(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    if (!is_given(call, 1)) return size_value(call->machine, shape_of(&x));
    return value_of_int(x.shape[own_dim_argument(call, 1, &x)]);
}
static struct value run_stride(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    if (is_given(call, 1)) return value_of_int(x.stride[own_dim_argument(call, 1, &x)]);
    struct value strides[MAX_DIMS];
    for (int dim = 0; dim < x.ndim; dim++) strides[dim] = value_of_int(x.stride[dim]);
    return tuple_new(call->machine, x.ndim, strides);
}
static struct value run_dim(struct torch_call *call) {
    return value_of_int(tensor_argument(call, 0).ndim);
}
static struct value run_numel(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return value_of_int(count_of(shape_of(&x)));
}
static struct value run_data_ptr(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return value_of_int((int64_t)(intptr_t)x.storage->data + x.offset * size_in_bytes(&x));
}
static struct value run_element_size(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return value_of_int(size_in_bytes(&x));
}
static struct value run_storage_offset(struct torch_call *call) {
    return value_of_int(tensor_argument(call, 0).offset);
}
static struct value run_is_contiguous(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return value_of_bool(is_contiguous(&x));
}
static struct value run_is_floating_point(struct torch_call *call) {
    return value_of_bool(is_floating(tensor_argument(call, 0).storage->dtype));
}
static struct value run_is_tensor(struct torch_call *call) {
    return value_of_bool(is_tensor_value(call->values[0]));
}

// ---- Dtypes ---------------------------------------------------------------------------------------------------

// The object itself where nothing changes, as PyTorch gives it.
static struct value in_dtype(struct torch_call *call, enum dtype dtype, enum narrow narrow) {
    const struct tensor x = tensor_argument(call, 0);
    if (x.storage->dtype == dtype && x.storage->narrow == narrow) return call->values[0];
    call->is_narrow_given = true;
    call->narrow_given = narrow;
    return made(call, cast_to(convert(x, dtype), narrow));
}
static struct value run_cast(struct torch_call *call) {
    return in_dtype(call, (enum dtype)call->row->number, ALL_BITS);
}
static struct value run_narrow(struct torch_call *call) {
    const enum narrow narrow = (enum narrow)call->row->number;
    return in_dtype(call, dtype_of_narrow(narrow), narrow);
}
static struct value run_same(struct torch_call *call) {
    return call->values[0];
}
static struct value run_cuda(struct torch_call *call) {
    refuse(call, "onestep has no GPU: cuda() cannot run here");
}

// "input, *arguments, dtype=None, device=None, copy=False": a dtype, a device or another tensor.
static struct value run_to(struct torch_call *call) {
    const struct value *items = NULL;
    int64_t count = is_given(call, 1) ? items_of(call, call->values[1], &items) : 0;
    const struct storage *storage = tensor_argument(call, 0).storage;
    enum dtype dtype = dtype_argument(call, 2, storage->dtype);
    enum narrow narrow = call->is_narrow_given ? call->narrow_given : storage->narrow;
    for (int64_t i = 0; i < count; i++) {
        if (is_tensor_value(items[i])) {
            const struct storage *other = tensor_of_value(call, items[i]).storage;
            return in_dtype(call, other->dtype, other->narrow);
        }
        if (is_kind(items[i], OBJECT_STR) &&
            strcmp(((const struct str *)items[i].object)->bytes, "cpu") != 0)
            refuse(call, "onestep has no GPU: to('%s') cannot run here",
                   ((const struct str *)items[i].object)->bytes);
        if (!is_kind(items[i], OBJECT_DTYPE) ||
            ((const struct dtype_object *)items[i].object)->is_device)
            continue;
        struct torch_call one = *call;
        one.values = &items[i];
        one.count = 1;
        dtype = dtype_argument(&one, 0, dtype);
        return in_dtype(call, dtype, one.narrow_given);
    }
    return in_dtype(call, dtype, narrow);
}
static struct value run_type(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const enum dtype dtype = dtype_argument(call, 1, x.storage->dtype);
    if (is_given(call, 1)) return in_dtype(call, dtype, call->narrow_given);
    return str_format(call->machine, "torch.%sTensor", scalar_type(x.storage));
}
static struct value run_type_as(struct torch_call *call) {
    const struct storage *other = tensor_argument(call, 1).storage;
    return in_dtype(call, other->dtype, other->narrow);
}

// ---- In place, and the graph -------------------------------------------------------------------------------------

struct value written(struct torch_call *call, struct tensor from, const char *name) {
    struct tensor_object *object = (struct tensor_object *)call->values[0].object;
    const struct tensor target = tensor_argument(call, 0);
    write_in_place(call, object, target, from);
    if (object == object->cell->first) object->name = name;
    return call->values[0];
}
static struct value run_zero_(struct torch_call *call) {
    return written(call, full_of(call->arena, tensor_argument(call, 0).storage->dtype, NO_DIMS, 0),
                   "ZeroBackward0");
}
static struct value run_fill_(struct torch_call *call) {
    return written(call,
                   full_of(call->arena, tensor_argument(call, 0).storage->dtype, NO_DIMS,
                           number_argument(call, 1)),
                   "FillBackward2");
}
static struct value run_copy_(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0), from = tensor_argument(call, 1);
    if (!shapes_equal(broadcast_of(call, &x, &from), shape_of(&x)))
        refuse(call, "output with shape %s doesn't match the broadcast shape %s",
               sizes_list(call, shape_of(&x)), sizes_list(call, broadcast_of(call, &x, &from)));
    return written(call, to_dtype(from, x.storage->dtype), "CopyBackwards");
}
// "input, other": a view of the same numbers takes the tensor's place: t_(), unsqueeze_().
static struct value run_become(struct torch_call *call) {
    struct tensor_object *object = (struct tensor_object *)call->values[0].object;
    const struct tensor x = tensor_argument(call, 1);
    object->view = x;
    count_write(object->cell);
    object->is_computed |= object->requires_grad;
    object->name = kept_name(call->machine, call->values[2]);
    return call->values[0];
}
static struct value run_requires_grad_(struct torch_call *call) {
    if (!tensor_set(call->machine, call->values[0], "requires_grad",
                    value_of_bool(truth_argument(call, 1)))) {
        machine_clear(call->machine);
        refuse(call, "only Tensors of floating point dtype can require gradients");
    }
    return call->values[0];
}
static struct value run_detach(struct torch_call *call) {
    (void)tensor_argument(call, 0);
    return shared_value(call, call->values[0], true);
}
static struct value run_set_grad_enabled(struct torch_call *call) {
    struct torch_library *library = torch_library_of(call->machine);
    const bool before = library->grad_enabled;
    library->grad_enabled = truth_argument(call, 0);
    return value_of_bool(before);
}
static struct value run_is_grad_enabled(struct torch_call *call) {
    return value_of_bool(torch_library_of(call->machine)->grad_enabled);
}

// A leaf over the same numbers, of a class of the prelude.
static struct value run_parameter(struct torch_call *call) {
    (void)tensor_argument(call, 0);
    const struct value result = shared_value(call, call->values[0], true);
    struct tensor_object *object = (struct tensor_object *)result.object;
    object->requires_grad = truth_argument(call, 1);
    grad_follow(object);
    if (is_kind(call->values[2], OBJECT_CLASS))
        object->class = (struct class *)call->values[2].object;
    return result;
}

// "precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None"
static int option_argument(struct torch_call *call, int i, int most) {
    const int64_t given = int_argument(call, i);
    return (int)(given < 0 ? 0 : given > most ? most : given);
}

static struct value run_set_printoptions(struct torch_call *call) {
    struct printing_options *options = &torch_library_of(call->machine)->printing;
    const char *profile =
        is_given(call, 4) && is_kind(call->values[4], OBJECT_STR) ? bytes_of(call->values[4]) : "";
    if (*profile != '\0') *options = standard_printing;
    if (strcmp(profile, "short") == 0) options->digits = options->edge = 2;
    if (strcmp(profile, "full") == 0) options->threshold = INFINITY;
    if (is_given(call, 0)) options->digits = option_argument(call, 0, 17);
    if (is_given(call, 1)) options->threshold = number_argument(call, 1);
    if (is_given(call, 2)) options->edge = option_argument(call, 2, 1 << 20);
    if (is_given(call, 3)) options->width = option_argument(call, 3, 1 << 20);
    options->scientific = is_given(call, 5) ? truth_argument(call, 5) : -1;
    return NONE_VALUE;
}

static struct value run_device(struct torch_call *call) {
    const struct value name = call->values[0];
    if (is_kind(name, OBJECT_STR) &&
        strncmp(((const struct str *)name.object)->bytes, "cpu", 3) != 0)
        refuse(call, "onestep has no GPU: torch.device('%s') cannot run here",
               ((const struct str *)name.object)->bytes);
    return value_of_object(torch_library_of(call->machine)->cpu);
}

static struct value run_numpy(struct torch_call *call) {
    (void)tensor_argument(call, 0);
    if (call->requires_grad)
        refuse(call, "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
                     "instead.");
    refuse(call, "onestep has no NumPy: numpy() cannot run here; tolist() gives lists");
}

static struct value run_result_type(struct torch_call *call) {
    struct tensor a, b;
    read_pair(call, call->values[0], call->values[1], &a, &b);
    return dtype_value(call->machine, a.storage->dtype, narrow_of_call(call, a.storage->dtype));
}

enum { BOTH = IN_TORCH | IN_TENSOR };

const struct torch_row object_rows[] = {
    VALUE_ROW("item", "input", run_item, IN_TENSOR),
    VALUE_ROW("tolist", "input", run_tolist, IN_TENSOR),
    VALUE_ROW("__float__", "input", run_number, IN_TENSOR, .number = FLOAT64),
    VALUE_ROW("__int__", "input", run_number, IN_TENSOR),
    VALUE_ROW("__index__", "input", run_to_index, IN_TENSOR),
    VALUE_ROW("size", "input, dim=None", run_size, IN_TENSOR),
    VALUE_ROW("stride", "input, dim=None", run_stride, IN_TENSOR),
    VALUE_ROW("dim", "input", run_dim, IN_TENSOR),
    VALUE_ROW("ndimension", "input", run_dim, IN_TENSOR),
    VALUE_ROW("numel", "input", run_numel, BOTH),
    VALUE_ROW("nelement", "input", run_numel, IN_TENSOR),
    VALUE_ROW("data_ptr", "input", run_data_ptr, IN_TENSOR),
    VALUE_ROW("element_size", "input", run_element_size, IN_TENSOR),
    VALUE_ROW("storage_offset", "input", run_storage_offset, IN_TENSOR),
    VALUE_ROW("is_contiguous", "input", run_is_contiguous, IN_TENSOR),
    VALUE_ROW("is_floating_point", "input", run_is_floating_point, BOTH),
    VALUE_ROW("is_tensor", "obj", run_is_tensor, IN_TORCH),
    VALUE_ROW("float", "input", run_cast, IN_TENSOR | BY_NUMBER, .number = FLOAT32),
    VALUE_ROW("double", "input", run_cast, IN_TENSOR | BY_NUMBER, .number = FLOAT64),
    VALUE_ROW("long", "input", run_cast, IN_TENSOR | BY_NUMBER, .number = INT64),
    VALUE_ROW("int", "input", run_cast, IN_TENSOR | BY_NUMBER, .number = INT32),
    VALUE_ROW("bool", "input", run_cast, IN_TENSOR | BY_NUMBER, .number = BOOL),
    VALUE_ROW("half", "input", run_narrow, IN_TENSOR | BY_NUMBER, .number = FLOAT16),
    VALUE_ROW("bfloat16", "input", run_narrow, IN_TENSOR | BY_NUMBER, .number = BFLOAT16),
    VALUE_ROW("short", "input", run_narrow, IN_TENSOR | BY_NUMBER, .number = INT16),
    VALUE_ROW("char", "input", run_narrow, IN_TENSOR | BY_NUMBER, .number = INT8),
    VALUE_ROW("byte", "input", run_narrow, IN_TENSOR | BY_NUMBER, .number = UINT8),
    VALUE_ROW("cpu", "input", run_same, IN_TENSOR),
    VALUE_ROW("cuda", "input", run_cuda, IN_TENSOR),
    VALUE_ROW("to", "input, *args, dtype=None, device=None, copy=False", run_to,
              IN_TENSOR | BY_NUMBER),
    VALUE_ROW("type", "input, dtype=None", run_type, IN_TENSOR | BY_NUMBER),
    VALUE_ROW("type_as", "input, other", run_type_as, IN_TENSOR),
    VALUE_ROW("zero_", "input", run_zero_, IN_TENSOR),
    VALUE_ROW("fill_", "input, value", run_fill_, IN_TENSOR),
    VALUE_ROW("copy_", "input, src", run_copy_, IN_TENSOR),
    VALUE_ROW("_become", "input, other, name", run_become, IN_TENSOR),
    VALUE_ROW("requires_grad_", "input, requires_grad=True", run_requires_grad_, IN_TENSOR),
    VALUE_ROW("detach", "input", run_detach, BOTH),
    VALUE_ROW("_set_grad_enabled", "enabled", run_set_grad_enabled, IN_TORCH),
    VALUE_ROW("is_grad_enabled", "", run_is_grad_enabled, IN_TORCH),
    VALUE_ROW("_parameter", "data, requires_grad=True, cls=None", run_parameter, IN_TORCH),
    VALUE_ROW("set_printoptions",
              "precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, "
              "sci_mode=None",
              run_set_printoptions, IN_TORCH),
    VALUE_ROW("device", "type", run_device, IN_TORCH),
    VALUE_ROW("numpy", "input", run_numpy, IN_TENSOR),
    VALUE_ROW("result_type", "tensor1, tensor2", run_result_type, IN_TORCH),
    {0},
};
