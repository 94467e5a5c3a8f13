#ifndef ONESTEP_TENSOR_OPS_DISTURBANCE_H
#define ONESTEP_TENSOR_OPS_DISTURBANCE_H

// Another rounding, on purpose. A lesson that runs in an arena with a disturbance gets other last bits: each
// number that an operation rounds, and each number that the operation reads for it, moves to the next float
// above or below. So every addend of a sum is off by as much as another order of adding may be off by. How far
// such runs lie apart is how far rounding alone moves a result: a measured answer where bounds (tolerance.h)
// say too much or too little. After J. Vignes, A stochastic arithmetic for reliable scientific computation,
// Mathematics and Computers in Simulation 35, 1993.
//
//     struct disturbance disturbance = {.number = 1};
//     arena->disturbance = &disturbance;
//     run_lesson(&disturbed, arena, lesson, &parameters);
//
// Zeros, infinities and nan stay as they are, so masks do. So do the numbers of operations that round nothing.

#include "tensor/tensor.h"

struct disturbance {
    uint64_t
        number; // 1, 2, 3, ...: each disturbs in its own way, and in the same way on every machine
    uint64_t used; // bits so far
};

// Moves each of a storage's floats.
void disturb(struct disturbance *disturbance, const struct storage *storage);

// The same view of a copy of its storage, of floats, disturbed as the arena says. What the numbers were made of
// stays known.
struct tensor disturbed_copy(struct arena *arena, const struct tensor *x);

#endif
