#ifndef ONESTEP_WALK_MEASURED_H
#define ONESTEP_WALK_MEASURED_H

// Matrices that were measured, so that a frame does not measure again what the last one showed.

#include "walk/cells.h"

enum { MEASURED_ROOM = 160 };

struct measured {
    struct failure *failure; // where "out of memory" goes
    int count;               // measured so far; the oldest make room
    struct matrix matrices[MEASURED_ROOM];
};

// A page of a tensor, measured now or before. Valid until MEASURED_ROOM others have been asked for.
const struct matrix *measured_matrix(struct measured *measured, const struct tensor *tensor,
                                     int64_t page, int digits);

// Forgets all: for when the tensors go.
void measured_forget(struct measured *measured);

#endif
