#ifndef ONESTEP_APP_CHECK_WATCH_H
#define ONESTEP_APP_CHECK_WATCH_H

// check --watch: a file checked again whenever it changes.

#include "app/command.h"

// Writes an answer, or what is wrong with the file, whenever the file has changed, until it holds the step's
// numbers. A file that is not there yet is waited for. Fails with FAIL_USAGE for a parameter that does not
// fit or a step that is not there, and as write_output does.
void watch_file(const struct command *command, struct failure *failure);

#endif
