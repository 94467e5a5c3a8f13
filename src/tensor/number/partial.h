#ifndef ONESTEP_TENSOR_NUMBER_PARTIAL_H
#define ONESTEP_TENSOR_NUMBER_PARTIAL_H

// The sums of product.h one pair at a time: the same pairs in the same order, each with the sum that it was
// added to and the sum that came of it. The last of them is what product.h returns, bit for bit.

#include "base/arena.h"
#include "tensor/number/line.h"
#include "tensor/number/tile.h"

// Instead of a pair: what is added was a sum itself, or it is what a product starts from.
enum { A_SUM = -1, A_START = -2 };

struct partial {
    int64_t pair; // that is multiplied and added; A_SUM or A_START: `other` is
    int64_t
        lane; // of sums beside each other, which of them grows, from 0; -1: there is but one by now
    double before; // the sum that it is added to
    double other;
    double sum; // float, or what double keeps of it until the last
};

struct partials {
    struct arena *arena;
    struct line a, b; // of the same count
    int64_t count;
    struct partial *all;
};

// Of fused_product (a start comes behind the first block; NULL: it is 0), plain_product, dot_product and row_product.
struct partials partials_of_fused(struct arena *arena, struct line a, struct line b,
                                  const float *start, struct entry entry);
struct partials partials_of_plain(struct arena *arena, struct line a, struct line b);
struct partials partials_of_dot(struct arena *arena, struct line a, struct line b);
struct partials partials_of_row(struct arena *arena, struct line a, struct line x, int64_t row,
                                int64_t rows);

#endif
