#ifndef ONESTEP_SCRIPT_TORCH_GRAD_H
#define ONESTEP_SCRIPT_TORCH_GRAD_H

// The way back from a loss of a program: backward(), torch.autograd.grad, .grad and .grad_fn. The graph is what every storage
// remembers (tensor/origin.h); a tensor_cell says where it begins and where it is cut.

#include "script/torch/tensor_object.h"

// x.grad_fn: None for a leaf.
struct value grad_fn_of(struct machine *machine, struct value tensor);
// Does a gradient go through the storage?
bool does_flow(const struct storage *storage);
// The kind OBJECT_NODE, and torch.nn.Parameter.
void machine_add_grad(struct machine *machine);

extern const struct torch_row grad_rows[];

#endif
