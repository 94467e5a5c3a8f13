#ifndef ONESTEP_TENSOR_FAST_LINEAR_H
#define ONESTEP_TENSOR_FAST_LINEAR_H

// Any linear layer, fast: y = x Wᵀ + b for tokens in rows, as many as there are, one too. The bits are those
// of `linear` (ops.h), the definition.

#include "tensor/fast/path.h"
#include "tensor/tensor.h"

struct linear_size {
    int64_t tokens, d_in, d_out;
};

// Room for any number of layers of that size, one after the other. `threads` is 1 ... MAX_THREADS.
struct linear_work;
struct linear_work *linear_prepare(struct arena *m, struct linear_size size, enum kernel_path path,
                                   int threads);

// x is (tokens, d_in), the weight (d_out, d_in), both contiguous, the bias (d_out) or NO_TENSOR. Fills
// `result`, (tokens, d_out), which lies elsewhere.
void linear_fast(struct linear_work *work, struct tensor weight, struct tensor bias, const float *x,
                 float *result);

#endif
