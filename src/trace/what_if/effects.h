#ifndef ONESTEP_TRACE_WHAT_IF_EFFECTS_H
#define ONESTEP_TRACE_WHAT_IF_EFFECTS_H

// What the classic mistakes do to a lesson. To know it, the lesson's lines run with each of them, so what was found out is
// kept.

#include "trace/what_if/changed_line.h"
#include "trace/what_if/line_pair.h"
#include "trace/what_if/mistake.h"

// What a mistake does, made alone. Of a training two updates are made; of a lesson that takes seconds (is_long) no line runs: a
// mistake that has a line there is taken for one that changes the steps whose lines it changes.
struct effect {
    int first;           // of the steps that it changes, from 0; -1 if it changes none
    const char *why;     // it changes none: "√d_k is 1 here"; NULL if it does
    const bool *changes; // by step: it changes it
    const bool *is_own;  // by step: and the step's own line is another; NULL if it changes none
    struct line_pairs
        lines; // in which the lesson's lines are others; also where that changes no number
};

// Have the two other numbers, bit for bit? Their shapes are equal. (One nan is like another.)
bool differ(const struct tensor *a, const struct tensor *b);

// The same for tensors of any shape and type; one that is not there (NO_TENSOR) is another one.
bool are_others(const struct tensor *a, const struct tensor *b);

// Which steps of the right run are others in the wrong one: touched[i] for step i, if touched is not
// NULL. Returns how many.
int count_touched(const struct run *right, const struct run *wrong, bool *touched);

// The effects of all mistakes on one run, each found out when it is asked for.
struct effects {
    struct failure *failure;               // where "out of memory" goes
    struct arena *words;                   // where all that is found out is kept
    const struct interpreter *interpreter; // of the lines; NULL: no mistake can be made
    bool is_known[MOST_MISTAKES];
    struct effect each[MOST_MISTAKES];
    const bool *changes[MOST_MISTAKES]; // by step, with all updates; NULL: not known

    int step_of_operands; // the step that `operands` are of, from 0
    const bool *operands; // by step: the step is computed from it; NULL: not known
};

// What a mistake (its number in mistake_table) does to the right run.
const struct effect *effect_of(struct effects *effects, const struct run *right, int mistake);
// Finds out what all mistakes do: quicker than one by one.
void learn_all(struct effects *effects, const struct run *right);
// How many steps it changes. All updates of a training are made again for that.
int changed_by(struct effects *effects, const struct run *right, int mistake);
// Does it change the step (from 0)? Asks for all steps once, as changed_by does.
bool changes_step(struct effects *effects, const struct run *right, int mistake, int step);

// From which steps is a step (from 0) of the right run computed, without another step between? By step.
const bool *operands_of_step(struct effects *effects, const struct run *right, int step);

// Forgets all: for when the run is another one.
void effects_forget(struct effects *effects);

#endif
