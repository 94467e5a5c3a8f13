#ifndef ONESTEP_WALK_STEP_MATRIX_CACHE_H
#define ONESTEP_WALK_STEP_MATRIX_CACHE_H

// Matrices that were measured, so that a frame does not measure again what the last one showed.

#include <stdint.h>

#include "walk/kit/cells.h"

enum { CACHED_MATRICES = 256 }; // more than one frame asks for

struct matrix_cache {
    struct failure *failure; // where "out of memory" goes
    int count;
    struct matrix matrices[CACHED_MATRICES];
    uint64_t asked
        [CACHED_MATRICES]; // the number of the last question for it: the oldest is replaced first
    uint64_t questions;
};

// A page of a tensor, measured now or before. It stays valid until CACHED_MATRICES other pages have been asked
// for.
const struct matrix *cached_matrix(struct matrix_cache *matrix_cache, const struct tensor *tensor,
                                   int64_t page, int digits);

// Forgets all: for when the tensors go.
void forget_matrices(struct matrix_cache *matrix_cache);

#endif
