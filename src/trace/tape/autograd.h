#ifndef ONESTEP_TRACE_TAPE_AUTOGRAD_H
#define ONESTEP_TRACE_TAPE_AUTOGRAD_H

// What PyTorch's autograd would know of a tensor where nothing is detached.

#include "trace/run/run.h"

// Is the step a layer's weight or bias or a table, as drawn or as updates changed it? PyTorch prints it as "Parameter
// containing:".
bool is_parameter(const struct step *step);

// Is it all of a parameter, not a view of its numbers?
bool is_whole_parameter(const struct step *step);

// "requires_grad=True" of a step that is a whole parameter, "grad_fn=<MmBackward0>" of a tensor that was
// computed from one, NULL of any other and of the losses of a training, which item() makes plain numbers.
// The names are those of PyTorch 1.13 and 2.6, which differ in a vector times a matrix (SqueezeBackward3 in
// 1.13) and in flatten (ReshapeAliasBackward0 in 1.13): here they are 2.6's.
const char *autograd_text(struct arena *arena, const struct step *step);

#endif
