#ifndef ONESTEP_TRACE_SOURCE_H
#define ONESTEP_TRACE_SOURCE_H

// The part of a lesson's file that a STEP belongs to.

#include "trace/run.h"

// The paragraph with a STEP on line `line` (counted from 1), and in *excerpt the lines that compute it;
// NULL if there is none.
const struct paragraph *paragraph_at(const struct source *source, int line,
                                     const struct excerpt **excerpt);

#endif
