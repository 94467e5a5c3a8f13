#ifndef ONESTEP_TENSOR_OPS_TOLERANCE_H
#define ONESTEP_TENSOR_OPS_TOLERANCE_H

// How far the numbers of another right program may lie from ours. PyTorch's products and sums are rounded
// in an order that depends on its BLAS and on the processor, exponentials and normal draws go through
// other polynomials. What was typed in, drawn evenly, or only masked and copied has no such freedom.
//
// An error is counted in units of ROUNDING and grows from operation to operation: an element may err by
// what was added up for it (sum of |a·b| for a product), and passes on what its operands err by. This is
// a running error analysis (N. J. Higham, Accuracy and Stability of Numerical Algorithms, SIAM 2002,
// section 3.3), so that a sum which nearly cancels may differ much, and a small number only a little. An
// error may be as large as what errs, so no operation takes it for small: a product of two that err has
// the product of both errors, and e^x the interval from e^(x - error) to e^(x + error).
//
// Nothing bounds what comes of many updates of a training: what is kept of them counts as settled here. How far
// rounding moves it is measured (trace/what_if/spread.h).

#include <math.h>

#include "tensor/tensor.h"

#define ROUNDING 1e-6 // sixteen times what one operation of floats may be wrong by

// How far each element may lie from another right program's, row by row, in `arena`; 0 where every bit is
// settled. Takes as long as deriving each number behind it once; never fails but for want of memory.
const double *tolerances_of(struct arena *arena, const struct tensor *tensor);

// What a·b errs by if a and b do; rounding it comes on top. All in units of ROUNDING.
static inline double error_of_factors(double a, double b, double error_a, double error_b) {
    return error_a * fabs(b) + fabs(a) * error_b + ROUNDING * error_a * error_b;
}

// Is |value - wanted| <= allowed? Infinities agree with themselves and nan with nan.
bool agree(double value, double wanted, double allowed);

#endif
