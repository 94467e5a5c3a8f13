#ifndef ONESTEP_APP_COMPARE_COMPANION_H
#define ONESTEP_APP_COMPARE_COMPANION_H

// The run of --beside, as the companion of a walk: the answer of `compare`, step by step.

#include "app/command/command.h"
#include "trace/what_if/companion.h"

// Reads the run that the command wants beside its lesson; NULL: it wants none. Fails with FAIL_INPUT if it can't be read, with
// FAIL_USAGE for parameters that do not fit.
const struct companion_source *companion_of(struct arena *arena, const struct command *command);

#endif
