#ifndef ONESTEP_TENSOR_FAST_KERNEL_H
#define ONESTEP_TENSOR_FAST_KERNEL_H

// The inner loops of the fast attention. kernel.c is compiled once for each kind of processor; each
// time it defines one struct of these, and path.c picks one at run time. Only this room includes it.
//
// Tokens come in *panels*: `width` of them side by side, one in each lane of a few vectors. A panel
// of d features is an array [d][width]; lanes beyond the last token hold zeros and are never read
// back. What is added up (k) never runs across lanes, so each lane is one chain of fused
// multiply-adds, k upwards from 0, as those of a large product (number/tile.h).

#include <stdbool.h>
#include <stdint.h>

// Rows of a weight times panels:  out[p][n][lane] = sum over k of weight[n][k] · panel[p][k][lane],
// then + bias[n], or + 0 if it is NULL.
struct projection {
    const float *weight; // [rows][depth], rows `depth` apart
    const float *bias;   // [rows] or NULL
    int64_t rows, depth;
    const float *panels;        // [panel][depth][width], panels `panel_step` apart
    int64_t tokens, panel_step; // as many panels as hold these tokens
    float *out;                 // rows `row_step` apart, panels `out_step` apart
    int64_t row_step, out_step;
};

// One head of one sentence for one panel of queries, the tokens from `first` on.
struct head {
    int64_t head_dim, tokens, first;
    float *queries;    // [head_dim][width]; the context replaces them
    const float *keys; // [panel][head_dim][width], panels `key_step` apart
    int64_t key_step;
    const float *values; // [head_dim][tokens], rows `value_step` apart
    int64_t value_step;
    bool values_are_finite;    // all of them, future tokens too
    float root;                // sqrt(head_dim)
    const unsigned char *kept; // a bit for each weight of the head, row by row (ops.h); NULL: all
    int64_t kept_from;         // the bit of its first
    float kept_factor;
    float *scores; // room for [tokens, rounded up to whole panels][width]
};

// Rows of which each becomes (x - mean) / √(variance + epsilon), the variance divided by `features`.
struct norm {
    const float *x;     // rows `features` apart
    const float *means; // of each row
    float epsilon;
    int64_t features;
    float *result; // as x
};

struct kernel {
    const char *name;
    int width; // lanes of a panel

    // Panel of `tokens` (at most width) rows of x, `depth` features each, rows `depth` apart.
    void (*pack)(const float *x, int64_t tokens, int64_t depth, float *panel);
    // The other way: rows of `out`, `out_step` apart, from a panel of `depth` features.
    void (*unpack)(const float *panel, int64_t tokens, int64_t depth, float *out, int64_t out_step);
    void (*project)(const struct projection *projection);
    void (*attend)(const struct head *head);
    // e^x for x <= 0, -INFINITY and NAN, with exp_float's bits; for tests.
    void (*exponentials)(const float *x, float *result, int64_t count);
    // Blocks of 16 uniform numbers become normal ones, with random_normal's bits.
    void (*normals)(float *values, int64_t blocks);
    // Makes each x the course's GELU of it, 0.5 x (1 + tanh(root (x + 0.044715 x³))), with the bits of the operations of
    // lesson `block`. `root` is √(2/π), rounded to a float as PyTorch does.
    void (*gelu)(float *values, int64_t count, float root);
    // Rows first ... first + rows - 1 of at least two, with the bits of the operations of lesson `block`: PyTorch takes another
    // way for the variance of a single row.
    void (*normalize)(const struct norm *norm, int64_t first, int64_t rows);
    // Nothing but fused multiply-adds in registers, `rounds` times; returns how many operations (two
    // a multiply-add) that were. What the processor can do at most.
    double (*spin)(int64_t rounds);
};

extern const struct kernel kernel_generic;
#ifdef __x86_64__
extern const struct kernel kernel_avx2, kernel_avx2_few; // FEW_TOKENS at most (path.h)
extern const struct kernel kernel_avx512;
#endif

#endif
