#ifndef ONESTEP_APP_CHECK_COMPARE_H
#define ONESTEP_APP_CHECK_COMPARE_H

// Compares a student's numbers with those of a tensor, as precisely as they are written: a number agrees if
// it differs by at most half a unit of its last digit plus the tolerance between machines
// (tensor/operation/tolerance.h).

#include "tensor/tensor.h"
#include "tensor/text/numbers.h"

struct comparison {
    int64_t count;     // elements
    int64_t different; // how many of these steps have the file's numbers
    int64_t first;     // position of the first different one, counted row by row; -1 without
    double largest;    // difference of those that are finite
    int64_t worst;     // its position
};

// Does the file have this shape? A table has only rows and columns: its rows are all dimensions before the
// last, and a vector is one row or one column. A single number, with or without brackets, fits every shape of
// one number. Dimensions of size 1 are seen through: (6, 2) fits (1, 6, 2), as the batch of one that a program leaves
// out, and (6, 1) fits (6,), as keepdim leaves it. (1, 6) does not fit (6, 1), which broadcasts otherwise.
bool fits(const struct numbers *numbers, struct shape shape);

// Are all numbers of the file nan?
bool is_all_nan(const struct numbers *numbers);

// Half a unit of the last digit of a number of the file; 0 if it is exact.
double half_unit_at(const struct numbers *numbers, int64_t position);

// How far each number of the file may differ from the tensor's, in `arena`. The numbers must fit the tensor.
// Allowed are half a unit of the last digit, and the rounding of the tensor's number itself, since the file
// may have been computed with more bits.
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

// Do all numbers agree with the tensor's within `allowed`?
bool all_agree(const struct numbers *numbers, const struct tensor *tensor, const double *allowed);

// The same, where `allowed` says how far the number at each position may differ.
struct comparison compare_within(const struct numbers *numbers, const struct tensor *tensor,
                                 const double *allowed, int64_t most);

// How large the tensor's numbers are: the root of the mean square of those that are finite.
double size_of(const struct tensor *tensor);

// How many numbers differ by more than half a unit of their last digit plus `part` of |x| or of
// size_of(tensor), whichever is larger.
int64_t count_apart(const struct numbers *numbers, const struct tensor *tensor, double part);

// Is there a number in it that can't be written without decimals?
bool has_fractions(const struct tensor *tensor);

#endif
