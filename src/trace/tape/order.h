#ifndef ONESTEP_TRACE_TAPE_ORDER_H
#define ONESTEP_TRACE_TAPE_ORDER_H

// Stepping inside a step: the order in which the C code computes its cells, as a list of moments.
//
//     const struct order order = order_of(run, step);
//     for (int64_t i = 0; i < order.moment_count; i++) puts(what_happens(arena, &order, i, 4).what);
//
// Most operations compute one cell in each moment, row by row as in memory: by batch, head, row, the last
// dimension fastest; so the cells of dropout come in the order of their draws. Some go line by line along
// their dimension, with parts before the cells of each line (a softmax's maximum, exponentials and sum), or
// operand by operand (cat). Where the step's tensor is a view of the numbers computed, its cells come in the
// order of those numbers.

#include "tensor/cell.h"
#include "trace/run/run.h"

struct order {
    // 0 if there is nothing inside: the step is a view of numbers that an earlier step has shown, or they
    // were given and not computed.
    int64_t moment_count;
    int64_t row_count; // moments come in rows; a row here is a line of the softmax, too

    // the rest is order.c's own
    struct tensor tensor; // the step's
    struct tensor walked; // the same numbers, dimensions from the slowest to the fastest
    int piece_count;  // number of parts computed one after the other, one for each operand; or 1
    int before_cells; // moments of a row before its first cell
};

enum { COMPUTES_CELL = -1 };

struct moment {
    int part; // which value of a line is computed before its first cell, from 0; or COMPUTES_CELL
    int64_t row; // from 0
    // The cell computed, in the step's tensor; for a part of a line, the line's first cell. Its derivation
    // has the operands that are read.
    struct cell cell;
};

struct order order_of(const struct run *run, const struct step *step);

// Moment `i`, 0 ... moment_count - 1. Once it is over, it and all before it are done.
struct moment moment_at(const struct order *order, int64_t i);

// The moment that computes the cell at `index` of the step's tensor: the cell is done at moment i if
// moment_of(order, index) <= i, and being computed if they are equal.
int64_t moment_of(const struct order *order, const int64_t *index);

// The first moment of a row, 0 ... row_count; row_count gives moment_count.
int64_t row_start(const struct order *order, int64_t row);

// What happens at moment `i`, with the real numbers: where, "[journey, starts]" or "row starts" ("" if there
// is but one place), and what, "0.5500·0.5700 + 0.8700·0.8500 + 0.6600·0.6400 = 1.4754", "max = 1.4754".
// `digits` as in derive(). Long lines are not cut.
struct happening {
    const char *where, *what;
};
struct happening what_happens(struct arena *arena, const struct order *order, int64_t i,
                              int digits);

#endif
