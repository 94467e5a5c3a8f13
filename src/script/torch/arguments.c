// Reading the arguments of a function of torch.

#include <inttypes.h>
#include <string.h>

#include "script/torch/tensor_object.h"

bool is_given(const struct torch_call *call, int i) {
    return i < call->count && call->values[i].kind != VALUE_ABSENT &&
           call->values[i].kind != VALUE_NONE;
}

bool is_tensor_value(struct value value) {
    return is_kind(value, OBJECT_TENSOR);
}

// PyTorch's words for an argument of another kind; the number of the argument counts from 1.
static _Noreturn void refuse_argument(struct torch_call *call, int i, const char *wanted) {
    char name[64] = "input";
    const char *at = call->row->signature;
    for (int n = 0; n < i && at != NULL; n++)
        at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL;
    if (at != NULL) {
        while (*at == ' ' || *at == '*') at++;
        const size_t length = strcspn(at, ",=");
        if (length < sizeof name) {
            memcpy(name, at, length);
            name[length] = '\0';
        }
    }
    const struct value value = i < call->count ? call->values[i] : NO_VALUE;
    if (value.kind == VALUE_ABSENT)
        refuse_as(call, TYPE_ERROR, "%s() missing 1 required positional arguments: \"%s\"",
                  call->row->name, name);
    refuse_as(call, TYPE_ERROR, "%s(): argument '%s' (position %d) must be %s, not %s",
              call->row->name, name, i + 1, wanted, type_name(value));
}

struct tensor tensor_of_value(struct torch_call *call, struct value value) {
    if (!is_tensor_value(value))
        refuse_as(call, TYPE_ERROR, "expected Tensor, but got %s", type_name(value));
    const struct tensor_object *object = (const struct tensor_object *)value.object;
    if (requires_grad_of(object)) call->requires_grad = true;
    struct tensor x = object->view; // as tensor_of_object
    x.storage = object->cell->storage;
    note_narrow(call, &x);
    return is_in_memory_order(call, &x) ? x : in_memory_order(call, x);
}

struct tensor tensor_argument(struct torch_call *call, int i) {
    if (i >= call->count || !is_tensor_value(call->values[i])) refuse_argument(call, i, "Tensor");
    return tensor_of_value(call, call->values[i]);
}

int64_t int_of_value(struct torch_call *call, struct value value) {
    if (value.kind == VALUE_INT) return value.integer;
    if (value.kind == VALUE_BOOL) return value.truth;
    if (is_tensor_value(value)) {
        const struct tensor x = tensor_of_value(call, value);
        if (count_of(shape_of(&x)) == 1 && !is_floating(x.storage->dtype))
            return whole_element(&x, (int64_t[MAX_DIMS]){0});
    }
    refuse_as(call, TYPE_ERROR, "'%s' object cannot be interpreted as an integer",
              type_name(value));
}

int64_t int_argument(struct torch_call *call, int i) {
    const struct value value = i < call->count ? call->values[i] : NO_VALUE;
    if (value.kind != VALUE_INT && value.kind != VALUE_BOOL && !is_tensor_value(value))
        refuse_argument(call, i, "int");
    return int_of_value(call, value);
}

double number_of_value(struct torch_call *call, struct value value) {
    if (value.kind == VALUE_FLOAT) return value.number;
    if (value.kind == VALUE_INT) return (double)value.integer;
    if (value.kind == VALUE_BOOL) return value.truth;
    if (is_tensor_value(value)) {
        const struct tensor x = tensor_of_value(call, value);
        if (count_of(shape_of(&x)) == 1) return element(&x, (int64_t[MAX_DIMS]){0});
    }
    refuse_as(call, TYPE_ERROR, "must be real number, not %s", type_name(value));
}

double number_argument(struct torch_call *call, int i) {
    const struct value value = i < call->count ? call->values[i] : NO_VALUE;
    const bool is_number =
        value.kind == VALUE_FLOAT || value.kind == VALUE_INT || value.kind == VALUE_BOOL;
    if (!is_number && !is_tensor_value(value)) refuse_argument(call, i, "Number");
    return number_of_value(call, value);
}

bool truth_argument(struct torch_call *call, int i) {
    bool truth = false;
    if (!is_given(call, i)) return false;
    if (!value_truth(call->machine, call->values[i], &truth)) refuse_argument(call, i, "bool");
    return truth;
}

enum dtype dtype_argument(struct torch_call *call, int i, enum dtype otherwise) {
    if (!is_given(call, i)) return otherwise;
    struct value value = call->values[i];
    call->is_narrow_given = true;
    call->narrow_given = ALL_BITS;
    if (is_kind(value, OBJECT_INSTANCE)) { // torch.LongTensor
        const struct value dtype = dict_named(((struct instance *)value.object)->names, "dtype");
        if (dtype.kind != VALUE_ABSENT) value = dtype;
    }
    if (is_kind(value, OBJECT_CLASS)) { // float, int, bool
        const char *name = ((const struct class *)value.object)->name;
        if (strcmp(name, "float") == 0) return FLOAT64;
        if (strcmp(name, "int") == 0) return INT64;
        if (strcmp(name, "bool") == 0) return BOOL;
    }
    if (!is_kind(value, OBJECT_DTYPE)) refuse_argument(call, i, "torch.dtype");
    const struct dtype_object *dtype = (const struct dtype_object *)value.object;
    call->narrow_given = dtype->narrow;
    return dtype->dtype;
}

int dim_of(struct torch_call *call, int64_t dim, int ndim) {
    const int64_t range = ndim > 0 ? ndim : 1;
    if (dim < -range || dim >= range)
        refuse_as(call, INDEX_ERROR,
                  "Dimension out of range (expected to be in range of [%" PRId64 ", %" PRId64
                  "], but got %" PRId64 ")",
                  -range, range - 1, dim);
    return (int)(dim < 0 ? dim + range : dim);
}

int own_dim_argument(struct torch_call *call, int i, const struct tensor *x) {
    const int64_t dim = int_argument(call, i);
    if (x->ndim == 0)
        refuse_as(call, INDEX_ERROR,
                  "Dimension specified as %" PRId64 " but tensor has no dimensions", dim);
    return dim_of(call, dim, x->ndim);
}

int dim_argument(struct torch_call *call, int i, const struct tensor *x) {
    return dim_of(call, int_argument(call, i), x->ndim);
}

int64_t items_of(struct torch_call *call, struct value sequence, const struct value **items) {
    if (!is_kind(sequence, OBJECT_LIST) && !is_kind(sequence, OBJECT_TUPLE)) {
        struct list *list;
        if (is_tensor_value(sequence) || !machine_list_of(call->machine, sequence, &list)) {
            machine_clear(call->machine);
            refuse_as(call, TYPE_ERROR, "%s(): argument must be tuple of ints or tensors, not %s",
                      call->row != NULL ? call->row->name : "index", type_name(sequence));
        }
        sequence = value_of_object(list);
    }
    const struct list *list = (const struct list *)sequence.object;
    *items = list->items;
    return list->count;
}

struct shape sizes_argument(struct torch_call *call, int i) {
    const struct value *items = NULL;
    struct shape shape = {0};
    const struct value value = i < call->count ? call->values[i] : NO_VALUE;
    if (value.kind == VALUE_INT) return SHAPE(value.integer);
    int64_t count = value.kind == VALUE_ABSENT ? 0 : items_of(call, value, &items);
    if (count == 1 && (is_kind(items[0], OBJECT_LIST) || is_kind(items[0], OBJECT_TUPLE)))
        count = items_of(call, items[0], &items);
    if (count > MAX_DIMS)
        refuse(call, "%s: a tensor has at most %d dimensions here", call->row->name, MAX_DIMS);
    shape.ndim = (int)count;
    for (int dim = 0; dim < shape.ndim; dim++) {
        if (items[dim].kind == VALUE_FLOAT || items[dim].kind == VALUE_OBJECT) {
            if (!is_tensor_value(items[dim]))
                refuse_as(call, TYPE_ERROR,
                          "%s(): argument 'size' (position 1) must be tuple of ints, but found "
                          "element of type %s at pos %d",
                          call->row->name, type_name(items[dim]), dim);
        }
        shape.size[dim] = int_of_value(call, items[dim]);
    }
    return shape;
}

struct generator *generator_argument(struct torch_call *call, int i) {
    if (!is_given(call, i)) return &torch_library_of(call->machine)->generator->generator;
    if (!is_kind(call->values[i], OBJECT_RANDOM)) refuse_argument(call, i, "torch.Generator");
    return &((struct random_object *)call->values[i].object)->generator;
}
