#include "script/torch/grad.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/ops.h"
#include "trace/tape/gradient.h"

// ---- The storages that the gradient has reached ---------------------------------------------------

// A storage, or a view that a program made of it (tensor.seen): PyTorch adds up what a view's uses give before it goes on to
// what the view is of.
struct reached {
    struct tensor view;
    uint64_t seen;      // 0: the storage itself
    struct tensor grad; // so far: of all of the storage, or of the view
};

// Those that wait are a heap: the youngest goes first, so that all its uses have gone before it.
struct way {
    struct torch_call *call;
    struct reached *items;
    int count, waiting_count, room; // room: of slots, a power of two
    int *waiting, *slots;           // numbers of items; slots: by the storage's address, -1 is free
    bool keeps_graph;
};

struct way_room {
    int room;
    struct reached *items;
    int *waiting, *slots;
};

static int slot_in(const struct way *way, const struct storage *storage, uint64_t seen) {
    const uint64_t mixed = ((uint64_t)(uintptr_t)storage + seen) * UINT64_C(0x9e3779b97f4a7c15);
    int slot = (int)((mixed >> 33) & (uint64_t)(way->room - 1));
    for (; way->slots[slot] >= 0; slot = (slot + 1) & (way->room - 1)) {
        const struct reached *item = &way->items[way->slots[slot]];
        if (item->view.storage == storage && item->seen == seen) break;
    }
    return slot;
}

// A view of numbers that were written since shows others: those that the storage has now.
static uint64_t seen_of(const struct tensor *x) {
    return x->seen > x->storage->age ? x->seen : 0;
}

// Room for half as many items as there are slots. That of a small way serves the next one, too: there is one at a time.
static void make_room(struct way *way, int room) {
    enum { MOST_KEPT = 1024 };
    struct machine *machine = way->call->machine;
    struct torch_library *library = torch_library_of(machine);
    struct way_room *saved = library->way_room;
    if (saved == NULL || saved->room < room) {
        struct arena *arena = room <= MOST_KEPT ? machine_arena(machine) : way->call->arena;
        saved = arena_allocate(arena, sizeof *saved);
        saved->room = room;
        saved->slots = arena_array(arena, (size_t)room, sizeof *saved->slots);
        saved->waiting = arena_array(arena, (size_t)room / 2, sizeof *saved->waiting);
        saved->items = arena_array(arena, (size_t)room / 2, sizeof *saved->items);
        if (room <= MOST_KEPT) library->way_room = saved;
    }
    way->room = saved->room;
    way->slots = saved->slots;
    way->waiting = saved->waiting;
    way->items = saved->items;
    for (int i = 0; i < way->room; i++) way->slots[i] = -1;
}

static void grow(struct way *way) {
    const struct way old = *way;
    if (2 * (way->count + 1) <= way->room) return;
    make_room(way, old.room == 0 ? 64 : 2 * old.room);
    if (old.waiting_count > 0)
        memcpy(way->waiting, old.waiting, (size_t)old.waiting_count * sizeof *way->waiting);
    for (int i = 0; i < old.count; i++) {
        way->items[i] = old.items[i];
        way->slots[slot_in(way, old.items[i].view.storage, old.items[i].seen)] = i;
    }
}

static uint64_t age_of(const struct way *way, int position) {
    const struct reached *item = &way->items[way->waiting[position]];
    return item->seen > 0 ? item->seen : item->view.storage->age;
}

static void exchange(struct way *way, int a, int b) {
    const int moved = way->waiting[a];
    way->waiting[a] = way->waiting[b];
    way->waiting[b] = moved;
}

static void wait_for(struct way *way, int item) {
    int position = way->waiting_count++;
    way->waiting[position] = item;
    for (; position > 0 && age_of(way, (position - 1) / 2) < age_of(way, position);
         position = (position - 1) / 2)
        exchange(way, position, (position - 1) / 2);
}

static int youngest(struct way *way) {
    const int item = way->waiting[0];
    way->waiting[0] = way->waiting[--way->waiting_count];
    for (int position = 0;;) {
        int next = 2 * position + 1;
        if (next >= way->waiting_count) break;
        if (next + 1 < way->waiting_count && age_of(way, next) < age_of(way, next + 1)) next++;
        if (age_of(way, position) >= age_of(way, next)) break;
        exchange(way, position, next);
        position = next;
    }
    return item;
}

// The sum lies in memory as its first addend does.
static void add_in_order(struct torch_call *call, struct reached *reached, struct tensor grad) {
    struct tensor *sum = &reached->grad;
    const enum narrow narrow = sum->storage->narrow;
    if (reached->seen == 0)
        take_layout_back(call, &reached->view, 2, (struct tensor[]){*sum, grad});
    const struct tensor a = in_memory_order(call, *sum), b = in_memory_order(call, grad);
    *sum = cast_to(in_own_order(call, add(a, b)), narrow);
    call->layout = (struct layout){0};
}

static void add_to(struct way *way, const struct tensor *x, uint64_t seen, struct tensor grad) {
    grow(way);
    int *slot = &way->slots[slot_in(way, x->storage, seen)];
    if (*slot >= 0) {
        add_in_order(way->call, &way->items[*slot], grad);
        return;
    }
    *slot = way->count;
    way->items[way->count] = (struct reached){*x, seen, grad};
    wait_for(way, way->count++);
}

static bool is_same_view(const struct tensor *a, const struct tensor *b) {
    bool is_same = a->offset == b->offset && a->ndim == b->ndim;
    for (int dim = 0; is_same && dim < a->ndim; dim++)
        is_same = a->shape[dim] == b->shape[dim] && a->stride[dim] == b->stride[dim];
    return is_same;
}

// What a view shows of its storage's gradient. Where it only turns and reshapes all of the storage, the gradient stays where
// it lies in memory, as with PyTorch: that decides in which order a bias's gradient is added up.
static struct tensor shown_by(const struct tensor *view, struct tensor whole) {
    struct tensor walked = *view;
    int widest[MAX_DIMS];
    for (int dim = 0; dim < walked.ndim; dim++) {
        widest[dim] = dim;
        for (int i = dim + 1; i < walked.ndim; i++) {
            const bool goes_first =
                walked.shape[i] > 1 && walked.stride[i] > walked.stride[widest[dim]];
            if (goes_first || walked.shape[widest[dim]] == 1) widest[dim] = i;
        }
        walked = transpose(walked, dim, widest[dim]);
    }
    if (walked.offset != 0 || !is_contiguous(&walked) ||
        count_of(shape_of(&walked)) != view->storage->count)
        return gradient_shown(whole, view);
    whole = reshape(whole, shape_of(&walked));
    for (int dim = walked.ndim - 1; dim >= 0; dim--) whole = transpose(whole, dim, widest[dim]);
    return whole;
}

// Adds the gradient of what x shows, in the order of arrival, as PyTorch does. An operation may have read a program's view
// in another shape: then what the view shows of the storage's gradient is added.
static void arrive(struct way *way, const struct tensor *x, struct tensor grad) {
    const struct tensor summed = sum_to(to_dtype(grad, x->storage->dtype), shape_of(x));
    const struct seen_view *seen =
        seen_of(x) > 0 ? view_seen(torch_library_of(way->call->machine), seen_of(x)) : NULL;
    if (seen != NULL && is_same_view(&seen->view, x)) {
        add_to(way, x, seen->view.seen, summed);
        return;
    }
    const struct tensor whole = gradient_of_storage(summed, x);
    if (seen != NULL && !shows_twice(&seen->view))
        add_to(way, &seen->view, seen->view.seen, shown_by(&seen->view, whole));
    else
        add_to(way, x, 0, whole);
}

// ---- Going back ---------------------------------------------------------------------------------------

// Numbers in the middle of a composed operation have no cell; what they were computed from has.
bool does_flow(const struct storage *storage) {
    const struct tensor_cell *cell = storage->keeper;
    if (!is_floating(storage->dtype)) return false;
    return cell != NULL ? cell->flows
                        : storage->origin != NULL && storage->origin->operand_count > 0;
}

// What PyTorch's operations save for their gradients (tools/autograd/derivatives.yaml); those that are not here: nothing.
enum { FIRST = 1, SECOND = 2, RESULT = 4, CROSS = 8, DRAWN = 16 }; // CROSS: each for the other
static int saved_by(const struct operation *operation) {
    static const struct {
        int saves;
        const char *names;
    } rows[] = {
        {CROSS, " multiply matmul linear "},
        {CROSS | SECOND, " divide "},
        {FIRST | SECOND, " maximum minimum cross_entropy "},
        {FIRST, " abs log log2 log10 log1p sin cos clamp erf gelu silu var pow where embedding "},
        {FIRST | RESULT, " amax cumprod "},
        {RESULT, " sqrt exp expm1 tanh relu sigmoid softmax log_softmax reciprocal rsqrt erfinv "},
        {SECOND, " masked_fill gather scatter scatter_add index_add "},
        {DRAWN, " dropout "}};
    char word[64];
    snprintf(word, sizeof word, " %s ", operation->name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(rows[i].names, word) != NULL) return rows[i].saves;
    return 0;
}

#define SECOND_TIME                                                                                \
    "Trying to backward through the graph a second time (or directly access saved tensors after "  \
    "they have already been freed). "                                                              \
    "Saved intermediate values of the graph are freed when you call .backward() or "               \
    "autograd.grad(). Specify retain_graph=True if "                                               \
    "you need to backward through the graph a second time or if you need to access saved tensors " \
    "after calling backward."

// As grad_fn.name() and messages have it.
static const char *full_name(const char *name) {
    return name != NULL && strcmp(name, "CopySlices") == 0 ? "torch::autograd::CopySlices" : name;
}

// The storage of a saved tensor whose numbers were written since; NULL: none.
static void refuse_changed(struct way *way, const struct tensor *saved, const char *of,
                           uint32_t expected) {
    const struct tensor_cell *cell = saved->storage->keeper;
    const bool is_truth = saved->storage->dtype == BOOL;
    refuse(way->call,
           "one of the variables needed for gradient computation has been modified by an inplace "
           "operation: [%s%s%s %s]%s%s%s is at version %" PRIu32 "; expected version %" PRIu32
           " instead. Hint: enable anomaly detection to find the operation that failed to compute "
           "its gradient, with torch.autograd.set_detect_anomaly(True).",
           is_truth ? "CPU" : "torch.", scalar_type(saved->storage), is_truth ? "Type" : "Tensor",
           sizes_list(way->call, shape_of(saved)), of != NULL ? ", which is output 0 of " : "",
           of != NULL ? of : "", of != NULL ? "," : "", cell->writes->count, expected);
}

// What the tensor's gradient function is called now.
static const char *function_now(const struct tensor_cell *cell) {
    const struct tensor_cell *now = cell->now != NULL ? cell->now : cell;
    const struct origin *origin = now->storage->origin;
    if (now->first != NULL) return full_name(grad_name(now->first));
    if (!now->flows || now->leaf != NULL || origin == NULL) return NULL;
    return origin->operation->backward;
}

// Saved numbers that were written in place since cannot answer any more.
static void check_saved(struct way *way, const struct tensor *result) {
    const struct origin *origin = result->storage->origin;
    const struct tensor_cell *keeper = result->storage->keeper;
    const int saves = saved_by(origin->operation);
    if ((saves & RESULT) && keeper != NULL && keeper->writes->count != keeper->first_version)
        refuse_changed(way, result, origin->operation->backward, keeper->first_version);
    for (int i = 0; i < origin->operand_count && i < 2; i++) {
        const struct tensor *operand = &origin->operands[i];
        const struct tensor_cell *cell = operand->storage->keeper;
        const bool is_crossed = (saves & CROSS) && origin->operand_count > 1 &&
                                does_flow(origin->operands[1 - i].storage);
        if (cell == NULL || !(is_crossed || (saves & (i == 0 ? FIRST : SECOND)))) continue;
        if (i == 0 && keeper != NULL && keeper->writes == cell->writes)
            continue; // itself, in place
        uint32_t expected = cell->writes->count;
        while (expected > 0 && cell->writes->ages[expected - 1] > result->storage->age) expected--;
        if (expected == cell->writes->count) continue;
        const bool is_view = count_of(shape_of(operand)) != operand->storage->count;
        refuse_changed(way, operand, is_view ? "AsStridedBackward0" : function_now(cell), expected);
    }
}

// The numbers that lie there now. What was written through .data is not counted, and the way back reads it; a write that is
// counted has its own storage, which stays as it was saved.
static struct storage *storage_now(struct storage *storage) {
    const struct tensor_cell *cell = storage->keeper;
    return cell != NULL && cell->now == NULL ? cell->storage : storage;
}

// An operand as it is now: a leaf that was saved, and whose .data was set since, is what it became.
static struct tensor operand_now(const struct origin *origin, int i) {
    const struct tensor *operand = &origin->operands[i];
    const struct tensor_cell *cell = operand->storage->keeper;
    struct tensor now = *operand;
    if (cell != NULL && cell->leaf != NULL && cell->leaf->cell != cell && seen_of(operand) == 0 &&
        saved_by(origin->operation) != 0)
        return tensor_of_object(cell->leaf);
    now.storage = storage_now(operand->storage);
    return now;
}

static const struct origin *origin_now(struct way *way, const struct origin *origin) {
    int i = 0;
    while (i < origin->operand_count &&
           operand_now(origin, i).storage == origin->operands[i].storage)
        i++;
    if (i == origin->operand_count) return origin;
    struct origin *now = arena_allocate(way->call->arena, sizeof *now);
    struct tensor *operands =
        arena_array(way->call->arena, (size_t)origin->operand_count, sizeof *operands);
    *now = *origin;
    for (i = 0; i < origin->operand_count; i++) operands[i] = operand_now(origin, i);
    now->operands = operands;
    return now;
}

static bool goes_by_number(const struct operation *operation) {
    return operation->of_one != NULL || operation->of_pair != NULL || operation->of_double != NULL;
}

// The gradient of one operand. What is computed number by number lies in memory as the gradient does that it is computed from,
// or else as what was saved.
static struct tensor gradient_of_operand(struct way *way, const struct reached *reached,
                                         struct backward back, int i) {
    const struct origin *origin = back.origin;
    struct torch_call *call = way->call;
    struct tensor used[4] = {back.grad}, operands[2];
    int count = 1;
    if (!goes_by_number(origin->operation) || origin->operand_count > 2)
        return origin->operation->gradient(&back, i);
    const int saves = saved_by(origin->operation);
    for (int j = 0; j < origin->operand_count; j++)
        if ((saves & (j == 0 ? FIRST : SECOND)) || ((saves & CROSS) && i != j))
            used[count++] = origin->operands[j];
    for (int j = 1; j < count; j++) (void)broadcast_of(call, &back.grad, &used[j]);
    if (saves & RESULT) used[count++] = back.result;
    take_layout_back(call, &reached->view, count, used);
    if (call->layout.ndim == 0) return origin->operation->gradient(&back, i);
    struct origin laid = *origin;
    for (int j = 0; j < origin->operand_count; j++)
        operands[j] = in_memory_order(call, origin->operands[j]);
    laid.operands = operands;
    back = (struct backward){&laid, in_memory_order(call, back.result),
                             in_memory_order(call, back.grad)};
    const struct tensor grad = in_own_order(call, origin->operation->gradient(&back, i));
    call->layout = (struct layout){0};
    return grad;
}

static void go_through(struct way *way, const struct reached *reached) {
    struct storage *storage = reached->view.storage;
    const struct origin *origin = storage->origin;
    struct tensor_cell *cell = storage->keeper;
    struct backward back = {.result = tensor_over(storage_now(storage), storage->shape),
                            .grad = reached->grad};
    if (origin == NULL || origin->operand_count == 0) return;
    if (cell != NULL && cell->is_freed) refuse(way->call, SECOND_TIME);
    const struct tensor result = tensor_over(storage, storage->shape);
    check_saved(way, &result);
    back.origin = origin_now(way, origin);
    if (cell != NULL && !way->keeps_graph) cell->is_freed = saved_by(origin->operation) != 0;
    for (int i = 0; i < origin->operand_count; i++) {
        if (!does_flow(origin->operands[i].storage)) continue;
        if (origin->operation->gradient == NULL && origin->operation->no_gradient == NULL)
            refuse(way->call, "onestep has no gradient of %s", origin->operation->name);
        if (origin->operation->gradient == NULL) return;
        struct tensor grad = gradient_of_operand(way, reached, back, i);
        if (is_tensor(&grad)) grad = cast_to(grad, origin->operands[i].storage->narrow);
        if (is_tensor(&grad)) arrive(way, &origin->operands[i], grad);
    }
}

static struct tensor part_for(const struct tensor_object *object, struct tensor whole) {
    const struct tensor view = tensor_of_object(object);
    return gradient_shown(whole, &view);
}

// What arrived at the leaf. Its .data may have been set since: PyTorch takes what has the strides of the new shape.
static struct tensor part_of_leaf(struct way *way, const struct reached *reached) {
    const struct tensor_cell *cell = reached->view.storage->keeper;
    const struct tensor_object *leaf = cell->leaf;
    if (leaf->cell == cell) return part_for(leaf, reached->grad);
    const struct tensor now = tensor_of_object(leaf), reached_grad = reached->grad;
    const struct tensor grad = gradient_shown(reached_grad, &leaf->before->view);
    const bool is_spread = reached_grad.ndim > 0 && reached_grad.stride[reached_grad.ndim - 1] == 0;
    if (!is_spread && grad.ndim == now.ndim &&
        memcmp(grad.stride, now.stride, sizeof *now.stride * (size_t)now.ndim) == 0)
        return grad;
    const struct shape both = broadcast_of(way->call, &now, &grad);
    if (!shapes_equal(both, shape_of(&now)))
        refuse(way->call, "output with shape %s doesn't match the broadcast shape %s",
               sizes_list(way->call, shape_of(&now)), sizes_list(way->call, both));
    return expand(grad, both);
}

// Are these the numbers of a storage that nobody has seen? A watched gradient is copied, and its steps say from where.
static bool is_own(const struct way *way, const struct tensor *x) {
    return machine_options_of(way->call->machine)->observe == NULL && x->storage->keeper == NULL &&
           is_contiguous(x) && count_of(shape_of(x)) == x->storage->count;
}

// Numbers of its own, except where it is part of a graph.
static struct tensor apart(const struct way *way, struct tensor x, bool creates_graph) {
    return creates_graph || is_own(way, &x)
               ? x
               : perform_on(ONE(x), (struct origin){.operation = &copy_row});
}

static void accumulate(struct way *way, struct tensor_object *object, struct tensor grad,
                       bool creates_graph) {
    struct machine *machine = way->call->machine;
    struct torch_library *library = torch_library_of(machine);
    machine_tell(machine, EVENT_GRADIENT, NULL, value_of_object(object), NO_VALUE);
    if (!is_tensor_value(object->grad)) {
        object->grad = tensor_value(machine, apart(way, grad, creates_graph), creates_graph);
        return;
    }
    struct tensor_object *sum = (struct tensor_object *)object->grad.object;
    const struct tensor before = tensor_of_object(sum);
    (void)broadcast_of(way->call, &before, &grad);
    if (creates_graph) {
        object->grad = tensor_value(machine, add(before, grad), true);
        return;
    }
    const bool was_enabled = library->grad_enabled;
    library->grad_enabled = false; // nothing below refuses
    write_in_place(way->call, sum, before, add(before, grad));
    library->grad_enabled = was_enabled;
}

// retain_grad()
static void keep_gradient(struct way *way, const struct reached *reached, bool creates_graph) {
    const struct tensor_cell *cell = reached->view.storage->keeper;
    struct tensor_object *object = cell != NULL ? cell->retained : NULL;
    if (object == NULL || seen_of(&object->view) != reached->seen) return;
    accumulate(way, object, reached->seen > 0 ? reached->grad : part_for(object, reached->grad),
               creates_graph);
}

// On to what the view is of: another view, or the storage. A gradient of the storage tells nothing of a view that shows
// numbers twice, which is left out.
static void leave_view(struct way *way, const struct reached *reached) {
    const struct torch_library *library = torch_library_of(way->call->machine);
    const struct seen_view *view = view_seen(library, reached->seen);
    const struct tensor whole = gradient_of_storage(reached->grad, &reached->view);
    const uint64_t age = reached->view.storage->age;
    const struct seen_view *of =
        view != NULL && view->of > age ? view_seen(library, view->of) : NULL;
    while (of != NULL && shows_twice(&of->view))
        of = of->of > age ? view_seen(library, of->of) : NULL;
    if (of != NULL)
        add_to(way, &of->view, of->view.seen, shown_by(&of->view, whole));
    else
        add_to(way, &reached->view, 0, whole);
}

// Goes all the way; adds to .grad of leaves unless `only_asked`.
static void go_back(struct way *way, bool only_asked, bool creates_graph) {
    while (way->waiting_count > 0) {
        const struct reached reached = way->items[youngest(way)];
        const struct tensor_cell *cell = reached.view.storage->keeper;
        if (!only_asked) keep_gradient(way, &reached, creates_graph);
        if (reached.seen > 0)
            leave_view(way, &reached);
        else if (cell == NULL || cell->leaf == NULL)
            go_through(way, &reached);
        else if (!only_asked)
            accumulate(way, cell->leaf, part_of_leaf(way, &reached), creates_graph);
    }
}

static void start(struct way *way, int number, struct value output, struct value given) {
    struct torch_call *call = way->call;
    const struct tensor x = tensor_of_value(call, output);
    const bool has_one = given.kind != VALUE_NONE && given.kind != VALUE_ABSENT;
    if (!requires_grad_of((const struct tensor_object *)output.object))
        refuse(call, "element %d of tensors does not require grad and does not have a grad_fn",
               number);
    if (!has_one && count_of(shape_of(&x)) != 1)
        refuse(call, "grad can be implicitly created only for scalar outputs");
    if (!has_one) {
        arrive(way, &x, full_of(call->arena, x.storage->dtype, shape_of(&x), 1));
        return;
    }
    const struct tensor grad = tensor_of_value(call, given);
    if (!shapes_equal(shape_of(&grad), shape_of(&x)))
        refuse(call,
               "Mismatch in shape: grad_output[%d] has a shape of torch.Size(%s) and output[%d] "
               "has a shape of torch.Size(%s).",
               number, sizes_list(call, shape_of(&grad)), number, sizes_list(call, shape_of(&x)));
    arrive(way, &x, grad);
}

// ---- Names of programs -----------------------------------------------------------------------------------

// "input, gradient=None, retain_graph=None, create_graph=False"
static struct value run_backward(struct torch_call *call) {
    const bool creates = truth_argument(call, 3);
    struct way way = {.call = call,
                      .keeps_graph = is_given(call, 2) ? truth_argument(call, 2) : creates};
    start(&way, 0, call->values[0], call->values[1]);
    go_back(&way, false, creates);
    return NONE_VALUE;
}

static struct value run_retain_grad(struct torch_call *call) {
    struct tensor_object *object = (struct tensor_object *)call->values[0].object;
    (void)tensor_argument(call, 0);
    if (!requires_grad_of(object))
        refuse(call, "can't retain_grad on Tensor that has requires_grad=False");
    if (!is_leaf(object)) object->cell->retained = object;
    return NONE_VALUE;
}

// A gradient that was asked for. None where it was not reached.
static struct value answer(const struct way *way, struct value input, bool creates_graph,
                           bool allows_unused) {
    const struct tensor_object *object = (const struct tensor_object *)input.object;
    const struct tensor x = tensor_of_value(way->call, input);
    const int position = way->slots[slot_in(way, x.storage, seen_of(&x))];
    if (position >= 0) {
        const struct tensor grad = way->items[position].grad;
        return tensor_value(
            way->call->machine,
            apart(way, seen_of(&x) > 0 ? grad : part_for(object, grad), creates_graph),
            creates_graph);
    }
    if (!allows_unused)
        refuse(way->call, "One of the differentiated Tensors appears to not have been used in the "
                          "graph. Set allow_unused=True if this is the desired behavior.");
    return NONE_VALUE;
}

// "outputs, given, inputs, retain, create, allow_unused": gradients of the inputs; without inputs, those of all leaves.
static struct value run_gradients(struct torch_call *call) {
    const struct value *outputs, *given, *inputs = NULL;
    const int64_t count = items_of(call, call->values[0], &outputs);
    (void)items_of(call, call->values[1], &given);
    const int64_t asked = is_given(call, 2) ? items_of(call, call->values[2], &inputs) : 0;
    const bool creates = truth_argument(call, 4);
    struct way way = {.call = call, .keeps_graph = truth_argument(call, 3)};
    for (int64_t i = 0; i < asked; i++) {
        (void)tensor_of_value(call, inputs[i]);
        if (!requires_grad_of((const struct tensor_object *)inputs[i].object))
            refuse(call, "One of the differentiated Tensors does not require grad");
    }
    for (int64_t i = 0; i < count; i++) start(&way, (int)i, outputs[i], given[i]);
    go_back(&way, inputs != NULL, creates);
    const struct value list = list_new(call->machine, asked, NULL);
    for (int64_t i = 0; i < asked; i++)
        ((struct list *)list.object)->items[i] =
            answer(&way, inputs[i], creates, truth_argument(call, 5));
    return list;
}

// "input, name": several operations stand for one of PyTorch's, whose name grad_fn has.
static struct value run_named(struct torch_call *call) {
    struct tensor_object *object = (struct tensor_object *)call->values[0].object;
    (void)tensor_argument(call, 0);
    object->name = kept_name(call->machine, call->values[1]);
    return call->values[0];
}

const struct torch_row grad_rows[] = {
    VALUE_ROW("backward",
              "input, gradient=None, retain_graph=None, create_graph=False, inputs=None",
              run_backward, IN_TENSOR),
    VALUE_ROW("retain_grad", "input", run_retain_grad, IN_TENSOR),
    VALUE_ROW("_gradients", "outputs, given, inputs, retain, create, allow_unused", run_gradients,
              IN_TORCH),
    VALUE_ROW("_named", "input, name", run_named, IN_TORCH),
    {0},
};

// ---- grad_fn ------------------------------------------------------------------------------------------------

struct node_object {
    struct object object;
    const char *name;
    struct value tensor;
};

struct value grad_fn_of(struct machine *machine, struct value tensor) {
    const char *name = grad_name((const struct tensor_object *)tensor.object);
    if (name == NULL) return NONE_VALUE;
    struct node_object *node = object_new(machine, OBJECT_NODE, sizeof *node);
    node->name = name;
    node->tensor = tensor;
    return value_of_object(node);
}

static bool node_name(struct machine *machine, struct arguments *arguments, struct value *result) {
    const struct node_object *node = (const struct node_object *)arguments->values[0].object;
    *result = str_of(machine, full_name(node->name));
    return true;
}
static const struct native_row node_methods[] = {{"name", "self", node_name}, {NULL, NULL, NULL}};

static struct class *node_class(struct machine *machine, struct value self) {
    (void)self;
    return machine_library(machine, "grad");
}

static bool node_repr(struct machine *machine, struct value self, struct value *text) {
    *text = str_format(machine, "<%s object at %p>",
                       ((const struct node_object *)self.object)->name, (void *)self.object);
    return true;
}

static void mark_node(struct machine *machine, struct object *object) {
    machine_mark(machine, ((const struct node_object *)object)->tensor);
}

// Parameter(data=None, requires_grad=True): a tensor of this class over the same numbers.
static bool make_parameter(struct machine *machine, struct arguments *arguments,
                           struct value *result) {
    struct value make, class;
    const struct value torch = value_of_object(machine_module(machine, "torch"));
    if (!is_tensor_value(arguments->values[0]))
        return machine_raise(machine, TYPE_ERROR, "Parameter() takes a tensor, not '%s'",
                             type_name(arguments->values[0]));
    if (!machine_get(machine, torch, "_parameter", &make)) return false;
    class = dict_named(machine_module(machine, "torch.nn")->names, "Parameter");
    return machine_call(machine, make, 3,
                        (struct value[]){arguments->values[0], arguments->values[1], class},
                        result);
}
static const struct native_row parameter_row = {"Parameter", "data=None, requires_grad=True",
                                                make_parameter};

void machine_add_grad(struct machine *machine) {
    struct class *tensor = torch_library_of(machine)->tensor_class;
    struct class *parameter =
        class_new(machine, "torch.nn.parameter", "Parameter", &parameter_row, NULL);
    list_append(machine, parameter->order, value_of_object(tensor));
    list_append(machine, parameter->bases, value_of_object(tensor));
    module_set(machine, machine_module(machine, "torch.nn"), "Parameter",
               value_of_object(parameter));
    module_set(machine, machine_module(machine, "torch.nn.parameter"), "Parameter",
               value_of_object(parameter));
    machine_set_library(machine, "grad",
                        class_new(machine, "torch.autograd.graph", "Node", NULL, node_methods));
    machine_add_methods(
        machine, OBJECT_NODE,
        &(struct object_methods){.mark = mark_node, .repr = node_repr, .class_of = node_class});
}
