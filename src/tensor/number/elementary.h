#ifndef ONESTEP_TENSOR_NUMBER_ELEMENTARY_H
#define ONESTEP_TENSOR_NUMBER_ELEMENTARY_H

// e^x, the logarithm, powers and the hyperbolic tangent of floats, with the bits that PyTorch computes on a
// processor with AVX2.
//
// There PyTorch asks SLEEF [1], eight floats at a time. Its functions of the names given below are
// written here for one float at a time, operation by operation: within one unit in the last place of the
// exact value, not correctly rounded. PyTorch 1.13 and 2.6 agree, for every float;
// tests/pytorch_operations.py tries them all.
//
// They expect the machine's usual rounding (to nearest), set no errno, and are pure.
//
// [1] N. Shibata, F. Petrogalli, "SLEEF: A portable vectorized library of C standard mathematical
//     functions", IEEE Transactions on Parallel and Distributed Systems 31(6), 2020.

#include "tensor/number/line.h"

// e^x as Sleef_expf8_u10 computes it: torch.exp, softmax, log_softmax. Below -104 the result is 0 (so
// -INFINITY gives 0: that is what masks a score), above 100 INFINITY; NAN gives NAN. Results below the
// smallest normal float are subnormal, not 0.
float exp_float(float x);

// powers[i] = e^(x[i] - most), each as exp_float computes it.
void exp_floats(struct line x, float most, float *powers);

// e^x as glibc's expf computes it, in double. PyTorch takes this one where a softmax goes down columns
// and fewer than eight columns are left. -INFINITY gives 0, INFINITY gives INFINITY, NAN gives NAN.
float exp_float_of_glibc(float x);

// The natural logarithm of x as Sleef_logf8_u10 computes it: torch.log, log_softmax. Subnormal x are
// taken for what they are. 0 and -0 give -INFINITY, INFINITY gives INFINITY, anything below 0 and NAN
// give NAN.
float log_float(float x);

// The logarithms of x to the bases 2 and 10, and of 1 + x, as Sleef_log2f8_u10, Sleef_log10f8_u10 and Sleef_log1pf8_u10
// compute them: torch.log2, log10, log1p.
float log2_float(float x);
float log10_float(float x);
float log_float_of_one_more(float x); // beyond 1e38 it is INFINITY

// e^x - 1 as Sleef_expm1f8_u10 computes it: torch.expm1.
float exp_float_less_one(float x);

// base^exponent as Sleef_powf8_u10 computes it: torch.pow of two tensors. A negative base has powers of
// whole numbers only, else NAN; anything^0 and 1^anything are 1.
float power_float(float base, float exponent);
// The same as glibc's powf, in double. PyTorch takes this one for the last numbers, where fewer than sixteen
// are left.
float power_float_of_glibc(float base, float exponent);

// The hyperbolic tangent as Sleef_tanhf8_u10 computes it: torch.tanh. Beyond 8.66 it is ±1.
float tanh_float(float x);

#endif
