#ifndef ONESTEP_WALK_STEP_SKETCH_DRAWING_H
#define ONESTEP_WALK_STEP_SKETCH_DRAWING_H

// A sketch (show/sketch.h) on a canvas.

#include "show/sketch.h"
#include "walk/kit/cells.h" // defines: struct area

// Copies the part of a sketch from (row, column) on that an area shows, in the characters of this canvas. `style_of`
// gives the style of what a cell is a part of.
void put_sketch(struct canvas *canvas, const struct area *area, const struct sketch *sketch,
                int row, int column,
                struct style (*style_of)(const void *own, const struct sketch_cell *cell),
                const void *own);

#endif
