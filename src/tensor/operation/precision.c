#include "tensor/operation/precision.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define HALVES "compute in float32, with model.float() and x.float(), and without torch.autocast"

const struct precision precisions[PRECISION_COUNT] = {
    [PRECISION_BFLOAT16] = {"bfloat16", 8, -126, 0x1.fep127, .remedy = HALVES},
    [PRECISION_FLOAT16] = {"float16", 11, -14, 65504, .remedy = HALVES},
    [PRECISION_TF32] = {"tf32", 11, -126, 0x1.ffcp127, true,
                        "set torch.backends.cuda.matmul.allow_tf32 = False"},
};

// The distance between the numbers of the type at `x`, which is finite and not 0.
static double unit_of(const struct precision *precision, double x) {
    int exponent;
    (void)frexp(x, &exponent);
    if (exponent <= precision->least_exponent) exponent = precision->least_exponent + 1;
    return ldexp(1, exponent - precision->bits);
}

double round_to(const struct precision *precision, double x, enum rounding rounding) {
    if (x == 0 || !isfinite(x)) return x;
    const double unit = unit_of(precision, x), units = fabs(x) / unit;
    const double whole = rounding == TO_NEAREST    ? nearbyint(units)
                         : rounding == TOWARD_ZERO ? floor(units)
                                                   : ceil(units);
    const double result = whole * unit;
    return copysign(result > precision->most ? INFINITY : result, x);
}

float round_float_to(const struct precision *precision, float x, enum rounding rounding) {
    const uint32_t below = (1U << (24 - precision->bits)) - 1; // the bits that are dropped
    uint32_t bits;
    const double size = fabs((double)x);
    if (!(size >= ldexp(1, precision->least_exponent) && size <= precision->most / 2))
        return (float)round_to(precision, (double)x, rounding);
    memcpy(&bits, &x, sizeof bits);
    const uint32_t to_even = below / 2 + (bits >> (24 - precision->bits) & 1);
    bits += rounding == TO_NEAREST ? to_even : rounding == TOWARD_ZERO ? 0 : below;
    bits &= ~below;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double half_unit_of(const struct precision *precision, double x) {
    return x == 0 || !isfinite(x) ? 0 : unit_of(precision, x) / 2;
}
