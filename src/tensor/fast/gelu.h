#ifndef ONESTEP_TENSOR_FAST_GELU_H
#define ONESTEP_TENSOR_FAST_GELU_H

// GELU of a vector of floats, with the bits of the operations that lesson `block` makes it of. Only kernel.c includes this.

#include "tensor/fast/lanes.h"

// What number/pair.h has of one number, of each lane.
struct pairs {
    floats high, low;
};

INLINE struct pairs sum_of_pairs(struct pairs a, struct pairs b) {
    const floats sum = a.high + b.high, kept = sum - a.high;
    const floats low = (a.high - (sum - kept)) + (b.high - kept);
    return (struct pairs){sum, low + (a.low + b.low)};
}

// For |a| >= |b|.
INLINE struct pairs sum_with_smaller(struct pairs a, struct pairs b) {
    const floats sum = a.high + b.high;
    return (struct pairs){sum, (((a.high - sum) + b.high) + a.low) + b.low};
}

INLINE struct pairs product_of_pairs(struct pairs a, struct pairs b) {
    const floats product = a.high * b.high, error = fused(a.high, b.high, -product);
    return (struct pairs){product, fused(a.high, b.low, fused(a.low, b.high, error))};
}

INLINE struct pairs square_of_pairs(struct pairs a) {
    const floats product = a.high * a.high, error = fused(a.high, a.high, -product);
    return (struct pairs){product, fused(a.high + a.high, a.low, error)};
}

INLINE struct pairs quotient_of_pairs(struct pairs a, struct pairs b) {
    const floats reciprocal = 1 / b.high, quotient = a.high * reciprocal;
    const floats error = fused(reciprocal, a.high, -quotient);
    const floats divisor_error = fused(-b.low, reciprocal, fused(-b.high, reciprocal, all(1)));
    return (struct pairs){quotient,
                          fused(quotient, divisor_error, fused(a.low, reciprocal, error))};
}

INLINE struct pairs reciprocals(struct pairs a) {
    const floats reciprocal = 1 / a.high;
    const floats error = fused(-a.low, reciprocal, fused(-a.high, reciprocal, all(1)));
    return (struct pairs){reciprocal, reciprocal * error};
}

// e^x for x from 0 to 9: exponential_pair of number/elementary.c.
INLINE struct pairs power_pairs(floats x) {
    static const float coefficients[] = {0.1980960224e-3F, 0.1394256484e-2F, 0.8333456703e-2F,
                                         0.4166637361e-1F};
    const floats shifted = x * 1.442695040888963407F + SHIFT, quotient = shifted - SHIFT;
    const struct pairs high = {quotient * -0.693145751953125F, all(0)};
    const struct pairs low = {quotient * -1.428606765330187045e-06F, all(0)};
    const struct pairs r = sum_of_pairs(sum_of_pairs((struct pairs){x, all(0)}, high), low);
    const floats p = polynomial_of(coefficients, 4, r.high), third = r.high * p;
    struct pairs rest = {third, fused(r.low, p, fused(r.high, p, -third))};
    rest = sum_of_pairs(rest, (struct pairs){all(0.166666659414234244790680580464F), all(0)});
    rest = sum_of_pairs(product_of_pairs(r, rest), (struct pairs){all(0.5F), all(0)});
    rest = sum_of_pairs(r, product_of_pairs(square_of_pairs(r), rest));
    const struct pairs power = sum_with_smaller((struct pairs){all(1), all(0)}, rest);
    const floats scale = (floats)(((ints)shifted - (ints)all(SHIFT) + 127) << 23);
    return (struct pairs){power.high * scale, power.low * scale};
}

// tanh_float of number/elementary.h.
INLINE floats tangents(floats x) {
    const ints sign = (ints)x & (ints)all(-0.0F);
    const floats size = (floats)((ints)x & 0x7fffffff);
    const ints is_far = size > 8.664339742F;
    const struct pairs power = power_pairs(choose(is_far, all(0), size));
    const struct pairs inverse = reciprocals(power), minus = {-inverse.high, -inverse.low};
    const struct pairs tangent =
        quotient_of_pairs(sum_with_smaller(power, minus), sum_with_smaller(power, inverse));
    const floats near = choose(is_far, all(1), tangent.high + tangent.low);
    return choose(x == x, (floats)(((ints)near & 0x7fffffff) | sign), x);
}

// 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))), the course's GELU, operation by operation.
INLINE floats gelu_of(floats x, float root) {
    const floats inner = x + x * x * x * 0.044715F;
    return x * 0.5F * (1 + tangents(root * inner));
}

#endif
