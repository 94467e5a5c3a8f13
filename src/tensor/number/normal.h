#ifndef ONESTEP_TENSOR_NUMBER_NORMAL_H
#define ONESTEP_TENSOR_NUMBER_NORMAL_H

// Normal numbers, mean 0 and variance 1, from uniform ones in [0, 1), by the method of Box and Muller
// (1958): two uniform numbers become a radius and an angle, and these a pair of normal numbers,
// radius · cos angle and radius · sin angle. PyTorch has two ways to compute them
// (aten/src/ATen/native/cpu/DistributionTemplates.h): normal_fill_16_AVX2 for tensors of sixteen floats
// and more, in floats; and a distribution that keeps the second of a pair for those with fewer, in
// doubles.

struct normal_pair {
    double radius, angle;
    float cosine, sine; // times the radius: the two normal numbers
};

// In floats: radius √(-2 log(1 - first)), angle 2π · second. Logarithm, sine and cosine are those of
// Cephes in single precision [1] in the form of avx_mathfun [2], with a multiplication and the addition
// behind it fused, since PyTorch's compilers do so. tests/pytorch_operations.py asks PyTorch 1.13 and 2.6.
//
// [1] S. L. Moshier, Cephes Mathematical Library, single precision: logf, sinf, cosf.
// [2] J. Pommier, sse_mathfun; G. Garberoglio, avx_mathfun.
struct normal_pair normal_pair_of_floats(float first, float second);

// In doubles: angle 2π · first, radius √(-2 log(1 - second)), each normal number rounded to a float.
struct normal_pair normal_pair_of_doubles(double first, double second);

#endif
