#ifndef ONESTEP_TENSOR_FILE_SAID_H
#define ONESTEP_TENSOR_FILE_SAID_H

// What stands behind a tensor's numbers: often its shape or its type, printed by the line after.

#include "tensor/file/numbers.h"
#include "tensor/file/reading.h"

// Moves over "torch.Size([6, 2])", "(6, 2)", "torch.float32" and the like, each with a caption or without
// ("context.shape: "), up to the end. One number, as "loss: 1.7565" or tensor(1.7565), becomes
// numbers->behind. Fails if a shape is not the numbers' own, or anything else is there.
void skip_what_is_said(struct reading *reading, struct numbers *numbers);

#endif
