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
    K_BLOCK = 8192 / WIDTH,  // a panel's block of k: 32 KiB, in the first cache
    ROW_BLOCK = 64,          // rows of a weight that stay in the second cache for several panels
};

#define INLINE static inline __attribute__((always_inline))

typedef float floats __attribute__((vector_size(4 * LANES)));
typedef float floats_anywhere __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));

// ---- One multiply-add ---------------------------------------------------------------------------

// a · b + c, rounded once. The processor's own instruction by name, where there is one: whether a
// compiler fuses a * b + c by itself is its own choice, and here the bits depend on it.
#if defined(__AVX512F__)
INLINE floats fused(floats a, floats b, floats c) {
    return (floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
#elif defined(__AVX2__) && defined(__FMA__)
INLINE floats fused(floats a, floats b, floats c) {
    return (floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
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

INLINE floats all(float x) {
    return x - (floats){0}; // every lane x; -0 stays -0
}

// mask ? a : b, lane by lane; a mask is -1 or 0.
INLINE floats choose(ints mask, floats a, floats b) {
    return (floats)(((ints)a & mask) | ((ints)b & ~mask));
}

// ---- Products -----------------------------------------------------------------------------------

// How a product is added up: rounded once with the sum, or before it (number/product.h).
enum step { FUSED, PLAIN };

// out[n][lane] += sum over k of b[n * n_step + k * k_step] · a[k][lane], then + bias[n], or + rest if there
// is none, for `rows` rows. Inlined with step, rows and one of the steps constant.
INLINE void tile(enum step step, int rows, const float *a, const float *b, int64_t n_step,
                 int64_t k_step, int64_t depth, const float *bias, float rest, float *out,
                 int64_t row_step) {
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
            for (int v = 0; v < VECTORS; v++) {
                sum[n][v] = step == FUSED ? fused(factor, lanes[v], sum[n][v])
                                          : factor * lanes[v] + sum[n][v];
            }
        }
    }
    for (int n = 0; n < rows; n++) {
        for (int v = 0; v < VECTORS; v++) {
            sum[n][v] += bias != NULL ? bias[n] : rest;
            *(floats_anywhere *)(out + n * row_step + v * LANES) = sum[n][v];
        }
    }
}

// The same, fused, for any number of rows of b that lie `n_step` apart, k running along them.
static void multiply(const float *a, const float *b, int64_t n_step, int64_t rows, int64_t depth,
                     const float *bias, float rest, float *out, int64_t row_step) {
    int64_t n = 0;
    for (; n + ROWS <= rows; n += ROWS) {
        tile(FUSED, ROWS, a, b + n * n_step, n_step, 1, depth, bias == NULL ? NULL : bias + n, rest,
             out + n * row_step, row_step);
    }
    for (; n < rows; n++) {
        tile(FUSED, 1, a, b + n * n_step, n_step, 1, depth, bias == NULL ? NULL : bias + n, rest,
             out + n * row_step, row_step);
    }
}

// What a chain without a bias ends with: 0, so that none is -0; and what leaves a sum as it is, between
// two blocks of k.
INLINE float end_of_chain(bool is_last) {
    return is_last ? 0.0F : -0.0F;
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
                         p->weight + n * p->depth + k, p->depth, rows, depth, bias,
                         end_of_chain(is_last), out, p->row_step);
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

// e^x for x <= 0 and NAN, step by step as elementary.c does it.
INLINE floats exp_floats(floats x) {
    const ints is_small = x < -104.0F; // e^-104 rounds to 0; -INFINITY too
    const floats safe = choose(is_small, all(-104.0F), x);

    // x = quotient log 2 + r. Floats around 1.5 * 2^23 are 1 apart, and end in the bits of the quotient.
    const floats shift = all(0x1.8p23F), shifted = safe * 1.442695040888963407F + shift;
    const floats quotient = shifted - shift;
    floats r = fused(quotient, all(-0.693145751953125F), safe);
    r = fused(quotient, all(-1.428606765330187045e-06F), r);

    floats p = all(0.000198527617612853646278381F);
    p = fused(p, r, all(0.00139304355252534151077271F));
    p = fused(p, r, all(0.00833336077630519866943359F));
    p = fused(p, r, all(0.0416664853692054748535156F));
    p = fused(p, r, all(0.166666671633720397949219F));
    p = fused(p, r, all(0.5F));
    const floats power = 1 + fused(r * r, p, r);

    // Times 2^quotient by halves, each made of the bits of its exponent.
    const ints exponent = (ints)shifted - (ints)shift, half = exponent >> 1;
    const floats scaled =
        power * (floats)((half + 127) << 23) * (floats)((exponent - half + 127) << 23);
    return choose(is_small, all(0), scaled);
}

static void exponentials(const float *x, float *result, int64_t count) {
    for (int64_t done = 0; done < count; done += LANES) {
        const size_t bytes = (size_t)least(LANES, count - done) * sizeof *x;
        floats block = {0};
        memcpy(&block, x + done, bytes);
        block = exp_floats(block);
        memcpy(result + done, &block, bytes);
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
        float *out = scores + n * WIDTH;
        if (head->is_small)
            tile(PLAIN, ROWS, head->queries, keys + n, 1, WIDTH, head->head_dim, NULL, 0, out,
                 WIDTH);
        else
            tile(FUSED, ROWS, head->queries, keys + n, 1, WIDTH, head->head_dim, NULL, 0, out,
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

// Scores become weights, but for the factor *scale: softmax of softmax.c, each lane a row of it. The row
// is added up in eight sums by turns if it has eight numbers, hidden ones too, which are 0.
INLINE void exponentiate_scores(const struct head *head, int64_t keys, const floats *most,
                                floats *scale) {
    enum { SUMS = 8 };
    for (int v = 0; v < VECTORS; v++) {
        floats sum[SUMS] = {{0}};
        float *scores = head->scores + v * LANES;
        for (int64_t j = 0; j < keys; j += SUMS) {
            for (int i = 0; i < SUMS; i++) {
                floats *score = (floats *)(scores + (j + i) * WIDTH);
                *score = exp_floats(*score - most[v]);
                if (head->tokens >= SUMS)
                    sum[i] += *score;
                else
                    sum[0] += *score;
            }
        }
        scale[v] =
            1 / (((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7])));
    }
}

// The definition goes on with the keys after this panel: their weights are 0, and 0 · value leaves a sum
// as it is, but for a value that is not finite, which spoils it.
static void finish_chains(const struct head *head, int64_t from) {
    for (int64_t i = 0; i < head->head_dim * WIDTH; i++) {
        const float *values = head->values + i / WIDTH * head->value_step;
        float sum = head->queries[i];
        for (int64_t j = from; j < head->tokens; j++) sum += 0 * values[j];
        head->queries[i] = sum;
    }
}

// Dropout of a few keys' weights, from `key` on.
static void drop_weights(const struct head *head, int64_t key, int64_t keys, float *weights) {
    const int64_t queries = least(WIDTH, head->tokens - head->first);
    for (int64_t lane = 0; lane < queries; lane++) {
        const int64_t row = head->kept_from + (head->first + lane) * head->tokens + key;
        for (int64_t j = 0; j < keys; j++) {
            const bool is_kept = head->kept[(row + j) / 8] >> (row + j) % 8 & 1;
            weights[j * WIDTH + lane] *= is_kept ? head->kept_factor : 0;
        }
    }
}

// Context: each query's weighted sum of the values.
INLINE void mix_values(const struct head *head, int64_t keys, const floats *scale) {
    clear(head->queries, head->head_dim, WIDTH);
    for (int64_t k = 0; k < keys; k += K_BLOCK) {
        const int64_t depth = least(K_BLOCK, keys - k);
        const float rest = end_of_chain(k + depth == keys);
        float *weights = head->scores + k * WIDTH;
        for (int64_t j = 0; j < depth; j++) {
            for (int v = 0; v < VECTORS; v++)
                *(floats *)(weights + j * WIDTH + v * LANES) *= scale[v];
        }
        if (head->kept != NULL) drop_weights(head, k, depth, weights);
        for (int64_t n = 0; head->is_small && n < head->head_dim; n++) {
            tile(PLAIN, 1, weights, head->values + k + n * head->value_step, 0, 1, depth, NULL,
                 rest, head->queries + n * WIDTH, WIDTH);
        }
        if (head->is_small) continue;
        multiply(weights, head->values + k, head->value_step, head->head_dim, depth, NULL, rest,
                 head->queries, WIDTH);
    }
    if (keys < head->tokens && !head->values_are_finite) finish_chains(head, keys);
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
