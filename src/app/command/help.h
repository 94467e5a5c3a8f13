#ifndef ONESTEP_APP_COMMAND_HELP_H
#define ONESTEP_APP_COMMAND_HELP_H

// What --help prints.

#include "app/command/command.h"
#include "base/text.h"
#include "show/json.h"

// Adds the help that the command asks for: about a command, about the program, or the cheat sheet with
// the shapes that its parameters give. Fails if those do not fit a lesson.
void add_help(struct text *text, const struct command *command);

// What help can be about: commands, models, the formulas. Returns how many.
int help_topics(struct arena *arena, const char ***topics);

// Adds the members "help" and "more": what stands before and behind the options of a command's help.
void add_json_help(struct json *json, enum verb verb);
// Adds the list "models": each one's name and help, before and behind its parameters.
void add_json_models(struct json *json);

#endif
