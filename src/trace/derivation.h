#ifndef ONESTEP_TRACE_DERIVATION_H
#define ONESTEP_TRACE_DERIVATION_H

// Where did this number come from? Any cell of any tensor of a run resolves, through the flat index
// that its view's strides give, to an element of a storage, and the storage's origin says how that
// element was computed: from which cells, by which arithmetic. Following an operand to its own
// derivation leads all the way to the input, or to a draw of the generator.

#include "tensor/origin.h"
#include "trace/cell.h"
#include "trace/run.h"

// One operand of a derivation.
struct operand {
    struct cell cell; // in the view that the operation read, with that view's axes
    double value;
    int number;       // which of the origin's operands it lies in, from 0
    const char *role; // what the operation calls that operand: "x", "weight", "bias", "mask", ...
};

struct derivation {
    const struct origin *origin;
    const char *operation; // PyTorch's name: "matmul", "softmax", ...; "tensor" for the input
    double value;
    double recomputed; // the value once more, from the operands below: the same bits

    int64_t flat_index; // of the element in its storage, from 0
    int64_t
        index[MAX_DIMS]; // of the element in the shape that the operation filled (storage->shape)

    int operand_count;
    struct operand
        *operands; // in the order in which they are used: a0, b0, a1, b1, ... of a product

    // The arithmetic for people, in UTF-8. The last line is the conclusion, complete in itself:
    // "0.5500·0.5700 + 0.8700·0.8500 + 0.6600·0.6400 = 1.4754". Lines before it lead there: a
    // softmax's maximum, exponentials and sum; a draw's number and bits. A long line is not cut.
    int line_count;
    const char **lines;
};

// Derives a cell; numbers in the lines have `digits` digits after the point, or ALL_DIGITS. All in
// `arena`. Never fails but for want of memory.
struct derivation derive(struct arena *arena, const struct cell *cell, int digits);

// The step of `run` that shows the storage of `tensor`, or the very number: the last one with a number
// below `before`, or the first of all if there is none below it; NULL if no step shows it.
// step_of_cell also finds the cell in that step's tensor (`found` may be NULL).
const struct step *step_showing(const struct run *run, const struct tensor *tensor, int before);
const struct step *step_of_cell(const struct run *run, const struct cell *cell, int before,
                                struct cell *found);

#endif
