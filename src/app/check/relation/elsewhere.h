#ifndef ONESTEP_APP_CHECK_RELATION_ELSEWHERE_H
#define ONESTEP_APP_CHECK_RELATION_ELSEWHERE_H

// Numbers that other tensors of the run explain, and wrong numbers that all stand at one index. Each function fills in
// the answer and returns true if it finds such a relation.

#include "app/check/relation/proposal.h"

bool find_part(struct seeking *seeking); // one index of a step of one or two dimensions more
bool find_cast(
    struct seeking *seeking); // the right numbers without their decimals, or a dtype without any
bool find_rounded(struct seeking *seeking);  // to fewer decimals
bool find_constant(struct seeking *seeking); // all wrong numbers are one number
bool find_place(struct seeking *seeking);    // all wrong numbers stand at one index

#endif
