#ifndef ONESTEP_TENSOR_FILE_NOTEBOOK_H
#define ONESTEP_TENSOR_FILE_NOTEBOOK_H

// A notebook of Jupyter (.ipynb): what its cells printed.

#include "tensor/text/reading.h"

// Is it an object of JSON that says "nbformat"?
bool is_notebook(const struct reading *reading);

// The text that one cell printed, or showed as its value: the cell with the number `cell` in In [...], or
// with that id; NULL for the only cell that shows a tensor, an array or a list. Fails with FAIL_INPUT if
// there is no such cell, or more than one to choose from, and says which there are.
const char *notebook_output(const struct reading *reading, const char *cell);

// The code of all code cells, one behind the other, each behind a line "# %% code cell 3" with its number, from 1 on. What
// is no Python but an order to Jupyter, %time or !ls, is a comment. Fails with FAIL_INPUT if it is no notebook.
const char *notebook_code(const struct reading *reading);

#endif
