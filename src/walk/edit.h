#ifndef ONESTEP_WALK_EDIT_H
#define ONESTEP_WALK_EDIT_H

// Edits of the input: numbers that the user puts in the place of the course's, or of a file's own.

#include "trace/run/run.h"

// Is a number of the input another one by now? Then what the input was before.
struct edits {
    bool is_any;
    uint64_t was_given; // USES_INPUT if the user had chosen it
    const char *name;
    struct tensor inputs;
};

// Does a run read an input? One that reads a text has none.
bool has_input(const struct run *run);

// The user's parameters with another number (as a float) in a cell of the run's inputs (tokens, features),
// which is noted in the edits. An input that is thereby as it was before is not edited any more. What they
// hold lies in `arena`.
struct parameters edited(struct arena *arena, struct edits *edits, const struct run *run,
                         const struct parameters *chosen, const int64_t *index, double number);

// The user's parameters with the input that was there before the edits.
struct parameters unedited(const struct edits *edits, const struct parameters *chosen);

// The number that stood in a cell of the run's inputs before the edits.
double number_before(const struct edits *edits, const struct run *run, const int64_t *index);

#endif
