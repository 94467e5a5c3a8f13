#include "tensor/number/normal.h"

#include <math.h>
#include <stdbool.h>

#include "tensor/number/double_math.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

static const double TWO_PI = 6.283185307179586;

// Horner's rule in fused steps, highest power first.
static float polynomial(const float *coefficients, int count, float x) {
    float sum = coefficients[0];
    for (int i = 1; i < count; i++) sum = fmaf(sum, x, coefficients[i]);
    return sum;
}

// log x for normal x in (0, 1].
static float log_of_uniform(float x) {
    static const float coefficients[] = {7.0376836292E-2F,  -1.1514610310E-1F, 1.1676998740E-1F,
                                         -1.2420140846E-1F, 1.4249322787E-1F,  -1.6668057665E-1F,
                                         2.0000714765E-1F,  -2.4999993993E-1F, 3.3333331174E-1F};
    // x = 2^exponent (1 + m), with 1 + m in [√½, √2).
    int exponent;
    float m = frexpf(x, &exponent);
    if (m < 0.707106781186547524F) {
        exponent--;
        m = m + (m - 1);
    } else {
        m = m - 1;
    }

    // log(1 + m) = m - m²/2 + m³ p; log 2 in two parts, the larger one exact.
    const float e = (float)exponent, square = m * m;
    const float p = polynomial(coefficients, 9, m) * m;
    float rest = fmaf(p, square, e * -2.12194440E-4F);
    rest = fmaf(square, -0.5F, rest);
    return fmaf(e, 0.693359375F, m + rest);
}

// The sine and the cosine of an angle from 0 to 2π.
static void turn(float angle, float *sine, float *cosine) {
    static const float sine_coefficients[] = {-1.9515295891E-4F, 8.3321608736E-3F,
                                              -1.6666654611E-1F};
    static const float cosine_coefficients[] = {2.443315711809948E-5F, -1.388731625493765E-3F,
                                                4.166664568298827E-2F};
    // angle = octant π/4 + r with octant even and |r| <= π/4; π/4 in three parts.
    const int octant = ((int)(angle * 1.27323954473516F) + 1) & ~1;
    const float y = (float)octant;
    float r = fmaf(y, -0.78515625F, angle);
    r = fmaf(y, -2.4187564849853515625E-4F, r);
    r = fmaf(y, -3.77489497744594108E-8F, r);

    const float z = r * r;
    float c = polynomial(cosine_coefficients, 3, z) * z;
    c = fmaf(c, z, z * -0.5F) + 1;
    float s = polynomial(sine_coefficients, 3, z) * z;
    s = fmaf(s, r, r);

    // Each quarter turn exchanges the two and turns one sign around.
    const bool odd = (octant & 2) != 0;
    const float along = odd ? s : c, across = odd ? c : s;
    *sine = (octant & 4) != 0 ? -across : across;
    *cosine = ((octant - 2) & 4) != 0 ? along : -along;
}

struct normal_pair normal_pair_of_floats(float first, float second) {
    const float radius = sqrtf(-2 * log_of_uniform(1 - first)), angle = (float)TWO_PI * second;
    float sine, cosine;
    turn(angle, &sine, &cosine);
    // The last step is fmaf(.., deviation 1, mean 0): it turns -0 into 0.
    return (struct normal_pair){(double)radius, (double)angle, radius * cosine + 0,
                                radius * sine + 0};
}

struct normal_pair normal_pair_of_doubles(double first, double second) {
    const double radius = sqrt(-2 * log1p_double(-second)), angle = TWO_PI * first;
    return (struct normal_pair){radius, angle, (float)(radius * cos_double(angle)),
                                (float)(radius * sin_double(angle))};
}
