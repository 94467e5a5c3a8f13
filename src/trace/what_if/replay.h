#ifndef ONESTEP_TRACE_WHAT_IF_REPLAY_H
#define ONESTEP_TRACE_WHAT_IF_REPLAY_H

// A run computed again from its tape (tape.h), as a list of nodes. Without changes a replay gives the
// lesson's numbers bit for bit. Change a node first (the number of a masked_fill, the dim of a softmax, the
// strides with which a weight is read) and it gives the numbers of a program with that mistake, in every step
// that depends on the node. Lessons contain no code for this.
//
//     struct replay replay = replay_of(arena, right);
//     rewrite(replay.nodes[5])->number = 0;
//     play(&replay, ALL_STEPS, ONLY_CHANGES);
//     const struct tensor wrong = played(&replay.steps[8]);

#include "tensor/origin.h"
#include "trace/run/run.h"

// How a step, or an operation, reads the numbers of a node. `tensor` is the lesson's, with the lesson's
// storage; a rule may change its offset or strides.
struct view {
    struct node *of;
    struct tensor tensor;
};

// When a node draws from the generator, for nodes that draw in the replay or drew in the lesson. A lesson may
// keep the state of the generator and set it again later, as torch.get_rng_state() and torch.set_rng_state()
// do.
struct turn {
    bool is_taken;               // the node draws
    struct kept_state *set_from; // the state that is set before the node; NULL: none is
    uint64_t gap;                // draws before the node that no storage remembers
    struct kept_state *kept_in;  // where the state before the node's draws is kept; NULL: it is not
};

// One storage of the lesson: how it is computed, and after play() its result.
struct node {
    struct origin
        origin; // operation and attributes; change them by rewrite(). Instead of origin.operands:
    struct view *operands;  // origin.operand_count of them
    struct shape shape;     // of the storage; no rule changes that of a step
    struct purpose purpose; // what the lesson's storage is for
    bool is_skipped;        // its result is its first operand, unchanged

    // replay.c's own
    struct storage *lesson; // what the lesson computed; NULL for a node that a rule added
    bool is_rewritten, is_needed;
    struct turn turn;
    struct tensor result; // contiguous, in `shape`
    struct tensor answer; // the gradient, if it is computed together with other gradients
};

struct replay {
    struct arena *arena;
    const struct run *right;
    int count;
    struct node **nodes; // in the order of computing: operands come before their results
    int step_count;
    struct view *steps; // right's
    bool is_update;     // of a training: `right` holds the tensors of one update
};

struct replay replay_of(struct arena *arena, const struct run *right);

// ---- Changing it --------------------------------------------------------------------------------

// The node's origin, to be changed.
struct origin *rewrite(struct node *node);

// Inserts a copy of the node in front of it and returns the copy. The copy does what the node did (its draws
// too). The node, which other nodes still read and which keeps its purpose, becomes `operation` with two operands: the
// whole copy, and `second` (none if NULL).
struct node *insert_after(struct replay *replay, struct node *node,
                          const struct operation *operation, const struct view *second);

// A constant, to be an operand of `user`.
struct view constant(struct replay *replay, const struct node *user, double number);

// The result of an operation on some views, as an operand of `user`: contiguous, in the shape of the first
// view.
struct view computed(struct replay *replay, const struct node *user,
                     const struct operation *operation, int count, const struct view *views);

// Is the node a gradient that the lesson asked for with gradient(), rather than a number that the loss
// depends on?
bool is_asked(const struct node *node);

// Makes a node the gradient of a loss with respect to another node of its shape (but for dimensions of 1), as autograd computes it.
void ask_gradient(struct replay *replay, struct node *node, struct node *loss, struct node *of);

// Gives a node these numbers, in its own shape and row by row, instead of computing it.
void give(struct replay *replay, struct node *node, const struct tensor *numbers);

// Puts the numbers of a step (its index in right->steps), row by row, in the place of what the replay computes: every
// operation behind reads them, and what the step's tensor does not show stays the lesson's. The node is still played,
// so its draws are made, and gradients go back through it.
void graft(struct replay *replay, int step, const double *values);

// The node of a storage of the run; NULL if no step depends on it.
struct node *node_with(const struct replay *replay, const struct storage *storage);

// The place of a node in replay->nodes, which must contain it.
int place_of_node(const struct replay *replay, const struct node *node);

// Exchanges the places of two nodes that draw: each draws what the other drew, if their shapes agree.
void exchange(struct replay *replay, struct node *a, struct node *b);

// Lets a node draw from the start of its sequence, as if its seed were set once more right before it; the next nodes
// go on from there.
void draw_anew(struct replay *replay, struct node *node);

// ---- Playing it ---------------------------------------------------------------------------------

enum { ALL_STEPS = -1 };

// ONLY_CHANGES takes the lesson's numbers for nodes that no change reaches; EVERYTHING computes them again (a
// test compares the two).
enum effort { ONLY_CHANGES, EVERYTHING };

// Computes the nodes that a step (its index in right->steps, or ALL_STEPS) depends on, in replay->arena.
// Since all nodes share one generator, it also makes the draws before the step's own. Fails as the operations
// do.
void play(struct replay *replay, int step, enum effort effort);

// The tensor of a view after play(). If no change reached it, it is the step's own tensor with the same
// storage.
struct tensor played(const struct view *view);

#endif
