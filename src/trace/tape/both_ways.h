#ifndef ONESTEP_TRACE_TAPE_BOTH_WAYS_H
#define ONESTEP_TRACE_TAPE_BOTH_WAYS_H

// One operation forwards and backwards, as a lesson shows it in four steps: what went in, what came out, and the gradients
// of both. A step's gradient is the first step that says so (gradient_of() in lesson.h) and has its shape.

#include "trace/run/run.h"

struct both_ways {
    const struct step *in, *out; // on the way forward
    const struct step *out_grad,
        *in_grad; // and back; out_grad is NULL where `out` is the loss: its gradient is 1
};

// The operations on both ways that a step has a part in as `in` or as `in_grad`, in the order in which their results were
// computed, in `arena`; returns how many. A tensor that was used three times goes into three of them.
int both_ways_of(struct arena *arena, const struct run *run, const struct step *step,
                 struct both_ways **ways);

#endif
