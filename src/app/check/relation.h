#ifndef ONESTEP_APP_CHECK_RELATION_H
#define ONESTEP_APP_CHECK_RELATION_H

// A simple relation between a student's numbers and the right ones, which needs no rule for a mistake: all
// numbers are twice the right ones, or its rows are in another order.

#include "tensor/file/numbers.h"
#include "trace/run/run.h"

struct relation {
    const char *code; // one word: "factor"
    const char *text; // a sentence about all numbers, and the usual cause
};

// Looks for a relation that explains all numbers of the file, which must fit the step. Fills *relation, in
// `arena`, with the first one; returns false if there is none.
//
//     factor      each number is the right one times a constant
//     offset      each number is the right one plus a constant
//
// A relation counts only if it is unlikely to agree by chance. A number that differs by d from the right one,
// and may differ by h from what the relation says, gives log2(1 + d/h) bits, as in diagnose.h. A constant that is
// fitted to one number costs that number. The other numbers are asked for more than log2(tried) bits, and there
// must be three of them at least. Whole numbers get no relation: their digits are no measure.
bool find_relation(struct arena *arena, const struct run *run, const struct step *step,
                   const struct numbers *numbers, struct relation *relation);

#endif
