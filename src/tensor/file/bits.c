#include "tensor/file/bits.h"

#include <math.h>
#include <string.h>

uint64_t bits_at(const char *bytes, size_t width, bool is_swapped) {
    uint64_t bits = 0;
    for (size_t i = 0; i < width; i++)
        bits = bits << 8 | (unsigned char)bytes[is_swapped ? i : width - 1 - i];
    return bits;
}

// A sign, five bits of exponent, ten of mantissa.
static double half_of(uint64_t bits) {
    enum { MANTISSA = 10, BIAS = 15, SPECIAL = 31 };
    const int exponent = (int)(bits >> MANTISSA & SPECIAL);
    const double mantissa = (double)(bits & ((1U << MANTISSA) - 1));
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == SPECIAL) return mantissa != 0 ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0) return sign * ldexp(mantissa, 1 - BIAS - MANTISSA);
    return sign * ldexp(mantissa + (1 << MANTISSA), exponent - BIAS - MANTISSA);
}

static double float_of(uint64_t bits) {
    const uint32_t half = (uint32_t)bits;
    float number;
    memcpy(&number, &half, sizeof number);
    return (double)number;
}

static double double_of(uint64_t bits) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static double signed_of(uint64_t bits, size_t width) {
    const uint64_t sign = UINT64_C(1) << (8 * width - 1);
    return bits & sign ? -(double)((~bits & (sign - 1)) + 1) : (double)bits;
}

double number_of_bits(enum bits_kind kind, size_t width, uint64_t bits) {
    switch (kind) {
    case BITS_FLOAT:
        return width == 2 ? half_of(bits) : width == 4 ? float_of(bits) : double_of(bits);
    case BITS_BFLOAT:
        return float_of(bits << 16);
    case BITS_SIGNED:
        return signed_of(bits, width);
    case BITS_TRUTH:
        return bits != 0;
    case BITS_UNSIGNED:
        break;
    }
    return (double)bits;
}
