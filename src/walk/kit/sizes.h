#ifndef ONESTEP_WALK_KIT_SIZES_H
#define ONESTEP_WALK_KIT_SIZES_H

// The sizes of a step's tensor as a question: what is typed, whether it is right, and where they come from.

#include "trace/run/run.h"

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
