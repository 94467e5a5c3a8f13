#ifndef ONESTEP_TENSOR_TEXT_CSV_LINE_H
#define ONESTEP_TENSOR_TEXT_CSV_LINE_H

// The lines of a CSV file (RFC 4180), in fields.

#include "tensor/text/reading.h"

enum { CSV_MAX_FIELDS = 65 };

struct csv_line {
    int count;
    struct field field[CSV_MAX_FIELDS];
    const char *end;
};

// Takes a line of at most `most` fields and moves behind it; `excess` says what is wrong with more. The separator is ',' or
// ';'. Fails for a quote where none may be.
struct csv_line csv_take_line(struct reading *reading, char separator, int most,
                              const char *excess);

// Moves over lines with nothing but blanks.
void csv_skip_blank_lines(struct reading *reading);

#endif
