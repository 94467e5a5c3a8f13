#ifndef ONESTEP_SHOW_PAPER_H
#define ONESTEP_SHOW_PAPER_H

// Tensors on paper. A tensor is laid out as leaves: its last two dimensions as a table with labels,
// one leaf for each index of the dimensions before them. A vector is one row, a single number one
// place. What is too large for paper is shown in part: its first and last few indices, and … between.

#include "show/matrix.h"
#include "tensor/cell.h"
#include "tensor/text/format.h"

struct paper {
    struct tensor tensor;
    bool is_cut[MAX_DIMS]; // dimensions of which only the edges are shown
    bool is_partial;       // is any of them?
    int64_t leaves;        // that are shown
    int64_t cells;         // that are shown, on all leaves
    struct number_format format;
    struct matrix heat; // the range of its numbers
};

struct leaf {
    const struct paper *paper;
    int64_t index[MAX_DIMS]; // of the dimensions before the last two
    int64_t rows, columns;   // places, of which one may be a gap
};

// Lays out a tensor; numbers have `digits` digits after the point where they are not whole.
struct paper paper_of(struct arena *arena, const struct tensor *tensor, int digits);

// "Shown in part: the first and the last 3 of 9 (width), ...": a sentence; NULL if all is shown.
const char *paper_note(struct arena *arena, const struct paper *paper);

// Sheet number i, from 0; and what it is called: "batch 1, head 2", or NULL if there is only one.
// An empty tensor may have none: then it is one without places.
struct leaf leaf_at(const struct paper *paper, int64_t i);
const char *leaf_title(struct arena *arena, const struct leaf *leaf);

// What stands before a row and above a column: a label, or its number from 1; … for a gap. NULL if the
// tensor has no such dimension. And what rows and columns are: "query", "key", or NULL.
const char *row_label(struct arena *arena, const struct leaf *leaf, int64_t row);
const char *column_label(struct arena *arena, const struct leaf *leaf, int64_t column);
const char *rows_name(const struct leaf *leaf);
const char *columns_name(const struct leaf *leaf);

// The cell at a place; false if a gap is there.
bool cell_on_leaf(const struct leaf *leaf, int64_t row, int64_t column, struct cell *cell);

// A cell's number as PyTorch would print it in this tensor.
const char *paper_number(struct arena *arena, const struct paper *paper, const struct cell *cell);

#endif
