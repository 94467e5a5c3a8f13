#ifndef ONESTEP_TENSOR_TEXT_FIELDS_H
#define ONESTEP_TENSOR_TEXT_FIELDS_H

// The lines of a table, in fields: CSV as RFC 4180 has it, and the looser tables of table.h.

#include "tensor/text/reading.h"

struct lines {
    struct reading *reading;
    char divider;   // between fields; a blank stands for any number of blanks
    bool is_strict; // blanks belong to the fields, # is no comment, a quote encloses a whole field
};

// Moves to the next line that has anything but blanks and a comment; returns false at the end.
bool next_line(const struct lines *lines);

// Takes the field that comes next, in quotes or without. Fails for a quote or a carriage return where none may be.
struct field take_field(const struct lines *lines);

// Moves over what stands between fields; returns false at the end of the line.
bool skip_divider(const struct lines *lines);

// A line of at most `most` fields; moves behind it. `excess` says what is wrong with more.
enum { CSV_MAX_FIELDS = 65 };
struct csv_line {
    int count;
    struct field field[CSV_MAX_FIELDS];
    const char *end;
};
struct csv_line take_fields(const struct lines *lines, int most, const char *excess);

// ---- Bytes of a line ----------------------------------------------------------------------------

bool is_space(char byte); // a blank that ends no line
void skip_spaces(struct reading *reading);
bool at_line_end(const struct reading *reading);
void skip_line(struct reading *reading);

#endif
