#ifndef ONESTEP_APP_CHECK_RELATION_RELATION_H
#define ONESTEP_APP_CHECK_RELATION_RELATION_H

// What can be seen of a student's numbers beside the right ones, and is no line of a program: how they were written down, where the
// wrong ones stand, which part of another step they are.

#include "tensor/text/numbers.h"
#include "trace/run/run.h"

struct relation {
    const char *code; // one word: "rounded"
    const char *text; // a sentence about all numbers, and the usual cause
    bool
        is_place; // it says where the wrong numbers are, or how they look, not where they come from
    bool is_certain; // it says no more than anybody sees in the file
};

// Looks for a relation that explains all numbers of the file, which must fit the step; `allowed` is how far each may
// differ from the right one. Fills *relation, in `arena`, with the first one; returns false if there is none.
//
//     cast        the right numbers without their decimals; or the file's dtype has none, and the step does
//     rounded     at most five decimals, fewer than the file could have, which the right numbers round to
//     part        one index of a step with one dimension more, or of each of two: the scores of another query
//     place       all wrong numbers stand at one index of a dimension: where they are, not what they are
//     constant    all wrong numbers are the same: 0, or in the place of one other number, such as -inf
//
// Whole numbers get no relation, nor do zeros. A part, or rounding, has to be unlikely to agree by chance.
bool find_relation(struct arena *arena, const struct run *run, const struct step *step,
                   const struct numbers *numbers, const double *allowed, struct relation *relation);

#endif
