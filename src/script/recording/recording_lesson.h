#ifndef ONESTEP_SCRIPT_RECORDING_RECORDING_LESSON_H
#define ONESTEP_SCRIPT_RECORDING_RECORDING_LESSON_H

// A recording as a lesson: each operation is a step, and a step's numbers are the recorded ones. How they came about, the machine
// says, which evaluates the recorded line from the recorded operands: its result has the origin, and is compared with
// what was recorded. For a recording of few numbers this is done for all steps at once, else when a step is shown (`explain` of struct lesson).

#include "script/recording/agreement.h"
#include "tensor/file/recording_read.h"
#include "trace/run/run.h"

// The lesson of a recording, which stays, as do the bytes of its file. Its name is that of the file without its ending.
const struct lesson *recording_lesson_new(struct arena *arena, const char *file,
                                          const struct recording *recording);

// The recording of a lesson; NULL if it is another lesson.
const struct recording *recording_of(const struct lesson *lesson);

// What came of a step (from 0) of a run of it. It is evaluated now if it was not yet.
struct recorded_result recorded_result(struct run *run, int step);

#endif
