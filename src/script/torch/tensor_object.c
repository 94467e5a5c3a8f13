#include "script/torch/tensor_object.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/ops.h"

struct torch_library *torch_library_of(struct machine *machine) {
    return machine_library(machine, "torch");
}

// ---- Attempts -------------------------------------------------------------------------------------

void refuse_as(struct torch_call *call, enum exception exception, const char *format, ...) {
    va_list arguments;
    call->exception = exception;
    va_start(arguments, format);
    vsnprintf(call->message, sizeof call->message, format, arguments);
    va_end(arguments);
    fail(call->arena->failure, FAIL_USAGE, "%.500s", call->message);
}

struct attempted {
    struct torch_call call;
    void (*action)(struct torch_call *call, void *context);
    void *context;
};

static void act(void *context) {
    struct attempted *attempted = context;
    attempted->action(&attempted->call, attempted->context);
}

bool torch_attempt(struct machine *machine, void (*action)(struct torch_call *call, void *context),
                   void *context, struct value *result) {
    struct attempted attempted; // its message is long, and rarely written
    memset(&attempted, 0, offsetof(struct attempted, call.message));
    attempted.call.message[0] = '\0';
    attempted.action = action;
    attempted.context = context;
    attempted.call.machine = machine;
    attempted.call.arena = machine_tensors(machine);
    attempted.call.exception = RUNTIME_ERROR;
    if (machine_attempt(machine, RUNTIME_ERROR, act, &attempted)) {
        *result = attempted.call.result;
        return true;
    }
    if (attempted.call.message[0] != '\0') {
        machine_clear(machine);
        machine_raise(machine, attempted.call.exception, "%s", attempted.call.message);
    }
    return false;
}

// ---- Objects ---------------------------------------------------------------------------------------

static struct tensor_cell *cell_of(struct storage *storage) {
    if (storage->keeper == NULL) {
        struct tensor_cell *cell = arena_allocate(storage->arena, sizeof *cell);
        cell->storage = storage;
        cell->first = NULL;
        cell->writes = arena_allocate(storage->arena, sizeof *cell->writes);
        storage->keeper = cell;
    }
    return storage->keeper;
}

struct tensor tensor_of_object(const struct tensor_object *object) {
    struct tensor tensor = object->view;
    tensor.storage = object->cell->storage;
    return tensor;
}

void count_write(struct tensor_cell *cell) {
    struct writes *writes = cell->writes;
    struct arena *arena = cell->storage->arena;
    if (writes->count == writes->room) {
        writes->room = writes->room < 4 ? 4 : 2 * writes->room;
        uint64_t *ages = arena_array(arena, writes->room, sizeof *ages);
        if (writes->count > 0) memcpy(ages, writes->ages, writes->count * sizeof *ages);
        writes->ages = ages;
    }
    writes->ages[writes->count++] = arena_number(arena);
}

void join_cells(struct tensor_cell *cell, struct tensor_cell *other, bool counts_together) {
    if (counts_together) {
        other->writes = cell->writes;
        other->first_version = cell->writes->count;
    }
    other->twin = cell->twin != NULL ? cell->twin : cell;
    cell->twin = other;
}

void grad_follow(struct tensor_object *object) {
    struct tensor_cell *cell = object->cell;
    if (object->is_computed) {
        cell->flows |= object->requires_grad;
        return;
    }
    if (object->requires_grad) {
        cell->flows = true;
        cell->leaf = object;
    } else if (cell->leaf == object) {
        cell->flows = false;
        cell->leaf = NULL;
    }
}

// Under no_grad() a view of the graph's numbers is no part of the graph.
static void cut_off(struct tensor *view) {
    struct storage *storage = arena_allocate(view->storage->arena, sizeof *storage);
    *storage = *view->storage;
    storage->keeper = NULL;
    view->storage = storage;
}

// A new view, which the way back goes through by itself: what it shows, and which view it is of.
static void see(struct machine *machine, struct tensor *view, bool requires) {
    struct torch_library *library = torch_library_of(machine);
    struct arena *arena = machine_arena(machine);
    const uint32_t of = view->seen;
    view->seen = (uint32_t)arena_number(arena);
    if (!requires) return;
    if (library->view_count == library->view_room) {
        library->view_room = library->view_room < 16 ? 16 : 2 * library->view_room;
        struct seen_view *views = arena_array(arena, (size_t)library->view_room, sizeof *views);
        for (int i = 0; i < library->view_count; i++) views[i] = library->views[i];
        library->views = views;
    }
    library->views[library->view_count++] = (struct seen_view){*view, of};
}

const struct seen_view *view_seen(const struct torch_library *library, uint64_t seen) {
    int first = 0, behind = library->view_count;
    while (first < behind) {
        const int middle = first + (behind - first) / 2;
        if (library->views[middle].view.seen < seen)
            first = middle + 1;
        else
            behind = middle;
    }
    const bool is_there = first < library->view_count && library->views[first].view.seen == seen;
    return is_there ? &library->views[first] : NULL;
}

struct value tensor_value(struct machine *machine, struct tensor view, bool requires_grad) {
    const bool requires = requires_grad && torch_library_of(machine)->grad_enabled &&
                          is_floating(view.storage->dtype);
    if (!requires && cell_of(view.storage)->flows) cut_off(&view);
    struct tensor_object *object = object_new(machine, OBJECT_TENSOR, sizeof *object);
    object->view = view;
    if (view.view != NULL) see(machine, &object->view, requires);
    object->cell = cell_of(view.storage);
    if (object->cell->first == NULL) object->cell->first = object;
    object->grad = NONE_VALUE;
    object->requires_grad = object->is_computed = requires;
    grad_follow(object);
    object->made_at = machine_node(machine);
    return value_of_object(object);
}

struct value made(struct torch_call *call, struct tensor view) {
    view = narrowed(view, narrow_of_call(call, view.storage->dtype));
    if (!is_in_memory_order(call, &view)) view = in_own_order(call, view);
    const struct value result = tensor_value(call->machine, view, call->requires_grad);
    struct tensor_object *object = (struct tensor_object *)result.object;
    if (call->layout.ndim > 0 && object->is_computed && object->view.seen == 0)
        see(call->machine, &object->view, true); // how its gradient lies in memory
    return result;
}

struct tensor named(struct torch_call *call, struct tensor x, const char *name) {
    struct torch_library *library = torch_library_of(call->machine);
    int i = 0;
    while (i < library->name_count && strcmp(library->names[i]->backward, name) != 0) i++;
    if (i == library->name_count) {
        if (i == sizeof library->names / sizeof *library->names) return x;
        library->names[i] = arena_allocate(machine_arena(call->machine), sizeof *library->names[i]);
        library->names[i]->name = library->names[i]->backward = name;
        library->name_count++;
    }
    x.view = library->names[i];
    return x;
}

const char *kept_name(struct machine *machine, struct value name) {
    struct torch_library *library = torch_library_of(machine);
    const char *bytes = ((const struct str *)name.object)->bytes;
    for (int i = 0; i < library->kept_name_count; i++)
        if (strcmp(library->kept_names[i], bytes) == 0) return library->kept_names[i];
    const char *kept = arena_copy(machine_arena(machine), bytes);
    if (library->kept_name_count < (int)(sizeof library->kept_names / sizeof *library->kept_names))
        library->kept_names[library->kept_name_count++] = kept;
    return kept;
}

bool is_leaf(const struct tensor_object *object) {
    return !object->is_computed && !(object->cell->is_written && object->cell->flows);
}

bool requires_grad_of(const struct tensor_object *object) {
    return object->requires_grad || !is_leaf(object);
}

const char *grad_name(const struct tensor_object *object) {
    const struct tensor view = tensor_of_object(object);
    const struct origin *origin = view.storage->origin;
    const struct tensor_cell *cell = object->cell;
    if (is_leaf(object)) return NULL;
    if (object->name != NULL) return object->name;
    if (cell->is_written && object != cell->first && view.seen <= view.storage->age)
        return "AsStridedBackward0";
    if (cell->is_sliced && object == cell->first) return "CopySlices";
    if (view.view != NULL && view.view->backward != NULL) return view.view->backward;
    if (origin == NULL) return "Backward0";
    if (origin->operation->backward_of != NULL) return origin->operation->backward_of(origin);
    return origin->operation->backward != NULL ? origin->operation->backward : "Backward0";
}

// ---- Writing in place --------------------------------------------------------------------------------

static void write_through(struct tensor *target, const struct tensor *from) {
    const struct shape shape = shape_of(target);
    const size_t size = bytes_of_number(from->storage->dtype);
    if (target->storage->dtype == from->storage->dtype &&
        target->storage->narrow == from->storage->narrow && is_contiguous(target) &&
        is_contiguous(from) && count_of(shape) > 0) {
        memmove((char *)target->storage->data + (size_t)target->offset * size,
                (const char *)from->storage->data + (size_t)from->offset * size,
                (size_t)count_of(shape) * size);
        return;
    }
    const bool is_whole = !is_floating(from->storage->dtype);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index)) {
        if (is_whole)
            put_whole(target->storage, flat_index(target, index), whole_element(from, index));
        else
            put_number(target->storage, flat_index(target, index), element(from, index));
    }
}

// The whole storage with `from` (operand 1) in the places that operand 2 shows of it.
static struct tensor compute_written(struct arena *arena, const struct origin *origin) {
    const struct tensor *whole = &origin->operands[0], *from = &origin->operands[1];
    const struct tensor *target = &origin->operands[2];
    const struct tensor result = tensor_new(arena, whole->storage->dtype, whole->storage->shape);
    result.storage->narrow = whole->storage->narrow;
    if (whole->storage->count > 0)
        memcpy(result.storage->data, whole->storage->data,
               (size_t)whole->storage->count * bytes_of_number(whole->storage->dtype));
    struct tensor into = *target;
    into.storage = result.storage;
    write_through(&into, from);
    return result;
}

// What was written there, or what stands there still.
static void find_written(struct finding *finding) {
    const struct cell cell = cell_at(operand_tensor(finding, 0), finding->derivation->index);
    struct cell found;
    if (cell_in_view(operand_tensor(finding, 2), &cell, &found))
        add_operand(finding, 1, "written", found.index);
    add_operand(finding, 0, "before", finding->derivation->index);
}

static double account_of_written(struct account *account) {
    const struct derivation *d = account->derivation;
    if (d->operand_count == 1)
        say(account, "nothing is written there: %s stays", operand_figure(account, 0));
    else
        say(account, "%s is written over %s", operand_figure(account, 0),
            operand_figure(account, 1));
    return d->operands[0].value;
}

static struct tensor in_view(struct tensor whole, const struct tensor *target) {
    const struct tensor all = contiguous(whole);
    struct tensor result = *target;
    result.storage = all.storage;
    result.offset += all.offset;
    return result;
}

extern const struct operation written_row;

// What was written over does not answer; what was written does.
static struct tensor gradient_of_written(const struct backward *back, int operand) {
    const struct tensor target = back->origin->operands[2];
    if (operand == 2) return NO_TENSOR;
    if (operand == 1) return in_view(back->grad, &target);
    const struct tensor copied =
        perform_on(ONE(back->grad), (struct origin){.operation = &copy_row});
    const struct tensor operands[] = {copied, full(copied.storage->arena, shape_of(&target), 0),
                                      target};
    return perform_on(3, operands, (struct origin){.operation = &written_row});
}

const struct operation written_row = {.name = "copy_",
                                      .backward = "CopySlices",
                                      .compute = compute_written,
                                      .find = find_written,
                                      .account = account_of_written,
                                      .changes_some = true,
                                      .writes = true,
                                      .gradient = gradient_of_written};

// The same outside of the graph of gradients, which goes through as if nothing had been written.
static struct tensor gradient_of_unseen(const struct backward *back, int operand) {
    return operand == 0 ? back->grad : NO_TENSOR;
}

static const char *backward_of_unseen(const struct origin *origin) {
    const struct origin *before = origin->operands[0].storage->origin;
    if (before->operation->backward_of != NULL) return before->operation->backward_of(before);
    return before->operation->backward;
}

static const struct operation unseen_row = {.name = "copy_",
                                            .backward_of = backward_of_unseen,
                                            .compute = compute_written,
                                            .find = find_written,
                                            .account = account_of_written,
                                            .changes_some = true,
                                            .writes = true,
                                            .gradient = gradient_of_unseen};

static struct storage *written_over(struct tensor target, struct tensor wide,
                                    const struct operation *operation) {
    const struct tensor whole = tensor_over(target.storage, target.storage->shape);
    const struct tensor operands[] = {whole, to_dtype(wide, target.storage->dtype), target};
    return perform_on(3, operands, (struct origin){.operation = operation}).storage;
}

// Is `from` all of a new storage, laid out as the target is, which is all of its own?
static bool replaces_all(const struct tensor *target, const struct tensor *from) {
    return from->storage->keeper == NULL && from->storage->dtype == target->storage->dtype &&
           target->offset == 0 && from->offset == 0 && is_contiguous(target) &&
           is_contiguous(from) && shapes_equal(shape_of(target), shape_of(from)) &&
           target->storage->count == from->storage->count &&
           count_of(shape_of(from)) == from->storage->count;
}

// All that share the cell see other numbers from now on; those until now stay as they are.
static void replace_storage(struct tensor_cell *cell, struct storage *storage) {
    struct tensor_cell *before = arena_allocate(storage->arena, sizeof *before);
    *before = *cell;
    before->twin = NULL;
    before->now = cell;
    cell->storage->keeper = before;
    for (struct tensor_cell *twin = cell->twin; twin != NULL && twin != cell; twin = twin->twin) {
        struct storage *same = arena_allocate(storage->arena, sizeof *same);
        *same = *storage;
        same->keeper = twin;
        if (twin->flows) same->origin = twin->storage->origin;
        twin->storage = same;
    }
    cell->storage = storage;
    storage->keeper = cell;
}

// The same, and the object is computed by the graph.
static void go_over(struct tensor_object *object, struct storage *storage, bool is_part) {
    struct tensor_cell *cell = object->cell;
    replace_storage(cell, storage);
    cell->first_version = cell->writes->count;
    cell->leaf = cell->retained = NULL;
    cell->is_freed = false;
    cell->is_written = true;
    cell->is_sliced = is_part || object != cell->first;
    object->requires_grad = object->is_computed = true;
    object->view.view = NULL;
    object->name = NULL;
    if (cell->first != NULL) cell->first->name = NULL;
    grad_follow(object);
}

void write_in_place(struct torch_call *call, struct tensor_object *object, struct tensor target,
                    struct tensor from) {
    const bool is_recorded = torch_library_of(call->machine)->grad_enabled &&
                             (requires_grad_of(object) || call->requires_grad);
    const enum narrow narrow = target.storage->narrow;
    from = narrowed(to_dtype(from, target.storage->dtype), narrow);
    const struct tensor wide = broadcast_to(from, shape_of(&target));
    check_overlap(call, &target, &from);
    const bool is_watched = machine_options_of(call->machine)->observe != NULL;
    count_write(object->cell);
    machine_tell(call->machine, EVENT_WRITE, NULL, value_of_object(object), NO_VALUE);
    if (!is_recorded && is_watched) { // a step that shows the numbers until now stays true
        replace_storage(object->cell, written_over(target, wide, &unseen_row));
        return;
    }
    if (!is_recorded) {
        const struct tensor apart =
            wide.storage == target.storage ? // what is read must not change meanwhile
                perform_on(ONE(wide), (struct origin){.operation = &copy_row})
                                           : wide;
        write_through(&target, &apart);
        return;
    }
    if (object->requires_grad && is_leaf(object))
        refuse(call, "a leaf Variable that requires grad is being used in an in-place operation.");
    if (object->cell->leaf != NULL)
        refuse(
            call,
            "a view of a leaf Variable that requires grad is being used in an in-place operation.");
    const struct tensor replacement = wide.storage != target.storage ? wide : NO_TENSOR;
    if (is_tensor(&replacement) && replaces_all(&target, &replacement)) {
        go_over(object, replacement.storage, false);
        return;
    }
    const bool is_part = !shapes_equal(shape_of(&target), shape_of(&object->view));
    go_over(object, written_over(target, wide, &written_row), is_part);
}

void put_in_place(struct torch_call *call, struct tensor_object *object, struct tensor result) {
    const struct tensor target = tensor_of_object(object);
    if (!is_floating(target.storage->dtype) && is_floating(result.storage->dtype))
        refuse(call, "result type %s can't be cast to the desired output type %s",
               scalar_type(result.storage), scalar_type(target.storage));
    const struct shape shape = shape_of(&target), result_shape = shape_of(&result);
    if (!shapes_equal(shape, result_shape))
        refuse(call, "output with shape %s doesn't match the broadcast shape %s",
               sizes_list(call, shape), sizes_list(call, result_shape));
    write_in_place(call, object, target, result);
}

// ---- Values of Python ----------------------------------------------------------------------------------

struct value size_value(struct machine *machine, struct shape shape) {
    struct value sizes[MAX_DIMS];
    for (int dim = 0; dim < shape.ndim; dim++) sizes[dim] = value_of_int(shape.size[dim]);
    const struct value tuple = tuple_new(machine, shape.ndim, sizes);
    ((struct list *)tuple.object)->is_size = true;
    return tuple;
}

struct value number_value(const struct tensor *x, const int64_t *index) {
    if (is_floating(x->storage->dtype)) return value_of_float(element(x, index));
    if (x->storage->dtype == BOOL) return value_of_bool(element(x, index) != 0);
    return value_of_int(whole_element(x, index));
}

struct value dtype_value(struct machine *machine, enum dtype dtype, enum narrow narrow) {
    const struct torch_library *library = torch_library_of(machine);
    for (int i = 0; i < library->dtype_count; i++) {
        if (library->dtypes[i]->dtype == dtype && library->dtypes[i]->narrow == narrow)
            return value_of_object(library->dtypes[i]);
    }
    return NONE_VALUE;
}

const char *scalar_type(const struct storage *storage) {
    static const char *const names[] = {[FLOAT32] = "Float",
                                        [BOOL] = "Bool",
                                        [INT64] = "Long",
                                        [INT32] = "Int",
                                        [FLOAT64] = "Double"};
    static const char *const narrow[] = {"", "BFloat16", "Half", "Byte", "Char", "Short"};
    return storage->narrow != ALL_BITS ? narrow[storage->narrow] : names[storage->dtype];
}

const char *sizes_list(struct torch_call *call, struct shape shape) {
    struct text text = text_new(call->arena);
    text_add(&text, "[");
    for (int dim = 0; dim < shape.ndim; dim++)
        text_add_format(&text, "%s%" PRId64, dim > 0 ? ", " : "", shape.size[dim]);
    text_add(&text, "]");
    return text.bytes;
}
