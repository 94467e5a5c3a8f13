#ifndef ONESTEP_TRACE_TAPE_SPREAD_H
#define ONESTEP_TRACE_TAPE_SPREAD_H

// How far rounding alone moves the numbers of a step, measured: the step is computed again and again with
// other last bits (tensor/operation/disturbance.h), or with the bits of the run's precision, if it has one.

#include "trace/run/run.h"

enum { MOST_DISTURBED = 8 }; // times

// How far each of a step's numbers lay from the run's, at most, row by row, after so many disturbed runs.
// INFINITY where one of the two numbers is finite and the other is not. Read them with moved_at().
struct spread {
    int64_t count; // numbers
    double *of;
    int runs; // so far
};

struct spread spread_of(struct arena *arena, const struct step *step);

// Computes the step once more, in a way of its own each time, and widens its spread. Takes about twice as long
// as what the step depends on took; fails only for want of memory.
void widen_spread(struct spread *spread, const struct run *run, const struct step *step);

// The same by a run that somebody else disturbed: the step's own numbers and the others.
void widen_spread_by(struct spread *spread, const struct tensor *tensor,
                     const struct tensor *other);

// The spreads of all steps, in `arena`, after FEW_DISTURBED runs of the whole lesson.
enum { FEW_DISTURBED = 4 };
struct spread *spreads_of(struct arena *arena, const struct run *run);

// How far rounding may move a number: several times as far as it moved this one and those beside it, which few
// runs may have left where they were by chance. 0 of a number that is 0 in all runs, as a mask leaves it.
double moved_at(const struct spread *spread, int64_t position);

#endif
