#ifndef ONESTEP_TENSOR_NUMBER_MOMENTS_H
#define ONESTEP_TENSOR_NUMBER_MOMENTS_H

// The mean of a line and the sum of the squared distances from it, as torch.nn.functional.layer_norm computes them on a
// processor with AVX2 (PyTorch 2.6, aten/src/ATen/native/cpu/moments_utils.h, RowwiseMoments): eight lanes by
// Welford's steps, in chunks of sixteen, which are joined in pairs; then the numbers that are left, and the lanes.

#include "tensor/number/line.h"

struct moments {
    int64_t count;
    float mean, squares;
};

struct moments moments_of(struct line line);

#endif
