#ifndef ONESTEP_TENSOR_TEXT_FORMAT_H
#define ONESTEP_TENSOR_TEXT_FORMAT_H

// A tensor as PyTorch's print() shows it, byte for byte (torch/_tensor_str.py of PyTorch 1.13; later
// versions agree).
//
//     tensor([[0.4300, 0.1500, 0.8900],
//             [0.5500, 0.8700, 0.6600]])

#include "tensor/tensor.h"

// print(tensor), without a newline at the end. `digits` after the point, 4 in PyTorch unless
// torch.set_printoptions(precision=digits) says otherwise; 0 ... 17.
const char *torch_text(struct arena *arena, const struct tensor *tensor, int digits);

// torch/_tensor_str.py's PRINT_OPTS. A tensor of more than `threshold` elements is cut to the first and last `edge` indices of
// its dimensions. scientific: 1 and 0 as sci_mode says, -1: as the numbers say.
struct printing_options {
    int digits, edge, width;
    double threshold;
    int scientific;
};
extern const struct printing_options standard_printing;
const char *torch_text_as(struct arena *arena, const struct tensor *tensor,
                          const struct printing_options *options, const char *suffix);

// The same with one more word about the tensor at the end, "grad_fn=<MmBackward0>"; NULL: none.
const char *torch_text_with(struct arena *arena, const struct tensor *tensor, int digits,
                            const char *suffix);

// How all numbers of one tensor are written, so that they line up: decided by looking at all of them.
enum notation { INTEGER, FIXED, SCIENTIFIC, WHOLE, TRUTH }; // the last two: int64 and bool
struct number_format {
    enum notation notation;
    int digits;
    int width; // columns of the longest
};
struct number_format number_format_of(struct arena *arena, const struct tensor *tensor, int digits);

// A number in that format, not padded: "0.4300", "-inf", "True".
const char *number_text(struct arena *arena, struct number_format format, double value);

#endif
