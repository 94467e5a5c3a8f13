#ifndef ONESTEP_SHOW_PICTURE_CURVE_H
#define ONESTEP_SHOW_PICTURE_CURVE_H

// A list of numbers as a curve: losses, variances, sums of rows.

#include "base/text.h"
#include "show/sketch.h"
#include "tensor/tensor.h"

// NULL if a tensor can be drawn so: two finite numbers or more in a single row; else why not.
const char *why_no_curve(struct arena *arena, const struct tensor *tensor);

// Draws it in so many cells. What belongs to number i (sketch_cell.of): its column of dots and its label.
struct sketch curve_sketch(struct arena *arena, const struct tensor *tensor, int rows, int columns,
                           bool ascii);

// Adds it as a figure, and as a fact a line.
void add_curve_svg(struct text *text, const struct tensor *tensor, const char *heading);
void add_curve_facts(struct text *text, const struct tensor *tensor);

#endif
