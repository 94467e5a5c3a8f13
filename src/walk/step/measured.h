#ifndef ONESTEP_WALK_STEP_MEASURED_H
#define ONESTEP_WALK_STEP_MEASURED_H

// Matrices that were measured, so that a frame does not measure again what the last one showed.

#include <stdint.h>

#include "walk/kit/cells.h"

enum { MEASURED_ROOM = 256 }; // more than one frame asks for

struct measured {
    struct failure *failure; // where "out of memory" goes
    int count;
    struct matrix matrices[MEASURED_ROOM];
    uint64_t asked
        [MEASURED_ROOM]; // the number of the last question for it: the oldest is replaced first
    uint64_t questions;
};

// A page of a tensor, measured now or before. It stays valid until MEASURED_ROOM other pages have been asked
// for.
const struct matrix *measured_matrix(struct measured *measured, const struct tensor *tensor,
                                     int64_t page, int digits);

// Forgets all: for when the tensors go.
void measured_forget(struct measured *measured);

#endif
