#ifndef ONESTEP_TENSOR_FAST_QUICK_H
#define ONESTEP_TENSOR_FAST_QUICK_H

// From now on large linear layers and draws of normal numbers (tensor/ops/quick.h) are computed by the fast kernels, on all
// processors, and large draws are kept for the next run that draws the same: at most what one GPT-2 small takes. No bit
// changes.
void use_quick_ways(void);

#endif
