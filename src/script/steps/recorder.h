#ifndef ONESTEP_SCRIPT_STEPS_RECORDER_H
#define ONESTEP_SCRIPT_STEPS_RECORDER_H

// Watches a program run, and makes its steps. A step is an executed statement that binds or changes a tensor: `=`, `+=`,
// `x[i] =`, `x.add_()`, `.backward()` (the gradients), `return` of what has no name. Its name is the target as written. A
// module that is bound gives its parameters that no step has shown. What runs inside a library is no step.
//
// A call gives its steps a group: the path of its module, "model.heads[1]", else the class that is constructed, else the
// function. A loop keeps the steps of its first two and last two turns, whose groups say so: "turn 3 of 200".

#include "script/machine.h"
#include "trace/run/run.h"

enum { MOST_PROGRAM_STEPS = 4096 }; // that are kept at once

struct recorder;

// Steps of `program`, for the run, in its memory.
struct recorder *recorder_new(struct run *run, const struct program *program);

// For machine_options: are the steps made now kept for certain? Of a loop these are the first two turns and the one asked for.
const bool *recorder_wants_lines(const struct recorder *recorder);

// For machine_options, with the recorder as their context.
void recorder_observe(void *context, const struct event *event);
void recorder_print(void *context, const char *bytes, size_t length);

// Records the steps in the run, once the program has ended. `error`: "ValueError: ...", in whole, what ended it before its
// last statement; NULL: nothing. Then the last step, or several, are the tensors that the line that raised it read.
void recorder_finish(struct recorder *recorder, const char *error);

#endif
