#include "trace/what_if/replay.h"

#include <math.h>
#include <string.h>

#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "trace/tape/gradient.h"
#include "trace/tape/tape.h"

// ---- The nodes ----------------------------------------------------------------------------------

static void append(struct replay *replay, struct node *node) {
    const size_t used = (size_t)replay->count * sizeof *replay->nodes;
    replay->nodes = arena_grow(replay->arena, replay->nodes, used, sizeof *replay->nodes);
    replay->nodes[replay->count++] = node;
}

// The view of a tensor, whose storage is on the tape.
static struct view view_on(const struct replay *replay, const struct tape *tape,
                           const struct tensor *tensor) {
    return (struct view){replay->nodes[place_on_tape(tape, tensor->storage)], *tensor};
}

// What a gradient that was asked for becomes on the tape: it is asked for again, of what was played, so
// that it follows a changed way forward. The operations that made it are no nodes.
static const struct operation asked_row = {.name = "gradient"};

// What a settled storage becomes: it is as it is.
static const struct operation settled_row = {.name = "settled"};

// The node of a storage, whose operands have theirs already.
static struct node *new_node(const struct replay *replay, const struct tape *tape,
                             struct storage *storage) {
    int count;
    const struct tensor *operands = made_of(storage, &count);
    struct node *node = arena_allocate(replay->arena, sizeof *node);
    *node = (struct node){.origin = *storage->origin,
                          .shape = storage->shape,
                          .purpose = storage->purpose,
                          .lesson = storage};
    if (storage->question != NULL)
        node->origin = (struct origin){.operation = &asked_row, .operand_count = count};
    if (storage->is_settled) node->origin = (struct origin){.operation = &settled_row};
    node->turn.is_taken = node->origin.operation->draws;
    node->operands = arena_array(replay->arena, (size_t)count, sizeof *node->operands);
    for (int i = 0; i < count; i++) node->operands[i] = view_on(replay, tape, &operands[i]);
    return node;
}

// The state of the generator at one place of the lesson.
struct kept_state {
    bool is_needed;
    bool is_going;              // as in struct player
    uint64_t place;             // lesson's draws since the seed
    struct generator generator; // if it is going
};

// The first of the nodes before `place` that draw from this sequence at `first`, or at the last place before it;
// NULL if there is none.
static struct node *node_drawing_at(const struct replay *replay, int place,
                                    const struct draws *draws) {
    struct node *best = NULL;
    for (int i = 0; i < place; i++) {
        struct node *node = replay->nodes[i];
        const struct draws *own = &node->origin.draws;
        if (!node->turn.is_taken || own->sequence != draws->sequence) continue;
        if (own->first > draws->first) continue;
        if (best == NULL || own->first > best->origin.draws.first) best = node;
    }
    return best;
}

// The lesson's generator went on to another seed, or back to the state before an earlier node. No gap is larger
// than what the lesson drew, whatever a rule changes.
static void find_start(const struct replay *replay, int place) {
    struct turn *turn = &replay->nodes[place]->turn;
    const struct draws *draws = &replay->nodes[place]->origin.draws;
    struct node *earlier = node_drawing_at(replay, place, draws);
    turn->gap = draws->first;
    if (earlier == NULL) return;
    if (earlier->turn.kept_in == NULL)
        earlier->turn.kept_in = arena_allocate(replay->arena, sizeof *earlier->turn.kept_in);
    turn->set_from = earlier->turn.kept_in;
    turn->gap -= earlier->origin.draws.first;
}

static void find_turns(const struct replay *replay) {
    uint64_t sequence = 0, end = 0;
    for (int i = 0; i < replay->count; i++) {
        struct node *node = replay->nodes[i];
        const struct draws *draws = &node->origin.draws;
        if (!node->turn.is_taken) continue;
        if (draws->sequence == sequence && draws->first >= end)
            node->turn.gap = draws->first - end;
        else
            find_start(replay, i);
        sequence = draws->sequence;
        end = draws->first + draws->count;
    }
}

struct replay replay_of(struct arena *arena, const struct run *right) {
    struct replay replay = {.arena = arena, .right = right, .step_count = right->step_count};
    arena_number_behind(arena, right->memory); // what is played is younger than what it is made of
    struct tensor *shown = arena_array(arena, (size_t)right->step_count, sizeof *shown);
    for (int i = 0; i < right->step_count; i++) shown[i] = right->steps[i].tensor;
    const struct tape tape = tape_of(arena, right->step_count, shown);
    replay.nodes = arena_grow(arena, NULL, 0, (size_t)tape.count * sizeof *replay.nodes);
    for (int i = 0; i < tape.count; i++)
        replay.nodes[replay.count++] = new_node(&replay, &tape, tape.storages[i]);
    replay.steps = arena_array(arena, (size_t)right->step_count, sizeof *replay.steps);
    for (int i = 0; i < right->step_count; i++)
        replay.steps[i] = view_on(&replay, &tape, &shown[i]);
    find_turns(&replay);
    return replay;
}

// ---- Changing it --------------------------------------------------------------------------------

struct origin *rewrite(struct node *node) {
    node->is_rewritten = true;
    return &node->origin;
}

int place_of_node(const struct replay *replay, const struct node *node) {
    int place = 0;
    while (replay->nodes[place] != node) place++;
    return place;
}

static void insert_before(struct replay *replay, const struct node *node, struct node *added) {
    const int place = place_of_node(replay, node);
    append(replay, added);
    memmove(&replay->nodes[place + 1], &replay->nodes[place],
            (size_t)(replay->count - 1 - place) * sizeof *replay->nodes);
    replay->nodes[place] = added;
}

struct node *insert_after(struct replay *replay, struct node *node,
                          const struct operation *operation, const struct view *second) {
    struct node *first = arena_allocate(replay->arena, sizeof *first);
    *first = *node;
    insert_before(replay, node, first);
    *node = (struct node){
        .origin = {.operation = operation}, .shape = first->shape, .purpose = first->purpose};
    node->operands = arena_array(replay->arena, 2, sizeof *node->operands);
    node->operands[0] = (struct view){first, tensor_over(NULL, first->shape)};
    node->origin.operand_count = 1;
    if (second != NULL) node->operands[node->origin.operand_count++] = *second;
    return first;
}

struct view constant(struct replay *replay, const struct node *user, double number) {
    struct node *node = arena_allocate(replay->arena, sizeof *node);
    *node =
        (struct node){.origin = {.operation = &constant_row, .number = number}, .shape = NO_DIMS};
    insert_before(replay, user, node);
    return (struct view){node, tensor_over(NULL, NO_DIMS)};
}

struct view computed(struct replay *replay, const struct node *user,
                     const struct operation *operation, int count, const struct view *views) {
    struct node *node = arena_allocate(replay->arena, sizeof *node);
    const struct shape shape = shape_of(&views[0].tensor);
    *node =
        (struct node){.origin = {.operation = operation, .operand_count = count}, .shape = shape};
    node->operands = arena_array(replay->arena, (size_t)count, sizeof *node->operands);
    for (int i = 0; i < count; i++) node->operands[i] = views[i];
    insert_before(replay, user, node);
    return (struct view){node, tensor_over(NULL, shape)};
}

bool is_asked(const struct node *node) {
    return node->origin.operation == &asked_row;
}

static struct view whole(struct node *node) {
    return (struct view){node, tensor_over(NULL, node->shape)};
}

void ask_gradient(struct replay *replay, struct node *node, struct node *loss, struct node *of) {
    node->operands = arena_array(replay->arena, 2, sizeof *node->operands);
    node->operands[0] = whole(loss);
    node->operands[1] = whole(of);
    *rewrite(node) = (struct origin){.operation = &asked_row, .operand_count = 2};
}

void give(struct replay *replay, struct node *node, const struct tensor *numbers) {
    struct node *given = arena_allocate(replay->arena, sizeof *given);
    *given = (struct node){
        .origin = {.operation = &given_row},
        .shape = node->shape,
        .lesson = numbers->storage,
    };
    insert_before(replay, node, given);
    rewrite(node)->operand_count = 1;
    node->operands = arena_allocate(replay->arena, sizeof *node->operands);
    node->operands[0] = (struct view){given, tensor_over(NULL, given->shape)};
    node->is_skipped = true;
}

// What a grafted node becomes: the second operand, with the gradient of the first.
static struct tensor compute_grafted(struct arena *arena, const struct origin *origin) {
    return perform(
        arena, &(struct origin){&copy_row, .operand_count = 1, .operands = &origin->operands[1]});
}

static struct tensor gradient_of_grafted(const struct backward *back, int operand) {
    (void)operand;
    return back->grad;
}

static const struct operation grafted_row = {
    .name = "grafted", .compute = compute_grafted, .gradient = gradient_of_grafted};

void graft(struct replay *replay, int step, const double *values) {
    const struct view *view = &replay->steps[step];
    const struct tensor *shown = &view->tensor;
    struct storage *lesson = replay->right->steps[step].tensor.storage;
    const struct tensor whole = tensor_over(lesson, lesson->shape);
    const struct tensor numbers = tensor_given(replay->arena, lesson->dtype, view->of->shape);
    for (int64_t i = 0; i < lesson->count; i++)
        put_number(numbers.storage, i, element_at(&whole, i));
    int64_t index[MAX_DIMS] = {0};
    const struct shape shape = shape_of(shown);
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index))
        put_number(numbers.storage, flat_index(shown, index),
                   lesson->dtype == INT64 && !isfinite(values[i]) ? 0 : values[i]);
    struct node *given = arena_allocate(replay->arena, sizeof *given);
    *given = (struct node){
        .origin = {.operation = &given_row}, .shape = view->of->shape, .lesson = numbers.storage};
    insert_before(replay, view->of, given);
    const struct view second = {given, tensor_over(NULL, given->shape)};
    (void)insert_after(replay, view->of, &grafted_row, &second);
}

struct node *node_with(const struct replay *replay, const struct storage *storage) {
    for (int i = 0; i < replay->count; i++) {
        if (replay->nodes[i]->lesson == storage) return replay->nodes[i];
    }
    return NULL;
}

void exchange(struct replay *replay, struct node *a, struct node *b) {
    const int place_a = place_of_node(replay, a), place_b = place_of_node(replay, b);
    replay->nodes[place_a] = b;
    replay->nodes[place_b] = a;
    a->is_rewritten = b->is_rewritten = true;
}

// A state that is nobody's: no draws since the seed.
void draw_anew(struct replay *replay, struct node *node) {
    node->turn.set_from = arena_allocate(replay->arena, sizeof *node->turn.set_from);
    node->turn.gap = 0;
    (void)rewrite(node);
}

// ---- What is needed -----------------------------------------------------------------------------

static bool is_state_needed(const struct node *node) {
    return node->turn.kept_in != NULL && node->turn.kept_in->is_needed;
}

static void mark_needed(struct replay *replay, int step) {
    for (int i = 0; i < replay->count; i++) {
        struct node *node = replay->nodes[i];
        node->is_needed = false;
        if (node->turn.kept_in != NULL) node->turn.kept_in->is_needed = false;
    }
    for (int i = 0; i < replay->step_count; i++) {
        if (step == ALL_STEPS || step == i) replay->steps[i].of->is_needed = true;
    }
    uint64_t sequence = 0; // of a draw that is needed: those before it are as well
    for (int i = replay->count - 1; i >= 0; i--) {
        struct node *node = replay->nodes[i];
        if (node->turn.is_taken) {
            if (node->origin.draws.sequence == sequence || is_state_needed(node))
                node->is_needed = true;
            if (node->is_needed) sequence = node->origin.draws.sequence;
            if (node->is_needed && node->turn.set_from != NULL)
                node->turn.set_from->is_needed = true;
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
    const struct replay *replay;
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

// contiguous() in this arena, whichever the numbers lie in.
static struct tensor row_by_row(struct arena *arena, struct tensor x) {
    if (is_contiguous(&x)) return x;
    return perform(arena, &(struct origin){&copy_row, .operand_count = 1, .operands = &x});
}

// Is it a gradient of this loss that can be asked for by now?
static bool asks_of(const struct node *node, const struct node *loss) {
    return node->origin.operation == &asked_row && node->is_needed && !node->is_skipped &&
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
        nodes[i]->answer = is_tensor(&grads[i]) ? grads[i] : full(p->arena, nodes[i]->shape, 0);
}

static struct tensor answer_of(struct player *p, struct node *node) {
    if (!is_tensor(&node->answer)) ask_again(p, &node->operands[0]);
    return node->answer;
}

static struct tensor perform_node(struct player *p, struct node *node, const struct tensor *x) {
    if (node->is_skipped) return x[0];
    if (node->origin.operation == &asked_row) return answer_of(p, node);
    struct origin origin = node->origin;
    origin.operands = x;
    origin.shape = node->shape;
    origin.generator = origin.operation->draws ? &p->generator : NULL;
    return perform(p->arena, &origin);
}

static void compute(struct player *p, struct node *node) {
    const int count = node->origin.operand_count;
    struct tensor *x = arena_array(p->arena, (size_t)count, sizeof *x);
    for (int i = 0; i < count; i++) x[i] = played(&node->operands[i]);
    const struct tensor made = row_by_row(p->arena, perform_node(p, node, x));
    if (!node->is_skipped) made.storage->purpose = node->purpose;
    node->result = tensor_over(made.storage, node->shape);
    node->result.offset = made.offset;
}

// Are the lesson's own numbers what this node would compute?
static bool is_unchanged(const struct player *p, const struct node *node) {
    const struct draws *draws = &node->origin.draws;
    if (node->lesson == NULL || node->is_rewritten || node->is_skipped) return false;
    const bool is_given =
        node->lesson->is_settled || node->lesson->origin->operation->compute == NULL;
    if (is_given) return true;
    if (p->effort == EVERYTHING) return false;
    if (draws->has_normal || draws->keeps_normal)
        return false; // the generator knows more than a place
    for (int i = 0; i < node->origin.operand_count; i++) {
        const struct view *view = &node->operands[i];
        const struct storage *now = view->of->result.storage;
        if (now != view->tensor.storage || view->of->result.offset != 0) return false;
    }
    return true;
}

static void set_state(struct player *p, const struct kept_state *kept) {
    p->place = kept->place;
    p->is_going = kept->is_going;
    if (p->is_going) p->generator = kept->generator;
}

static void keep_state(const struct player *p, struct kept_state *kept) {
    kept->place = p->place;
    kept->is_going = p->is_going;
    if (p->is_going) kept->generator = p->generator;
}

// Before a node that draws or drew: goes to where it stands in the sequence.
static void go_to(struct player *p, const struct node *node) {
    const struct turn *turn = &node->turn;
    if (turn->set_from != NULL) {
        set_state(p, turn->set_from);
    } else if (node->origin.draws.sequence != p->sequence) {
        p->place = 0;
        p->is_going = false;
    }
    p->sequence = node->origin.draws.sequence;
    p->place += turn->gap;
    if (p->is_going) skip_to(&p->generator, p->generator.drawn + turn->gap);
    if (turn->kept_in != NULL) keep_state(p, turn->kept_in);
}

static void start_generator(struct player *p, uint64_t seed) {
    manual_seed(&p->generator, seed);
    p->generator.sequence = p->sequence;
    skip_to(&p->generator, p->place);
    p->is_going = true;
}

static void play_node(struct player *p, struct node *node) {
    if (node->turn.is_taken) go_to(p, node);
    const bool is_same = is_unchanged(p, node) && !(node->turn.is_taken && p->is_going);
    if (node->turn.is_taken && !is_same && !p->is_going)
        start_generator(p, node->origin.draws.seed);
    if (is_same) {
        struct tensor of_lesson = tensor_over(NULL, node->shape);
        of_lesson.storage = node->lesson;
        node->result = of_lesson;
        p->place += node->origin.draws.count;
    } else {
        compute(p, node);
    }
}

void play(struct replay *replay, int step, enum effort effort) {
    struct player player = {.arena = replay->arena, .replay = replay, .effort = effort};
    mark_needed(replay, step);
    for (int i = 0; i < replay->count; i++) {
        if (replay->nodes[i]->is_needed) play_node(&player, replay->nodes[i]);
    }
}
