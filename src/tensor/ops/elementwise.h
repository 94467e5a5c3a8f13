#ifndef ONESTEP_TENSOR_OPS_ELEMENTWISE_H
#define ONESTEP_TENSOR_OPS_ELEMENTWISE_H

// What operations that treat every element on its own have in common: the parts of their rows.

#include "tensor/operation/operation.h"

// Of one tensor: of_one() of each element, "BEFORE x AFTER = y".
struct tensor compute_each(struct arena *arena, const struct origin *origin);
double account_of_each(struct account *account);

// Of two that broadcast: of_pair() of each pair, "a SIGN b = y".
struct tensor compute_pairs(struct arena *arena, const struct origin *origin);
void find_both(struct finding *finding);
double account_of_pair(struct account *account);
// For purpose: that of the operand with more elements; of two of one size, that of the one that has a purpose.
struct purpose purpose_of_pair(const struct origin *origin, const struct tensor *result);

#endif
