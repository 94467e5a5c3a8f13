#ifndef ONESTEP_APP_COMMAND_INPUT_H
#define ONESTEP_APP_COMMAND_INPUT_H

// Files that the user gives.

#include <stddef.h> // defines: size_t

#include "tensor/tensor.h"

// What a path may lead to. A pipe or a device is welcome where the user names it alone, as in <(...); among other
// files, or read again and again, it would wait for its other end.
enum file_kind { ANY_FILE, REGULAR_FILE };

// The bytes of a file, "-" is standard input of ANY_FILE: all of them, or more than `most` of a file that has
// more. Fails with FAIL_INPUT if it can't be opened or read, or is of another kind.
const char *read_file(struct arena *arena, const char *path, enum file_kind kind, size_t most,
                      size_t *length);

// What messages call it: the path, or "standard input" for "-".
const char *file_name(const char *path);

// Reads token vectors from a file as read_file does. Returns (tokens, features) as vectors_read does. Fails with FAIL_INPUT if
// the file can't be opened or read, is larger than CSV_MAX_BYTES, or is not what vectors_read takes.
struct tensor read_input(struct arena *arena, const char *path, enum file_kind kind);

#endif
