#ifndef ONESTEP_TENSOR_OPS_TOLERANCE_H
#define ONESTEP_TENSOR_OPS_TOLERANCE_H

// How far the numbers of another right program may lie from ours. PyTorch's products and sums are rounded
// in an order that depends on its BLAS and on the processor, exponentials and normal draws go through
// other polynomials. What was typed in, drawn evenly, or only masked and copied has no such freedom.
//
// An error is counted in units of ROUNDING and grows from operation to operation: an element may err by
// what was added up for it (sum of |a·b| for a product), and passes on what its operands err by. This is
// a running error analysis (N. J. Higham, Accuracy and Stability of Numerical Algorithms, SIAM 2002,
// section 3.3), so that a sum which nearly cancels may differ much, and a small number only a little.

#include "tensor/tensor.h"

#define ROUNDING 1e-6 // sixteen times what one operation of floats may be wrong by

// How far each element may lie from another right program's, row by row, in `arena`; 0 where every bit is
// settled. Takes as long as deriving each number behind it once; never fails but for want of memory.
const double *tolerances_of(struct arena *arena, const struct tensor *tensor);

// Is |value - wanted| <= allowed? Infinities agree with themselves and nan with nan.
bool agree(double value, double wanted, double allowed);

#endif
