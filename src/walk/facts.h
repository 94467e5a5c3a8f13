#ifndef ONESTEP_WALK_FACTS_H
#define ONESTEP_WALK_FACTS_H

// What can be said of a tensor in one line: its shape and layout, and what is always so of its
// numbers, or why it is not.

#include "trace/cell.h"
#include "walk/measured.h"

// "(2, 6, 6) batch × query × key, float32, strides (36, 6, 1)"; with pages: ", shown: batch 1 of 2".
const char *facts_text(struct arena *arena, const struct tensor *tensor, int64_t page);

// "0.0186 ... 0.4656, every row sums to 1", of the page of a matrix. Rows of weights that do not sum to
// 1 are explained by the operation that made them so.
const char *invariant_text(struct arena *arena, const struct matrix *matrix, int64_t row);

#endif
