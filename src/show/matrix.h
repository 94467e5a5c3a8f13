#ifndef ONESTEP_SHOW_MATRIX_H
#define ONESTEP_SHOW_MATRIX_H

// One page of a tensor, measured: the range of its numbers and where each lies in it, how they are
// written, how wide they and their labels are. The screen draws from it, and
// paper takes its ramp.

#include "show/ramp.h"
#include "show/table.h"
#include "tensor/cell.h"
#include "tensor/text/format.h"

struct matrix {
    struct tensor tensor;
    struct table table;
    int64_t page;
    int digits;
    struct number_format format; // of all pages; of this one where there are more than 1000 numbers
    double least, most;          // of all finite numbers; least > most if there are none
    enum ramp ramp;              // diverging if there are numbers on both sides of 0
    int row_label_width, column_label_width; // columns of the longest, in UTF-8
    int row_axis_width;                      // of the name of what the rows are
};

// Measures a page of a tensor, with ALL_DIGITS (tensor/text/digits.h) in nine significant digits.
struct matrix matrix_measure(struct arena *arena, const struct tensor *tensor, int64_t page,
                             int digits);

// Why a number is crossed out: it is -inf, but no start value, or a 0 that a mask put there, or it was dropped. What a mask had hidden before
// dropout came is masked.
enum crossing { NOT_CROSSED, CROSSED_BY_MASK, CROSSED_BY_DROPOUT };
enum crossing crossing_of(struct arena *arena, const struct cell *cell);

// Where a number lies on the matrix's ramp.
int level_of(const struct matrix *matrix, double value);

#endif
