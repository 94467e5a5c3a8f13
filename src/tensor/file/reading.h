#ifndef ONESTEP_TENSOR_FILE_READING_H
#define ONESTEP_TENSOR_FILE_READING_H

// A stranger's file, read from its start to its end: where the reader is, what a number is, and how
// to say what is wrong. For the readers behind numbers.h.

#include <stdbool.h>
#include <stddef.h> // defines: size_t

#include "base/arena.h"
#include "tensor/file/numbers.h"

// The next byte to read is *next; nothing may be read at `end` or beyond.
struct reading {
    struct arena *arena;
    const char *name; // of the file, for messages
    const char *start, *next, *end;
};

// Fails with FAIL_INPUT and "NAME:LINE:COLUMN: what is wrong", for a place between start and end.
// Lines and characters count from 1. Or without a line, for what is not text: "NAME: what is
// wrong".
_Noreturn void fail_at(const struct reading *reading, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void fail_whole(const struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The word at a place, up to a blank or a bracket, harmless and not too long: for a message.
const char *word_at(const struct reading *reading, const char *place);

// Blanks are spaces, tabs and the ends of lines.
bool is_blank(char byte);
void skip_blanks(struct reading *reading);

// Is `word` what comes next? If so, moves behind it. Large and small letters are alike.
bool skip_word(struct reading *reading, const char *word);

// ---- Numbers ------------------------------------------------------------------------------------

// A number as it was written.
struct numeral {
    double value;
    int decimals;      // its last digit is worth 10^-decimals; EXACT for inf, nan, True and False
    int mantissa;      // digits behind the point, the exponent aside
    bool has_exponent; // written like 1e-3
};
enum { EXACT = 1000 };

// Takes a decimal number, inf, Infinity, nan, True or False, with a sign or without; what follows
// must not look like more of it. Returns false, and stays, if none is there. Fails for a number
// that is too long, or too large for a double.
bool take_numeral(struct reading *reading, struct numeral *numeral);

// Is all of the text one numeral, blanks around it aside?
bool is_numeral(const struct reading *reading, const char *string, size_t length);

// Numbers as they are being collected.
struct collector {
    const struct reading *reading;
    size_t count;
    struct numeral *numerals;
};

// Adds a number; `place` is where it stands. Fails beyond NUMBERS_MAX.
void collect(struct collector *collector, const struct numeral *numeral, const char *place);

// What was collected, in a shape of as many elements, with the precision that the digits speak of.
struct numbers collected(const struct collector *collector, enum form form, struct shape shape);

#endif
