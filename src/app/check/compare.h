#ifndef ONESTEP_APP_CHECK_COMPARE_H
#define ONESTEP_APP_CHECK_COMPARE_H

// A student's numbers beside those of a tensor, with the precision at hand: a number agrees if it
// lies within half a unit of its last digit, and what machines may differ by (tolerance.h).

#include "tensor/file/numbers.h"
#include "tensor/tensor.h"

struct comparison {
    int64_t count;     // elements
    int64_t different; // of them
    int64_t first;     // position of the first different one, counted row by row; -1 without
    double largest;    // difference of those that are finite
    int64_t place;     // its position
};

// Has the file this shape? A table has rows and columns only: dimensions before the last are one to
// it, and a vector is a row or a column.
bool fits(const struct numbers *numbers, struct shape shape);

// tolerance_of() a step, but no less than 2e-6: students' builds of PyTorch and NumPy are older,
// newer and others, and may draw other last bits.
double tolerance_for(const struct tensor *tensor);

// Compares with a tensor that the numbers fit. Agreement is judged with `tolerance`.
struct comparison compare(const struct numbers *numbers, const struct tensor *tensor,
                          double tolerance);

// The same, but gives up when more than `most` numbers differ.
struct comparison compare_up_to(const struct numbers *numbers, const struct tensor *tensor,
                                double tolerance, int64_t most);

// Half a unit of the last digit of a number of the file; 0 if it is exact.
double half_unit_at(const struct numbers *numbers, int64_t position);

#endif
