#ifndef ONESTEP_APP_PROGRESS_H
#define ONESTEP_APP_PROGRESS_H

// What is remembered between two walks: the place in each lesson, the steps seen, the guesses. It lies
// in $XDG_STATE_HOME/onestep/progress, or ~/.local/state/onestep/progress; a line a lesson:
//
//     causal<TAB>step 4<TAB>seen f<TAB>guesses 3 of 5<TAB>last
//
// Nothing depends on it: what cannot be read is as good as nothing, what cannot be written is not.

#include "walk/state.h"

struct progress {
    int lesson; // walked last; -1 if there is none
    struct visit visits[MAX_LESSONS];
};

// Reads it. `lessons` are the lessons there are, by which the lines are found.
struct progress progress_read(struct arena *arena, const struct lesson *const *lessons, int count);

// Writes it: a new file beside the old one, then in its place, so that there is always a whole one.
void progress_write(struct arena *arena, const struct lesson *const *lessons, int count,
                    const struct progress *progress);

#endif
