#include "tensor/number/variance.h"

#include "tensor/number/sum.h"

#include <math.h> // defines: fma, sqrt

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

static float of_squares(double squares, size_t n, double correction, float *deviation) {
    double left = (double)n - correction;
    double variance = squares / (left > 0 ? left : 0);
    if (deviation != NULL) *deviation = (float)sqrt(variance);
    return (float)variance;
}

float variance_of_all(const float *x, size_t n, double correction, float *deviation) {
    double mean = contiguous_sum(x, n) / (float)n, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double distance = x[i] - mean;
        squares += distance * distance;
    }
    return of_squares(squares, n, correction, deviation);
}

float variance_of_row(const float *x, size_t n, ptrdiff_t stride, double correction,
                      float *deviation) {
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double number = x[(ptrdiff_t)i * stride], distance = number - mean;
        mean += distance / (double)(i + 1);
        squares = fma(distance, number - mean, squares);
    }
    return of_squares(squares, n, correction, deviation);
}
