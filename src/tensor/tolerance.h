#ifndef ONESTEP_TENSOR_TOLERANCE_H
#define ONESTEP_TENSOR_TOLERANCE_H

// How far the numbers of another right program may lie from ours. PyTorch's matrix products are
// rounded in an order that depends on its BLAS, and its normal draws go through other logarithms
// and cosines. What was typed in, drawn evenly, or only masked and copied has no such freedom.

#include "tensor/tensor.h"

// What an operation adds, to be multiplied by max(1, |x|): nothing where every bit is settled; 2e-6
// where numbers are rounded; 5e-6 where normal draws are made.
#define SETTLED 0.0
#define ROUNDED 2e-6
#define DRAWN_NORMAL 5e-6

// The largest of what the operations behind a tensor add. It is known since the tensor was made.
double tolerance_of(const struct tensor *tensor);

// Is |value - wanted| <= slack + tolerance · max(1, |wanted|)? Infinities agree with themselves and
// nan with nan.
bool agree(double value, double wanted, double tolerance, double slack);

#endif
