#ifndef ONESTEP_TRACE_WHAT_IF_MISTAKE_H
#define ONESTEP_TRACE_WHAT_IF_MISTAKE_H

// The classic mistakes, one row of a table each. A mistake is a rule that changes how a lesson is played
// again (replay.h); the lessons know nothing of it, and two mistakes are two rules.
//
//     struct parameters chosen = {.what_ifs = mistake_bit(find_mistake("no-scale"))};
//     struct run wrong;
//     run_lesson(&wrong, arena, lesson, &chosen);
//     wrong.steps[9].tensor                                   // beside wrong.right->steps[9].tensor
//
// The numbers of a wrong run know where they came from, like those of a right one: derive() and order_of()
// work on them. Its steps keep the lesson's names, explanations and source, which is that of the right
// program. Both runs share what the mistake did not reach, so `right` and its arena must outlive `wrong`.

#include "trace/run.h"
#include "trace/what_if/replay.h"

struct mistake {
    const char *name;    // "no-scale"
    const char *title;   // what was done: "Scores not divided by √d_k"
    const char *wrong;   // one sentence: what goes wrong
    const char *pytorch; // one sentence: how to see it in PyTorch code
    const char *absent;  // why it changes nothing where there is nothing to change
    const char *alike;   // why it changes nothing where the numbers come out the same
    const char *alone;   // ... if there is one token only; NULL: alike says it

    // Parameters with which it shows in lessons that hide it at their defaults. Those that the user gave
    // come first.
    struct parameters showing;

    // The rule: what to change in a node, in a view, or both. Return false for one that is none of theirs.
    bool (*change)(struct tape *tape, struct node *node);
    bool (*reread)(struct view *view, bool is_step);
    bool is_early; // goes before the others: it moves an operation that others change in its place
};

// Rows from MISTAKE_COUNT on are other ways to make a mistake above, under its name: whoever looks for
// the mistake behind given numbers tries them too.
enum { MISTAKE_COUNT = 20, WAY_COUNT = 22 };
extern const struct mistake mistake_table[WAY_COUNT];

// The mistake of that name (the first way to make it); NULL if there is none.
const struct mistake *find_mistake(const char *name);

// Its bit in parameters.what_ifs.
uint32_t mistake_bit(const struct mistake *mistake);

// "no-scale, scale-twice, ...": all names, for a message.
const char *mistake_names(struct arena *arena);

// ---- Making them --------------------------------------------------------------------------------

// The run with the mistakes made, whatever their order: the same steps with the wrong tensors. Numbers
// that no mistake reached are the right run's own (the same storage). result->right is the right run.
void replay_run(struct run *result, struct arena *arena, const struct run *right,
                const struct mistake *const *mistakes, int count);

// The tensor of one step alone (its index in right->steps), computing only what it needs. To try all
// pairs, leave out those with a mistake that alone does not change the step.
void replay_step(struct tensor *result, struct arena *arena, const struct run *right,
                 const struct mistake *const *mistakes, int count, int step);

// ---- What they do -------------------------------------------------------------------------------

// Have the two other numbers, bit for bit? Their shapes are equal. (One nan is like another.)
bool differ(const struct tensor *a, const struct tensor *b);

// Which steps of the right run are others in the wrong one: touched[i] for step i, if touched is not
// NULL. Returns how many.
int count_touched(const struct run *right, const struct run *wrong, bool *touched);

// NULL if the mistake, made alone, changes a step of the right run; else why it does not: "√d_k is 1 here".
const char *why_untouched(struct arena *arena, const struct run *right,
                          const struct mistake *mistake);

// The parameters, with those added that make the mistake show.
struct parameters showing_parameters(const struct lesson *lesson, const struct parameters *chosen,
                                     const struct mistake *mistake);

#endif
