#ifndef ONESTEP_TRACE_WHAT_IF_COMPANION_H
#define ONESTEP_TRACE_WHAT_IF_COMPANION_H

// A companion: another run beside the one that is walked through, so that the walk shows where the two part. Whoever makes it knows
// which tensors stand for each other; the walk asks again whenever its own run is another.

#include "trace/run/run.h"

// What stands for a step in the companion.
struct counterpart {
    const char *where; // "reference.py, line 14"; NULL: nothing stands for the step
    const char *line;  // its code, of one line or several; "" of a tensor without code
    const char *ran;   // of a recording, the call that the line ran; else NULL
    const char *words; // what is to be said where they differ; else NULL
    bool
        is_rearranged; // the numbers are the same, and stand in another order: transposed, or split into heads
    int64_t worst; // the number of the step, row by row, that differs most; 0 where none does
    const bool
        *is_other; // by number, row by row: does it differ by more than rounding? NULL: none does
};

struct companion {
    const char *name;                       // "reference.py"
    const char *verdict;                    // where the runs part, in a sentence or two
    const struct counterpart *counterparts; // by step of the walk's run
    const bool *differs;                    // by step
    // For each step that differs, one of the same name with the companion's numbers, in the step's own layout where there is one.
    const struct run *run;
};

struct companion_source {
    void *context;
    // What stands for the steps of a run, in the arena, which are explained first. Fails as its failure says.
    struct companion (*find)(void *context, struct arena *arena, struct run *run);
};

#endif
