#ifndef ONESTEP_APP_CHECK_PROGRAM_RECORDED_H
#define ONESTEP_APP_CHECK_PROGRAM_RECORDED_H

// `check RUN.onestep`: does onestep's own arithmetic give the recorded numbers of each operation, from the recorded operands?

#include "app/command/command.h"
#include "base/text.h"

// Adds the answer in the command's format: how many operations agree, and each that does not. `run` is of the command's lesson, a
// recording. Returns whether none gives other numbers; one that onestep does not run is no fault.
bool add_check_of_recording(struct text *text, const struct command *command, struct run *run);

#endif
