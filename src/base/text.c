#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- A string that grows ------------------------------------------------------------------------

struct text text_new(struct arena *arena) {
    return (struct text){.arena = arena};
}

// Makes room for `length` more bytes and the NUL.
static void make_room(struct text *text, size_t length) {
    const size_t closing = text->bytes == NULL; // the NUL, which is not there yet
    text->bytes =
        arena_grow(text->arena, text->bytes, text->length + 1 - closing, length + closing);
}

void text_add_bytes(struct text *text, const char *bytes, size_t length) {
    make_room(text, length);
    if (length > 0) memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void text_add(struct text *text, const char *string) {
    text_add_bytes(text, string, strlen(string));
}

void text_add_format(struct text *text, const char *format, ...) {
    enum { FEW = 128 }; // characters, as most texts have: they are written once
    char few[FEW];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(few, sizeof few, format, arguments);
    va_end(arguments);
    if (length >= 0 && length < FEW) {
        text_add_bytes(text, few, (size_t)length);
    } else if (length > 0) {
        make_room(text, (size_t)length);
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void text_add_repeated(struct text *text, const char *string, int times) {
    const size_t length = strlen(string);
    if (times <= 0) return;
    make_room(text, length * (size_t)times);
    for (int i = 0; i < times; i++, text->length += length)
        memcpy(text->bytes + text->length, string, length);
    text->bytes[text->length] = '\0';
}

void text_add_padded(struct text *text, const char *string, int width, bool right_aligned) {
    const int blanks = width - text_width(string);
    if (right_aligned) text_add_repeated(text, " ", blanks);
    text_add(text, string);
    if (!right_aligned) text_add_repeated(text, " ", blanks);
}

// ---- Fitting a width ----------------------------------------------------------------------------

// Columns of the character at *string, which moves behind it; control characters count as none.
static int next_columns(const char **string) {
    const int columns = character_width(utf8_next(string));
    return columns > 0 ? columns : 0;
}

const char *words_joined(struct arena *arena, const char *const *words, int count,
                         const char *last) {
    struct text text = text_new(arena);
    text_add(&text, "");
    for (int i = 0; i < count; i++) {
        if (i > 0 && i < count - 1) text_add(&text, ", ");
        if (i > 0 && i == count - 1) text_add_format(&text, " %s ", last);
        text_add(&text, words[i]);
    }
    return text.bytes;
}

char *text_cut(struct arena *arena, const char *string, int width) {
    if (width <= 0) return arena_copy(arena, "");
    const char *end = string; // behind what leaves a column for the dots
    int columns = 0;
    for (const char *next = string; *next != '\0';) {
        columns += next_columns(&next);
        if (columns > width) return arena_format(arena, "%.*s…", (int)(end - string), string);
        if (columns < width) end = next;
    }
    return arena_copy(arena, string);
}

struct wrapping {
    struct arena *arena;
    int width;
    char **lines; // the finished ones
    int count;
    struct text line; // the one that is being filled
    int columns;
};

static void end_line(struct wrapping *wrapping) {
    if (wrapping->line.length == 0) return;
    wrapping->lines[wrapping->count++] = wrapping->line.bytes;
    wrapping->line = text_new(wrapping->arena);
    wrapping->columns = 0;
}

// The bytes at the start of a word of `length` bytes that fit into `width` columns: at least one
// character, and with each the marks that belong to it. *columns is their width.
static size_t fitting(const char *word, size_t length, int width, int *columns) {
    const char *next = word, *end = word;
    *columns = 0;
    while (next < word + length) {
        const int more = next_columns(&next);
        if (end > word && *columns + more > width) break;
        *columns += more;
        end = next;
    }
    return (size_t)(end - word);
}

static void add_word(struct wrapping *wrapping, const char *word, size_t length) {
    int columns;
    size_t taken = fitting(word, length, wrapping->width, &columns);
    const int blank = wrapping->line.length > 0 ? 1 : 0;
    const bool joins = taken == length && wrapping->columns + blank + columns <= wrapping->width;
    if (joins && blank == 1) {
        text_add(&wrapping->line, " ");
        wrapping->columns++;
    } else if (!joins) {
        end_line(wrapping);
    }
    for (;;) {
        text_add_bytes(&wrapping->line, word, taken);
        wrapping->columns += columns;
        word += taken;
        length -= taken;
        if (length == 0) return;
        end_line(wrapping);
        taken = fitting(word, length, wrapping->width, &columns);
    }
}

int letters_between(const char *a, const char *b, int most) {
    while (*a != '\0' && *a == *b) a++, b++;
    if (*a == *b) return 0;
    if (most == 0) return 1;
    int least = most;
    const int changed = *a != '\0' && *b != '\0' ? letters_between(a + 1, b + 1, most - 1) : most;
    const int left_out = *a != '\0' ? letters_between(a + 1, b, most - 1) : most;
    const int added = *b != '\0' ? letters_between(a, b + 1, most - 1) : most;
    if (changed < least) least = changed;
    if (left_out < least) least = left_out;
    if (added < least) least = added;
    return least + 1;
}

const char *word_meant(const char *typed, const char *const *words, int count) {
    const char *meant = NULL;
    int least = 3;
    for (int i = 0; i < count; i++) {
        const int letters = letters_between(typed, words[i], 2);
        if (letters >= least || (size_t)letters * 2 >= strlen(typed)) continue;
        least = letters;
        meant = words[i];
    }
    return meant;
}

const char *digits_grouped(struct arena *arena, int64_t number) {
    const char *digits = arena_format(arena, "%" PRId64, number);
    struct text text = text_new(arena);
    const size_t length = strlen(digits);
    for (size_t i = 0; i < length; i++) {
        const bool is_behind_sign = i == 1 && digits[0] == '-';
        if (i > 0 && !is_behind_sign && (length - i) % 3 == 0) text_add(&text, ",");
        text_add_bytes(&text, digits + i, 1);
    }
    return text.bytes;
}

int text_wrap(struct arena *arena, const char *paragraph, int width, char ***lines) {
    static const char BLANKS[] = " \t\n";
    struct wrapping wrapping = {.arena = arena, .width = width, .line = text_new(arena)};
    wrapping.lines = arena_array(arena, strlen(paragraph) + 1, sizeof *wrapping.lines);
    for (;;) {
        paragraph += strspn(paragraph, BLANKS);
        if (*paragraph == '\0') break;
        const size_t length = strcspn(paragraph, BLANKS);
        add_word(&wrapping, paragraph, length);
        paragraph += length;
    }
    end_line(&wrapping);
    *lines = wrapping.lines;
    return wrapping.count;
}

// ---- Strangers' text ----------------------------------------------------------------------------

// Marks that reverse the direction of what follows: with them a line can show what it does not say.
static bool turns_direction(uint32_t character) {
    return (character >= 0x202A && character <= 0x202E) ||
           (character >= 0x2066 && character <= 0x2069);
}

const char *text_safe_bytes(struct arena *arena, const char *bytes, size_t length) {
    const char *next = arena_copy_bytes(arena, bytes, length), *end = next + length;
    struct text safe = text_new(arena);
    text_add(&safe, "");
    while (next < end) {
        const char *start = next;
        const uint32_t character = utf8_next(&next);
        if (next == start) next++; // a NUL inside
        const size_t taken = (size_t)(next - start);
        if (taken == 1 && (*start < 0x20 || *start > 0x7E)) {
            text_add_format(&safe, "\\x%02x", (unsigned)(unsigned char)*start);
        } else if (character_width(character) < 0 || turns_direction(character)) {
            text_add_format(&safe, "\\u%04x", (unsigned)character);
        } else {
            text_add_bytes(&safe, start, taken);
        }
    }
    return safe.bytes;
}

const char *text_safe(struct arena *arena, const char *string) {
    return text_safe_bytes(arena, string, strlen(string));
}
