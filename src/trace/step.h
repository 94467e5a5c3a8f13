#ifndef ONESTEP_TRACE_STEP_H
#define ONESTEP_TRACE_STEP_H

// Finding and describing the steps of a run.

#include "trace/run.h"

// "head 1: scores", or "scores" for a step without a group.
const char *step_label(struct arena *arena, const struct step *step);

// The step that a user means: by number from 1, name, or "GROUP: NAME". A bare name means the step
// without a group where there is one. NULL if there is none or the name is borne by several groups.
const struct step *step_called(const struct run *run, const char *wanted);

// The same, but fails with FAIL_USAGE if there is none, and says which names there are.
const struct step *find_step(const struct run *run, const char *wanted, struct failure *failure);

// "batch × query × key": what the axes mean, outermost first; the size of one without a name.
const char *axes_text(struct arena *arena, const struct tensor *tensor);

// "float32", "bool", "int64".
const char *dtype_text(const struct tensor *tensor);

// What index `i` (from 0) of a dimension is called: its label, or its number from 1.
const char *label_of(struct arena *arena, const struct tensor *tensor, int dim, int64_t i);

#endif
