#include "trace/tape/replay.h"

#include <math.h>

#include "base/fail.h"
#include "tensor/operation/disturbance.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "trace/tape/gradient.h"
#include "trace/tape/tape.h"
#include "trace/tape/training.h"

// ---- The nodes ----------------------------------------------------------------------------------

// One storage of the lesson: how it is computed, and after play() its result.
struct node {
    struct origin origin;   // operation and attributes. Instead of origin.operands:
    struct view *operands;  // origin.operand_count of them
    struct storage *lesson; // what the lesson computed
    struct storage *put;    // what stands in its place; NULL: nothing does
    bool is_needed;
    struct tensor result; // contiguous, in the lesson's shape
    struct tensor answer; // the gradient, if it is computed together with other gradients
};

// The view of a tensor, whose storage is on the tape.
static struct view view_on(const struct replay *replay, const struct tape *tape,
                           const struct tensor *tensor) {
    return (struct view){replay->nodes[place_on_tape(tape, tensor->storage)], *tensor};
}

// What a gradient that was asked for becomes on the tape: it is asked for again, of what was played, so
// that it follows a changed way forward. The operations that made it are no nodes.
static const struct operation asked_row = {.name = "gradient"};

// The node of a storage, whose operands have theirs already.
static struct node *new_node(const struct replay *replay, const struct tape *tape,
                             struct storage *storage) {
    int count;
    const struct tensor *operands = made_of(storage, &count);
    struct node *node = arena_allocate(replay->arena, sizeof *node);
    *node = (struct node){.origin = *storage->origin, .lesson = storage};
    if (storage->question != NULL)
        node->origin = (struct origin){.operation = &asked_row, .operand_count = count};
    node->operands = arena_array(replay->arena, (size_t)count, sizeof *node->operands);
    for (int i = 0; i < count; i++) node->operands[i] = view_on(replay, tape, &operands[i]);
    return node;
}

struct replay replay_of(struct arena *arena, const struct run *right) {
    struct replay replay = {.arena = arena, .right = right};
    arena_number_behind(arena, right->memory); // what is played is younger than what it is made of
    struct tensor *shown = arena_array(arena, (size_t)right->step_count, sizeof *shown);
    for (int i = 0; i < right->step_count; i++) shown[i] = right->steps[i].tensor;
    const struct tape tape = tape_of(arena, right->step_count, shown);
    replay.nodes = arena_array(arena, (size_t)tape.count, sizeof *replay.nodes);
    for (int i = 0; i < tape.count; i++)
        replay.nodes[replay.count++] = new_node(&replay, &tape, tape.storages[i]);
    replay.steps = arena_array(arena, (size_t)right->step_count, sizeof *replay.steps);
    for (int i = 0; i < right->step_count; i++)
        replay.steps[i] = view_on(&replay, &tape, &shown[i]);
    return replay;
}

bool put(struct replay *replay, const struct storage *storage, struct storage *numbers) {
    for (int i = 0; i < replay->count; i++) {
        if (replay->nodes[i]->lesson != storage) continue;
        replay->nodes[i]->put = numbers;
        return true;
    }
    return false;
}

static void mark_needed(struct replay *replay, int step) {
    for (int i = 0; i < replay->count; i++) replay->nodes[i]->is_needed = false;
    for (int i = 0; i < replay->right->step_count; i++) {
        if (step == ALL_STEPS || step == i) replay->steps[i].of->is_needed = true;
    }
    for (int i = replay->count - 1; i >= 0; i--) {
        const struct node *node = replay->nodes[i];
        for (int j = 0; node->is_needed && j < node->origin.operand_count; j++)
            node->operands[j].of->is_needed = true;
    }
}

// ---- Playing it ---------------------------------------------------------------------------------

struct player {
    struct arena *arena;
    const struct replay *replay;
    enum effort effort;
    struct generator generator;
    bool is_going; // the generator
};

struct tensor played(const struct view *view) {
    struct tensor tensor = view->tensor;
    tensor.storage = view->of->result.storage;
    tensor.offset += view->of->result.offset;
    return tensor;
}

// contiguous() in this arena, whichever the numbers lie in.
static struct tensor row_by_row(struct arena *arena, struct tensor x) {
    if (is_contiguous(&x)) return x;
    return perform(arena, &(struct origin){&copy_row, .operand_count = 1, .operands = &x});
}

// Is it a gradient of this loss that can be asked for by now?
static bool asks_of(const struct node *node, const struct node *loss) {
    return node->origin.operation == &asked_row && node->is_needed &&
           node->operands[0].of == loss && node->operands[1].of->result.storage != NULL;
}

// Asks for all gradients of a loss at once, which takes little longer than for one of them. A loss that does
// not depend on a number any more has no gradient: 0.
static void ask_again(struct player *p, const struct view *loss) {
    const size_t room = (size_t)p->replay->count;
    struct node **nodes = arena_array(p->arena, room, sizeof *nodes);
    struct tensor *of = arena_array(p->arena, room, sizeof *of);
    struct tensor *grads = arena_array(p->arena, room, sizeof *grads);
    int count = 0;
    for (int i = 0; i < p->replay->count; i++) {
        struct node *node = p->replay->nodes[i];
        if (!asks_of(node, loss->of)) continue;
        nodes[count] = node;
        of[count++] = played(&node->operands[1]);
    }
    gradients(played(loss), count, of, grads);
    for (int i = 0; i < count; i++)
        nodes[i]->answer =
            is_tensor(&grads[i]) ? grads[i] : full(p->arena, nodes[i]->lesson->shape, 0);
}

// The generator as it was before an operation drew.
static struct generator *generator_at(struct player *p, const struct draws *draws) {
    struct generator *generator = &p->generator;
    const bool continues = p->is_going && generator->sequence == draws->sequence &&
                           generator->drawn <= draws->first &&
                           generator->has_normal == draws->has_normal;
    if (!continues) manual_seed(generator, draws->seed);
    if (!continues && draws->has_normal) {
        float first;
        skip_to(generator, draws->normal_at);
        random_normal(generator, &first, 1);
    }
    skip_to(generator, draws->first);
    generator->sequence = draws->sequence;
    p->is_going = true;
    return generator;
}

static struct tensor perform_node(struct player *p, struct node *node, const struct tensor *x) {
    if (node->origin.operation == &asked_row) {
        if (!is_tensor(&node->answer)) ask_again(p, &node->operands[0]);
        return node->answer;
    }
    struct origin origin = node->origin;
    origin.operands = x;
    origin.shape = node->lesson->shape;
    origin.generator = NULL;
    if (origin.operation->draws) origin.generator = generator_at(p, &node->origin.draws);
    return perform(p->arena, &origin);
}

static struct tensor computed(struct player *p, struct node *node) {
    const int count = node->origin.operand_count;
    struct tensor *x = arena_array(p->arena, (size_t)count, sizeof *x);
    for (int i = 0; i < count; i++) x[i] = played(&node->operands[i]);
    const struct tensor made = row_by_row(p->arena, perform_node(p, node, x));
    made.storage->purpose = node->lesson->purpose;
    struct tensor result = tensor_over(made.storage, node->lesson->shape);
    result.offset = made.offset;
    return result;
}

// Are the lesson's own numbers what this node would compute?
static bool is_unchanged(const struct player *p, const struct node *node) {
    if (node->lesson->origin->operation->compute == NULL) return true;
    if (p->effort == EVERYTHING) return false;
    for (int i = 0; i < node->origin.operand_count; i++) {
        const struct view *view = &node->operands[i];
        const struct storage *now = view->of->result.storage;
        if (now != view->tensor.storage || view->of->result.offset != 0) return false;
    }
    return true;
}

// What stands in the place of a node's numbers: the second operand, with the gradient of the first.
static struct tensor compute_put(struct arena *arena, const struct origin *origin) {
    return perform(
        arena, &(struct origin){&copy_row, .operand_count = 1, .operands = &origin->operands[1]});
}

static struct tensor gradient_of_put(const struct backward *back, int operand) {
    return operand == 0 ? back->grad : NO_TENSOR;
}

static const struct operation put_row = {
    .name = "put", .compute = compute_put, .gradient = gradient_of_put};

static void play_node(struct player *p, struct node *node) {
    const struct shape shape = node->lesson->shape;
    node->result = is_unchanged(p, node) ? tensor_over(node->lesson, shape) : computed(p, node);
    if (node->put == NULL) return;
    const struct tensor both[] = {node->result, tensor_over(node->put, shape)};
    const struct origin origin = {&put_row, .operand_count = 2, .operands = both};
    node->result = perform(p->arena, &origin);
    node->result.storage->purpose = node->lesson->purpose;
}

void play(struct replay *replay, int step, enum effort effort) {
    struct player *player = arena_allocate(replay->arena, sizeof *player);
    *player = (struct player){.arena = replay->arena, .replay = replay, .effort = effort};
    mark_needed(replay, step);
    for (int i = 0; i < replay->count; i++) {
        if (replay->nodes[i]->is_needed) play_node(player, replay->nodes[i]);
    }
}

// ---- Runs played again --------------------------------------------------------------------------

static bool is_on(const struct tape *tape, const struct tensor *tensor) {
    return is_tensor(tensor) && place_on_tape(tape, tensor->storage) >= 0;
}

// Is there an operation on the tape with one of these names?
static bool has_operation(const struct tape *tape, const struct operation *const *rows, int count) {
    for (int i = 0; i < tape->count; i++) {
        for (int j = 0; j < count; j++)
            if (tape->storages[i]->origin->operation == rows[j]) return true;
    }
    return false;
}

// How many updates of the trainings it takes: all, or the first.
static int64_t updates_behind(const struct run *right, const struct tape *tape) {
    bool needs_all = right->parameters.updates < 1;
    for (int i = 0; i < right->training_count; i++) {
        const struct trained *trained = right->trainings[i];
        needs_all = needs_all || is_on(tape, &trained->losses);
        for (int j = 0; j < MOST_TRAINED; j++)
            needs_all = needs_all || is_on(tape, &trained->parameters[j]);
    }
    return needs_all ? right->parameters.updates : 1;
}

// A step behind a training is computed by the lesson itself, as far as the step; a part of it is played again from there.
static struct tensor run_as_far_as(struct arena *arena, const struct run *right, int step,
                                   int64_t updates) {
    const struct step *shown = &right->steps[step];
    const struct step *whole = shown->part_of != NULL ? shown->part_of : shown;
    struct parameters parameters = right->parameters;
    struct run *again = arena_allocate(arena, sizeof *again);
    parameters.updates = updates;
    const struct step *last = run_until(again, arena, right->lesson, &parameters, whole);
    if (last == NULL)
        fail(arena->failure, arena->failure->status, "%s",
             arena_copy(arena, arena->failure->message));
    if (whole == shown) return last->tensor;
    struct replay replay = replay_of(arena, right);
    put(&replay, whole->tensor.storage, last->tensor.storage);
    play(&replay, step, ONLY_CHANGES);
    return played(&replay.steps[step]);
}

void recompute_step(struct tensor *result, struct arena *arena, const struct run *right, int step) {
    static const struct operation *const updates[] = {&zero_grad_row};
    const struct tape tape = tape_of(arena, 1, &right->steps[step].tensor);
    if (has_operation(&tape, updates, 1)) {
        *result = run_as_far_as(arena, right, step, updates_behind(right, &tape));
        return;
    }
    struct replay replay = replay_of(arena, right);
    play(&replay, step, EVERYTHING);
    *result = played(&replay.steps[step]);
}

bool recompute_as_1_13(struct tensor *result, struct arena *arena, const struct run *right,
                       int step) {
    static struct disturbance older = {.is_of_1_13 = true};
    static const struct operation *const rows[] = {&zero_grad_row, &softmax_backward_row};
    const struct tape tape = tape_of(arena, 1, &right->steps[step].tensor);
    bool may_differ = has_operation(&tape, rows, 2);
    for (int i = 0; i < tape.count; i++)
        may_differ = may_differ || tape.storages[i]->question != NULL;
    if (!may_differ) return false;
    struct arena *child = arena_child(arena);
    child->disturbance = &older;
    recompute_step(result, child, right, step);
    return true;
}

// The storage of a step with other numbers in the step's view of it. A whole number that is none is 0.
static struct storage *with_numbers(struct arena *arena, const struct tensor *shown,
                                    const double *values) {
    const struct storage *lesson = shown->storage;
    const struct tensor whole = tensor_over(shown->storage, lesson->shape);
    const struct tensor numbers = tensor_given(arena, lesson->dtype, lesson->shape);
    for (int64_t i = 0; i < lesson->count; i++)
        put_number(numbers.storage, i, element_at(&whole, i));
    int64_t index[MAX_DIMS] = {0};
    const struct shape shape = shape_of(shown);
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index))
        put_number(numbers.storage, flat_index(shown, index),
                   lesson->dtype == INT64 && !isfinite(values[i]) ? 0 : values[i]);
    return numbers.storage;
}

void replay_handed(struct run *result, struct arena *arena, const struct run *right,
                   const struct handed *handed) {
    struct replay replay = replay_of(arena, right);
    for (int i = 0; i < handed->count; i++) {
        const struct tensor *shown = &right->steps[handed->steps[i]].tensor;
        put(&replay, shown->storage, with_numbers(arena, shown, handed->values[i]));
    }
    play(&replay, ALL_STEPS, ONLY_CHANGES);
    *result = *right;
    result->memory = arena;
    result->steps = arena_array(arena, (size_t)right->step_count, sizeof *result->steps);
    for (int i = 0; i < right->step_count; i++) {
        result->steps[i] = right->steps[i];
        result->steps[i].tensor = played(&replay.steps[i]);
    }
}
