#ifndef ONESTEP_WALK_STEP_COMPOSITION_H
#define ONESTEP_WALK_STEP_COMPOSITION_H

// The picture of a step: its operands and its result together, each panel at a fixed place. For a product the
// left operand is at the left of the result and the right operand above it, so that the row and the column of
// a number meet in the number; panels of other operations are side by side, or the operands are above the
// result. If they do not fit, numbers get fewer digits, those of operands first.

#include "walk/step/matrices.h"

// The room for a picture: columns; rows that leave enough for the words (comfortable); all rows (most).
struct composition_room {
    int columns, comfortable, most;
};

// Makes a picture of operands (from operands_of or viewed_by) and results (a panel for each step of the stop,
// one of them with the focus). Returns one without panels if nothing fits.
struct matrices composition_of(struct canvas *canvas, const struct scene *scene,
                               const struct matrices *operands, const struct matrices *results,
                               const struct composition_room *room);

#endif
