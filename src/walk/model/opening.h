#ifndef ONESTEP_WALK_MODEL_OPENING_H
#define ONESTEP_WALK_MODEL_OPENING_H

// The cell that a step opens on: the one that the lesson gives with AT, on whatever page that is; else the first nan, or what was put in its place; else one that shows what the step does, on the page that is open (of what went
// through a mask, on the next page on which the mask hides something). Of a product it is the largest number; of a
// softmax the largest of a row that shares among as many as any, or of the row in which two softmaxes on one screen
// differ most; of a mask, or of what a mask went through, the border in the middle of the page; of sums of rows, the sum
// of the row with that border. Of anything else it is the first number that the operation changes: it is not 0, and no
// operand of the same shape has it in the same place.

#include "trace/run/run.h"

// Finds the page, if another one is to be opened, the row and the column.
void opening_cell(const struct run *run, const struct step *step, int64_t *page, int64_t *row,
                  int64_t *column);

#endif
