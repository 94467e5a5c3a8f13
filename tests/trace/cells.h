#ifndef ONESTEP_TESTS_TRACE_CELLS_H
#define ONESTEP_TESTS_TRACE_CELLS_H

// What tests of cells share.

#include "tensor/cell.h"

// The six tokens of the lessons' sentence, and their vectors (6, 3).
extern const char *const tokens[6];
struct tensor journey(struct arena *arena);

// The cell number `position` of a tensor, row by row; and how many there are.
struct cell cell_number_of(const struct tensor *tensor, int64_t position);
int64_t elements_of(const struct tensor *tensor);

// No text goes to the screen that a terminal without UTF-8 could not show.
void check_line(struct arena *arena, const char *line);

#endif
