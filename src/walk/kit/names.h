#ifndef ONESTEP_WALK_KIT_NAMES_H
#define ONESTEP_WALK_KIT_NAMES_H

// Tensors in words: what they and their cells are called, seen from the step numbered `before`, by names of steps before it;
// and their sizes.

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
// dimension stands behind the first letter of its name. A word that was there before has its place: "starts (token 9)". The place of
// a number without dimensions is "".
const char *short_place(struct arena *arena, const struct cell *cell);

// ---- Sizes --------------------------------------------------------------------------------------

// The sizes of a step's tensor as a question: what is typed, whether it is right, and where they come from.

// Reads sizes: "2 2 6 1", "(2, 2, 6, 1)", "(6,)"; "()" is a single number. Returns false if they are none.
bool read_sizes(const char *text, struct shape *shape);

// What there is to know before: "With inputs (6, 3), d_out 2, heads 2."
const char *sizes_known(struct arena *arena, const struct run *run);

// What gave a step its sizes, those of what it was made of: "matmul of (6, 2) and (2, 6): (...,
// n, k) and (..., k, m) give (..., n, m)".
const char *sizes_explained(struct arena *arena, const struct run *run, const struct step *step);

// What is wrong with a guess at first sight: "it has 4 sizes, not 3", "the second size (head) is 2", "a view
// keeps its 24 numbers, these sizes hold 12".
const char *sizes_compared(struct arena *arena, struct shape guess, const struct tensor *tensor,
                           bool is_view);

#endif
