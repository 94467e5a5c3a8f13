#ifndef ONESTEP_TENSOR_FAST_LANES_H
#define ONESTEP_TENSOR_FAST_LANES_H

// A vector of floats: as many lanes as the processor has that this is compiled for, and what each of them
// does. The bits of a lane are those of one float, whatever their number. Only kernel.c includes this.

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#define HAS_AVX512 1
#define HAS_AVX2 0
#elif defined(__AVX2__) && defined(__FMA__)
#define HAS_AVX512 0
#define HAS_AVX2 1
#else
#define HAS_AVX512 0
#define HAS_AVX2 0
#endif

#if HAS_AVX512
#include <immintrin.h>
enum { LANES = 16 };
#elif HAS_AVX2
#include <immintrin.h>
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif

#define INLINE static inline __attribute__((always_inline))

typedef float floats __attribute__((vector_size(4 * LANES)));
typedef float floats_anywhere __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));

// ---- One multiply-add ---------------------------------------------------------------------------

// a · b + c, rounded once. The processor's own instruction by name, where there is one: whether a
// compiler fuses a * b + c by itself is its own choice, and here the bits depend on it.
//
// larger(a, b) is a > b ? a : b, and so b where one is NAN.
#if HAS_AVX512
INLINE floats fused(floats a, floats b, floats c) {
    return (floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
INLINE floats larger(floats a, floats b) {
    return (floats)_mm512_max_ps((__m512)a, (__m512)b);
}
#elif HAS_AVX2
INLINE floats fused(floats a, floats b, floats c) {
    return (floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
INLINE floats larger(floats a, floats b) {
    return (floats)_mm256_max_ps((__m256)a, (__m256)b);
}
#else
#if defined(__FP_FAST_FMAF) || defined(__ARM_FEATURE_FMA)
INLINE floats fused(floats a, floats b, floats c) {
    for (int lane = 0; lane < LANES; lane++) {
        c[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
    }
    return c;
}
#else
// Half as many floats, the same number of doubles, and integers as wide.
typedef float half_floats __attribute__((vector_size(2 * LANES)));
typedef double doubles __attribute__((vector_size(4 * LANES)));
typedef int64_t longs __attribute__((vector_size(4 * LANES)));

// Without such an instruction: the product of two floats is exact in double. Rounding the sum first
// to double and then to float could round twice, so it is rounded "to odd" in between: if it was not
// exact, of the two doubles around it take the one whose last bit is 1 [1]. Infinite sums leave a
// remainder that is NAN, neither above nor below 0, and stay.
//
// [1] S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
//     rounding to odd", IEEE Transactions on Computers 57(4), 2008.
INLINE half_floats fused_half(half_floats a, half_floats b, half_floats c) {
    const doubles product =
        __builtin_convertvector(a, doubles) * __builtin_convertvector(b, doubles);
    const doubles addend = __builtin_convertvector(c, doubles);
    const doubles sum = product + addend;
    const doubles added = sum - product;
    const doubles rest = (product - (sum - added)) + (addend - added);
    const longs bits = (longs)sum;
    const longs inexact = (rest > 0) | (rest < 0);
    const longs is_even = (bits & 1) - 1;
    const longs toward_rest = ((rest > 0) ^ (sum > 0)) | 1; // 1 away from zero, -1 toward it
    const longs odd = bits + (toward_rest & inexact & is_even);
    return __builtin_convertvector((doubles)odd, half_floats);
}
INLINE floats fused(floats a, floats b, floats c) {
    half_floats x[2], y[2], z[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    memcpy(z, &c, sizeof c);
    for (int i = 0; i < 2; i++) z[i] = fused_half(x[i], y[i], z[i]);
    memcpy(&c, z, sizeof c);
    return c;
}
#endif
#endif

// Four numbers of as many rows as there are lanes, the rows `step` apart: columns[i] has number i of each row.
enum { COLUMNS = 4 };
INLINE void turn_rows(const float *at, int64_t step, floats *columns) {
#if HAS_AVX2
    floats rows[COLUMNS], pairs[COLUMNS]; // rows i and i + 4 side by side
    for (int i = 0; i < COLUMNS; i++)
        rows[i] = (floats)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(at + i * step)),
                                               _mm_loadu_ps(at + (i + 4) * step), 1);
    for (int i = 0; i < COLUMNS; i += 2) {
        pairs[i] = (floats)_mm256_unpacklo_ps((__m256)rows[i], (__m256)rows[i + 1]);
        pairs[i + 1] = (floats)_mm256_unpackhi_ps((__m256)rows[i], (__m256)rows[i + 1]);
    }
    for (int i = 0; i < COLUMNS / 2; i++) {
        columns[2 * i] = (floats)_mm256_shuffle_ps((__m256)pairs[i], (__m256)pairs[i + 2], 0x44);
        columns[2 * i + 1] =
            (floats)_mm256_shuffle_ps((__m256)pairs[i], (__m256)pairs[i + 2], 0xee);
    }
#else
    for (int lane = 0; lane < LANES; lane++) {
        for (int i = 0; i < COLUMNS; i++) columns[i][lane] = at[lane * step + i];
    }
#endif
}

INLINE floats all(float x) {
    return x - (floats){0}; // every lane x; -0 stays -0
}

// mask ? a : b, lane by lane; a mask is -1 or 0.
INLINE floats choose(ints mask, floats a, floats b) {
    return (floats)(((ints)a & mask) | ((ints)b & ~mask));
}

#if !HAS_AVX512 && !HAS_AVX2
INLINE floats larger(floats a, floats b) {
    return choose(a > b, a, b);
}
#endif

// ---- e^x ----------------------------------------------------------------------------------------

// A vector of powers takes some fifteen steps, each waiting for the one before it, so a few vectors take
// them together.
enum { TOGETHER = 4 };
#define EACH for (int i = 0; i < TOGETHER; i++)

// Below, e^x may be subnormal; between it and 0 it is a normal float.
static const float LEAST_PLAIN = -86.0F;

// Is every lane LEAST_PLAIN or more? One that is NAN is not.
INLINE bool are_plain(const floats *x) {
#if HAS_AVX512
    __mmask16 others = 0;
    EACH others |= _mm512_cmp_ps_mask((__m512)x[i], (__m512)all(LEAST_PLAIN), _CMP_NGE_UQ);
    return others == 0;
#else
    ints others = {0};
    EACH others |= ~(x[i] >= LEAST_PLAIN);
#if HAS_AVX2
    return _mm256_testz_si256((__m256i)others, (__m256i)others);
#else
    int32_t any = 0;
    for (int lane = 0; lane < LANES; lane++) any |= others[lane];
    return any == 0;
#endif
#endif
}

// Floats around it are 1 apart: what is added to it is rounded, and stands in the last bits of the sum.
static const float SHIFT = 0x1.8p23F;

// e^x = e^r 2^quotient for x = quotient log 2 + r, step by step as elementary.c has it. `shifted` is the
// quotient added to SHIFT.
INLINE void take_powers(const floats *x, floats *power_of_r, floats *shifted) {
    static const float coefficients[] = {
        0.00139304355252534151077271F,
        0.00833336077630519866943359F,
        0.0416664853692054748535156F,
        0.166666671633720397949219F,
        0.5F,
    };
    floats quotient[TOGETHER], r[TOGETHER], p[TOGETHER];
    EACH shifted[i] = x[i] * 1.442695040888963407F;
    EACH shifted[i] += SHIFT;
    EACH quotient[i] = shifted[i] - SHIFT;
    EACH r[i] = fused(quotient[i], all(-0.693145751953125F), x[i]);
    EACH r[i] = fused(quotient[i], all(-1.428606765330187045e-06F), r[i]);
    EACH p[i] = all(0.000198527617612853646278381F);
    for (int c = 0; c < 5; c++) EACH p[i] = fused(p[i], r[i], all(coefficients[c]));
    EACH power_of_r[i] = 1 + fused(r[i] * r[i], p[i], r[i]);
}

// e^x where all are plain: a normal float times 2^quotient is that much more in its exponent.
INLINE void exponentiate_plain(floats *x) {
    floats power[TOGETHER], shifted[TOGETHER];
    take_powers(x, power, shifted);
    EACH x[i] = (floats)((ints)power[i] + ((ints)shifted[i] << 23));
}

// e^x for any x <= 0 and NAN: times 2^quotient by halves, each made of the bits of its exponent.
static void exponentiate_any(floats *x) {
    floats power[TOGETHER], shifted[TOGETHER], safe[TOGETHER];
    EACH safe[i] = choose(x[i] < -104.0F, all(0), x[i]);
    take_powers(safe, power, shifted);
    for (int i = 0; i < TOGETHER; i++) {
        const ints exponent = (ints)shifted[i] - (ints)all(SHIFT), half = exponent >> 1;
        const floats once = power[i] * (floats)((half + 127) << 23);
        const floats twice = once * (floats)((exponent - half + 127) << 23);
        x[i] = choose(x[i] < -104.0F, all(0), twice); // e^-104 rounds to 0; -INFINITY too
    }
}

INLINE void exponentiate(floats *x) {
    if (are_plain(x))
        exponentiate_plain(x);
    else
        exponentiate_any(x);
}

// ---- Normal numbers -------------------------------------------------------------------------------

// Horner's rule in fused steps, highest power first.
INLINE floats polynomial_of(const float *coefficients, int count, floats x) {
    floats sum = all(coefficients[0]);
    for (int i = 1; i < count; i++) sum = fused(sum, x, all(coefficients[i]));
    return sum;
}

// √x, rounded correctly, of no negative x.
INLINE floats roots(floats x) {
#if HAS_AVX512
    return (floats)_mm512_sqrt_ps((__m512)x);
#elif HAS_AVX2
    return (floats)_mm256_sqrt_ps((__m256)x);
#else
    for (int lane = 0; lane < LANES; lane++) x[lane] = __builtin_sqrtf(x[lane]);
    return x;
#endif
}

// log x of normal x in (0, 1], step by step as number/normal.c has it.
INLINE floats logarithms(floats x) {
    static const float coefficients[] = {7.0376836292E-2F,  -1.1514610310E-1F, 1.1676998740E-1F,
                                         -1.2420140846E-1F, 1.4249322787E-1F,  -1.6668057665E-1F,
                                         2.0000714765E-1F,  -2.4999993993E-1F, 3.3333331174E-1F};
    // x = 2^exponent (1 + m), with 1 + m in [√½, √2).
    const floats fraction = (floats)(((ints)x & 0x007fffff) | 0x3f000000); // in [½, 1)
    const ints is_small = fraction < 0.707106781186547524F;                // -1 or 0
    const ints exponent = ((ints)x >> 23) - 126 + is_small;
    const floats less = fraction - 1;
    const floats m = choose(is_small, fraction + less, less);
    const floats e = __builtin_convertvector(exponent, floats), square = m * m;
    const floats p = polynomial_of(coefficients, 9, m) * m;
    floats rest = fused(p, square, e * -2.12194440E-4F);
    rest = fused(square, all(-0.5F), rest);
    return fused(e, all(0.693359375F), m + rest);
}

// The sine and the cosine of angles from 0 to 2π, as number/normal.c has them.
INLINE void turns(floats angle, floats *sine, floats *cosine) {
    static const float sine_coefficients[] = {-1.9515295891E-4F, 8.3321608736E-3F,
                                              -1.6666654611E-1F};
    static const float cosine_coefficients[] = {2.443315711809948E-5F, -1.388731625493765E-3F,
                                                4.166664568298827E-2F};
    const ints octant = (__builtin_convertvector(angle * 1.27323954473516F, ints) + 1) & ~1;
    const floats y = __builtin_convertvector(octant, floats);
    floats r = fused(y, all(-0.78515625F), angle);
    r = fused(y, all(-2.4187564849853515625E-4F), r);
    r = fused(y, all(-3.77489497744594108E-8F), r);
    const floats z = r * r;
    floats c = polynomial_of(cosine_coefficients, 3, z) * z;
    c = fused(c, z, z * -0.5F) + 1;
    floats s = polynomial_of(sine_coefficients, 3, z) * z;
    s = fused(s, r, r);
    const ints is_odd = (octant & 2) != 0;
    const floats along = choose(is_odd, s, c), across = choose(is_odd, c, s);
    *sine = choose((octant & 4) != 0, -across, across);
    *cosine = choose(((octant - 2) & 4) != 0, along, -along);
}

// Pairs of uniform numbers become pairs of normal ones: normal_pair_of_floats.
INLINE void normal_pairs(floats *first, floats *second) {
    const floats radius = roots(-2 * logarithms(1 - *first));
    floats sine, cosine;
    turns(6.283185307179586F * *second, &sine, &cosine);
    *first = radius * cosine + 0;
    *second = radius * sine + 0;
}

#endif
