#ifndef ONESTEP_APP_WALK_H
#define ONESTEP_APP_WALK_H

// The command `walk`: lessons on the terminal, until the user leaves.

#include "trace/what_if/trial.h"

struct walk_options {
    const struct lesson *lesson; // NULL: where the user left off, or the first
    const char *step;            // label of a step; NULL: where the user left off, or the first
    const struct parameters *parameters;
    const struct what_ifs *what_ifs;
    int digits;       // after the point
    bool wants_color; // what the option, NO_COLOR and the like have decided
};

// Walks. Returns the exit status: 0, or 1 or 2 after a message on standard error, which comes before
// or after the terminal was taken, never while.
int walk_command(const struct walk_options *options);

#endif
