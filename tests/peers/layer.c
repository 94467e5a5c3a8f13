// The attention layer of `onestep gpt2`, written by hand on a BLAS: what a programmer gets from fast matrix products
// alone. tests/peers/peers.py calls it.

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef WITH_DNNL
#include <oneapi/dnnl/dnnl.h>
// c (rows, columns) = a (rows, depth) · b (depth, columns), or with b as (columns, depth)
static void multiply(int is_transposed, int64_t rows, int64_t columns, int64_t depth,
                     const float *a, int64_t a_step, const float *b, int64_t b_step, float *c,
                     int64_t c_step) {
    dnnl_sgemm('N', is_transposed ? 'T' : 'N', rows, columns, depth, 1, a, a_step, b, b_step, 0, c,
               c_step);
}
#else
#include <cblas.h>
static void multiply(int is_transposed, int64_t rows, int64_t columns, int64_t depth,
                     const float *a, int64_t a_step, const float *b, int64_t b_step, float *c,
                     int64_t c_step) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, is_transposed ? CblasTrans : CblasNoTrans, (int)rows,
                (int)columns, (int)depth, 1, a, (int)a_step, b, (int)b_step, 0, c, (int)c_step);
}
#endif

static void add_bias(float *rows, int64_t count, int64_t width, const float *bias) {
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < width; j++) rows[i * width + j] += bias[j];
    }
}

// Of the first `visible` of a row of `count` scores; the others weigh nothing.
static void softmax(float *row, int64_t visible, int64_t count, float scale) {
    float most = -INFINITY, sum = 0;
    for (int64_t j = 0; j < visible; j++) most = row[j] > most ? row[j] : most;
    for (int64_t j = 0; j < visible; j++) row[j] = expf((row[j] - most) * scale);
    for (int64_t j = 0; j < visible; j++) sum += row[j];
    for (int64_t j = 0; j < visible; j++) row[j] *= 1 / sum;
    for (int64_t j = visible; j < count; j++) row[j] = 0;
}

// One pass over x (tokens, width). qkv (tokens, 3 width), scores (BLOCK, tokens) and context (tokens, width) are room.
// Queries are taken BLOCK at a time, with the keys that they may see.
void layer(const float *x, int64_t tokens, int64_t width, int64_t heads, const float *W_qkv,
           const float *b_qkv, const float *W_out, const float *b_out, float *qkv, float *scores,
           float *context, float *result) {
    enum { BLOCK = 128 };
    const int64_t head_dim = width / heads, step = 3 * width;
    multiply(1, tokens, step, width, x, width, W_qkv, width, qkv, step);
    add_bias(qkv, tokens, step, b_qkv);
    for (int64_t head = 0; head < heads; head++) {
        const float *queries = qkv + head * head_dim, *keys = queries + width,
                    *values = keys + width;
        for (int64_t first = 0; first < tokens; first += BLOCK) {
            const int64_t rows = tokens - first < BLOCK ? tokens - first : BLOCK,
                          seen = first + rows;
            multiply(1, rows, seen, head_dim, queries + first * step, step, keys, step, scores,
                     seen);
            for (int64_t i = 0; i < rows; i++)
                softmax(scores + i * seen, first + i + 1, seen, 1 / sqrtf((float)head_dim));
            multiply(0, rows, head_dim, seen, scores, seen, values, step,
                     context + first * width + head * head_dim, width);
        }
    }
    multiply(1, tokens, width, width, context, width, W_out, width, result, width);
    add_bias(result, tokens, width, b_out);
}
