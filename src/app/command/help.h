#ifndef ONESTEP_APP_COMMAND_HELP_H
#define ONESTEP_APP_COMMAND_HELP_H

// What --help prints.

#include "app/command/command.h"
#include "base/text.h"

// Adds the help that the command asks for: about a command, about the program, or the cheat sheet with
// the shapes that its parameters give. Fails if those do not fit a lesson.
void add_help(struct text *text, const struct command *command);

#endif
