#ifndef ONESTEP_TRACE_GRADIENT_H
#define ONESTEP_TRACE_GRADIENT_H

// Gradients: how does a loss answer when a number that it was made of moves a little?
//
//     const struct tensor grad = gradient(loss, W_query);      // of W_query's shape
//
// The tape behind the loss is walked backwards, from the youngest storage to the oldest. When a storage's
// turn comes, all that was made of it has had its own, so its gradient is complete: the sum over its
// uses. That is why an order is needed (a topological one), and why gradients are added and not set. Each
// operation's row says what one use adds (ops/operation.h); what was repeated by broadcasting is added up
// again, and what was read through a view goes back to its place. All of that are operations, so that
// every gradient knows where it came from.
//
// After S. Linnainmaa, "Taylor expansion of the accumulated rounding error", BIT 16, 1976: reverse mode.

#include "tensor/tensor.h"

// grads[i] becomes the gradient of the loss (a tensor of no dimensions) with respect to of[i], with its
// shape and axes; NO_TENSOR where the loss does not depend on it, or only through operations that let
// nothing through (PyTorch: None). A view's gradient is that of all uses of the numbers that it shows.
// Costs some two or three times what computing the loss did. Fails as the operations do.
void gradients(struct tensor loss, int count, const struct tensor *of, struct tensor *grads);

// The gradient with respect to one tensor.
struct tensor gradient(struct tensor loss, struct tensor of);

#endif
