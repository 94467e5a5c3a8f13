#ifndef ONESTEP_APP_WALK_H
#define ONESTEP_APP_WALK_H

// The command `walk`: lessons on the terminal, until the user leaves.

#include "trace/what_if/trial.h"

struct walk_options {
    const struct lesson *lesson; // NULL: where the user left off, or the first
    const char *step;            // label of a step; NULL: where the user left off, or the first
    const int64_t *cell;         // of that step, where the cursor is to stand
    int cell_dims;               // 0: none is given
    const struct parameters *parameters;
    const struct what_ifs *what_ifs;
    int digits;       // after the point
    bool wants_color; // what the option, NO_COLOR and the like have decided
};

// Walks. Fails before it takes the terminal, or after it gave it back, never while it has it: with
// FAIL_USAGE for parameters that do not fit or a step that is not there, as terminal_open does, or with
// FAIL_RUNTIME if memory ends.
void walk_command(const struct walk_options *options, struct failure *failure);

#endif
