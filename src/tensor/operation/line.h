#ifndef ONESTEP_TENSOR_OPERATION_LINE_H
#define ONESTEP_TENSOR_OPERATION_LINE_H

// The elements of a tensor along one dimension, at one place of all others.

#include "tensor/number/line.h"
#include "tensor/operation/account.h"
#include "tensor/tensor.h"

// How many lines a tensor has along `dim`; and number `position` of them, counted over the other
// dimensions row by row. *flat is the flat index of its first element.
int64_t lines_of(const struct tensor *x, int dim);
struct line line_at(const struct tensor *x, int dim, int64_t position, int64_t *flat);

// The largest number of a line, a nan before all others; -∞ of an empty one.
float largest_in(struct line line);

// Which of the operands `first` ... `first + count - 1` of a derivation is the largest; -1 if none is larger than -∞.
int place_of_largest(const struct account *account, int first, int count);

#endif
