#ifndef ONESTEP_TRACE_TAPE_GRADIENT_H
#define ONESTEP_TRACE_TAPE_GRADIENT_H

// Gradients: how does a loss change when a number that it was computed from changes a little?
//
//     const struct tensor grad = gradient(loss, W_query);      // of W_query's shape
//
// The tape behind the loss is walked backwards, from the youngest storage to the oldest. When it reaches a
// storage, it has already visited everything computed from it, so its gradient is complete: the sum over
// its uses. That is why a topological order is needed, and why gradients are added and not set. Each
// operation's row says what one use adds (ops/operation.h); what was repeated by broadcasting is added up
// again, and what was read through a view goes back to its place. All of these are operations, so every
// gradient knows where it came from.
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

// A gradient of what x shows, as one of all of x's storage. As in PyTorch it stays where it is, if it can be
// walked so: how it lies in memory decides in which order a bias's gradient is added up. And back: what `of`
// shows of its storage's gradient.
struct tensor gradient_of_storage(struct tensor grad, const struct tensor *x);
struct tensor gradient_shown(struct tensor grad, const struct tensor *of);

#endif
