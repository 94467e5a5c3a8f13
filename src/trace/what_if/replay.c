#include "trace/what_if/replay.h"

#include <stdlib.h>
#include <string.h>

#include "tensor/ops/operation.h"

// ---- The tape -----------------------------------------------------------------------------------

// Finds the node of a storage: a hash table with open addressing, kept at most half full.
struct index {
    struct arena *arena;
    size_t room, used; // room is a power of two
    struct node **nodes;
};

static size_t slot_of(const struct index *index, const struct storage *storage) {
    const uint64_t mixed = (uint64_t)(uintptr_t)storage * UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = (size_t)(mixed >> 32) & (index->room - 1);
    while (index->nodes[slot] != NULL && index->nodes[slot]->lesson != storage) {
        slot = (slot + 1) & (index->room - 1);
    }
    return slot;
}

static void make_room(struct index *index) {
    const struct index old = *index;
    index->room = old.room == 0 ? 256 : 2 * old.room;
    index->nodes = arena_array(index->arena, index->room, sizeof *index->nodes);
    for (size_t i = 0; i < old.room; i++) {
        if (old.nodes[i] == NULL) continue;
        index->nodes[slot_of(index, old.nodes[i]->lesson)] = old.nodes[i];
    }
}

static void append(struct tape *tape, struct node *node) {
    const size_t used = (size_t)tape->count * sizeof *tape->nodes;
    tape->nodes = arena_grow(tape->arena, tape->nodes, used, sizeof *tape->nodes);
    tape->nodes[tape->count++] = node;
}

static struct node *new_node(struct tape *tape, struct storage *storage) {
    struct node *node = arena_allocate(tape->arena, sizeof *node);
    *node = (struct node){
        .origin = *storage->origin,
        .shape = storage->shape,
        .lesson = storage,
    };
    const enum operation operation = node->origin.operation;
    node->takes_turn =
        operation == FROM_UNIFORM || operation == FROM_NORMAL || operation == DROPOUT;
    const int count = node->origin.operand_count;
    node->operands = arena_array(tape->arena, (size_t)count, sizeof *node->operands);
    append(tape, node);
    return node;
}

// The view of a tensor, whose storage and all behind it are put on the tape if they are not on it yet.
static struct view collect(struct tape *tape, struct index *index, const struct tensor *tensor) {
    if (2 * (index->used + 1) > index->room) make_room(index);
    const size_t slot = slot_of(index, tensor->storage);
    struct node *node = index->nodes[slot];
    if (node == NULL) {
        node = new_node(tape, tensor->storage);
        index->nodes[slot] = node;
        index->used++;
        for (int i = 0; i < node->origin.operand_count; i++) {
            node->operands[i] = collect(tape, index, &node->origin.operands[i]);
        }
        if (node->origin.operation == LINEAR) node->operands[1].of->is_layer_weight = true;
    }
    return (struct view){node, *tensor};
}

// Inputs first (they may come from elsewhere), then by age.
static int by_age(const void *left, const void *right) {
    const struct node *a = *(struct node *const *)left, *b = *(struct node *const *)right;
    const uint64_t age_a = a->origin.operation == FROM_INPUT ? 0 : a->lesson->age;
    const uint64_t age_b = b->origin.operation == FROM_INPUT ? 0 : b->lesson->age;
    return (age_a > age_b) - (age_a < age_b);
}

static void find_gaps(struct tape *tape) {
    uint64_t sequence = 0, end = 0;
    for (int i = 0; i < tape->count; i++) {
        struct node *node = tape->nodes[i];
        const struct draws *draws = &node->origin.draws;
        if (!node->takes_turn) continue;
        if (draws->sequence != sequence) end = 0;
        node->gap = draws->first - end;
        sequence = draws->sequence;
        end = draws->first + draws->count;
    }
}

struct tape tape_of(struct arena *arena, const struct run *right) {
    struct tape tape = {.arena = arena, .right = right};
    struct index index = {.arena = arena};
    tape.steps = arena_array(arena, (size_t)right->step_count, sizeof *tape.steps);
    for (int i = 0; i < right->step_count; i++) {
        tape.steps[i] = collect(&tape, &index, &right->steps[i].tensor);
    }
    if (tape.count > 0) qsort(tape.nodes, (size_t)tape.count, sizeof *tape.nodes, by_age);
    find_gaps(&tape);
    return tape;
}

// ---- Changing it --------------------------------------------------------------------------------

struct origin *rewrite(struct node *node) {
    node->is_rewritten = true;
    return &node->origin;
}

static int place_of(const struct tape *tape, const struct node *node) {
    int place = 0;
    while (tape->nodes[place] != node) place++;
    return place;
}

static void insert_before(struct tape *tape, const struct node *node, struct node *added) {
    const int place = place_of(tape, node);
    append(tape, added);
    memmove(&tape->nodes[place + 1], &tape->nodes[place],
            (size_t)(tape->count - 1 - place) * sizeof *tape->nodes);
    tape->nodes[place] = added;
}

struct node *then(struct tape *tape, struct node *node, enum operation operation,
                  const struct view *second) {
    struct node *first = arena_allocate(tape->arena, sizeof *first);
    *first = *node;
    insert_before(tape, node, first);
    *node = (struct node){.origin = {.operation = operation}, .shape = first->shape};
    node->operands = arena_array(tape->arena, 2, sizeof *node->operands);
    node->operands[0] = (struct view){first, tensor_over(NULL, first->shape)};
    node->origin.operand_count = 1;
    if (second != NULL) node->operands[node->origin.operand_count++] = *second;
    return first;
}

struct view constant(struct tape *tape, const struct node *user, double number) {
    struct node *node = arena_allocate(tape->arena, sizeof *node);
    *node = (struct node){.origin = {.operation = FROM_INPUT, .number = number}, .shape = NO_DIMS};
    insert_before(tape, user, node);
    return (struct view){node, tensor_over(NULL, NO_DIMS)};
}

void exchange(struct tape *tape, struct node *a, struct node *b) {
    const int place_a = place_of(tape, a), place_b = place_of(tape, b);
    tape->nodes[place_a] = b;
    tape->nodes[place_b] = a;
    a->is_rewritten = b->is_rewritten = true;
}

// ---- What is needed -----------------------------------------------------------------------------

static void mark_needed(struct tape *tape, int step) {
    for (int i = 0; i < tape->count; i++) tape->nodes[i]->is_needed = false;
    for (int i = 0; i < tape->right->step_count; i++) {
        if (step == ALL_STEPS || step == i) tape->steps[i].of->is_needed = true;
    }
    uint64_t sequence = 0; // of a draw that is needed: those before it are as well
    for (int i = tape->count - 1; i >= 0; i--) {
        struct node *node = tape->nodes[i];
        if (node->takes_turn) {
            if (node->origin.draws.sequence == sequence) node->is_needed = true;
            if (node->is_needed) sequence = node->origin.draws.sequence;
        }
        for (int j = 0; node->is_needed && j < node->origin.operand_count; j++) {
            node->operands[j].of->is_needed = true;
        }
    }
}

// ---- Playing it ---------------------------------------------------------------------------------

// Once a draw has to be made again, the generator is set going from there on, to the end of the
// sequence. Until then only the lesson's draws are counted.
struct player {
    struct arena *arena;
    enum effort effort;
    struct generator generator;
    uint64_t sequence;
    uint64_t place; // lesson's draws since the seed
    bool is_going;
};

struct tensor played(const struct view *view) {
    struct tensor tensor = view->tensor;
    tensor.storage = view->of->result.storage;
    tensor.offset += view->of->result.offset;
    return tensor;
}

static struct tensor made_from_nothing(struct player *p, const struct node *node) {
    const struct origin *o = &node->origin;
    switch (o->operation) {
    case FROM_INPUT:
        return scalar(p->arena, o->number);
    case FROM_FULL:
        return full(p->arena, node->shape, o->number);
    case FROM_UNIFORM:
        return uniform(p->arena, &p->generator, node->shape, (double)o->least, (double)o->most);
    default:
        return normal(p->arena, &p->generator, node->shape);
    }
}

// The node's operation, done through the function of that name. x are its operands.
static struct tensor made_of(struct player *p, const struct origin *o, const struct tensor *x) {
    struct arena *m = p->arena;
    switch (o->operation) {
    case ADD:
        return add(m, x[0], x[1]);
    case SUBTRACT:
        return subtract(m, x[0], x[1]);
    case MULTIPLY:
        return multiply(m, x[0], x[1]);
    case DIVIDE:
        return divide(m, x[0], x[1]);
    case ABSOLUTE:
        return absolute(m, x[0]);
    case RELU:
        return relu(m, x[0]);
    case MATMUL:
        return matmul(m, x[0], x[1]);
    case LINEAR:
        return linear(m, x[0], x[1], o->operand_count > 2 ? x[2] : NO_TENSOR);
    case SOFTMAX:
        return softmax(m, x[0], o->dim);
    case SUM:
        return sum(m, x[0], o->dim, true);
    case MEAN:
        return mean(m, x[0], o->dim);
    case VARIANCE:
        return var(m, x[0], o->dim);
    case LARGEST:
        return amax(m, x[0]);
    case TRIL:
        return tril(m, x[0], o->diagonal);
    case TRIU:
        return triu(m, x[0], o->diagonal);
    case TO_BOOL:
        return to_bool(m, x[0]);
    case MASKED_FILL:
        return masked_fill(m, x[0], x[1], o->number);
    case DROPOUT:
        return dropout(m, &p->generator, x[0], o->number, o->draws.stream);
    case CAT:
        return cat(m, o->operand_count, x, o->dim);
    case STACK:
        return stack(m, o->operand_count, x, o->dim);
    case COPY:
        return contiguous(m, x[0]);
    case EMBEDDING:
        return embed(m, x[0], x[1]);
    case CROSS_ENTROPY:
        return cross_entropy(m, x[0], x[1]);
    default:
        fail(m->failure, FAIL_RUNTIME, "replay: no lesson used %s before",
             operation_name(o->operation));
    }
}

static void compute(struct player *p, struct node *node) {
    const int count = node->origin.operand_count;
    struct tensor *x = arena_array(p->arena, (size_t)count, sizeof *x);
    for (int i = 0; i < count; i++) x[i] = played(&node->operands[i]);
    struct tensor made;
    if (node->is_skipped)
        made = x[0];
    else if (count == 0)
        made = made_from_nothing(p, node);
    else
        made = made_of(p, &node->origin, x);
    made = contiguous(p->arena, made);
    node->result = tensor_over(made.storage, node->shape);
    node->result.offset = made.offset;
}

// Are the lesson's own numbers what this node would compute?
static bool is_unchanged(const struct player *p, const struct node *node) {
    enum { BLOCK = 16 }; // fewer normal numbers may leave one behind in the generator for the next
    if (node->lesson == NULL || node->is_rewritten || node->is_skipped) return false;
    if (node->origin.operation == FROM_INPUT) return true;
    if (p->effort == EVERYTHING) return false;
    if (node->origin.operation == FROM_NORMAL && count_of(node->shape) < BLOCK) return false;
    for (int i = 0; i < node->origin.operand_count; i++) {
        const struct view *view = &node->operands[i];
        const struct storage *now = view->of->result.storage;
        if (now != view->tensor.storage || view->of->result.offset != 0) return false;
    }
    return true;
}

// Before a node that draws or drew: counts on to where it stands in the sequence.
static void go_to(struct player *p, const struct node *node) {
    if (node->origin.draws.sequence != p->sequence) {
        p->sequence = node->origin.draws.sequence;
        p->place = 0;
        p->is_going = false;
    }
    p->place += node->gap;
    if (p->is_going) skip_to(&p->generator, p->generator.drawn + node->gap);
}

static void start_generator(struct player *p, uint64_t seed) {
    manual_seed(&p->generator, seed);
    p->generator.sequence = p->sequence;
    skip_to(&p->generator, p->place);
    p->is_going = true;
}

static void play_node(struct player *p, struct node *node) {
    if (node->takes_turn) go_to(p, node);
    const bool is_same = is_unchanged(p, node) && !(node->takes_turn && p->is_going);
    if (node->takes_turn && !is_same && !p->is_going) start_generator(p, node->origin.draws.seed);
    if (is_same) {
        struct tensor of_lesson = tensor_over(NULL, node->shape);
        of_lesson.storage = node->lesson;
        node->result = of_lesson;
        p->place += node->origin.draws.count;
    } else {
        compute(p, node);
    }
}

void play(struct tape *tape, int step, enum effort effort) {
    struct player player = {.arena = tape->arena, .effort = effort};
    mark_needed(tape, step);
    for (int i = 0; i < tape->count; i++) {
        if (tape->nodes[i]->is_needed) play_node(&player, tape->nodes[i]);
    }
}
