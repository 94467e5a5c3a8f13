#ifndef ONESTEP_TENSOR_CELL_H
#define ONESTEP_TENSOR_CELL_H

// One number of a tensor: where it lies, what it is called, how it is written.

#include "tensor/tensor.h"

// The number at `index` (as many as the tensor has dimensions) of a tensor, which may be any view of
// its storage.
struct cell {
    struct tensor tensor;
    int64_t index[MAX_DIMS];
};

struct cell cell_at(const struct tensor *tensor, const int64_t *index);

double cell_value(const struct cell *cell);

// Are the two one and the same number in memory, perhaps seen through two views?
bool same_element(const struct cell *a, const struct cell *b);

// Finds the same number in another view of the storage: true and *found (may be NULL) if `view` shows
// it. This is how operands light up in the matrices on screen.
bool cell_in_view(const struct tensor *view, const struct cell *cell, struct cell *found);

// "[journey, starts]", "[journey, feature 2]", "[head 2, query starts, key with]": labels, else
// numbers from 1. Axes are named where there are more than two, or where there is no label. A number
// without dimensions is "".
const char *cell_label(struct arena *arena, const struct cell *cell);

// Digits after the point; or ALL_DIGITS, nine significant ones, by which any two floats differ.
enum { ALL_DIGITS = -1 };

// "1.4950", "-inf", "nan". What `digits` would round to nothing, or could not hold, has an exponent:
// "2.9802e-08".
const char *number_in_digits(struct arena *arena, double number, int digits);

// The same for arithmetic, which is to come out with the digits shown: where `digits` would leave one or two significant
// ones, there are `digits` of those: "0.001566".
const char *number_in_arithmetic(struct arena *arena, double number, int digits);

// The same with `more` decimals, unless these are zeros: "0.0158741" by one, "0.0100" by any.
const char *number_more_precise(struct arena *arena, double number, int digits, int more);

// The cell's value, written as its type asks: "1.4950", "True", "42".
const char *cell_number(struct arena *arena, const struct cell *cell, int digits);

#endif
