#ifndef ONESTEP_APP_CHECK_SPREAD_H
#define ONESTEP_APP_CHECK_SPREAD_H

// How far rounding alone moves the numbers of a step, measured: the lesson runs again and again with other last
// bits (tensor/ops/disturbance.h).

#include "trace/run.h"

enum { MOST_DISTURBED = 8 }; // runs

// Runs the lesson with disturbance `number`, from 1, and widens `spread`, which has an element for each number
// of the step, row by row: how far it lay from the step's, at most. INFINITY where one of the two numbers is
// finite and the other is not. Takes as long as the lesson runs, twice; fails only for want of memory.
void widen_spread(double *spread, const struct run *run, const struct step *step, int number);

#endif
