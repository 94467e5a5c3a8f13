#ifndef ONESTEP_TESTS_GRAPH_H
#define ONESTEP_TESTS_GRAPH_H

// A graph that PyTorch was asked for as well, as a line of words:
//
//     graph SEED ; given 2 6 3 ; given 2 3 3 ; matmul 0 1 ; softmax 2 1 ; ... ; sum 7 0 0
//
// A value a clause, counted from 0; the last one is the loss, of no dimensions. A clause is an operation, the
// values that it takes, then its numbers: dimensions, sizes (NDIM first), whatever its function in ops.h
// takes. `given NDIM SIZES` is drawn by uniform_(-1, 1), one after the other from the seed; with - for
// SEED it is read from `data`, in the machine's own bytes. `ids N CLASSES` are (3·i + 1) mod CLASSES.
// `hide X DIAGONAL NUMBER` is masked_fill above a diagonal. tests/pytorch_gradients.py writes such lines.

#include <stdio.h>

#include "tensor/tensor.h"

// One row: the loss, then for each given value its gradient, row by row; nan in all its places if there
// is none. Fails on a line that is none of these.
struct tensor graph(struct arena *arena, const char *line, FILE *data);

#endif
