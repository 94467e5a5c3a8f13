#ifndef ONESTEP_APP_CHECK_PROGRAM_PROGRAM_H
#define ONESTEP_APP_CHECK_PROGRAM_PROGRAM_H

// check LESSON FILE.py: the student's line that is wrong, and what would be right in its place.

#include "app/command/command.h"
#include "base/text.h"

// Runs the program that the command names, says which of its tensors are steps of the lesson, and where one is not, the line
// that makes it wrong and the line that would be right, in the program's own names. In the command's format. Returns whether
// its last tensor is the lesson's. Fails with FAIL_INPUT if it is no Python or computes no tensor. `run` is the lesson's.
bool add_check_of_program(struct text *text, const struct command *command, const struct run *run);

#endif
