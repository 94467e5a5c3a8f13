#ifndef ONESTEP_TENSOR_NUMBER_ELEMENTARY_H
#define ONESTEP_TENSOR_NUMBER_ELEMENTARY_H

/*
 * e^x, the logarithm, sine and cosine, made of nothing but + - * / on doubles.
 *
 * C libraries disagree about these functions in the last bit. Here the float versions return *the*
 * right answer: the float nearest to the exact value, ties to even. Only one answer is right, so
 * every machine, compiler and faster kernel that is right gives the same bits. The way there is
 * told in elementary.c; tests/exhaustive_exp.c compares with MPFR for every float there is.
 *
 * The double versions promise a little less: the same double everywhere, within 0.51 units in the
 * last place of the exact value. They draw normal numbers, half a microsecond each.
 *
 * All of them expect the machine's usual rounding (to nearest), set no errno, and are pure.
 */

/*
 * e^x, correctly rounded, for every float.
 * -INFINITY gives 0 (that is what masks a score), INFINITY gives INFINITY, NAN gives NAN.
 * From 0x1.62e43p6 (88.72284) on the result is INFINITY. Below -87.3365 it is subnormal, and
 * correctly rounded still; below -0x1.9fe368p6 (-103.9721) it is 0.
 */
float exp_float(float x);

/*
 * The natural logarithm of x, correctly rounded, for every float.
 * 0 and -0 give -INFINITY, INFINITY gives INFINITY, anything below 0 and NAN give NAN.
 */
float log_float(float x);

/* Sine and cosine answer for angles from -ANGLE_LIMIT to ANGLE_LIMIT, in radians. */
#define ANGLE_LIMIT 4096

/* The sine of x, correctly rounded, for |x| <= ANGLE_LIMIT; NAN for all else. -0 gives -0. */
float sin_float(float x);

/* The cosine of x, correctly rounded, for |x| <= ANGLE_LIMIT; NAN for all else. */
float cos_float(float x);

/*
 * log(1 + x), for x near 0 too, where 1 + x would round x away.
 * -1 gives -INFINITY, INFINITY gives INFINITY, anything below -1 and NAN give NAN, -0 gives -0.
 */
double log1p_double(double x);

/* The sine of x for |x| <= ANGLE_LIMIT; NAN for all else. -0 gives -0. */
double sin_double(double x);

/* The cosine of x for |x| <= ANGLE_LIMIT; NAN for all else. */
double cos_double(double x);

#endif
