#ifndef ONESTEP_TENSOR_NUMBER_VECTOR_MATH_H
#define ONESTEP_TENSOR_NUMBER_VECTOR_MATH_H

/*
 * Elementary functions of floats with the bits that PyTorch computes on a processor with AVX2.
 *
 * There PyTorch asks SLEEF [1], eight floats at a time; SLEEF's functions of the names given
 * below are written here for one float at a time, operation by operation. They are within one
 * unit in the last place of the exact value and not correctly rounded. PyTorch uses them
 * wherever a kernel is vectorised, and for the last, incomplete vector of a row, too, unless
 * number/library_math.h says otherwise.
 *
 * They expect the machine's usual rounding (to nearest), and set no errno.
 *
 * [1] N. Shibata, F. Petrogalli, "SLEEF: A portable vectorized library of C standard mathematical
 *     functions", IEEE Transactions on Parallel and Distributed Systems 31(6), 2020. SLEEF 3.5.1
 *     and 3.6.1 agree in all that is here.
 */

/*
 * e^x (Sleef_expf8_u10): torch.exp, softmax, log_softmax.
 * Below -104 the result is 0 (so -INFINITY gives 0), above 100 INFINITY; NAN gives NAN. Results
 * below the smallest normal float are subnormal, not 0.
 */
float vector_exp(float x);

/*
 * The natural logarithm of x (Sleef_logf8_u10): torch.log, log_softmax. Subnormal x are taken for
 * what they are. 0 and -0 give -INFINITY, INFINITY gives INFINITY, anything below 0 and NAN NAN.
 */
float vector_log(float x);

/*
 * log(1 + x) (Sleef_log1pf8_u10): torch.log1p. -1 gives -INFINITY, anything above 1e38 INFINITY,
 * anything below -1 and NAN give NAN, -0 gives -0.
 */
float vector_log1p(float x);

/* The hyperbolic tangent of x (Sleef_tanhf8_u10): torch.tanh, gelu with approximate='tanh'. */
float vector_tanh(float x);

/* The error function of x as PyTorch 1.13 has it (Sleef_erff8_u10 of SLEEF 3.5.1): torch.erf. */
float vector_erf_1_13(float x);

/*
 * The error function of x as PyTorch 2.6 has it: torch.erf, gelu. A formula by Abramowitz and
 * Stegun (7.1.26), 1.5e-7 off at worst, in fused steps, with vector_exp.
 */
float vector_erf_2_6(float x);

/* vector_sin and vector_cos answer for angles between -VECTOR_ANGLE_LIMIT and the same, radians. */
#define VECTOR_ANGLE_LIMIT 125.0f

/*
 * The sine and the cosine of x as PyTorch 1.13 has it (Sleef_sinf8_u10, Sleef_cosf8_u10), NAN for
 * |x| >= VECTOR_ANGLE_LIMIT, where SLEEF's result depends on the neighbours of x in its vector.
 */
float vector_sin_1_13(float x);
float vector_cos_1_13(float x);

/* The same as PyTorch 2.6 has it (Sleef_sinf8_u35, Sleef_cosf8_u35): up to 3.5 units off. */
float vector_sin_2_6(float x);
float vector_cos_2_6(float x);

#endif
