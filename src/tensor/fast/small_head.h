#ifndef ONESTEP_TENSOR_FAST_SMALL_HEAD_H
#define ONESTEP_TENSOR_FAST_SMALL_HEAD_H

// A head whose products are not large (number/tile.h), so that OpenBLAS's tiles say in which order they are added up: what a
// kernel, which has one chain a lane, cannot do. It takes the functions of number/product.h, on the kernel's panels.

#include "tensor/fast/kernel.h"

// What the kernel's `attend` does, for a sentence of any size.
void attend_head(const struct kernel *kernel, const struct head *head);

#endif
