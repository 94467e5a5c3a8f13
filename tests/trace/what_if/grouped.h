#ifndef ONESTEP_TESTS_TRACE_WHAT_IF_GROUPED_H
#define ONESTEP_TESTS_TRACE_WHAT_IF_GROUPED_H

// A lesson that no list has, on grouped queries: four heads share two groups of keys and values, without a batch or with
// one. It says nothing of mistakes, as a new lesson would not.

#include "trace/run/run.h"

extern const struct lesson grouped_lesson;

#endif
