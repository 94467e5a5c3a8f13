#ifndef ONESTEP_TESTS_WALK_OWN_OPERATIONS_H
#define ONESTEP_TESTS_WALK_OWN_OPERATIONS_H

// Two operations that no lesson uses yet, added as any operation is: a row and a function each, here,
// and a line each in a list, this one.

#include "tensor/operation/operation.h"

#define OWN_OPERATIONS(ROW)                                                                        \
    ROW(gelu)                                                                                      \
    ROW(layer_norm)

#define DECLARE_ROW(name) extern const struct operation name##_row;
OWN_OPERATIONS(DECLARE_ROW)
#undef DECLARE_ROW

// x · (1 + erf(x / √2)) / 2. torch.nn.functional.gelu
struct tensor own_gelu(struct tensor x);

// (x - mean) / √(variance + 1e-5) · weight + bias over the last dimension. torch.nn.functional.layer_norm
struct tensor own_layer_norm(struct tensor x, struct tensor weight, struct tensor bias);

#endif
