#ifndef ONESTEP_TENSOR_OPERATION_DISTURBANCE_H
#define ONESTEP_TENSOR_OPERATION_DISTURBANCE_H

// Rounds differently on purpose. A lesson that runs in an arena with a disturbance gets other last bits: each
// number that an operation rounds, and each number that the operation reads for it, moves to the next float
// above or below. So every addend of a sum is off by as much as another order of adding may be off by. The
// differences between such runs measure how far rounding alone changes a result, for cases in which bounds
// (tolerance.h) are too wide or too narrow. After J. Vignes, A stochastic arithmetic for reliable scientific
// computation, Mathematics and Computers in Simulation 35, 1993.
//
//     struct disturbance disturbance = {.number = 1};
//     arena->disturbance = &disturbance;
//     run_lesson(&disturbed, arena, lesson, &parameters);
//
// Zeros, infinities and nan do not change, and so masks do not either. The greatest float never moves to
// infinity. Numbers of operations that do not round do not change.
//
// With a precision, a number becomes one of the two of that type beside it, at random, or the one that `rounding` says where
// `number` is 0. Of a precision of factors only the factors of products do.

#include "tensor/operation/precision.h"
#include "tensor/tensor.h"

struct disturbance {
    uint64_t
        number; // 1, 2, 3, ...: each disturbs in its own way, and in the same way on every machine
    const struct precision *precision; // NULL: the floats beside a number
    enum rounding rounding;
    // And rounds as PyTorch 1.13, in the three places where it does not as 2.6: AdamW's first moment, the norm of eight
    // numbers or more, and the sum behind the gradient of a softmax of more than eight. Where `number` is 0 and there is no precision, that alone.
    bool is_of_1_13;
};

// Moves each of a storage's floats. Which way depends on the disturbance's number, on the floats and on `reader`, and on
// nothing else: the operations of one statement of C run in the order that the compiler chooses.
void disturb(const struct disturbance *disturbance, const struct storage *storage, uint64_t reader);

// The same view of a copy of its storage, of floats, disturbed as the arena says. The copy has the same
// origin.
struct tensor disturbed_copy(struct arena *arena, const struct tensor *x, uint64_t reader);

// A number for an operation that reads these tensors: what it reads of one moves in another way beside other numbers of the
// others, so that a constant does not err to the same side in every update of a training.
uint64_t reader_of(int count, const struct tensor *operands);

#endif
