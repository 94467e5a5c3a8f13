#ifndef ONESTEP_APP_PROGRESS_H
#define ONESTEP_APP_PROGRESS_H

// What is remembered between two walks: the place in each lesson, the steps seen, the guesses. It lies
// in $XDG_STATE_HOME/onestep/progress, or ~/.local/state/onestep/progress; a line a lesson:
//
//     causal<TAB>step 4<TAB>seen f<TAB>guesses 3 of 5<TAB>last
//
// "seen" has the bits of the steps seen in hexadecimal, the first step's the lowest; "last" stands in
// the line of the lesson walked last, and behind it "C first" for those who want C before PyTorch and
// "light" for those whose screen is. Nothing depends on the file: what cannot be read of it is as good as nothing. But what is readable and not ours, the lessons and fields of a later version, is kept.

#include "walk/state.h"

struct progress {
    const struct lesson *const *lessons; // that there are; by their names the lines are found
    int lesson_count;
    int lesson;    // walked last; -1 if there is none
    bool shows_c;  // before PyTorch
    bool is_light; // colours for a light screen
    struct visit visits[MAX_LESSONS];
};

// Reads it.
struct progress progress_read(const struct lesson *const *lessons, int count);

// Writes what differs between `before`, as read or last written, and `now`: reads the file again, for
// another walk may have written other lessons meanwhile, changes the lines concerned, and puts a new
// file in the place of the old one, so that there is always a whole one. Makes the folders that it lies
// in, but no home. Does nothing if the environment names no place for it. Fails with FAIL_RUNTIME or
// FAIL_INPUT if that can't be done; then the old file is as it was, and nothing was made.
void progress_write(const struct progress *before, const struct progress *now,
                    struct failure *failure);

#endif
