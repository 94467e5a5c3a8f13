#include "tensor/number/library_math.h"

#include <math.h>   // defines: fma, INFINITY, NAN
#include <stdint.h> // defines: uint64_t, int64_t
#include <string.h> // defines: memcpy

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

// 2^(i/32), rounded to a double.
static const double roots_of_two[32] = {
    0x1.0000000000000p+0, 0x1.059b0d3158574p+0, 0x1.0b5586cf9890fp+0, 0x1.11301d0125b51p+0,
    0x1.172b83c7d517bp+0, 0x1.1d4873168b9aap+0, 0x1.2387a6e756238p+0, 0x1.29e9df51fdee1p+0,
    0x1.306fe0a31b715p+0, 0x1.371a7373aa9cbp+0, 0x1.3dea64c123422p+0, 0x1.44e086061892dp+0,
    0x1.4bfdad5362a27p+0, 0x1.5342b569d4f82p+0, 0x1.5ab07dd485429p+0, 0x1.6247eb03a5585p+0,
    0x1.6a09e667f3bcdp+0, 0x1.71f75e8ec5f74p+0, 0x1.7a11473eb0187p+0, 0x1.82589994cce13p+0,
    0x1.8ace5422aa0dbp+0, 0x1.93737b0cdc5e5p+0, 0x1.9c49182a3f090p+0, 0x1.a5503b23e255dp+0,
    0x1.ae89f995ad3adp+0, 0x1.b7f76f2fb5e47p+0, 0x1.c199bdd85529cp+0, 0x1.cb720dcef9069p+0,
    0x1.d5818dcfba487p+0, 0x1.dfc97337b9b5fp+0, 0x1.ea4afa2a490dap+0, 0x1.f50765b6e4540p+0,
};

// The algorithm is that of S. Nagy, "Optimized Routines", 2017 (exp2f_data, N = 32).
float library_exp(float x) {
    if (isnan(x)) return x;
    if (x > 0x1.62e42ep6f) return INFINITY;
    if (x < -0x1.9fe368p6f) return 0.0f;

    // x = k/32 log 2 + r; 32 / log 2 x is k + r', rounded to a whole number by adding 1.5 2^52.
    const double quotient = 0x1.71547652b82fep+0 * 32, shift = 0x1.8p52;
    double rounded = fma(quotient, x, shift) - shift;
    double r = fma(quotient, x, -rounded);
    int64_t k = (int64_t)rounded;

    // 2^(r'/32) = 1 + r' (c2 + r' (c1 + c0 r')).
    double high = fma(0x1.c6af84b912394p-5 / 32 / 32 / 32, r, 0x1.ebfce50fac4f3p-3 / 32 / 32);
    double sum = fma(0x1.62e42ff0c52d6p-1 / 32, r, 1.0);
    sum = fma(high, r * r, sum);
    return (float)(sum * ldexp(roots_of_two[k & 31], (int)((k - (k & 31)) / 32)));
}
