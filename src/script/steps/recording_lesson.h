#ifndef ONESTEP_SCRIPT_STEPS_RECORDING_LESSON_H
#define ONESTEP_SCRIPT_STEPS_RECORDING_LESSON_H

// A recording as a lesson: each operation is a step, and a step's numbers are the recorded ones. How they came about, the machine
// says, which evaluates the recorded line from the recorded operands: its result has the origin, and is compared with
// what was recorded. For a recording of few numbers this is done for all steps at once, else when a step is shown (`explain` of struct lesson).

#include "tensor/file/recording_read.h"
#include "trace/run/run.h"

// What came of evaluating a step's line.
enum agreement {
    NOT_COMPARED, // not yet; or there is nothing to evaluate: a call's end, a view, a gradient
    NOT_KNOWN,    // onestep does not run this operation, or it draws random numbers
    SAME_BITS,    // its own arithmetic gives the recorded numbers
    WITHIN_TYPE,  // it does but for rounding, as far as the type's numbers lie apart
    DIFFERENT
};

struct recorded_result {
    enum agreement agreement;
    double difference; // the largest between two numbers
    const char *why;   // of NOT_KNOWN: what the machine says; or NULL
};

struct recording_lesson;

// The lesson of a recording, which stays, as do the bytes of its file. Its name is that of the file without its ending.
const struct lesson *recording_lesson_new(struct arena *arena, const char *file,
                                          const struct recording *recording);

// The recording of a lesson; NULL if it is another lesson.
const struct recording *recording_of(const struct lesson *lesson);

// What came of a step (from 0) of a run of it. It is evaluated now if it was not yet.
struct recorded_result recorded_result(struct run *run, int step);

#endif
