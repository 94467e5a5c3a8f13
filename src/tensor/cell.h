#ifndef ONESTEP_TENSOR_CELL_H
#define ONESTEP_TENSOR_CELL_H

// One number of a tensor: where it lies, and what it is called.

#include "tensor/tensor.h"

// The number at `index` (as many as the tensor has dimensions) of a tensor, which may be any view of
// its storage.
struct cell {
    struct tensor tensor;
    int64_t index[MAX_DIMS];
};

struct cell cell_at(const struct tensor *tensor, const int64_t *index);

// Has the tensor a cell of that index, of so many numbers from 0 on?
bool has_index(const struct tensor *tensor, int count, const int64_t *index);

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

#endif
