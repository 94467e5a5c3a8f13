#ifndef ONESTEP_TRACE_WHAT_IF_MISTAKE_H
#define ONESTEP_TRACE_WHAT_IF_MISTAKE_H

// The classic mistakes, one row of a table each, made from the words in data/edits.txt. trial.h makes them in a lesson's lines. The
// older ones also have a rule that changes how a lesson is played again (replay.h); the lessons know nothing of it.

#include "trace/what_if/replay.h"

struct mistake {
    const char *name;    // "no-scale"
    const char *title;   // what was done: "Scores not divided by √d_k"
    const char *wrong;   // one sentence: what goes wrong
    const char *pytorch; // one sentence: how to see it in PyTorch code

    // Why it changes nothing (effects.h). Where there is nothing to change: the lesson has no place for it, unless
    // the parameter of this USES_ bit has taken it away. 0: none can.
    uint64_t lever;
    // Where the numbers come out the same: if all weight goes to a single key (NULL: that is no reason); and
    // otherwise, if is_alike holds (NULL: always). Without a reason that holds none is given.
    const char *alone, *alike;
    bool (*is_alike)(struct arena *arena, const struct run *right);

    // What it puts something else in the place of; mistakes of one place exclude each other. NULL: none.
    const char *place;

    // Parameters with which it shows in lessons that hide it at their defaults. Those that the user gave
    // come first.
    struct parameters showing;

    // The rule: what to change in a node, in a view (a factor of a product, or a step's, or read by
    // another operation), or both. Return false for one that is none of theirs.
    bool (*change)(struct replay *replay, struct node *node);
    bool (*reread)(const struct replay *replay, struct view *view, bool is_factor);
    bool is_of_one_lesson; // it is made where one lesson is special, not in what all have in common
    bool is_early; // goes before the others: it moves an operation that others change in its place
};

// The table of them, made from data/edits.txt. Rows from mistake_total on are other ways to make a mistake above, under its
// name: whoever looks for the mistake behind given numbers tries them too.
enum { MOST_MISTAKES = 256 };
extern const int mistake_total, way_total;
extern const struct mistake mistake_table[];

// No mistake, and in no table: a replay with it is the right run as PyTorch 1.13 rounds it, in the two places
// where it does not as 2.6. Those are AdamW's first moment, and the sum behind the gradient of a softmax of
// more than eight numbers. It goes together with any mistake.
extern const struct mistake rounded_as_1_13;

// The same of another kind: the gradients of the loss as autograd computes them, in place of those by hand. Together
// with a mistake on the way forward it is a program that calls backward().
extern const struct mistake gradients_by_autograd;

// The mistake of that name (the first way to make it); NULL if there is none.
const struct mistake *find_mistake(const char *name);

// Can't the two be made at once?
bool exclude_each_other(const struct mistake *a, const struct mistake *b);

// Its place in the table, from 0.
int mistake_number(const struct mistake *mistake);

// ---- Making them --------------------------------------------------------------------------------

// The run with the mistakes made, whatever their order: the same steps with the wrong tensors. Numbers
// that no mistake reached are the right run's own (the same storage), so it must outlive the result.
void replay_run(struct run *result, struct arena *arena, const struct run *right,
                const struct mistake *const *mistakes, int count);

// The same for one mistake, of the first steps only, those that are computed before any update of a training: all steps of
// most lessons. Returns whether the mistake finds anything to change in them.
bool replay_untrained(struct run *result, struct arena *arena, const struct run *right,
                      const struct mistake *mistake);

// The tensor of one step alone (its index in right->steps), computing only what it needs. To try all
// pairs, leave out those with a mistake that alone does not change the step.
void replay_step(struct tensor *result, struct arena *arena, const struct run *right,
                 const struct mistake *const *mistakes, int count, int step);

// The same, computed anew with all that it depends on; of trainings, the updates that it depends on. In an arena
// with a disturbance (tensor/operation/disturbance.h) its numbers are others. `mistakes` may be none.
void recompute_step(struct tensor *result, struct arena *arena, const struct run *right,
                    const struct mistake *const *mistakes, int count, int step);

// Steps whose numbers somebody else computed, such as a student: for each, its index in right->steps, in ascending order, and
// the numbers, row by row.
struct handed {
    int count;
    const int *steps;
    const double *const *values;
};

// The run with these numbers in the place of the steps' own, so that each later step is what those before it make of
// them, and with the mistakes made. Fails as the operations do, for numbers that they cannot take. In a training the
// updates keep their own numbers.
void replay_handed(struct run *result, struct arena *arena, const struct run *right,
                   const struct handed *handed, const struct mistake *const *mistakes, int count);

// Does the mistake find anything to change in the run, be it without a consequence?
bool finds_anything(struct arena *arena, const struct run *right, const struct mistake *mistake);

// The parameters, with those added that make the mistake show.
struct parameters showing_parameters(const struct lesson *lesson, const struct parameters *chosen,
                                     const struct mistake *mistake);

#endif
