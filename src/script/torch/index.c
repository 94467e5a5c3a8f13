// x[...]: reading and writing by ints, slices, None, ..., masks, tensors and lists of places.

#include <inttypes.h>
#include <string.h>

#include "script/inside.h"
#include "script/torch/tensor_object.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/programs/choice.h"

// What the index comes to: a view of x, and tensors of places for some of its dimensions.
struct indexing {
    struct torch_call *call;
    struct tensor view;
    int dim;                        // of the view that comes next
    struct tensor places[MAX_DIMS]; // INT64, of the view's dimensions
    bool has_places[MAX_DIMS];
    int first_dim; // the item, for messages
    bool is_whole; // nothing but the whole was asked for
};

static bool is_list_of_places(struct value value) {
    return is_kind(value, OBJECT_LIST) || is_tensor_value(value) || is_kind(value, OBJECT_RANGE);
}

// A mask may be of uint8, as in older programs.
static struct tensor index_tensor(struct torch_call *call, struct value item) {
    const struct tensor x = tensor_of_value(call, item);
    return x.storage->narrow == UINT8 ? convert(x, BOOL) : x;
}

// How many dimensions of x an item of the index takes.
static int taken_by(struct torch_call *call, struct value item) {
    if (item.kind == VALUE_NONE || item.kind == VALUE_ELLIPSIS || item.kind == VALUE_BOOL) return 0;
    if (is_tensor_value(item)) {
        const struct tensor x = index_tensor(call, item);
        return x.storage->dtype == BOOL ? x.ndim : 1;
    }
    return 1;
}

static void take_int(struct indexing *indexing, int64_t i) {
    const struct tensor *x = &indexing->view;
    const int64_t size = x->shape[indexing->dim];
    if (i < -size || i >= size)
        refuse_as(indexing->call, INDEX_ERROR,
                  "index %" PRId64 " is out of bounds for dimension %d with size %" PRId64, i,
                  indexing->first_dim, size);
    for (int dim = indexing->dim; dim < x->ndim - 1; dim++) indexing->has_places[dim] = false;
    indexing->view = select_index(indexing->view, indexing->dim, i < 0 ? i + size : i);
}

static void take_slice(struct indexing *indexing, const struct slice *slice_value) {
    struct machine *machine = indexing->call->machine;
    const int64_t size = indexing->view.shape[indexing->dim];
    int64_t start, step, count;
    struct slice replaced = *slice_value;
    struct value *parts[] = {&replaced.start, &replaced.stop, &replaced.step};
    for (int i = 0; i < 3; i++)
        if (is_tensor_value(*parts[i]))
            *parts[i] = value_of_int(int_of_value(indexing->call, *parts[i]));
    if (replaced.step.kind == VALUE_INT && replaced.step.integer <= 0)
        refuse_as(indexing->call, VALUE_ERROR,
                  replaced.step.integer == 0 ? "slice step cannot be zero"
                                             : "step must be greater than zero");
    if (!slice_bounds(machine, &replaced, size, &start, &step, &count)) {
        machine_clear(machine);
        refuse_as(indexing->call, TYPE_ERROR,
                  "slice indices must be integers or None or have an __index__ method");
    }
    struct tensor *x = &indexing->view;
    if (count == 0 && start > size) start = size;
    const struct axis axis = x->axis[indexing->dim];
    if (step == 1) {
        *x = narrow(*x, indexing->dim, count == 0 ? 0 : start, count);
    } else {
        *x = slice(*x, indexing->dim, start, step);
        x->shape[indexing->dim] = count;
        x->axis[indexing->dim] = (struct axis){.meaning = axis.meaning, .name = axis.name};
        x->view = &slice_row;
    }
    indexing->dim++;
}

// A mask becomes the places where it is true, one tensor for each of its dimensions.
static void take_mask(struct indexing *indexing, struct tensor mask) {
    const struct shape shape = shape_of(&mask);
    int64_t index[MAX_DIMS] = {0}, count = 0;
    for (int dim = 0; dim < mask.ndim; dim++) {
        const int viewed_dim = indexing->dim + dim;
        if (mask.shape[dim] != indexing->view.shape[viewed_dim])
            refuse_as(indexing->call, INDEX_ERROR,
                      "The shape of the mask %s at index %d does not match the shape of the "
                      "indexed tensor %s at index %d",
                      sizes_list(indexing->call, shape), dim,
                      sizes_list(indexing->call, shape_of(&indexing->view)), viewed_dim);
    }
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index))
        count += element(&mask, index) != 0;
    for (int dim = 0; dim < mask.ndim; dim++) {
        const struct tensor places = tensor_given(indexing->call->arena, INT64, SHAPE(count));
        int64_t at = 0;
        for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index))
            if (element(&mask, index) != 0) put_whole(places.storage, at++, index[dim]);
        indexing->places[indexing->dim] = places;
        indexing->has_places[indexing->dim++] = true;
    }
}

static void take_places(struct indexing *indexing, struct tensor places) {
    if (places.storage->dtype == BOOL) {
        take_mask(indexing, places);
        return;
    }
    if (is_floating(places.storage->dtype))
        refuse_as(indexing->call, INDEX_ERROR,
                  "tensors used as indices must be long, int, byte or bool tensors");
    indexing->places[indexing->dim] = places;
    indexing->has_places[indexing->dim++] = true;
}

// True or False, or a tensor of one: the whole once, or never, along a new dimension.
static void take_truth(struct indexing *indexing, bool is_true) {
    indexing->view = unsqueezed(indexing->call, indexing->view, indexing->dim++);
    indexing->places[indexing->dim - 1] =
        full_of(indexing->call->arena, INT64, SHAPE(is_true ? 1 : 0), 0);
    indexing->has_places[indexing->dim - 1] = true;
}

// The places of a list. Those of an empty one are whole numbers, too (indexing_tensor_from_data).
static struct tensor places_listed(struct torch_call *call, struct value list) {
    const struct tensor places = tensor_from(call, list, -1);
    return places.storage->count == 0 ? tensor_given(call->arena, INT64, shape_of(&places))
                                      : places;
}

static void take_item(struct indexing *indexing, struct value item, int open) {
    struct torch_call *call = indexing->call;
    const bool is_tensor_item = is_tensor_value(item);
    if (item.kind == VALUE_ELLIPSIS) {
        indexing->dim += open;
    } else if (item.kind == VALUE_NONE) {
        indexing->view = unsqueezed(call, indexing->view, indexing->dim++);
    } else if (item.kind == VALUE_INT) {
        take_int(indexing, item.integer);
    } else if (is_kind(item, OBJECT_SLICE)) {
        take_slice(indexing, (const struct slice *)item.object);
    } else if (item.kind == VALUE_BOOL) {
        take_truth(indexing, item.truth);
    } else if (is_tensor_item && tensor_of_value(call, item).ndim == 0) {
        const struct tensor one = index_tensor(call, item);
        if (one.storage->dtype == BOOL)
            take_truth(indexing, element_at(&one, 0) != 0);
        else
            take_int(indexing, int_of_value(call, item));
    } else if (is_list_of_places(item)) {
        take_places(indexing,
                    is_tensor_item ? index_tensor(call, item) : places_listed(call, item));
    } else {
        refuse_as(call, INDEX_ERROR,
                  "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables "
                  "are valid indices (got %s)",
                  type_name(item));
    }
}

static struct indexing read_index(struct torch_call *call, struct tensor x, struct value index) {
    struct indexing indexing = {.call = call, .view = x};
    const struct value *items = &index;
    const int64_t count = is_kind(index, OBJECT_TUPLE) ? items_of(call, index, &items) : 1;
    int taken = 0;
    for (int64_t i = 0; i < count; i++) taken += taken_by(call, items[i]);
    if (x.ndim == 0 && taken > 0)
        refuse_as(call, INDEX_ERROR,
                  taken > 1 || is_list_of_places(items[0])
                      ? "too many indices for tensor of dimension 0"
                  : items[0].kind == VALUE_INT
                      ? "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                        "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
                      : "slice() cannot be applied to a 0-dim tensor.");
    if (taken > x.ndim)
        refuse_as(call, INDEX_ERROR, "too many indices for tensor of dimension %d", x.ndim);
    for (int64_t i = 0; i < count; i++) {
        indexing.first_dim = (int)i; // PyTorch's messages count items
        take_item(&indexing, items[i], x.ndim - taken);
    }
    return indexing;
}

// ---- Places ------------------------------------------------------------------------------------------

// For a view with tensors of places: the place of each number of the result, in the view's own storage. The dimensions of
// the places stand where the first of them stood if they are beside each other, else in front.
struct gathered {
    struct shape shape;
    struct tensor flat; // INT64, of that shape: places in the storage
};

static struct shape shape_of_places(const struct indexing *indexing) {
    struct tensor joined = {0};
    for (int dim = 0; dim < indexing->view.ndim; dim++) {
        if (!indexing->has_places[dim]) continue;
        const struct tensor *indices = &indexing->places[dim];
        struct shape shape = {.ndim = joined.ndim > indices->ndim ? joined.ndim : indices->ndim};
        for (int back = 1; back <= shape.ndim; back++) {
            const int64_t a = back <= joined.ndim ? joined.shape[joined.ndim - back] : 1,
                          b = back <= indices->ndim ? indices->shape[indices->ndim - back] : 1;
            if (a != b && a != 1 && b != 1)
                refuse_as(indexing->call, INDEX_ERROR,
                          "shape mismatch: indexing tensors could not be broadcast together with "
                          "shapes %s, %s",
                          sizes_list(indexing->call, shape_of(&joined)),
                          sizes_list(indexing->call, shape_of(indices)));
            shape.size[shape.ndim - back] = a == 1 ? b : a;
        }
        joined.ndim = shape.ndim;
        memcpy(joined.shape, shape.size, sizeof shape.size);
    }
    return shape_of(&joined);
}

// Where the dimensions of the places begin in the result.
static int front_of(const struct indexing *indexing) {
    int first = -1, last = -1, count = 0;
    for (int dim = 0; dim < indexing->view.ndim; dim++) {
        if (!indexing->has_places[dim]) continue;
        if (first < 0) first = dim;
        last = dim;
        count++;
    }
    return last - first + 1 == count ? first : 0;
}

static int64_t place_in(const struct indexing *indexing, int dim, const struct tensor *wide,
                        const int64_t *index) {
    const int64_t size = indexing->view.shape[dim], position = whole_element(wide, index);
    if (position < -size || position >= size)
        refuse_as(indexing->call, INDEX_ERROR,
                  "index %" PRId64 " is out of bounds for dimension %d with size %" PRId64,
                  position, dim, size);
    return position < 0 ? position + size : position;
}

static struct gathered gather_places(const struct indexing *indexing) {
    const struct tensor *x = &indexing->view;
    const struct shape inner = shape_of_places(indexing);
    const int front = front_of(indexing);
    struct gathered gathered = {0};
    struct shape *shape = &gathered.shape;
    int dim_of_x[MAX_DIMS], at_inner = 0; // which dimension of x each one of the result is
    struct tensor wide[MAX_DIMS];
    for (int dim = 0, done = 0; dim <= x->ndim; dim++) {
        if (shape->ndim == front && !done) {
            at_inner = shape->ndim;
            for (int i = 0; i < inner.ndim; i++) shape->size[shape->ndim++] = inner.size[i];
            done = 1;
        }
        if (dim == x->ndim || indexing->has_places[dim]) continue;
        if (shape->ndim == MAX_DIMS)
            refuse(indexing->call, "a tensor has at most %d dimensions here", MAX_DIMS);
        dim_of_x[shape->ndim] = dim;
        shape->size[shape->ndim++] = x->shape[dim];
    }
    for (int dim = 0; dim < x->ndim; dim++)
        if (indexing->has_places[dim]) wide[dim] = broadcast_to(indexing->places[dim], inner);
    gathered.flat = tensor_given(indexing->call->arena, INT64, *shape);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < gathered.flat.storage->count; i++, next_index(shape, index)) {
        int64_t from[MAX_DIMS] = {0};
        for (int dim = 0; dim < shape->ndim; dim++)
            if (dim < at_inner || dim >= at_inner + inner.ndim) from[dim_of_x[dim]] = index[dim];
        for (int dim = 0; dim < x->ndim; dim++)
            if (indexing->has_places[dim])
                from[dim] = place_in(indexing, dim, &wide[dim], index + at_inner);
        put_whole(gathered.flat.storage, i, flat_index(x, from));
    }
    return gathered;
}

static bool has_any_places(const struct indexing *indexing) {
    bool has = false;
    for (int dim = 0; dim < indexing->view.ndim; dim++) has = has || indexing->has_places[dim];
    return has;
}

static struct tensor line_of_storage(const struct tensor *x) {
    return tensor_over(x->storage, SHAPE(x->storage->count));
}

static struct tensor flattened(struct tensor x) {
    return reshape(x, SHAPE(count_of(shape_of(&x))));
}

struct tensor indexed(struct torch_call *call, struct tensor x, struct value index) {
    const struct indexing indexing = read_index(call, x, index);
    if (!has_any_places(&indexing)) return indexing.view;
    const struct gathered gathered = gather_places(&indexing);
    struct tensor line = line_of_storage(&indexing.view);
    line.seen = x.seen; // its gradient goes to the view
    const struct tensor taken = take_along(line, flattened(gathered.flat), 0);
    return named(call, tensor_over(taken.storage, gathered.shape), "IndexBackward0");
}

struct reading_index {
    struct value self, index, value;
};

static void read_indexed(struct torch_call *call, void *context) {
    const struct reading_index *reading = context;
    call->result = made(call, indexed(call, tensor_of_value(call, reading->self), reading->index));
}

bool tensor_index(struct machine *machine, struct value self, struct value index,
                  struct value *value) {
    struct reading_index reading = {self, index, NO_VALUE};
    return torch_attempt(machine, read_indexed, &reading, value);
}

bool tensor_iterate(struct machine *machine, struct value self, int64_t i, struct value *item) {
    const struct tensor x = tensor_of_object((const struct tensor_object *)self.object);
    *item = NO_VALUE;
    if (x.ndim == 0) return machine_raise(machine, TYPE_ERROR, "iteration over a 0-d tensor");
    if (i >= x.shape[0]) return true;
    return tensor_index(machine, self, value_of_int(i), item);
}

// ---- Writing -----------------------------------------------------------------------------------------------

static void check_fits(struct torch_call *call, const struct tensor *from, struct shape shape) {
    for (int back = 1; back <= from->ndim; back++) {
        const int64_t size = from->shape[from->ndim - back],
                      wanted = back <= shape.ndim ? shape.size[shape.ndim - back] : 1;
        if (size == 1 || size == wanted) continue;
        const int at = shape.ndim - back;
        if (at < 0)
            refuse(call,
                   "expand(torch.%sTensor{%s}, size=%s): the number of sizes provided (%d) must be "
                   "greater or equal to the number of dimensions in the tensor (%d)",
                   scalar_type(from->storage), sizes_list(call, shape_of(from)),
                   sizes_list(call, shape), shape.ndim, from->ndim);
        refuse(call,
               "The expanded size of the tensor (%" PRId64
               ") must match the existing size (%" PRId64
               ") at non-singleton dimension %d.  Target sizes: %s.  Tensor sizes: %s",
               wanted, size, at, sizes_list(call, shape), sizes_list(call, shape_of(from)));
    }
}

// Leading sizes of 1 do not count.
static struct tensor without_front(struct tensor x, int ndim) {
    while (x.ndim > ndim && x.shape[0] == 1) x = select_index(x, 0, 0);
    return x;
}

static void write_places(struct torch_call *call, struct tensor_object *object,
                         const struct indexing *indexing, struct tensor from) {
    const struct gathered gathered = gather_places(indexing);
    const struct tensor target = tensor_of_object(object);
    from = without_front(from, gathered.shape.ndim);
    for (int back = 1; back <= from.ndim; back++) {
        const int64_t size = from.shape[from.ndim - back],
                      wanted = back <= gathered.shape.ndim
                                   ? gathered.shape.size[gathered.shape.ndim - back]
                                   : 1;
        if (size != 1 && size != wanted)
            refuse(call,
                   "shape mismatch: value tensor of shape %s cannot be broadcast to indexing "
                   "result of shape %s",
                   sizes_list(call, shape_of(&from)), sizes_list(call, gathered.shape));
    }
    const struct tensor wide = flattened(contiguous(broadcast_to(from, gathered.shape)));
    const struct tensor line = line_of_storage(&target);
    write_in_place(call, object, line, put_along(line, flattened(gathered.flat), wide, 0, false));
}

static void write_indexed(struct torch_call *call, void *context) {
    const struct reading_index *writing = context;
    struct tensor_object *object = (struct tensor_object *)writing->self.object;
    const struct tensor x = tensor_of_object(object);
    const bool is_number = writing->value.kind == VALUE_INT || writing->value.kind == VALUE_FLOAT ||
                           writing->value.kind == VALUE_BOOL;
    if (!is_number && !is_tensor_value(writing->value))
        refuse_as(call, TYPE_ERROR, "can't assign a %s to a torch.%sTensor",
                  type_name(writing->value), scalar_type(x.storage));
    const struct indexing indexing = read_index(call, x, writing->index);
    struct tensor from = is_number
                             ? number_tensor(call, writing->value, x.storage->dtype)
                             : to_dtype(tensor_of_value(call, writing->value), x.storage->dtype);
    if (has_any_places(&indexing)) {
        write_places(call, object, &indexing, from);
    } else {
        from = without_front(from, indexing.view.ndim);
        check_fits(call, &from, shape_of(&indexing.view));
        if (torch_library_of(call->machine)->grad_enabled && object->requires_grad &&
            is_leaf(object) && writing->index.kind != VALUE_ELLIPSIS)
            refuse(call, "a view of a leaf Variable that requires grad is being used in an "
                         "in-place operation.");
        write_in_place(call, object, indexing.view, from);
    }
    call->result = NONE_VALUE;
}

bool tensor_set_index(struct machine *machine, struct value self, struct value index,
                      struct value value) {
    struct reading_index writing = {self, index, value};
    struct value nothing;
    return torch_attempt(machine, write_indexed, &writing, &nothing);
}
