#ifndef ONESTEP_TENSOR_OPS_PROGRAMS_CHOICE_H
#define ONESTEP_TENSOR_OPS_PROGRAMS_CHOICE_H

// Operations that programs use and lessons do not: other dtypes, choices, bounds, order, running sums. As in ops.h, under
// PyTorch's names. `dim` counts from the front.

#include "tensor/tensor.h"

// The same numbers in another dtype; `x` itself if it has it. Tensor.to
struct tensor convert(struct tensor x, enum dtype dtype);
// a where the mask is true, else b, of one dtype; all three broadcast. torch.where
struct tensor where(struct tensor mask, struct tensor a, struct tensor b);
// Not below `least` and not above `most`. torch.clamp
struct tensor clamp(struct tensor x, double least, double most);
// x · weight + bias, rounded once, of FLOAT32; the last two broadcast to x.
struct tensor multiply_add(struct tensor x, struct tensor weight, struct tensor bias);
// The mean and the variance (of n) along the dimension, which stays, as torch.nn.functional.layer_norm computes them.
struct tensor layer_mean(struct tensor x, int dim);
struct tensor layer_var(struct tensor x, int dim);
// The sum of each number and all before it along the dimension. torch.cumsum
struct tensor cumsum(struct tensor x, int dim);
// The product of each and all before it. torch.cumprod
struct tensor cumprod(struct tensor x, int dim);
// The places of the numbers of each line in their order (INT64); equal ones stay in order. torch.argsort(stable=True)
struct tensor argsort(struct tensor x, int dim, bool descends);
// The place of the largest (or least) of each line (INT64), the first of several; the dimension stays with size 1.
struct tensor place_of_most(struct tensor x, int dim, bool of_least);
// x[..., places[...], ...] along the dimension: the shape of `places`. torch.gather
struct tensor take_along(struct tensor x, struct tensor places, int dim);
// x with `from` at those places, put there or added. torch.scatter, torch.scatter_add
struct tensor put_along(struct tensor x, struct tensor places, struct tensor from, int dim,
                        bool adds);
// Sums of integers, truths (INT64) and doubles along a dimension, in order. torch.sum
struct tensor total(struct tensor x, int dim, bool keepdim);
// (..., n, k) times (..., k, m), with the same leading dimensions, of integers or doubles. torch.matmul
struct tensor typed_product(struct tensor a, struct tensor b);

// Pair by pair, with broadcasting; each number.
struct tensor minimum(struct tensor a, struct tensor b);
struct tensor remainder_of(struct tensor a, struct tensor b); // with the sign of b. torch.remainder
struct tensor floor_divide(struct tensor a, struct tensor b); // torch.floor_divide
struct tensor logical_and(struct tensor a, struct tensor b);  // BOOL
struct tensor logical_xor(struct tensor a, struct tensor b);  // BOOL
struct tensor bits_and(struct tensor a, struct tensor b); // of integers. torch.bitwise_and, or, xor
struct tensor bits_or(struct tensor a, struct tensor b);
struct tensor bits_xor(struct tensor a, struct tensor b);
struct tensor shifted_left(struct tensor a, struct tensor b);
struct tensor shifted_right(struct tensor a, struct tensor b);
struct tensor reciprocal(struct tensor x);      // 1 / x
struct tensor reciprocal_root(struct tensor x); // 1 / √x. torch.rsqrt
struct tensor sigmoid(struct tensor x);         // 1 / (1 + e^-x)
struct tensor error_function(struct tensor x);  // torch.erf
struct tensor error_inverse(struct tensor x);   // torch.erfinv
struct tensor gelu_of(struct tensor x);         // x / 2 · (1 + erf(x / √2))
struct tensor rounded_down(struct tensor x);    // torch.floor, ceil, round (to even), trunc
struct tensor rounded_up(struct tensor x);
struct tensor rounded(struct tensor x);
struct tensor truncated(struct tensor x);
struct tensor binary_log(struct tensor x); // torch.log2, log10, log1p, expm1
struct tensor decimal_log(struct tensor x);
struct tensor log_of_one_more(struct tensor x);
struct tensor exponential_less_one(struct tensor x);

#endif
