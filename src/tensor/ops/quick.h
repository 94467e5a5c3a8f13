#ifndef ONESTEP_TENSOR_OPS_QUICK_H
#define ONESTEP_TENSOR_OPS_QUICK_H

// Faster ways to compute two operations, with the same bits. A program that has threads and vectors sets them
// (fast/quick.h); without them the operations are computed as they are defined.

#include "tensor/origin.h"

struct quick_ways {
    // Fills result (..., d_out) with x Wᵀ + b; x is (..., d_in). All are contiguous; the bias may be NO_TENSOR.
    void (*linear)(struct tensor x, struct tensor weight, struct tensor bias, struct tensor result);
    // Makes blocks of 16 uniform numbers normal ones, as random_normal does.
    void (*normals)(float *values, int64_t blocks);
    // Room for the numbers that this operation draws, which outlives the run, so that the next run that draws the same need
    // not. If they are there already, *is_drawn becomes true and the generator goes on behind them. NULL: there is no room.
    float *(*room)(const struct origin *origin, bool *is_drawn);
    // The numbers are in their room now.
    void (*drawn)(const struct origin *origin, const float *room);
};
extern struct quick_ways quick_ways;

// From so many products on, or numbers, a quick way is taken: below, it would not be quicker.
enum { QUICK_FROM = 1 << 18 };

#endif
