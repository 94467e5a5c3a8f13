#ifndef ONESTEP_WALK_STEP_SCENE_H
#define ONESTEP_WALK_STEP_SCENE_H

// What there is to be shown: handed to everything that draws.

#include "trace/tape/where_to.h"
#include "trace/what_if/trial.h"
#include "walk/kit/cells.h"
#include "walk/model/state.h"

// Matrices that were measured, so that a frame does not measure again what the last one showed.

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

struct map_cache;

struct scene {
    const struct trial *trial;
    const struct run *run;   // the trial's
    const struct run *other; // the same lesson, to compare with; NULL: do not
    bool is_course;          // at the course's own parameters
    const char *other_name;  // "without the mistake"
    const char *other_word;  // the same in short: "right"
    const bool *touched; // steps that a mistake or a change of the input changes; NULL: not known
    const struct state *state;
    struct matrix_cache *matrix_cache;
    struct map_cache *map_cache;
    const struct where_to
        *followed;      // numbers that are marked because another one went there; or NULL
    const char *badge;  // what differs from the course ("seed 5"); NULL for nothing
    const char *typed;  // so far, where a value is being typed; NULL: none is
    enum view_bit keys; // the view that they go to
    int digits;
};

#endif
