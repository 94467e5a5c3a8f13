#ifndef ONESTEP_TENSOR_NUMBER_SUM_H
#define ONESTEP_TENSOR_NUMBER_SUM_H

// Sums of floats in the orders of PyTorch's CPU kernels on AVX2, which 1.13 and 2.6 share. The order
// shows in the last bits. Every sum begins with 0, so that none is -0.

#include "tensor/number/line.h"

// A *cascade* adds numbers up one after the other, but where there are 16 or more in runs of 16, whose
// sums are added up in a second accumulator, from 256 on in a third, from 4096 on in a fourth; what is
// left over comes first, then the accumulators.
enum sum_order {
    IN_ORDER, // one after the other
    CASCADE,
    // Number i goes to cascade i % 4; the last count % 4 numbers are added to the first cascade, then
    // the four in order.
    FOUR_CASCADES,
    // The last count % 8 numbers are added up, then eight lanes in order: lane i % 8, each in
    // FOUR_CASCADES.
    EIGHT_LANES,
    // Number i goes to lane i % 8, and the lanes together as ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7));
    // up to seven numbers in order.
    LANES_BY_HALVES,
};

float sum_of(struct line line, enum sum_order order);

// The order of Tensor.sum and mean (aten/src/ATen/native/cpu/SumKernel.cpp, cascade_sum) for a line of
// `count` numbers `step` apart, number `position` of `lines` such lines that begin `apart` floats from each
// other. Lines that lie side by side are added up 32 at a time, others four at a time. Softmax's is
// LANES_BY_HALVES for its exponentials along the last dimension (SoftMaxKernel.cpp, vec_reduce_all),
// IN_ORDER along others.
enum sum_order sum_order(int64_t count, int64_t step, int64_t position, int64_t lines,
                         int64_t apart);

#endif
