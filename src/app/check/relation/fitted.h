#ifndef ONESTEP_APP_CHECK_RELATION_FITTED_H
#define ONESTEP_APP_CHECK_RELATION_FITTED_H

// What may be done to the right numbers of a step at the end of its line, where the file's numbers tell with what: with which
// factor, in which order. Each is an expression of the value.

#include "tensor/tensor.h"
#include "tensor/text/numbers.h"

struct fit {
    const char *text;      // "%s * 2": the value stands at %s
    struct tensor tensor;  // the numbers that it gives
    const double *allowed; // how far each number of the file may lie from them
    double price;          // in bits: that of what was fitted, and which of all it is
};

struct fits {
    int count;
    struct fit *all;
};

// Those that the numbers of the file agree with, the cheapest first; `allowed` is how far each may differ from the right one. The
// file must fit the tensor.
//
//     * 2, / 6, * 0.731    the simplest factor that all numbers allow
//     + 0.25, - 1          the simplest constant
//     .flip(0)             from the last to the first along a dimension
//     .roll(1, 0)          torch.roll along a dimension
//     [[2, 0, 1]]          the indices of a dimension in another order, some of them twice
//     [:1].expand(6, 3)    all indices of a dimension have the numbers of one
//     pad(x[1:], ...)      each has the numbers of the next, and the last one 0; or of the one before, and the first one 0
//
// Whole numbers have none: their digits are no measure. Nor have zeros.
struct fits fits_of(struct arena *arena, const struct tensor *right, const struct numbers *numbers,
                    const double *allowed);

#endif
