#ifndef ONESTEP_APP_COMPARE_COMPARE_H
#define ONESTEP_APP_COMPARE_COMPARE_H

// The command `compare`: where two runs part.

#include "app/command/command.h"
#include "base/text.h"

// Adds the answer in the command's format: the first tensor of B that is made of what A has too and is another; the lines, the
// largest difference, the edit that removes it, and what follows. Returns whether the runs are the same. Fails with FAIL_INPUT
// if one of them can't be read, with FAIL_USAGE for parameters that do not fit.
bool add_comparison(struct text *text, const struct command *command);

#endif
