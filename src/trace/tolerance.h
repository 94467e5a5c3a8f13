#ifndef ONESTEP_TRACE_TOLERANCE_H
#define ONESTEP_TRACE_TOLERANCE_H

// How far the numbers of another right program may lie from ours. PyTorch's matrix products are
// rounded in an order that depends on its BLAS, and its normal draws go through other logarithms
// and cosines. What was typed in, drawn evenly, or only masked and copied has no such freedom.

#include "tensor/tensor.h"

// 0 for numbers of which every bit is settled, 5e-6 for those in which normal draws had a part,
// 2e-6 for all others; to be multiplied by max(1, |x|).
double tolerance_of(const struct tensor *tensor);

// Is |value - wanted| <= slack + tolerance · max(1, |wanted|)? Infinities agree with themselves and
// nan with nan.
bool agree(double value, double wanted, double tolerance, double slack);

#endif
