#ifndef ONESTEP_APP_CHECK_CHECK_H
#define ONESTEP_APP_CHECK_CHECK_H

// The command `check`: a student's numbers against a step, or those of a class.

#include "app/command/command.h"
#include "base/text.h"

// Reads the command's file, compares it with the command's step, and adds the answer in the
// command's format. Returns whether the file holds the step's numbers; with a roster, whether all files
// do (roster.h). Fails with FAIL_INPUT if it can't be read, with FAIL_USAGE for a parameter that does not
// fit or a step that is not there.
bool add_check(struct text *text, struct text *notes, const struct command *command);

#endif
