#ifndef ONESTEP_APP_CHECK_PROGRAM_MATCHED_H
#define ONESTEP_APP_CHECK_PROGRAM_MATCHED_H

// A student's program beside a lesson: which of its tensors are steps of the lesson.

#include "script/steps/sighting.h"
#include "trace/run/run.h"

// A tensor's numbers, row by row, as they are compared.
struct values {
    struct shape shape, squeezed; // squeezed: without dimensions of one
    int64_t count;
    const double *numbers;
    double size; // how large they are: the root of their mean square
};

// The steps of a lesson as they are looked for: made once. Behind the last one stand its inputs.
struct wanted {
    const struct run *run;
    int count;
    const struct wanted_step {
        const char *name, *label;
        struct values values;
        int same;      // the first step with the same numbers
        bool is_given; // the lesson begins with it: its numbers tell nothing
        struct tensor tensor;
    } * steps;
};
struct wanted wanted_of(struct arena *arena, const struct run *run);

enum { MOST_BYTES_OF_PROGRAM = 1 << 30 }; // at once

enum { NO_STEP = -1 };

struct own_tensor {
    const char *name;     // as the program writes it, "self.W_query.weight"
    const char *plain;    // "W_query"
    int line, last_line;  // of its statement
    const char *function; // that it stands in
    struct values values;
    int step;         // the lesson's step with the same numbers; NO_STEP: none has them
    bool is_named;    // that is the step of its name
    bool is_misnamed; // it has a step's name, and other numbers than that
    int nth;          // among the program's tensors of its name, from 1
    // It is misnamed; the program computes the step of that name nowhere else; and it stands where most of the program's other
    // names are right: what a function for something else calls `loss` is none of the lesson's.
    bool is_suspect;
    bool is_reshaped; // it has the step's numbers, in another shape
};

// A run of the program, or of an edited one, and what of it is the lesson's.
struct matched {
    const char *source;
    int tensor_count;
    struct own_tensor *tensors; // in the order in which they were made
    bool is_wrong;              // one of them is a suspect
    bool *found;        // for each wanted step: has a tensor before the first suspect its numbers?
    int right;          // of these, equal numbers counted once, and what was given not at all
    int64_t statements; // that were run
    const char
        *error; // what ended it before its last line, "mine.py:3: ValueError: ..."; NULL: nothing
};

// Runs the program and matches it. Where `before` is not NULL, the program is an edited one: it ends at its first
// suspect, or behind the place of the tensor that was wrong before if nothing was gained there.
// On a machine of its own, or the viewer's.
struct matched *match_program(struct arena *arena, struct viewer *viewer,
                              const struct wanted *wanted, const char *file, const char *source,
                              const struct matched *before);

// The first tensor that is not as it should be: one with a step's name and other numbers; without one, the last, if it is no
// step of the lesson. -1: all is right.
int first_wrong(const struct matched *matched);

#endif
