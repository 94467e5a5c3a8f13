#include "app/check/relation/line.h"

#include <math.h>
#include <string.h>

#include "tensor/ops/ops.h"
#include "trace/run/step.h"

// ---- What stands where -----------------------------------------------------------------------------

static void find_lines(struct changing *c) {
    const struct run *run = c->seeking->run;
    const size_t count = (size_t)c->replay.count;
    c->line = arena_array(c->arena, count, sizeof *c->line);
    const bool *is_behind = nodes_behind(&c->replay, c->step);
    for (int i = 0; i <= c->step; i++) {
        const bool *is_of_step = nodes_behind(&c->replay, i);
        for (int k = 0; k < c->replay.count; k++) {
            if (is_behind[k] && is_of_step[k] && c->line[k] == NULL) c->line[k] = &run->steps[i];
        }
    }
}

static void keep_nodes(struct changing *c) {
    const size_t count = (size_t)c->replay.count;
    c->kept = arena_array(c->arena, count, sizeof *c->kept);
    for (size_t i = 0; i < count; i++) {
        c->kept[i] = *c->replay.nodes[i];
        const size_t operands = (size_t)c->kept[i].origin.operand_count;
        c->kept[i].operands = arena_array(c->arena, operands, sizeof *c->kept[i].operands);
        if (operands > 0)
            memcpy(c->kept[i].operands, c->replay.nodes[i]->operands,
                   operands * sizeof *c->kept[i].operands);
    }
}

struct changing start_changing(struct arena *arena, struct seeking *seeking) {
    enum { WORK = 800000000 };
    struct changing c = {.arena = arena, .seeking = seeking};
    c.replay = replay_of(arena, seeking->run);
    c.step = (int)(seeking->step - seeking->run->steps);
    c.made = arena_array(arena, (size_t)c.replay.step_count, sizeof *c.made);
    for (int i = 0; i < c.replay.step_count; i++)
        c.made[i] = place_of_node(&c.replay, c.replay.steps[i].of);
    find_lines(&c);
    keep_nodes(&c);
    c.patience = start_search_for(WORK, NULL);
    return c;
}

const struct tensor *operand_of(const struct changing *c, int place, int operand) {
    return &c->kept[place].operands[operand].tensor;
}

const char *name_of_line(const struct changing *c, int place) {
    return step_label(c->seeking->arena, c->line[place]);
}

const char *name_of_operand(const struct changing *c, int place, int operand) {
    const struct tensor *tensor = operand_of(c, place, operand);
    const int before = c->line[place]->number;
    const struct step *step = step_showing(c->seeking->run, tensor, before);
    return step != NULL && step->number < before ? step_label(c->seeking->arena, step)
                                                 : "its operand";
}

// ---- Changing it -----------------------------------------------------------------------------------

void restore(struct changing *c, int place) {
    struct node *node = c->replay.nodes[place];
    struct view *operands = node->operands;
    const struct node *kept = &c->kept[place];
    *node = *kept;
    node->operands = operands;
    for (int i = 0; i < kept->origin.operand_count; i++) operands[i] = kept->operands[i];
}

// Numbers as the result of a node that is played already.
static struct view given_view(struct changing *c, const struct tensor *numbers) {
    struct node *node = arena_allocate(c->arena, sizeof *node);
    *node = (struct node){.shape = numbers->storage->shape};
    node->result = tensor_over(numbers->storage, numbers->storage->shape);
    return (struct view){node, *numbers};
}

void read_instead(struct changing *c, int place, int operand, const struct tensor *numbers) {
    struct node *node = c->replay.nodes[place];
    const struct tensor *right = operand_of(c, place, operand);
    struct view view = given_view(c, numbers);
    if (shapes_equal(shape_of(numbers), shape_of(right)))
        view.tensor = with_axes_of(view.tensor, right);
    node->operands[operand] = view;
    (void)rewrite(node);
}

void become(struct changing *c, int place, const struct tensor *numbers) {
    struct node *node = c->replay.nodes[place];
    read_instead(c, place, 0, numbers);
    node->is_skipped = true;
}

static void play_step(void *context) {
    struct changing *c = context;
    play(&c->replay, c->step, ONLY_CHANGES);
}

bool explains_now(struct changing *c) {
    enum { OF_INFINITY = 4 }; // bits: other masks hide these numbers too
    struct scratch scratch;
    struct arena *own = c->replay.arena, *m = scratch_open(&scratch, c->arena->failure);
    arena_number_behind(m, c->arena);
    c->replay.arena = m;
    for (int i = 0; i < c->replay.count; i++)
        c->replay.nodes[i]->result = c->replay.nodes[i]->answer = NO_TENSOR;
    bool is_it = attempt(c->arena->failure, play_step, c);
    c->replay.arena = own;
    if (is_it) {
        const struct tensor changed = played(&c->replay.steps[c->step]);
        struct proposal proposal = as_it_is(&changed);
        proposal.least = c->seeking->count == 1 ? 1 : 0;
        proposal.of_infinity = OF_INFINITY;
        is_it = explains(c->seeking, &proposal);
    }
    scratch_close(&scratch);
    return is_it;
}
