#ifndef ONESTEP_TRACE_RUN_EXPRESSION_H
#define ONESTEP_TRACE_RUN_EXPRESSION_H

// A part of a step, written as in Python: "scores[1, 2]", "head 1: keys[:, :2].T", "weights.sum(-1)",
// "weights.shape[0]".

#include "trace/run/run.h"

struct expression {
    struct step step; // its tensor is the part; the rest is the whole step's
    const char *
        python; // what Python prints for a part that is not a tensor, "torch.Size([6, 6])"; NULL: it is a tensor
};

// Does the reference name a part of a step?
bool is_expression(const struct run *run, const char *wanted);

// Finds the step before a "[" or "." (trace/run/step.h) and applies what follows, from left to right:
//     [1, -2, :, 1:6:2, ..., None]   indices, slices, and what else a tensor takes
//     .T .t() .transpose(0, 1)       other orders of the dimensions
//     .sum() .mean() .amax()         of all elements, or (-1), (dim=0), (-1, keepdim=True): in PyTorch's order
//     .max() .argmax()               of all elements
//     .shape .size() .size(0) .shape[0] .ndim .dim() .numel()
// Fails with FAIL_USAGE, if there is no such step or part; the message has PyTorch's words if PyTorch fails
// too.
struct expression evaluate_expression(struct arena *arena, const struct run *run,
                                      const char *wanted);

// Finds a step or a part of one for a comparison. A part takes the place of its step in run->steps, a list of the run's own
// from then on: replays find its numbers where they lie. The name is the whole reference, "context[1]", and the expression gives the part. Fails as
// find_step() and evaluate_expression() do, and for a part that is no tensor.
const struct step *tensor_asked_for(struct arena *arena, struct run *run, const char *wanted);

// The same for a reference that is_expression(), without another name; *python becomes that of struct expression.
struct step *part_asked_for(struct arena *arena, struct run *run, const char *wanted,
                            const char **python);

#endif
