#ifndef ONESTEP_WALK_KIT_NAMES_H
#define ONESTEP_WALK_KIT_NAMES_H

// What tensors and cells are called, seen from the step numbered `before`: by names of steps before it.

#include "tensor/cell.h"
#include "tensor/operation/derivation.h"
#include "trace/run/run.h"

// The name of the step that shows the tensor, with a ᵀ if rows and columns have changed places; else the
// formula that made it, from the names of its operands: "scores / √2", "W_query(embedded)". A long formula has an
// ellipsis for what there is no room for: "(values_grad W_value) + ...".
const char *tensor_name(struct arena *arena, const struct run *run, const struct tensor *tensor,
                        int before);

// The same of an operand; of an update, whose operands no step may show, what they are to it: "gradient"; of a stack,
// the page of the cell: "draw 1 of 200".
const char *operand_name(struct arena *arena, const struct run *run,
                         const struct derivation *derivation, const struct operand *operand,
                         int before);

// A name as it stands over a matrix; NULL if it says nothing to a reader: formulas with an ellipsis, "given", "part of".
const char *short_name(struct arena *arena, const char *name);

// A tensor's name and a cell's place in it: "scores[journey, starts]".
const char *cell_name(struct arena *arena, const struct run *run, const struct cell *cell,
                      int before);

// "[journey, 2]", "[b1, h2, starts, with]", "[d_k 1, 1, 1]": a cell's place in short. A number along a leading
// dimension stands behind the first letter of its name. A word that was there before has its place: "starts (9)". "" for a number without dimensions.
const char *short_place(struct arena *arena, const struct cell *cell);

#endif
