#ifndef ONESTEP_TENSOR_OPERATION_TERMS_H
#define ONESTEP_TENSOR_OPERATION_TERMS_H

// A sum of products from inside: its terms one after the other, in the order in which its bits are made,
// and the running sum. So is a sum or a difference of two products, such as a cos t - b sin t.

#include "tensor/operation/derivation.h"

struct partial; // number/partial.h

struct terms {
    int64_t count; // 0 if the cell is no sum of products
    const struct partial *all;
    const char
        *order; // a sentence: how they are added up and rounded; "" if there is nothing to add
};

// The terms of a cell whose derivation this is; the last one's sum is that value.
struct terms terms_of(struct arena *arena, const struct cell *cell,
                      const struct derivation *derivation);

// The operands of a term among the derivation's, from the first on; none of one that adds up sums.
struct term_operands {
    int first, count;
};
struct term_operands operands_of_term(const struct derivation *derivation,
                                      const struct partial *term);

// Where the terms of a cell are: a copy of a sum of two products has those of the sum; of any other cell, the cell.
struct cell cell_with_terms(struct arena *arena, struct cell cell);

// Is the cell a sum or a difference of two numbers that are products themselves?
bool adds_products(const struct derivation *derivation);

// Such a sum as it is written: "0.1582·cos(1.0000) − (-0.5766)·sin(1.0000)"; numbers as in derive(). A factor that is a
// cosine or a sine stands there with its angle.
const char *products_text(struct arena *arena, const struct derivation *derivation, int digits);

// "0.0079 + 0.2460·0.0766 = 0.0267", "0.2758·0.0286 = 0.0079"; numbers as in derive().
const char *term_text(struct arena *arena, const struct derivation *derivation,
                      const struct partial *term, int digits);

#endif
