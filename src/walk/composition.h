#ifndef ONESTEP_WALK_COMPOSITION_H
#define ONESTEP_WALK_COMPOSITION_H

// The picture of a step: its operands and its result together, each panel in its place. For a product the
// left operand stands at the left of the result and the right one above it, so that the row and the column
// of a number meet in it; others stand in a row, or the operands above the result. What does not fit is
// written in fewer digits, operands before the result.

#include "walk/exhibit.h"

// Rows that a picture may take: so many, that the words keep theirs; and all that there are.
struct composition_room {
    int columns, comfortable, most;
};

// Makes a picture of operands (as operands_of or viewed_by have them) and results (a panel for each step
// of the stop, one of them with the focus). Where rows are left, what the operands were made of stands
// above them, and so on. Returns one without panels if nothing fits.
struct exhibit composition_of(struct canvas *canvas, const struct scene *scene,
                              const struct exhibit *operands, const struct exhibit *results,
                              const struct composition_room *room);

#endif
