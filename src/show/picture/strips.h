#ifndef ONESTEP_SHOW_PICTURE_STRIPS_H
#define ONESTEP_SHOW_PICTURE_STRIPS_H

// Attention weights as strips: who attends to whom, by head. With characters, a strip a query with a bar for each
// key; as a figure, a band from each query to each key, the wider the more it weighs.

#include "base/text.h"
#include "show/sketch.h"
#include "tensor/tensor.h"

// NULL if a tensor can be drawn so: queries by keys, no number below 0; else why not.
const char *why_no_strips(struct arena *arena, const struct tensor *tensor);

// Draws a page (table.h) in at most so many columns. What belongs to a key's bar (sketch_cell.of): its cell,
// counted row by row.
struct sketch strips_sketch(struct arena *arena, const struct tensor *tensor, int64_t page,
                            int columns, bool ascii);

// Adds all pages as one figure; and a fact a line, the largest weight of each query first.
void add_strips_svg(struct text *text, const struct tensor *tensor, const char *heading);
void add_strips_facts(struct text *text, const struct tensor *tensor);

#endif
