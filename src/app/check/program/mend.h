#ifndef ONESTEP_APP_CHECK_PROGRAM_MEND_H
#define ONESTEP_APP_CHECK_PROGRAM_MEND_H

// The edits that make a student's program right.

#include "app/check/program/matched.h"
#include "script/edit/edit.h"

enum { MOST_MENDED = 4 };

// Found one after the other: each makes more of the program the lesson's and none less.
struct mended {
    int count;
    struct edit edits[MOST_MENDED];           // each of the source that the one before left
    const struct matched *after[MOST_MENDED]; // the program with it, and those before it
    int times;                                // as much as is usual is tried
    int tried;                                // edits that were run
    int64_t work; // bytes read, statements run and tensors made by these, weighed
    bool is_cut;  // there were more to try
};
struct mended mend_program(struct arena *arena, const struct wanted *wanted, const char *file,
                           const struct matched *matched, bool is_thorough);

// Of a program in which nothing is wrong, and which ends before the step that the lesson's class gives: an edit that gives it
// that step, with something that the program has and does not use, such as a layer.
struct mended mend_unfinished(struct arena *arena, const struct wanted *wanted, const char *file,
                              const struct matched *matched);

// Of a program in which nothing is wrong, and which has tensors that cannot be judged, aside of the way to its last one: an edit
// that makes one of them a step that the program has not, and changes no other step.
struct mended mend_aside(struct arena *arena, const struct wanted *wanted, const char *file,
                         const struct matched *matched);

#endif
