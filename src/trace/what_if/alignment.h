#ifndef ONESTEP_TRACE_WHAT_IF_ALIGNMENT_H
#define ONESTEP_TRACE_WHAT_IF_ALIGNMENT_H

// What a lesson computes with changed lines, seen beside the lesson: a step is explained by the lesson as long as the changed
// lines do not reach it, and by the program from there on.

#include "trace/what_if/changed_line.h"

// `run` has the steps of `right` with the changed lines, outcomes[i] is what the program made of step i, and touched[i] says
// whether it is another tensor. Puts the program's tensor in the place of each step that is touched, whose line is changed, or
// that was computed from one of these. What it was computed from leads to the tensors that the steps show, and has their axes.
void align_outcomes(struct run *run, struct arena *arena, const struct run *right,
                    const struct line_outcome *outcomes, const bool *touched,
                    const bool *is_changed);

// Do both read the numbers of their storages at the same places, in the same shape?
bool reads_alike(const struct tensor *a, const struct tensor *b);

#endif
