#ifndef ONESTEP_TENSOR_TEXT_SAID_H
#define ONESTEP_TENSOR_TEXT_SAID_H

// What stands around a tensor's numbers: often its shape or its type, printed by the line before or after, and the
// prompts of a session.

#include "tensor/text/numbers.h"
#include "tensor/text/reading.h"

// Moves over lines of a session (">>> print(context)", "In [5]: context") and over what is said of the numbers
// that follow ("Context shape: (6, 2)"), as long as anything follows.
void skip_what_is_said_before(struct reading *reading);

// Moves over "torch.Size([6, 2])", "(6, 2)", "torch.float32" and the like, each with a caption or without
// ("context.shape: "), and over prompts, up to the end. So is the last line of what Rust and C++ print:
// "Tensor[[6, 2], f32]", "[ CPUFloatType{6,2} ]"; the latter gives a table its shape. One number, as "loss: 1.7565" or tensor(1.7565), becomes
// numbers->behind. Fails if a shape is not the numbers' own, or anything else is there.
void skip_what_is_said(struct reading *reading, struct numbers *numbers);

#endif
