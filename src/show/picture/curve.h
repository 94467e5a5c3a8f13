#ifndef ONESTEP_SHOW_PICTURE_CURVE_H
#define ONESTEP_SHOW_PICTURE_CURVE_H

// A list of numbers as a curve or as bars: losses; probabilities of words, sums of rows.

#include "base/text.h"
#include "show/sketch.h"
#include "tensor/tensor.h"
#include "trace/run/run.h"

// Numbers that stand for words have a bar each; a line between two words would mean nothing.
bool is_drawn_as_bars(const struct tensor *tensor);

// How many such rows of bars are drawn, one above the other: 2 or 3 of a matrix with words at its columns, else 1.
enum { MOST_CHARTS = 3 };
int charts_of(const struct tensor *tensor);

// NULL if a tensor can be drawn so: two finite numbers or more in a single row, or such a matrix; else why not.
const char *why_no_curve(struct arena *arena, const struct tensor *tensor);

// The numbers that those of a step are to be seen beside, as many as they are; NULL if there are none.
const struct tensor *curve_beside(const struct run *run, const struct step *step);

// Draws it in so many cells, and dotted in the same picture what stands beside it, if that is not NULL. What belongs to
// number i (sketch_cell.of): its column of dots and its label. Rows of bars count row by row, and only those of the first
// have labels.
struct sketch curve_sketch(struct arena *arena, const struct tensor *tensor,
                           const struct tensor *beside, int rows, int columns, bool ascii);

// Adds it as a figure, and as a fact a line.
void add_curve_svg(struct text *text, const struct tensor *tensor, const struct tensor *beside,
                   const char *heading);
void add_curve_facts(struct text *text, const struct tensor *tensor);

#endif
