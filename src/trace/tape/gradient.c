#include "trace/tape/gradient.h"

#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/ops.h"
#include "trace/tape/tape.h"

// The way back, storage by storage of the tape.
struct way_back {
    struct tape tape;
    bool *is_asked; // a gradient behind it is asked for
    struct tensor
        *grads; // so far, of all of each storage; NO_TENSOR of those that no use has reached
};

static bool lets_through(const struct way_back *way, const struct origin *origin, int operand) {
    const struct storage *storage = origin->operands[operand].storage;
    const int position = place_on_tape(&way->tape, storage);
    return origin->operation->gradient != NULL && position >= 0 && way->is_asked[position];
}

static void find_asked(struct way_back *way, int count, const struct tensor *of) {
    for (int i = 0; i < count; i++) {
        const int position = place_on_tape(&way->tape, of[i].storage);
        if (position >= 0) way->is_asked[position] = true;
    }
    for (int i = 0; i < way->tape.count; i++) {
        const struct origin *origin = way->tape.storages[i]->origin;
        if (way->tape.storages[i]->question != NULL) continue; // a gradient answers to nothing
        for (int j = 0; j < origin->operand_count && !way->is_asked[i]; j++)
            way->is_asked[i] = lets_through(way, origin, j);
    }
}

// Walks x its storage from end to end, row by row?
static bool shows_all(const struct tensor *x) {
    return x->offset == 0 && is_contiguous(x) && count_of(shape_of(x)) == x->storage->count;
}

// Exchanges dimensions of x, and those of `grad` with them, until x walks its storage from end to end.
// Returns false if there is no such order.
static bool turn_back(struct tensor *x, struct tensor *grad) {
    for (int dim = 0; dim < x->ndim; dim++) {
        int widest = dim;
        for (int i = dim + 1; i < x->ndim; i++) {
            const bool goes_first = x->shape[i] > 1 && x->stride[i] > x->stride[widest];
            if (goes_first || x->shape[widest] == 1) widest = i;
        }
        *x = transpose(*x, dim, widest);
        *grad = transpose(*grad, dim, widest);
    }
    return shows_all(x);
}

struct tensor gradient_of_storage(struct tensor grad, const struct tensor *x) {
    struct tensor walked = *x, turned = grad;
    if (shows_all(x)) return reshape(grad, x->storage->shape);
    return turn_back(&walked, &turned) ? reshape(turned, x->storage->shape) : scatter_add(grad, *x);
}

static void add_use(struct way_back *way, const struct tensor *x, struct tensor grad) {
    struct tensor *sum = &way->grads[place_on_tape(&way->tape, x->storage)];
    const struct tensor addend = gradient_of_storage(sum_to(grad, shape_of(x)), x);
    *sum = is_tensor(sum) ? add(*sum, addend) : addend;
}

static void go_back_through(struct way_back *way, int position) {
    struct storage *storage = way->tape.storages[position];
    const struct origin *origin = storage->origin;
    const struct backward back = {
        .origin = origin,
        .result = tensor_over(storage, storage->shape),
        .grad = way->grads[position],
    };
    for (int i = 0; i < origin->operand_count; i++) {
        if (!lets_through(way, origin, i)) continue;
        const struct tensor grad = origin->operation->gradient(&back, i);
        if (is_tensor(&grad)) add_use(way, &origin->operands[i], grad);
    }
}

struct tensor gradient_shown(struct tensor grad, const struct tensor *of) {
    const struct tensor whole = contiguous(grad);
    struct tensor result = *of;
    result.storage = whole.storage;
    result.offset += whole.offset;
    return result;
}

// Remembers with a gradient what was asked. It has a storage of its own for that.
static struct tensor answer_to(struct tensor loss, struct tensor of, struct tensor grad) {
    struct arena *arena = loss.storage->arena;
    if (!shows_all(&grad) || grad.storage->question != NULL)
        grad = with_axes_of(perform_on(ONE(grad), (struct origin){.operation = &copy_row}), &of);
    struct tensor *question = arena_array(arena, 2, sizeof *question);
    question[0] = loss;
    question[1] = of;
    grad.storage->question = question;
    grad.storage->purpose = (struct purpose){.role = ROLE_GRADIENT, .of = of.storage};
    return grad;
}

void gradients(struct tensor loss, int count, const struct tensor *of, struct tensor *grads) {
    struct arena *arena = loss.storage->arena;
    struct way_back way = {.tape = tape_of(arena, 1, &loss)};
    const size_t room = (size_t)way.tape.count;
    way.is_asked = arena_array(arena, room, sizeof *way.is_asked);
    way.grads = arena_array(arena, room, sizeof *way.grads);
    find_asked(&way, count, of);
    way.grads[place_on_tape(&way.tape, loss.storage)] =
        gradient_of_storage(full(arena, NO_DIMS, 1), &loss);
    for (int position = way.tape.count - 1; position >= 0; position--) {
        if (way.is_asked[position] && is_tensor(&way.grads[position]))
            go_back_through(&way, position);
    }
    for (int i = 0; i < count; i++) {
        const int at = place_on_tape(&way.tape, of[i].storage);
        const bool is_reached = at >= 0 && is_tensor(&way.grads[at]);
        grads[i] =
            is_reached ? answer_to(loss, of[i], gradient_shown(way.grads[at], &of[i])) : NO_TENSOR;
    }
}

struct tensor gradient(struct tensor loss, struct tensor of) {
    struct tensor grad;
    gradients(loss, 1, &of, &grad);
    return grad;
}
