#ifndef ONESTEP_TRACE_WHAT_IF_EFFECTS_H
#define ONESTEP_TRACE_WHAT_IF_EFFECTS_H

// What the classic mistakes do to a run. To know it a lesson is played again, so what was found out is
// kept.

#include "trace/what_if/line_pair.h"
#include "trace/what_if/mistake.h"

// What a mistake does, made alone. A lesson that trains is played as far as its first update, and on only
// if nothing has changed by then.
struct effect {
    int first;       // of the steps that it changes, from 0; -1 if it changes none
    const char *why; // it changes none: "√d_k is 1 here"; NULL if it does
};
struct effect effect_on(struct arena *arena, const struct run *right,
                        const struct mistake *mistake);

// How many steps it changes, and which: touched[i] for step i, if touched is not NULL. All updates of a training are made
// again for that.
int count_changed(struct arena *arena, const struct run *right, const struct mistake *mistake,
                  bool *touched);

// Have the two other numbers, bit for bit? Their shapes are equal. (One nan is like another.)
bool differ(const struct tensor *a, const struct tensor *b);

// Which steps of the right run are others in the wrong one: touched[i] for step i, if touched is not
// NULL. Returns how many.
int count_touched(const struct run *right, const struct run *wrong, bool *touched);

// The effects of all mistakes on one run, each found out when it is asked for.
struct effects {
    struct failure *failure; // where "out of memory" goes
    struct arena *words;     // where reasons are kept
    bool is_known[MOST_MISTAKES];
    struct effect each[MOST_MISTAKES];
    bool is_counted[MOST_MISTAKES];
    int changed[MOST_MISTAKES];
    const bool *changes[MOST_MISTAKES]; // by step; known where is_counted

    bool is_written[MOST_MISTAKES]; // the lines of it are known (lines_with)
    struct line_pairs lines[MOST_MISTAKES];

    int place; // the step that these are of, from 0 (is_made_at)
    bool is_found_out[MOST_MISTAKES];
    bool is_made_there[MOST_MISTAKES];
};

// What a mistake (its number in mistake_table) does to the right run.
const struct effect *effect_of(struct effects *effects, const struct run *right, int mistake);
int changed_by(struct effects *effects, const struct run *right, int mistake); // how many steps
// Does it change the step (from 0)? Asks for all steps once, as changed_by does.
bool changes_step(struct effects *effects, const struct run *right, int mistake, int step);

// Forgets all: for when the run is another one.
void effects_forget(struct effects *effects);

#endif
