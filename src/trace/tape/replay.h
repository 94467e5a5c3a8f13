#ifndef ONESTEP_TRACE_TAPE_REPLAY_H
#define ONESTEP_TRACE_TAPE_REPLAY_H

// A run computed again from its tape (tape.h), as a list of nodes. Without changes a replay gives the lesson's numbers bit
// for bit. With other numbers in the place of a storage's, each step behind it gets what its operation makes of them.
//
//     struct replay replay = replay_of(arena, right);
//     put(&replay, storage, numbers);
//     play(&replay, ALL_STEPS, ONLY_CHANGES);
//     const struct tensor other = played(&replay.steps[8]);

#include "tensor/origin.h"
#include "trace/run/run.h"

// How a step, or an operation, reads the numbers of a node. `tensor` is the lesson's, with the lesson's storage.
struct view {
    struct node *of;
    struct tensor tensor;
};

struct replay {
    struct arena *arena;
    const struct run *right;
    int count;
    struct node **nodes; // in the order of computing: operands come before their results
    struct view *steps;  // right's
};

struct replay replay_of(struct arena *arena, const struct run *right);

// Puts a storage, of the same shape and type, in the place of one of the run: every operation behind reads it. The node is still
// played, and gradients go back through it. Returns false where no step depends on the storage.
bool put(struct replay *replay, const struct storage *storage, struct storage *numbers);

enum { ALL_STEPS = -1 };

// ONLY_CHANGES takes the lesson's numbers for nodes that no change reaches; EVERYTHING computes them again.
enum effort { ONLY_CHANGES, EVERYTHING };

// Computes the nodes that a step (its index in right->steps, or ALL_STEPS) depends on, in replay->arena. Fails as the operations
// do.
void play(struct replay *replay, int step, enum effort effort);

// The tensor of a view after play(). If no change reached it, it is the step's own tensor with the same storage.
struct tensor played(const struct view *view);

// ---- Runs played again ----------------------------------------------------------------------------

// The tensor of one step (its index in right->steps), computed anew with all that it depends on; of trainings, the updates that it
// depends on. In an arena with a disturbance (tensor/operation/disturbance.h) its numbers are others.
void recompute_step(struct tensor *result, struct arena *arena, const struct run *right, int step);

// The same as PyTorch 1.13 rounds it. False where that cannot have other bits.
bool recompute_as_1_13(struct tensor *result, struct arena *arena, const struct run *right,
                       int step);

// Steps whose numbers somebody else computed, such as a student: for each, its index in right->steps, in ascending order, and
// the numbers, row by row.
struct handed {
    int count;
    const int *steps;
    const double *const *values;
};

// The run with these numbers in the place of the steps' own, so that each later step is what those before it make of
// them. What a step's tensor does not show of its storage stays the lesson's. Fails as the operations do, for numbers that they
// cannot take. In a training the updates keep their own numbers.
void replay_handed(struct run *result, struct arena *arena, const struct run *right,
                   const struct handed *handed);

#endif
