#ifndef ONESTEP_APP_COMMAND_CATALOG_H
#define ONESTEP_APP_COMMAND_CATALOG_H

// All that the command line has: commands, their help and options, parameters, models. The manual and the completions are
// made of it.

#include "app/command/command.h"
#include "base/text.h"

// The command `list --options`, in `format` (FORMAT_PLAIN or FORMAT_JSON).
void add_options(struct text *text, enum format format);

#endif
