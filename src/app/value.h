#ifndef ONESTEP_APP_VALUE_H
#define ONESTEP_APP_VALUE_H

// The values of options that are no parameters of a lesson. Each fails with FAIL_USAGE, and says what the
// option takes, on anything else. `name` is the option as it was typed.

#include "app/reader.h"

enum { MOST_DECIMALS = 9 }; // that a float's print may ask for

// What was typed, harmless to print.
const char *as_typed(const struct reader *reader, const char *string);

// --format, of those that the command can write; --picture; --color; --code.
enum format read_format(const struct reader *reader, const char *value);
enum picture read_picture(const struct reader *reader, const char *value);
enum color_choice read_color(const struct reader *reader, const char *value);
enum programs read_code(const struct reader *reader, const char *value);

// --digits: 0 to 17, more than a double holds.
int read_digits(const struct reader *reader, const char *value);

// --what-if, and to make it on purpose besides those before it, which must not exclude it.
const struct mistake *read_what_if(const struct reader *reader, const char *value);
void make_mistake(struct reader *reader, const struct mistake *mistake);

// A whole number, 1 ... most; and "3-7": two of them, the second no smaller.
struct range {
    int64_t first, last;
};
int64_t read_count(const struct reader *reader, const char *name, const char *value, int64_t most);
struct range read_range(const struct reader *reader, const char *name, const char *value,
                        int64_t most);

// --size, "80x24": columns and rows; --cell, "2,1": a number for each dimension, counted from 0. Both go
// into the command.
void read_screen_size(struct reader *reader, const char *value);
void read_cell(struct reader *reader, const char *value);

#endif
