#ifndef ONESTEP_TENSOR_OPERATION_TOLERANCE_H
#define ONESTEP_TENSOR_OPERATION_TOLERANCE_H

// How far the numbers of another correct program may differ from ours. PyTorch's products and sums are
// rounded in an order that depends on its BLAS and on the processor, exponentials and normal draws use other
// polynomials. Numbers that are given, drawn uniformly, masked or copied do not differ.
//
// An error is counted in units of ROUNDING and grows from operation to operation: an element's own error is
// bounded by the size of its addends (sum of |a·b| for a product), and the errors of its operands are added
// to that. This is a running error analysis (N. J. Higham, Accuracy and Stability of Numerical Algorithms,
// SIAM 2002, section 3.3), so a sum that nearly cancels may differ much, and a small number only a little. An
// error may be as large as the number itself, so no operation assumes that it is small: the error of a
// product includes the product of both errors, and that of e^x the interval from e^(x - error) to e^(x +
// error).
//
// Nothing bounds what comes of many updates of a training: what is kept of them counts as settled here. How far
// rounding moves it is measured (trace/tape/spread.h).

#include <math.h>

#include "tensor/tensor.h"

#define ROUNDING 1e-6 // sixteen times what one operation of floats may be wrong by

// How far each element may differ from another correct program's, row by row, in `arena`; 0 if all bits are
// determined. Takes as long as deriving each number that the tensor depends on once. Fails only without
// memory.
const double *tolerances_of(struct arena *arena, const struct tensor *tensor);

// The error of a·b from the errors of a and b; the rounding of the product comes on top. All in units of
// ROUNDING.
static inline double error_of_factors(double a, double b, double error_a, double error_b) {
    return error_a * fabs(b) + fabs(a) * error_b + ROUNDING * error_a * error_b;
}

// Is |value - wanted| <= allowed? Infinities agree with themselves and nan with nan.
bool agree(double value, double wanted, double allowed);

#endif
