#ifndef ONESTEP_APP_CHECK_COMPARE_H
#define ONESTEP_APP_CHECK_COMPARE_H

// A student's numbers beside those of a tensor, with the precision at hand: a number agrees if it
// lies within half a unit of its last digit, and what machines may differ by (tensor/ops/tolerance.h).

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
// it, and a vector is a row or a column. A number without brackets has no shape, and a list of one number is
// typed with any brackets: both have each shape of one number. What PyTorch or NumPy printed has its own shape.
bool fits(const struct numbers *numbers, struct shape shape);

// Is there nothing but nan in the file?
bool is_all_nan(const struct numbers *numbers);

// How far each number of the file may lie from the tensor's, which it fits, in `arena`: at least by half a
// unit of its last digit, and by the rounding of the tensor's number itself, since the file may have been
// computed with more bits.
double *least_allowed(struct arena *arena, const struct numbers *numbers,
                      const struct tensor *tensor);

// The same, widened by what machines may differ by, which takes long to find, unless all numbers agree without.
const double *allowed_of(struct arena *arena, const struct numbers *numbers,
                         const struct tensor *tensor);

// The same, where `allowed` is how far the numbers may lie from those of `right`: what rounding moves those by
// is as much of their size as it is of the tensor's.
const double *allowed_beside(struct arena *arena, const struct numbers *numbers,
                             const struct tensor *tensor, const struct tensor *right,
                             const double *allowed);

// Compares with a tensor that the numbers fit.
struct comparison compare(const struct numbers *numbers, const struct tensor *tensor);

// The same, but gives up when more than `most` numbers differ.
struct comparison compare_up_to(const struct numbers *numbers, const struct tensor *tensor,
                                int64_t most);

// Do all numbers agree with the tensor's as `allowed` says?
bool all_agree(const struct numbers *numbers, const struct tensor *tensor, const double *allowed);

// The same, where the number at each position may be off by what is allowed there.
struct comparison compare_within(const struct numbers *numbers, const struct tensor *tensor,
                                 const double *allowed, int64_t most);

// How large the tensor's numbers are: the root of the mean square of those that are finite.
double size_of(const struct tensor *tensor);

// How many numbers are off by more than `part` of |x|, or of the size of all, and half a unit of their last digit.
int64_t count_apart(const struct numbers *numbers, const struct tensor *tensor, double part);

#endif
