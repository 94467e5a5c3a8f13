#ifndef ONESTEP_TENSOR_NUMBER_NORMAL_BLOCK_H
#define ONESTEP_TENSOR_NUMBER_NORMAL_BLOCK_H

/* Tensor.normal_ of sixteen floats and more works in blocks of this many. */
#define NORMAL_BLOCK 16

/*
 * Turns sixteen uniform numbers in [0, 1) into sixteen normal ones, in place, as Tensor.normal_
 * does on a processor with AVX2 (ATen/native/cpu/DistributionTemplates.h, normal_fill_16_AVX2):
 * for j < 8, radius = √(-2 log(1 - block[j])), theta = 2π block[j + 8],
 *
 *     block[j] = radius cos theta · deviation + mean,
 *     block[j + 8] = radius sin theta · deviation + mean,
 *
 * each last step fused. Logarithm, sine and cosine are Cephes' single precision ones [1] in the
 * form of avx_mathfun [2], with a multiplication and the addition behind it fused, since
 * PyTorch's compilers do so. The functions agree for PyTorch 1.13 and 2.6.
 *
 * [1] S. L. Moshier, Cephes Mathematical Library, single precision: logf, sinf, cosf.
 * [2] J. Pommier, sse_mathfun; G. Garberoglio, avx_mathfun.
 */
void normal_block(float block[NORMAL_BLOCK], float mean, float deviation);

#endif
