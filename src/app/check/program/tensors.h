#ifndef ONESTEP_APP_CHECK_PROGRAM_TENSORS_H
#define ONESTEP_APP_CHECK_PROGRAM_TENSORS_H

// The tensors of a student's program, and the steps of a lesson that they may be.

#include "trace/run/run.h"

// A tensor's numbers, row by row, as they are compared.
struct values {
    struct shape shape, squeezed; // squeezed: without dimensions of one
    int64_t count;
    const double *numbers;
    double size; // how large they are: the root of their mean square
};

enum { NO_STEP = -1 };

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
    int given;                   // the step that the lesson's class gives; NO_STEP: it has no class
    const struct values *losses; // of a training, one for each update; NULL: the lesson has none
};

struct program_tensor {
    const char *name;     // as the program writes it, "self.W_query.weight"
    const char *plain;    // "W_query"
    int line, last_line;  // of its statement
    const char *function; // that it stands in
    struct values values;
    int step;         // the lesson's step with the same numbers; NO_STEP: none has them
    bool is_named;    // that is the step of its name
    bool is_misnamed; // it has a step's name, and other numbers than that
    int nth;          // among the program's tensors of its name, from 1
    bool is_repeated; // a long loop makes it: those behind it are left out
    // It is misnamed; the program computes the step of that name nowhere else; and it stands where most of the program's other
    // names are right: what a function for something else calls `loss` is none of the lesson's.
    bool is_suspect;
    bool is_unjudged; // nothing is wrong, and it may be a step that the program has not
    bool is_excused;  // it would be a suspect, but the last tensor is right and made of it
    bool is_reshaped; // it has the step's numbers, in another shape
};

// A run of the program, or of an edited one, and what of it is the lesson's.
struct matched {
    const char *source;
    int tensor_count;
    struct program_tensor *tensors; // in the order in which they were made
    bool is_wrong;                  // one of them is a suspect
    bool *found;        // for each wanted step: has a tensor before the first suspect its numbers?
    int right;          // of these, equal numbers counted once, and what was given not at all
    bool is_transposed; // the last tensor is its step with rows for columns
    const char *losses; // what it calls the losses of a training; NULL: it makes none
    int trained; // the tensor that is the last loss of the lesson's training: all before it is right; -1: none
    int64_t statements; // that were run
    const char
        *error; // what ended it before its last line, "mine.py:3: ValueError: ..."; NULL: nothing
};

#endif
