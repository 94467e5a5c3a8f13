#ifndef ONESTEP_WALK_STEP_MATHEMATICS_H
#define ONESTEP_WALK_STEP_MATHEMATICS_H

// The arithmetic of a number as its step's formula has it, in the order of the numbers on screen. In which order the
// bits are made, "where from" says (derivation.h).

#include "tensor/operation/derivation.h"
#include "trace/run/run.h"

// "e^0.2050 / (e^0.2050 + e^0.0508) = 0.5385", "0.9544 / 6.5617 = 0.1455, and 6.5617 is the sum of all query_scores"; the number
// alone if nothing was computed. Names are those of steps before the one numbered `before`.
const char *mathematics_text(struct arena *arena, const struct run *run,
                             const struct derivation *derivation, int before, int digits);

#endif
