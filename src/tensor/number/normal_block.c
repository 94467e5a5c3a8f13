#include "tensor/number/normal_block.h"

#include <math.h> // defines: fmaf, frexpf, sqrtf, both exact or correctly rounded

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

// Horner's rule in fused steps, highest power first.
static float polynomial(const float *coefficients, int count, float x) {
    float sum = coefficients[0];
    for (int i = 1; i < count; i++) sum = fmaf(sum, x, coefficients[i]);
    return sum;
}

// log x for normal x in (0, 1].
static float log_of_uniform(float x) {
    static const float coefficients[] = {7.0376836292E-2f,  -1.1514610310E-1f, 1.1676998740E-1f,
                                         -1.2420140846E-1f, 1.4249322787E-1f,  -1.6668057665E-1f,
                                         2.0000714765E-1f,  -2.4999993993E-1f, 3.3333331174E-1f};
    // x = 2^exponent (1 + m), with 1 + m in [√½, √2).
    int exponent;
    float m = frexpf(x, &exponent);
    if (m < 0.707106781186547524f) {
        exponent--;
        m = m + (m - 1.0f);
    } else {
        m = m - 1.0f;
    }

    // log(1 + m) = m - m²/2 + m³ p; log 2 in two parts, the larger one exact.
    float e = (float)exponent, square = m * m;
    float p = polynomial(coefficients, 9, m) * m;
    float rest = fmaf(p, square, e * -2.12194440e-4f);
    rest = fmaf(square, -0.5f, rest);
    return fmaf(e, 0.693359375f, m + rest);
}

// The sine and the cosine of an angle from 0 to 2π.
static void sine_and_cosine(float angle, float *sine, float *cosine) {
    static const float sine_coefficients[] = {-1.9515295891E-4f, 8.3321608736E-3f,
                                              -1.6666654611E-1f};
    static const float cosine_coefficients[] = {2.443315711809948E-005f, -1.388731625493765E-003f,
                                                4.166664568298827E-002f};
    // angle = octant π/4 + r with octant even and |r| <= π/4; π/4 in three parts.
    int octant = ((int)(angle * 1.27323954473516f) + 1) & ~1;
    float y = (float)octant;
    float r = fmaf(y, -0.78515625f, angle);
    r = fmaf(y, -2.4187564849853515625e-4f, r);
    r = fmaf(y, -3.77489497744594108e-8f, r);

    float z = r * r;
    float c = polynomial(cosine_coefficients, 3, z) * z;
    c = fmaf(c, z, z * -0.5f) + 1.0f;
    float s = polynomial(sine_coefficients, 3, z) * z;
    s = fmaf(s, r, r);

    // Each quarter turn exchanges the two and turns one sign around.
    int odd = octant & 2;
    *sine = octant & 4 ? -(odd ? c : s) : odd ? c : s;
    *cosine = (octant - 2) & 4 ? (odd ? s : c) : -(odd ? s : c);
}

void normal_block(float block[NORMAL_BLOCK], float mean, float deviation) {
    for (int j = 0; j < NORMAL_BLOCK / 2; j++) {
        float radius = sqrtf(-2.0f * log_of_uniform(1.0f - block[j]));
        float sine, cosine;
        sine_and_cosine(6.283185307179586f * block[j + 8], &sine, &cosine);
        block[j] = fmaf(radius * cosine, deviation, mean);
        block[j + 8] = fmaf(radius * sine, deviation, mean);
    }
}
