// The inner loops of the fast attention. Compiled several times with different flags: KERNEL is the
// name of the struct that it defines, and the flags decide how wide a vector is.
//
// Speed comes from vectors of lanes, from sums that stay in registers (ROWS x VECTORS of them at
// once, so that a multiply-add need not wait for the one before it), and from blocks that stay in
// the nearest cache. None of it changes a bit: a sum that leaves its registers between two blocks of
// k is stored as the float that it is.

#include "tensor/fast/kernel.h"

#include <math.h>
#include <string.h>

#include "tensor/number/elementary.h"

#if defined(__AVX512F__)
#include <immintrin.h>
enum { LANES = 16, VECTORS = 2, ROWS = 8 }; // 16 of 32 registers hold sums
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
enum { LANES = 8, VECTORS = 3, ROWS = 4 }; // 12 of 16
#else
enum { LANES = 4, VECTORS = 4, ROWS = 4 };
#endif

enum {
    WIDTH = LANES * VECTORS, // of a panel
    HALF = LANES / 2,        // lanes of a vector of doubles
    K_BLOCK = 8192 / WIDTH,  // a panel's block of k: 32 KiB, in the first cache
    ROW_BLOCK = 64,          // rows of a weight that stay in the second cache for several panels
    EXP_ROWS = 8,            // exponentials between two looks whether one is in doubt
};

#define INLINE static inline __attribute__((always_inline))

typedef float floats __attribute__((vector_size(4 * LANES)));
typedef float floats_anywhere __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));

// Half as many floats, the same number of doubles, and integers as wide as either.
typedef float half_floats __attribute__((vector_size(2 * LANES)));
typedef int32_t half_ints __attribute__((vector_size(2 * LANES)));
typedef double doubles __attribute__((vector_size(4 * LANES)));
typedef int64_t longs __attribute__((vector_size(4 * LANES)));

// ---- One multiply-add ---------------------------------------------------------------------------

// a · b + c, rounded once. The processor's own instruction by name, where there is one: whether a
// compiler fuses a * b + c by itself is its own choice, and here the bits depend on it.
#if defined(__AVX512F__)
INLINE floats fused(floats a, floats b, floats c) {
    return (floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
INLINE doubles multiply_add(doubles a, doubles b, doubles c) {
    return (doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
#elif defined(__AVX2__) && defined(__FMA__)
INLINE floats fused(floats a, floats b, floats c) {
    return (floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
INLINE doubles multiply_add(doubles a, doubles b, doubles c) {
    return (doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
#else
#if defined(__FP_FAST_FMAF) || defined(__ARM_FEATURE_FMA)
INLINE floats fused(floats a, floats b, floats c) {
    floats sum;
    for (int lane = 0; lane < LANES; lane++) {
        sum[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
    }
    return sum;
}
#else
// Without such an instruction: the product of two floats is exact in double. Rounding the sum first
// to double and then to float could round twice, so it is rounded "to odd" in between: if it was not
// exact, of the two doubles around it take the one whose last bit is 1 (elementary.c, [6]). Infinite
// sums leave a remainder that is NAN, neither above nor below 0, and stay.
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
// Only the exponential's estimate uses it; there it may round twice.
INLINE doubles multiply_add(doubles a, doubles b, doubles c) {
    return a * b + c;
}
#endif

INLINE floats all(float x) {
    return x - (floats){0}; // every lane x; -0 stays -0
}

INLINE doubles all_doubles(double x) {
    return x - (doubles){0};
}

// mask ? a : b, lane by lane; a mask is -1 or 0.
INLINE floats choose(ints mask, floats a, floats b) {
    return (floats)(((ints)a & mask) | ((ints)b & ~mask));
}

// ---- Products -----------------------------------------------------------------------------------

// out[n][lane] += sum over k of b[n * n_step + k * k_step] · a[k][lane], then + bias[n] if there is
// one, for `rows` rows. Inlined with rows and one of the steps constant.
INLINE void tile(int rows, const float *a, const float *b, int64_t n_step, int64_t k_step,
                 int64_t depth, const float *bias, float *out, int64_t row_step) {
    floats sum[ROWS][VECTORS];
    for (int n = 0; n < rows; n++) {
        for (int v = 0; v < VECTORS; v++) {
            sum[n][v] = *(const floats_anywhere *)(out + n * row_step + v * LANES);
        }
    }
    for (int64_t k = 0; k < depth; k++) {
        floats lanes[VECTORS];
        for (int v = 0; v < VECTORS; v++) lanes[v] = *(const floats *)(a + k * WIDTH + v * LANES);
        for (int n = 0; n < rows; n++) {
            const floats factor = all(b[n * n_step + k * k_step]);
            for (int v = 0; v < VECTORS; v++) sum[n][v] = fused(factor, lanes[v], sum[n][v]);
        }
    }
    for (int n = 0; n < rows; n++) {
        for (int v = 0; v < VECTORS; v++) {
            if (bias != NULL) sum[n][v] += bias[n];
            *(floats_anywhere *)(out + n * row_step + v * LANES) = sum[n][v];
        }
    }
}

// The same for any number of rows of b that lie `n_step` apart, k running along them.
static void multiply(const float *a, const float *b, int64_t n_step, int64_t rows, int64_t depth,
                     const float *bias, float *out, int64_t row_step) {
    int64_t n = 0;
    for (; n + ROWS <= rows; n += ROWS) {
        tile(ROWS, a, b + n * n_step, n_step, 1, depth, bias == NULL ? NULL : bias + n,
             out + n * row_step, row_step);
    }
    for (; n < rows; n++) {
        tile(1, a, b + n * n_step, n_step, 1, depth, bias == NULL ? NULL : bias + n,
             out + n * row_step, row_step);
    }
}

static void clear(float *out, int64_t rows, int64_t row_step) {
    for (int64_t n = 0; n < rows; n++) memset(out + n * row_step, 0, WIDTH * sizeof *out);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// A block of rows meets every panel before the next one is fetched; within it, a block of k.
static void project(const struct projection *p) {
    for (int64_t n = 0; n < p->rows; n += ROW_BLOCK) {
        const int64_t rows = least(ROW_BLOCK, p->rows - n);
        for (int64_t k = 0; k < p->depth; k += K_BLOCK) {
            const int64_t depth = least(K_BLOCK, p->depth - k);
            const bool is_last = k + depth == p->depth;
            const float *bias = is_last && p->bias != NULL ? p->bias + n : NULL;
            for (int64_t panel = 0; panel < p->panel_count; panel++) {
                float *out = p->out + panel * p->out_step + n * p->row_step;
                if (k == 0) clear(out, rows, p->row_step);
                multiply(p->panels + panel * p->panel_step + k * WIDTH,
                         p->weight + n * p->depth + k, p->depth, rows, depth, bias, out,
                         p->row_step);
            }
        }
    }
}

static void pack(const float *x, int64_t tokens, int64_t depth, float *panel) {
    for (int64_t block = 0; block < depth; block += LANES) {
        const int64_t end = least(block + LANES, depth);
        for (int64_t token = 0; token < WIDTH; token++) {
            for (int64_t k = block; k < end; k++) {
                panel[k * WIDTH + token] = token < tokens ? x[token * depth + k] : 0;
            }
        }
    }
}

static void unpack(const float *panel, int64_t tokens, int64_t depth, float *out,
                   int64_t out_step) {
    for (int64_t block = 0; block < depth; block += LANES) {
        const int64_t end = least(block + LANES, depth);
        for (int64_t token = 0; token < tokens; token++) {
            for (int64_t k = block; k < end; k++)
                out[token * out_step + k] = panel[k * WIDTH + token];
        }
    }
}

// ---- e^x ----------------------------------------------------------------------------------------

// e^x for x <= 0 as elementary.c does it: an estimate in double that is off by at most 2^-41 of
// itself (the first term left out, r^11 / 11!, is below 2^-41.5 of the result, all roundings
// together below 2^-45), then the rounding test. Lanes that fail it, and NAN, are set in *doubt.
INLINE half_floats exp_estimate(half_floats x, half_ints *doubt) {
    const half_ints is_small = x < -104.0F; // e^-104 rounds to 0; -INFINITY too
    x = (half_floats)(((half_ints)x & ~is_small) |
                      ((half_ints)(-104.0F - (half_floats){0}) & is_small));
    const doubles wide = __builtin_convertvector(x, doubles);

    // x = k log 2 + r. Doubles around 1.5 * 2^52 are 1 apart, and end in the bits of k.
    const doubles shift = all_doubles(0x1.8p52);
    const doubles shifted = multiply_add(wide, all_doubles(0x1.71547652b82fep+0), shift);
    const doubles r = multiply_add(shifted - shift, all_doubles(-0x1.62e42fefa39efp-1), wide);

    doubles sum = all_doubles(1.0 / 3628800);
    sum = multiply_add(sum, r, all_doubles(1.0 / 362880));
    sum = multiply_add(sum, r, all_doubles(1.0 / 40320));
    sum = multiply_add(sum, r, all_doubles(1.0 / 5040));
    sum = multiply_add(sum, r, all_doubles(1.0 / 720));
    sum = multiply_add(sum, r, all_doubles(1.0 / 120));
    sum = multiply_add(sum, r, all_doubles(1.0 / 24));
    sum = multiply_add(sum, r, all_doubles(1.0 / 6));
    sum = multiply_add(sum, r, all_doubles(1.0 / 2));
    sum = multiply_add(sum, r, all_doubles(1));
    sum = multiply_add(sum, r, all_doubles(1));

    // Times 2^k: k added to the exponent.
    const doubles y = (doubles)((longs)sum + ((longs)shifted << 52));
    const half_floats below = __builtin_convertvector(y * (1 - 0x1p-41), half_floats);
    const half_floats above = __builtin_convertvector(y * (1 + 0x1p-41), half_floats);
    *doubt |= below != above;
    return below;
}

INLINE bool any(half_ints mask) {
    int32_t lanes[HALF];
    memcpy(lanes, &mask, sizeof lanes);
    int32_t joined = 0;
    for (int i = 0; i < HALF; i++) joined |= lanes[i];
    return joined != 0;
}

// x[j * step] = e^(x[j * step] - most), for EXP_ROWS vectors of half the lanes; *sum gets them all, in
// order.
INLINE void exponentiate(float *x, int64_t step, half_floats most, half_floats *sum) {
    half_floats power[EXP_ROWS];
    half_ints doubt = {0};
    for (int j = 0; j < EXP_ROWS; j++) {
        power[j] = exp_estimate(*(const half_floats *)(x + j * step) - most, &doubt);
    }
    if (any(doubt)) {
        for (int j = 0; j < EXP_ROWS; j++) {
            for (int i = 0; i < HALF; i++) power[j][i] = exp_float(x[j * step + i] - most[i]);
        }
    }
    for (int j = 0; j < EXP_ROWS; j++) {
        *(half_floats *)(x + j * step) = power[j];
        *sum += power[j];
    }
}

static void exponentials(const float *x, float *result, int64_t count) {
    enum { ROOM = EXP_ROWS * HALF };
    for (int64_t done = 0; done < count; done += ROOM) {
        const size_t bytes = (size_t)least(ROOM, count - done) * sizeof *x;
        float block[ROOM] __attribute__((aligned(64))) = {0};
        half_floats sum = {0};
        memcpy(block, x + done, bytes);
        exponentiate(block, HALF, (half_floats){0}, &sum);
        memcpy(result + done, block, bytes);
    }
}

// ---- One head -----------------------------------------------------------------------------------

// Scores of one panel of keys, from `key` on: scores[j][lane] = query · key j / root, -INFINITY where
// the key comes after the query. *most grows with them.
INLINE void score_panel(const struct head *head, int64_t key, floats *most) {
    float *scores = head->scores + key * WIDTH;
    const float *keys = head->keys + key / WIDTH * head->key_step;
    memset(scores, 0, WIDTH * WIDTH * sizeof *scores);
    for (int n = 0; n < WIDTH; n += ROWS) {
        tile(ROWS, head->queries, keys + n, 1, WIDTH, head->head_dim, NULL, scores + n * WIDTH,
             WIDTH);
    }
    int32_t places[WIDTH]; // which query a lane is, counted from the first of the keys
    for (int32_t lane = 0; lane < WIDTH; lane++) {
        places[lane] = (int32_t)least(head->first - key, WIDTH) + lane;
    }
    ints query[VECTORS];
    memcpy(query, places, sizeof query);
    for (int32_t j = 0; j < WIDTH; j++) {
        for (int v = 0; v < VECTORS; v++) {
            floats *score = (floats *)(scores + j * WIDTH + v * LANES);
            const floats scaled = choose(query[v] < j, all(-INFINITY), *score / head->root);
            most[v] = choose((scaled > most[v]) | (scaled != scaled), scaled, most[v]);
            *score = scaled;
        }
    }
}

// Scores become weights, but for the factor *scale: softmax of reduce.c, each lane a row of it.
INLINE void exponentiate_scores(const struct head *head, int64_t keys, const floats *most,
                                floats *scale) {
    enum { HALVES = 2 * VECTORS };
    half_floats largest[HALVES], sums[HALVES] = {0};
    memcpy(largest, most, sizeof largest);
    for (int64_t j = 0; j < keys; j += EXP_ROWS) {
        for (int i = 0; i < HALVES; i++) {
            exponentiate(head->scores + j * WIDTH + i * HALF, WIDTH, largest[i], &sums[i]);
        }
    }
    memcpy(scale, sums, sizeof sums);
    for (int v = 0; v < VECTORS; v++) scale[v] = 1 / scale[v];
}

// The definition goes on with the keys after this panel: their weights are 0, and fmaf(0, value, sum)
// leaves the sum as it is, but for two rarities: a sum of -0 becomes 0, and a value that is not
// finite spoils it.
static void finish_chains(const struct head *head, int64_t from) {
    for (int64_t i = 0; i < head->head_dim * WIDTH; i++) {
        float sum = head->queries[i];
        if (head->values_are_finite && !(sum == 0 && signbit(sum))) continue;
        const float *values = head->values + i / WIDTH * head->value_step;
        for (int64_t j = from; j < head->tokens; j++) sum = fmaf(0, values[j], sum);
        head->queries[i] = sum;
    }
}

// Context: each query's weighted sum of the values.
INLINE void mix_values(const struct head *head, int64_t keys, const floats *scale) {
    clear(head->queries, head->head_dim, WIDTH);
    for (int64_t k = 0; k < keys; k += K_BLOCK) {
        const int64_t depth = least(K_BLOCK, keys - k);
        float *weights = head->scores + k * WIDTH;
        for (int64_t j = 0; j < depth; j++) {
            for (int v = 0; v < VECTORS; v++)
                *(floats *)(weights + j * WIDTH + v * LANES) *= scale[v];
        }
        multiply(weights, head->values + k, head->value_step, head->head_dim, depth, NULL,
                 head->queries, WIDTH);
    }
    if (keys < head->tokens) finish_chains(head, keys);
}

static void attend(const struct head *head) {
    floats most[VECTORS], scale[VECTORS];
    for (int v = 0; v < VECTORS; v++) most[v] = all(-INFINITY);
    const int64_t end = head->first + WIDTH; // the queries' own panel is the last that they see
    for (int64_t key = 0; key < end; key += WIDTH) score_panel(head, key, most);
    exponentiate_scores(head, end, most, scale);
    mix_values(head, least(end, head->tokens), scale);
}

// ---- What the processor can do ------------------------------------------------------------------

static double spin(int64_t rounds) {
    floats sum[ROWS * VECTORS];
    floats factor = all(0.5F), addend = all(1);
    for (int i = 0; i < ROWS * VECTORS; i++) sum[i] = all((float)i);
    for (int64_t round = 0; round < rounds; round++) {
        for (int i = 0; i < ROWS * VECTORS; i++) sum[i] = fused(sum[i], factor, addend);
    }
    volatile float kept; // so that no compiler leaves the work out
    for (int i = 0; i < ROWS * VECTORS; i++) kept = sum[i][0];
    (void)kept;
    return 2.0 * (int)WIDTH * (int)ROWS * (double)rounds;
}

const struct kernel KERNEL = {
    .name = KERNEL_NAME,
    .width = WIDTH,
    .pack = pack,
    .unpack = unpack,
    .project = project,
    .attend = attend,
    .exponentials = exponentials,
    .spin = spin,
};
