#ifndef ONESTEP_APP_SESSION_WALK_H
#define ONESTEP_APP_SESSION_WALK_H

// The command `walk`: lessons on the terminal, until the user leaves.

#include "app/command/command.h"

// Walks. Fails before it takes the terminal, or after it gave it back, never while it has it: with
// FAIL_USAGE for parameters that do not fit or a step that is not there, as terminal_open does, or with
// FAIL_RUNTIME if memory ends.
void walk_command(const struct command *command, struct failure *failure);

#endif
