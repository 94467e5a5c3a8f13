#ifndef ONESTEP_SCRIPT_LESSON_STATEMENTS_H
#define ONESTEP_SCRIPT_LESSON_STATEMENTS_H

// A lesson run as a program: its setup, the statements of its steps, and their expressions.

#include "trace/what_if/changed_line.h"

// An interpreter's `play` (changed_line.h), which ends when *stop becomes true (NULL: never); its `compute` and its `complete`.
void play_statements(struct line_outcome *outcomes, struct arena *arena, const struct run *right,
                     const struct run *run, const volatile bool *stop);
void compute_statements(struct arena *arena, const struct run *right, int count,
                        const struct run *runs,
                        void (*take)(void *context, int i, const struct line_outcome *outcomes),
                        void *context);
// A copy, row by row in `arena`, of a tensor that compute_statements gives.
struct tensor copied_tensor(struct arena *arena, const struct tensor *tensor);
const char *const *complete_in_statements(struct arena *arena, const struct run *run, int step,
                                          const char *begun);

// The same lesson many times, each time with other statements changed, up to one step (from 0): on one machine, which parses
// what is not changed once.
//
//     struct rehearsal *rehearsal = begin_rehearsal(arena, right, step);
//     const struct tensor tensor = rehearse(rehearsal, arena, run, most, &work);
//     end_rehearsal(rehearsal);
struct rehearsal;
struct rehearsal *begin_rehearsal(struct arena *arena, const struct run *right, int step);
// The step's tensor in `arena`, without what it was computed from; NO_TENSOR if a statement failed, or more than `most` would have
// to run. *work: how many ran.
struct tensor rehearse(struct rehearsal *rehearsal, struct arena *arena, const struct run *run,
                       int64_t most, int64_t *work);
void end_rehearsal(struct rehearsal *rehearsal);

#endif
