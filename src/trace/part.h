#ifndef ONESTEP_TRACE_PART_H
#define ONESTEP_TRACE_PART_H

// A part of a step, asked for as in Python: "scores[1, 2]", "head 1: keys[:, :2].T", "weights.sum()",
// "weights.shape".

#include "trace/run.h"

struct part {
    struct step step; // its tensor is the part; the rest is the whole step's
    bool is_shape;    // the shape was asked for, not the numbers
};

// Does a step's reference end in a part of it?
bool asks_for_part(const char *wanted);

// Finds the step before the first "[" or "." (trace/step.h) and takes what stands behind it in turn:
//     [1, -2, :, 1:3]  indices and slices, for leading dimensions
//     .T               the dimensions in reversed order
//     .sum()           of all elements, in PyTorch's order
//     .shape           last
// Fails with FAIL_USAGE, and what would be right, if there is no such step or part.
struct part find_part(struct arena *arena, const struct run *run, const char *wanted);

#endif
