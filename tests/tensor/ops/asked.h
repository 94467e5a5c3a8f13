#ifndef ONESTEP_TESTS_TENSOR_OPS_ASKED_H
#define ONESTEP_TESTS_TENSOR_OPS_ASKED_H

// An operation that PyTorch was asked for as well, as a line of words:
//
//     exp FIRST COUNT STEP        of the floats with the bits FIRST, FIRST + STEP, ...; log, tanh, exp_of_glibc
//     rand 0 SEED SHAPE           randn; rand_double, an INT64 tensor with the doubles' bits
//     sum DIM SEED TENSOR         mean, var, population_var, softmax, log_softmax
//     multinomial N SEED TENSOR   N samples of its softmax, as floats; the generator's seed is 123
//     matmul 0 SEED TENSOR TENSOR
//     linear 0 SEED TENSOR TENSOR [TENSOR]
//     cross_entropy 0 SEED TENSOR
//     sin N SEED TENSOR           of x · 10^N; cos
//     raise N SEED TENSOR         x^N
//     pow 0 SEED TENSOR TENSOR    tanh_backward
//
// SHAPE is NDIM, then the sizes; TENSOR is a shape, then the order in which its dimensions are permuted. Its numbers are
// drawn by uniform_(-1, 1), for several tensors one after the other; with - for SEED they are read from
// `data`, in the machine's own bytes. Class number i of cross_entropy is i modulo the number of classes.
// tests/pytorch_operations.py writes such lines.

#include <stdio.h>

#include "tensor/tensor.h"

// The result, contiguous, in `arena`. Fails on a line that is none of these.
struct tensor asked(struct arena *arena, const char *line, FILE *data);

#endif
