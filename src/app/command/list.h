#ifndef ONESTEP_APP_COMMAND_LIST_H
#define ONESTEP_APP_COMMAND_LIST_H

// The command `list`: lessons, what parameters they use, and the names of their steps.

#include "app/command/command.h"
#include "base/text.h"

// Adds the list in `format` (FORMAT_PLAIN or FORMAT_JSON): of one lesson or model with its steps, or, if `lesson` is NULL,
// of all, models without their steps. Fails if a lesson does.
void add_list(struct text *text, const struct lesson *lesson, enum format format);

#endif
