#ifndef ONESTEP_WALK_STEP_MEMORY_H
#define ONESTEP_WALK_STEP_MEMORY_H

// The numbers of a tensor as they lie in memory, one after the other, and the order in which the
// tensor's shape and strides walk them.

#include "tensor/cell.h"
#include "walk/kit/cells.h"

// Rows that the whole storage takes on this canvas, its heading included.
int memory_rows(const struct canvas *canvas, const struct tensor *tensor,
                const struct matrix *matrix);

// Draws the storage around the focused cell, the cursor on its number.
void draw_memory(struct canvas *canvas, struct area area, const struct cell *cell,
                 const struct matrix *matrix);

#endif
