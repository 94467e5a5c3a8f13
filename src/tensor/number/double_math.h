#ifndef ONESTEP_TENSOR_NUMBER_DOUBLE_MATH_H
#define ONESTEP_TENSOR_NUMBER_DOUBLE_MATH_H

// The logarithm, sine and cosine of doubles, made of nothing but + - * /: the same double on every
// machine, within 0.51 units in the last place of the exact value. They draw the normal numbers of small
// tensors, half a microsecond each; C libraries differ in their last bit here, which a float made of
// them does not show.
//
// They expect the machine's usual rounding (to nearest), set no errno, and are pure.

// log(1 + x), for x near 0 too, where 1 + x would round x away. -1 gives -INFINITY, INFINITY gives
// INFINITY, anything below -1 and NAN give NAN, -0 gives -0.
double log1p_double(double x);

// The same as a float, (float)log1p_double(x), at a fiftieth of the time: the C library's log1p decides it unless it lies so
// close to the middle of two floats that the library's last bits do. After A. Ziv, Fast evaluation of elementary
// mathematical functions with correctly rounded last bit, ACM TOMS 17, 1991.
float log1p_float(double x);

// The sine and the cosine of an angle of up to ANGLE_LIMIT radians either way, NAN of all else. The sine
// of -0 is -0.
#define ANGLE_LIMIT 4096
double sin_double(double x);
double cos_double(double x);

#endif
