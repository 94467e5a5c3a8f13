#ifndef ONESTEP_APP_CHECK_RELATION_SLIP_H
#define ONESTEP_APP_CHECK_RELATION_SLIP_H

// One line of the program is written otherwise. No rule knows the lesson or the mistake: each operation that the step is
// computed from is changed in each of the ways below, and the step is played again (line.h).
//
//     left_out     an operation does nothing
//     other_number a mask fills in another number, or a scale is the root of another size
//     other_operation  + for -, * for /, GELU for ReLU, the mean for the sum
//     other_dim    a softmax, or a sum, over other numbers
//     other_name   an operand is an earlier step of the same shape, or an id is off by one
//     transposed   an operand is transposed
//     one_term     only the last term of a sum is kept
//     added_before an earlier step is added to an operand, or ReLU is applied to it
//     no_seed      the seed is not set again before numbers are drawn
//     other_draw   numbers are drawn by torch.rand or torch.randn
//
// The operations nearest to the step come first. As with the relations, an answer counts only if it is unlikely to agree by chance
// (relation.h); each try makes that harder.

#include "app/check/relation/relation.h"

// Fills in *relation, in `arena`, and returns true if one changed line explains all numbers of the file: any line, or only the
// step's own.
bool find_slip(struct arena *arena, const struct run *run, const struct step *step,
               const struct numbers *numbers, const double *allowed, bool is_own,
               struct relation *relation);

#endif
