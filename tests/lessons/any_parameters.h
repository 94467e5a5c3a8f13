#ifndef ONESTEP_TESTS_LESSONS_ANY_PARAMETERS_H
#define ONESTEP_TESTS_LESSONS_ANY_PARAMETERS_H

#include "trace/run/run.h"

// Begins the stream from which parameters are drawn; the same for the same seed from 1 on.
void begin_drawing(uint64_t seed);

// Random values for about half of the parameters that the lesson uses; all of them possible.
struct parameters any_parameters(const struct lesson *lesson);

#endif
