#ifndef ONESTEP_TENSOR_FAST_QUICK_H
#define ONESTEP_TENSOR_FAST_QUICK_H

// From now on large linear layers and draws of normal numbers (tensor/ops/quick.h) are computed by the fast kernels, on all
// processors. No bit changes.
void use_quick_ways(void);

#endif
