#ifndef ONESTEP_TENSOR_TEXT_READING_H
#define ONESTEP_TENSOR_TEXT_READING_H

// Reading an untrusted file from start to end: the place of the reader, the next word or field, and messages
// about errors. For the readers of token vectors (csv.h) and of students' numbers (numbers.h).

#include <stdbool.h>
#include <stddef.h> // defines: size_t

#include "base/arena.h"

// The next byte to read is *next; nothing may be read at `end` or beyond.
struct reading {
    struct arena *arena;
    const char *name; // of the file, for messages
    const char *start, *next, *end;
    const char *shown_at; // if not NULL, all messages name this place instead of their own
};

// The bytes between two separators of a line, or another unit. It may contain a NUL, and does not end in one.
struct field {
    const char *start; // where it begins in the file
    const char *bytes; // without its quotes
    size_t length;
};

// From the first to the last of `length` bytes.
struct reading reading_new(struct arena *arena, const char *name, const char *bytes, size_t length);

// ---- Saying what is wrong -----------------------------------------------------------------------

// Fails with FAIL_INPUT and "NAME:LINE:COLUMN: what is wrong", for a place between start and end. Lines and
// characters count from 1; a byte that is not UTF-8 counts as a character. fail_whole names no line, for
// files that are not text: "NAME: what is wrong".
_Noreturn void fail_at(const struct reading *reading, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void fail_whole(const struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// A field, or the word at a place, made safe and short for a message.
const char *field_text(const struct reading *reading, struct field field);
const char *word_at(const struct reading *reading, const char *at);

// ---- Words --------------------------------------------------------------------------------------

// Blanks are spaces, tabs and line ends. A word ends before a blank, a bracket, a comma or a NUL.
bool is_blank(char byte);
bool ends_word(char byte);
void skip_blanks(struct reading *reading);

// A byte order mark in UTF-8 is not part of the text: skips it.
void skip_byte_order_mark(struct reading *reading);

// Does `word` come next, in upper or lower case? If so, moves past it.
bool skip_word(struct reading *reading, const char *word);

// ---- Fields -------------------------------------------------------------------------------------

// Takes a field in double quotes, where two of them mean one inside (RFC 4180). It may span several lines.
// Fails if it is never closed.
struct field take_quoted(struct reading *reading);

// Is the whole field equal to `name`?
bool is_called(struct field field, const char *name);

// A reading of one field. Its messages name the field's place in the file.
struct reading inside_of(const struct reading *reading, struct field field);

#endif
