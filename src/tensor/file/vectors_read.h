#ifndef ONESTEP_TENSOR_FILE_VECTORS_READ_H
#define ONESTEP_TENSOR_FILE_VECTORS_READ_H

// Token vectors in a file of --input: CSV with tokens (csv.h), or numbers alone in any form of numbers_read.h, a row for each
// token: CSV, a print of a tensor, a .npy file. Then the tokens are numbered from 1, and the columns are called d1, d2, ...

#include "tensor/tensor.h"

// Reads `length` bytes into what csv_read() returns. Fails with FAIL_INPUT and "NAME: what is wrong and what would be right" for
// a file that is neither, for numbers that are no table, not finite or too large for a float, and above the limits of csv.h.
struct tensor vectors_read(struct arena *arena, const char *name, const char *bytes, size_t length);

#endif
