#ifndef ONESTEP_TENSOR_FILE_READING_H
#define ONESTEP_TENSOR_FILE_READING_H

// A stranger's file, read from its start to its end: where the reader is, what comes next, and how to
// say what is wrong. For the readers of token vectors (csv.h) and of students' numbers (numbers.h).

#include <stdbool.h>
#include <stddef.h> // defines: size_t

#include "base/arena.h"

// The next byte to read is *next; nothing may be read at `end` or beyond.
struct reading {
    struct arena *arena;
    const char *name; // of the file, for messages
    const char *start, *next, *end;
    const char *place; // that messages speak of, whatever they are about; NULL: each of its own
};

// What stands between two dividers of a line, or otherwise belongs together. It may have a NUL inside,
// and ends without one.
struct field {
    const char *place; // where it begins in the file
    const char *bytes; // without its quotes
    size_t length;
};

// From the first to the last of `length` bytes.
struct reading reading_new(struct arena *arena, const char *name, const char *bytes, size_t length);

// ---- Saying what is wrong -----------------------------------------------------------------------

// Fails with FAIL_INPUT and "NAME:LINE:COLUMN: what is wrong", for a place between start and end.
// Lines and characters count from 1; a byte that is not UTF-8 counts as a character. Or without a line,
// for what is not text: "NAME: what is wrong".
_Noreturn void fail_at(const struct reading *reading, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void fail_whole(const struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// For a message, harmless and not too long: a field; the word at a place.
const char *field_text(const struct reading *reading, struct field field);
const char *word_at(const struct reading *reading, const char *place);

// ---- Words --------------------------------------------------------------------------------------

// Blanks are spaces, tabs and the ends of lines. A word ends before one, a bracket, a comma or a NUL.
bool is_blank(char byte);
bool ends_word(char byte);
void skip_blanks(struct reading *reading);

// A byte order mark in UTF-8 is no part of the text: if there is one, the file starts behind it.
void skip_byte_order_mark(struct reading *reading);

// Is `word` what comes next? If so, moves behind it. Large and small letters are alike.
bool skip_word(struct reading *reading, const char *word);

// ---- Fields -------------------------------------------------------------------------------------

// Takes a field in double quotes, where two of them mean one inside (RFC 4180). It may go over several
// lines. Fails if it is never closed.
struct field take_quoted(struct reading *reading);

// Is it this and no more?
bool is_called(struct field field, const char *name);

// A reading of a field alone. What it says is wrong is said of the field's place in the file.
struct reading inside_of(const struct reading *reading, struct field field);

#endif
