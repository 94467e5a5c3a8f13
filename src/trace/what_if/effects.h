#ifndef ONESTEP_TRACE_WHAT_IF_EFFECTS_H
#define ONESTEP_TRACE_WHAT_IF_EFFECTS_H

// What each of the classic mistakes would do to the run on screen. To know it a lesson is played again,
// so it is found out when it is asked for, and kept.

#include "trace/what_if/mistake.h"

struct effect {
    bool is_known;
    int count;       // of steps that it changes
    int first;       // of them, from 0
    const char *why; // it changes none; NULL if it does
};

struct effects {
    struct failure *failure; // where "out of memory" goes
    struct arena *words;     // where reasons are kept
    struct effect each[MISTAKE_COUNT];
};

// What a mistake (its index in mistake_table) does, made alone, to the run without any.
const struct effect *effect_of(struct effects *effects, const struct run *run, int mistake);

// Forgets all: for when the parameters change.
void effects_forget(struct effects *effects);

#endif
