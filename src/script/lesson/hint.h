#ifndef ONESTEP_SCRIPT_LESSON_HINT_H
#define ONESTEP_SCRIPT_LESSON_HINT_H

// What helps with a line that failed, beside what Python says: a sentence, in the arena; or NULL.

#include "script/machine.h"
#include "trace/run/run.h"

// `type` and `message` are the error's. The machine has cleared it: names in sight are looked up.
const char *hint_for(struct arena *arena, struct machine *machine, const char *code,
                     const char *type, const char *message);

// Of a step's expression that cannot be read.
const char *hint_for_expression(struct arena *arena, const struct step *step);

// Where the line did not set `name`, which the step shows; `bound`: the names that it binds, a blank around each.
const char *hint_for_unset(struct arena *arena, const char *name, const char *bound);

#endif
