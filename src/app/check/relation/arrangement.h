#ifndef ONESTEP_APP_CHECK_RELATION_ARRANGEMENT_H
#define ONESTEP_APP_CHECK_RELATION_ARRANGEMENT_H

// The right numbers at other places. Each function looks for one such arrangement, fills in the answer and returns
// true if it explains the file's numbers.

#include "app/check/relation/proposal.h"

bool find_reversed(struct seeking *seeking);  // from the last to the first along a dimension
bool find_rolled(struct seeking *seeking);    // torch.roll
bool find_shifted(struct seeking *seeking);   // by one, with other numbers at the end that is left
bool find_exchanged(struct seeking *seeking); // two indices of a dimension
bool find_reordered(struct seeking *seeking); // the indices of a dimension in any other order
bool find_repeated(struct seeking *seeking);  // all have the numbers of one
bool find_misplaced(struct seeking *seeking); // one has the numbers of another

#endif
