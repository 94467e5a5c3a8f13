#ifndef ONESTEP_TRACE_SOURCE_H
#define ONESTEP_TRACE_SOURCE_H

// The paragraph of a lesson's file that a line belongs to.

#include "trace/run.h"

// The paragraph that `line` (from 1) lies in; NULL if none does.
const struct paragraph *paragraph_at(const struct source *source, int line);

#endif
