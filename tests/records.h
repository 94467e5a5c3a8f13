#ifndef ONESTEP_TESTS_RECORDS_H
#define ONESTEP_TESTS_RECORDS_H

// Files of tests/data: a record a line, its fields with " | " between them.

#include <stdbool.h>

#include "base/arena.h"
#include "tensor/tensor.h"

enum { MOST_FIELDS = 5 };

struct record {
    const char *line; // all of it, for messages
    int field_count;
    const char *fields[MOST_FIELDS];
};

// All of a file, closed with a NUL; NULL if it can't be read.
const char *read_whole(struct arena *arena, const char *path);

// All of a file of tests/data; without it, the test fails.
const char *data_file(struct arena *arena, const char *name);

// The next record of *text, which moves to the line after it; false at the end.
bool next_record(struct arena *arena, const char **text, struct record *record);

// The next word of *text, which moves behind it; NULL if there is none.
const char *next_word(struct arena *arena, const char **text);

// "2x6x3"; "-" has no dimensions.
struct shape read_shape(const char *text);

// So many numbers, and nothing after them; else the test fails.
double *numbers_in(struct arena *arena, const char *text, int64_t count);

// Are the floats the same to the bit?
bool same_float(float a, float b);

// Goes on with a CRC-32, which begins with 0, as zlib.crc32 does.
uint32_t crc32_with(uint32_t crc, const void *bytes, size_t count);

#endif
