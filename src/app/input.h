#ifndef ONESTEP_APP_INPUT_H
#define ONESTEP_APP_INPUT_H

// Files that the user gives.

#include "tensor/tensor.h"

// Reads token vectors from a CSV file, "-" is standard input. Returns (tokens, features) as csv_read
// does. Fails with FAIL_INPUT if the file can't be opened or read, is larger than CSV_MAX_BYTES, or is
// not what csv_read takes.
struct tensor read_input(struct arena *arena, const char *path);

#endif
