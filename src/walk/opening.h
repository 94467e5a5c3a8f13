#ifndef ONESTEP_WALK_OPENING_H
#define ONESTEP_WALK_OPENING_H

// The cell that a step opens on: one that shows what the step does. Of a product it is the largest number;
// of a softmax the largest of a row that shares among as many as any; of a mask, or of what a mask went
// through, the border in the middle of the page. Of anything else it is the first.

#include "show/table.h"
#include "tensor/tensor.h"

// Finds the row and the column on a page of the tensor.
void opening_cell(const struct tensor *tensor, int64_t page, int64_t *row, int64_t *column);

#endif
