#ifndef ONESTEP_APP_CHECK_RELATION_RELATION_H
#define ONESTEP_APP_CHECK_RELATION_RELATION_H

// A simple relation between a student's numbers and the right ones, which needs no rule for a mistake: all
// numbers are twice the right ones, or its rows are in another order.

#include "app/check/relation/proposal.h"

// Looks for a relation that explains all numbers of the file, which must fit the step; `allowed` is how far each may
// differ from the right one. Fills *relation, in `arena`, with the first one; returns false if there is none.
//
//     factor      each number is the right one times a constant
//     offset      each number is the right one plus a constant
//     reversed    from the last to the first along a dimension
//     rolled      torch.roll along a dimension
//     exchanged   two indices of a dimension are exchanged
//     reordered   the indices of a dimension are in another order
//     repeated    all indices of a dimension have the numbers of one
//     misplaced   one index of a dimension has the numbers of another
//     shifted     by one along a dimension, with other numbers at the end that is left
//     part        one index of a step with one dimension more, or of each of two: the scores of another query
//     rounded     at most five decimals, fewer than the file could have, which the right numbers round to
//     cast        the right numbers without their decimals; or the file's dtype has none, and the step does
//     constant    all wrong numbers are the same: 0, or in the place of one other number, such as -inf
//     place       all wrong numbers stand at one index of a dimension: where they are, not what they are
//
// A relation counts only if it is unlikely to agree by chance. A number that differs by d from the right one,
// and may differ by h from what the relation says, gives log2(1 + d/h) bits, as in diagnose.h. A constant that is
// fitted to one number costs that number, and an order that is read from the file the bits that it takes to write
// it down. The other numbers are asked for more than log2(tried) bits, and there must be three of them at least, or
// two where no constant was fitted. Whole numbers get no relation: their digits are no measure. Nor do
// zeros.
bool find_relation(struct arena *arena, const struct run *run, const struct step *step,
                   const struct numbers *numbers, const double *allowed, struct relation *relation);

#endif
