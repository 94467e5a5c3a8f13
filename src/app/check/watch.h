#ifndef ONESTEP_APP_CHECK_WATCH_H
#define ONESTEP_APP_CHECK_WATCH_H

// check --watch: checks a file again whenever it changes.

#include "app/command/command.h"

// Writes an answer, or what is wrong with the file, whenever the file has changed, until it holds the step's
// numbers. If the file does not exist yet, it waits for it. Fails with FAIL_USAGE if a parameter does not fit
// or the step does not exist, and as write_output does.
void watch_file(const struct command *command, struct failure *failure);

#endif
