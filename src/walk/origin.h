#ifndef ONESTEP_WALK_ORIGIN_H
#define ONESTEP_WALK_ORIGIN_H

// The screen that answers: where did this number come from? The operation, the arithmetic with the
// real numbers, the operands to follow, and their matrices with the operands lit up.

#include "tensor/ops/derivation.h"
#include "walk/screen.h"

void draw_origin(struct canvas *canvas, const struct scene *scene);

// The cell that is asked about: the last of the trail.
const struct cell *asked_cell(const struct state *state);

// A tensor's name and a cell's place in it: "scores[journey, starts]".
const char *cell_name(struct arena *arena, const struct run *run, const struct cell *cell,
                      int before);

#endif
