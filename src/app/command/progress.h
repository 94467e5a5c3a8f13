#ifndef ONESTEP_APP_COMMAND_PROGRESS_H
#define ONESTEP_APP_COMMAND_PROGRESS_H

// What is saved between two walks: the place in each lesson, the steps seen, the guesses, the answers. The file is
// $XDG_STATE_HOME/onestep/progress, or ~/.local/state/onestep/progress, with one line for each lesson:
//
//     causal<TAB>step 4<TAB>seen f<TAB>guesses 3 of 5<TAB>last
//
// "seen" has one bit for each step in hexadecimal; the lowest bit is the first step's. "asked" and "answered", where there are
// any, have one for each question of the lesson in the same way. "last" marks the
// lesson walked last; after it comes "C first" if C is shown before PyTorch, "light" if the screen is
// light, and "no questions". Lines that cannot be read are ignored. Lessons and fields of a later version are kept.

#include "walk/model/state.h"

struct progress {
    const struct lesson *const *lessons; // all lessons; a line is found by the lesson's name
    int lesson_count;
    int lesson;        // walked last; -1 if there is none
    bool shows_c;      // before PyTorch
    bool is_light;     // colours for a light screen
    bool asks_nothing; // no questions on the way
    struct visit visits[MAX_LESSONS];
};

// Reads it.
struct progress progress_read(const struct lesson *const *lessons, int count);

// Writes what differs between `before`, as read or last written, and `now`: it reads the file again, because
// another walk may have written other lessons meanwhile, changes the lines concerned, and replaces the file
// at once, so that there is always a whole file. A lock lets other walks wait meanwhile. Creates the folders of the file, but no home folder. Does
// nothing if the environment names no place for the file. Fails with FAIL_RUNTIME or FAIL_INPUT if the file
// cannot be written; then the old file is unchanged, and nothing was created.
void progress_write(const struct progress *before, const struct progress *now,
                    struct failure *failure);

#endif
