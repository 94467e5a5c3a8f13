#ifndef ONESTEP_TENSOR_OPS_QUICK_H
#define ONESTEP_TENSOR_OPS_QUICK_H

// Faster ways to compute two operations, with the same bits. A program that has threads and vectors sets them
// (fast/quick.h); without them the operations are computed as they are defined.

#include "tensor/tensor.h"

struct quick_ways {
    // Fills result (..., d_out) with x Wᵀ + b; x is (..., d_in). All are contiguous; the bias may be NO_TENSOR.
    void (*linear)(struct tensor x, struct tensor weight, struct tensor bias, struct tensor result);
    // Makes blocks of 16 uniform numbers normal ones, as random_normal does.
    void (*normals)(float *values, int64_t blocks);
};
extern struct quick_ways quick_ways;

// From so many products on, or numbers, a quick way is taken: below, it would not be quicker.
enum { QUICK_FROM = 1 << 18 };

#endif
