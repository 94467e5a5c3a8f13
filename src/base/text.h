#ifndef ONESTEP_BASE_TEXT_H
#define ONESTEP_BASE_TEXT_H

// Text: strings that grow, and UTF-8 as a terminal sees it. Nothing here asks the locale: the same
// bytes have the same width everywhere.

#include <stdbool.h>
#include <stddef.h> // defines: size_t
#include <stdint.h>

#include "base/arena.h"

// A string that grows in an arena. `bytes` is always closed with a NUL (once something was added).
struct text {
    struct arena *arena;
    char *bytes;
    size_t length; // bytes, without the NUL
};

struct text text_new(struct arena *arena);
void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const char *bytes, size_t length);
void text_add_format(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_add_repeated(struct text *text, const char *string, int times); // nothing if times <= 0

// Adds `string` padded with blanks to `width` columns; on the left if `right_aligned`. Longer strings
// are added whole.
void text_add_padded(struct text *text, const char *string, int width, bool right_aligned);

// Reads one character at *string and moves the pointer behind it. Returns its code point; U+FFFD for
// a byte that is not UTF-8 (the pointer moves one byte); 0 at the end (the pointer stays).
uint32_t utf8_next(const char **string);

// Writes a code point's UTF-8 (1 to 4 bytes and a NUL) and returns the number of bytes.
size_t utf8_encode(uint32_t character, char bytes[static 5]);

// Is every byte of `length` part of well-formed UTF-8?
bool utf8_is_valid(const char *bytes, size_t length);

// Columns that a terminal gives a character: 0 (combining marks, joiners), 1, or 2 (East Asian wide,
// emoji). After Unicode's EastAsianWidth.txt; -1 for control characters.
int character_width(uint32_t character);

// Columns of a whole string; control characters count as none.
int text_width(const char *string);

// "a, b or c": strings with commas between them, and `last` ("or", "and") before the last one.
const char *words_joined(struct arena *arena, const char *const *words, int count,
                         const char *last);

// How many letters have to be changed, added or left out to make one word of the other. Above `most` it is `most` + 1.
int letters_between(const char *a, const char *b, int most);

// The first of the nearest words that `typed` may have been meant to be: at most two letters away from it, and more than half
// of them the same. NULL if there is none.
const char *word_meant(const char *typed, const char *const *words, int count);

// 2359296 as "2,359,296".
const char *digits_grouped(struct arena *arena, int64_t number);

// The first characters of `string` that fit into `width` columns, in the arena. If something had to
// go, the last of them is `…` (one column). Nothing fits into no columns.
char *text_cut(struct arena *arena, const char *string, int width);

// Breaks a paragraph at blanks into lines of at most `width` columns; words longer than a line are
// split, blanks in a row count as one. Returns the number of lines, 0 if there is no word; *lines is an
// array of strings in the arena. `width` >= 1; in one column, a wide character stands out.
int text_wrap(struct arena *arena, const char *paragraph, int width, char ***lines);

// The string, or `length` bytes that may contain NUL, made harmless for a terminal: \xff for a byte that
// is not UTF-8 or is a control character (\x1b), \u202e for other characters that control lines or
// the direction of text. What came from a file or a command line goes through here into a message.
const char *text_safe(struct arena *arena, const char *string);
const char *text_safe_bytes(struct arena *arena, const char *bytes, size_t length);

// The same text for a terminal without UTF-8. Mathematics becomes what one would type (√dₖ is
// sqrt(d_k), Kᵀ is K^T, α is alpha, -∞ is -inf, ≤ is <=), letters lose their accents, lines and shades
// become + - | and . : * #; what has no substitute becomes U+0041's form, e.g. U+65E5, and a byte that
// is not UTF-8 a ?. All bytes are below 128.
char *text_to_ascii(struct arena *arena, const char *string);

#endif
