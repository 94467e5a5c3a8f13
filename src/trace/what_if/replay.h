#ifndef ONESTEP_TRACE_WHAT_IF_REPLAY_H
#define ONESTEP_TRACE_WHAT_IF_REPLAY_H

// A lesson played again, from what it left behind: the tape behind its steps (tape.h) as a list of nodes.
// Played as it is, the tape gives the
// lesson's numbers bit for bit. Change a node first (the number of a masked_fill, the dim of a softmax,
// the strides with which a weight is read) and it gives what a program with that mistake would have
// computed, in every step that follows from it. The lessons know nothing of it.
//
//     struct replay replay = replay_of(arena, right);
//     rewrite(replay.nodes[5])->number = 0;
//     play(&replay, ALL_STEPS, ONLY_CHANGES);
//     const struct tensor wrong = played(&replay.steps[8]);

#include "tensor/origin.h"
#include "trace/run.h"

// How a step, or an operation, looks at the numbers of a node. `tensor` is as in the lesson, with the
// lesson's storage; a rule may give it another offset or other strides.
struct view {
    struct node *of;
    struct tensor tensor;
};

// When a node draws from the generator; for nodes that draw now, or drew in the lesson. A lesson may keep the
// state of the generator and set it again later, as torch.get_rng_state() and torch.set_rng_state() do.
struct turn {
    bool is_taken;               // the node draws
    struct kept_state *set_from; // the state that is set before the node; NULL: none is
    uint64_t gap;                // draws before the node that no storage remembers
    struct kept_state *kept_in;  // where the state before the node's draws is kept; NULL: it is not
};

// One storage of the lesson: how it is computed, and after play() what came of it.
struct node {
    struct origin
        origin; // operation and attributes; change them by rewrite(). Instead of origin.operands:
    struct view *operands; // origin.operand_count of them
    struct shape shape;    // of the storage; no rule changes it
    bool is_skipped;       // its result is its first operand, unchanged

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
    struct node **nodes; // in the order of computing: operands come before what is made of them
    int step_count;
    struct view *steps; // right's
    bool is_update;     // of a training: `right` holds the tensors of one update
};

struct replay replay_of(struct arena *arena, const struct run *right);

// ---- Changing it --------------------------------------------------------------------------------

// The node's origin, to be changed.
struct origin *rewrite(struct node *node);

// Puts a copy of the node in front of it, which now does what the node did (its draws too), and returns
// it. The node, which everyone still looks at, becomes `operation` with two operands: all of the copy,
// and `second` (none if NULL).
struct node *then(struct replay *replay, struct node *node, const struct operation *operation,
                  const struct view *second);

// A constant, to be an operand of `user`.
struct view constant(struct replay *replay, const struct node *user, double number);

// What an operation makes of some views, to be an operand of `user`: contiguous, in the shape of the first.
struct view computed(struct replay *replay, const struct node *user,
                     const struct operation *operation, int count, const struct view *views);

// Is it a gradient that was asked for, of what the others compute?
bool is_asked(const struct node *node);

// Gives a node these numbers, of its own shape and row by row, in place of what it would compute.
void give(struct replay *replay, struct node *node, const struct tensor *numbers);

// The node of a storage of the run; NULL if no step depends on it.
struct node *node_with(const struct replay *replay, const struct storage *storage);

// The place of a node among replay->nodes, where it has to be.
int place_of_node(const struct replay *replay, const struct node *node);

// Exchanges the places of two nodes that draw: each draws what the other drew, if their shapes agree.
void exchange(struct replay *replay, struct node *a, struct node *b);

// ---- Playing it ---------------------------------------------------------------------------------

enum { ALL_STEPS = -1 };

// ONLY_CHANGES takes the lesson's own numbers wherever nothing that they came from was changed;
// EVERYTHING computes them anew (a test compares them).
enum effort { ONLY_CHANGES, EVERYTHING };

// Computes the nodes that a step (its index in right->steps, or ALL_STEPS) depends on; and, since one
// generator serves all, the draws before its own. In replay->arena. Fails as the operations do.
void play(struct replay *replay, int step, enum effort effort);

// What a view shows after play(). The step's own tensor, storage and all, if no change reached it.
struct tensor played(const struct view *view);

#endif
