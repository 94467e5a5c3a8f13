#ifndef ONESTEP_WALK_OTHER_SIZES_H
#define ONESTEP_WALK_OTHER_SIZES_H

#include "walk/walker.h"

// A line that is right here may be so only because two sizes are the same: "d_out 4", a size with which the changed line of the step
// on screen is not right. NULL where it is right at twice each size, and where one run takes seconds.
const char *size_it_misses(struct walker *walker, struct arena *arena);

#endif
