#ifndef ONESTEP_TRACE_DERIVATION_H
#define ONESTEP_TRACE_DERIVATION_H

// Where did this number come from? Any cell of any tensor of a run resolves, through the flat index
// that its view's strides give, to an element of a storage, and the storage's origin says how that
// element was computed: from which cells, by which arithmetic. Following an operand to its own
// derivation leads all the way to the input, or to a draw of the generator.

#include "trace/run.h"

// One element of a tensor, as seen through a view of it.
struct cell {
    struct tensor tensor;
    int64_t index[MAX_DIMS];
};

// One operand of a derivation.
struct operand {
    struct cell cell;
    double value;
    int number; // which of the origin's operands it lies in, from 0
};

struct derivation {
    const struct origin *origin;
    const char *operation; // PyTorch's name: "matmul", "softmax", ...; "tensor" for the input
    double value;
    int64_t flat_index; // of the element in its storage
    int operand_count;
    const struct operand *operands; // in the order in which they are used

    // The arithmetic for people, a line each, numbers with `digits` digits after the point:
    // "0.5500·0.5500 + 0.8700·0.8700 + 0.6600·0.6600", "= 1.4950". UTF-8. A long sum is not cut here.
    int line_count;
    const char *const *lines;
};

// Derives a cell. All in `arena`. Never fails but for want of memory.
struct derivation derive(struct arena *arena, const struct cell *cell, int digits);

// The cell of the element that a view's index shows, in the tensor that the operation made: the same
// storage seen contiguously with the shape it was allocated with, where that is known to be its first
// shape; used to light up operands.
bool same_element(const struct cell *a, const struct cell *b);

// The step of `run` whose tensor shows the storage of `tensor` (the last one before `before`, or any if
// there is none before it); NULL if no step shows it.
const struct step *step_showing(const struct run *run, const struct tensor *tensor, int before);

#endif
