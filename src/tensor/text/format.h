#ifndef ONESTEP_TENSOR_TEXT_FORMAT_H
#define ONESTEP_TENSOR_TEXT_FORMAT_H

// All numbers of a tensor, written alike.

#include "tensor/tensor.h"

// ---- PyTorch's print() --------------------------------------------------------------------------

// It is written byte for byte (torch/_tensor_str.py of PyTorch 1.13; later versions agree).
//
//     tensor([[0.4300, 0.1500, 0.8900],
//             [0.5500, 0.8700, 0.6600]])

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

// The same with these options, and one more word about the tensor at the end, "grad_fn=<MmBackward0>"; NULL: none.
const char *torch_text_as(struct arena *arena, const struct tensor *tensor,
                          const struct printing_options *options, const char *suffix);

// ---- One format for all numbers of a tensor -----------------------------------------------------

// How they are written, so that they line up: decided by looking at all of them. WHOLE is int64's, TRUTH and INITIAL ("T")
// are bool's.
enum notation { INTEGER, FIXED, SCIENTIFIC, WHOLE, TRUTH, INITIAL, NINE_DIGITS };
struct number_format {
    enum notation notation;
    int digits;
    int width;    // columns of the longest
    int exponent; // of a common factor: what is written is to be multiplied by 10 to it; 0: none
};
struct number_format number_format_of(struct arena *arena, const struct tensor *tensor, int digits);

// The same for a person at a screen, of one page (a matrix) of the tensor, whose finite numbers are `size` at most, or
// INFINITY if there are none: one notation for all numbers that can share one, where PyTorch's print would give all of
// them an exponent for the smallest; `width` is that of the page. Small numbers have a common factor.
struct number_format page_format_of(struct arena *arena, const struct tensor *tensor,
                                    const struct tensor *page, int digits, double size);

// A number in that format, not padded and without the common factor: "0.4300", "-inf", "True".
const char *number_text(struct arena *arena, struct number_format format, double value);

// " ×10⁻³", the common factor; "" if there is none.
const char *common_factor(struct arena *arena, struct number_format format);

#endif
