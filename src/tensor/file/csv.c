#include "tensor/file/csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tensor/ops/ops.h" // defines: tensor_given

// ---- Saying what is wrong -----------------------------------------------------------------------

// How much of a stranger's text a message shows, in bytes. A file's name keeps its end, a field its
// beginning.
enum { MAX_NAME_SHOWN = 72, MAX_FIELD_SHOWN = 32 };

struct reader {
    struct arena *arena;
    const char *name;
    const char *start, *next, *end; // of the file, behind the byte order mark; `end` is not a NUL
};

struct field {
    const char *place; // in the file
    const char *string;
    size_t length; // `string` may have NUL inside
};

static bool continues_character(char byte) {
    return ((unsigned char)byte & 0xC0) == 0x80;
}

static const char *shown_name(struct arena *arena, const char *name) {
    const char *safe = text_safe(arena, name);
    const size_t length = strlen(safe);
    if (length <= MAX_NAME_SHOWN) return safe;
    const char *tail = safe + length - MAX_NAME_SHOWN;
    while (continues_character(*tail)) tail++;
    return arena_format(arena, "...%s", tail);
}

static const char *shown(struct arena *arena, struct field field) {
    const char *safe = text_safe_bytes(arena, field.string, field.length);
    size_t length = strlen(safe);
    if (length <= MAX_FIELD_SHOWN) return safe;
    length = MAX_FIELD_SHOWN;
    while (continues_character(safe[length])) length--;
    return arena_format(arena, "%.*s...", (int)length, safe);
}

// Lines and characters count from 1. A byte that is not UTF-8 counts as a character.
_Noreturn static void fail_at(const struct reader *reader, const char *place, const char *format,
                              ...) __attribute__((format(printf, 3, 4)));

static void fail_at(const struct reader *reader, const char *place, const char *format, ...) {
    int line = 1, column = 1;
    for (const char *byte = reader->start; byte < place; byte++) {
        if (*byte == '\n') {
            line++;
            column = 1;
        } else if (!continues_character(*byte)) {
            column++;
        }
    }
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fail(reader->arena->failure, FAIL_INPUT, "%s:%d:%d: %s",
         shown_name(reader->arena, reader->name), line, column, what);
}

// ---- Lines and fields ---------------------------------------------------------------------------

struct line {
    int count;
    struct field field[1 + CSV_MAX_FEATURES];
    const char *end;
};

static bool at_line_feed(const struct reader *reader) {
    const char *next = reader->next;
    if (next < reader->end && *next == '\r') next++;
    return next < reader->end && *next == '\n';
}

static bool at_line_end(const struct reader *reader) {
    return reader->next == reader->end || at_line_feed(reader);
}

static void skip_line_feed(struct reader *reader) {
    if (reader->next < reader->end && *reader->next == '\r') reader->next++;
    if (reader->next < reader->end) reader->next++;
}

static void skip_blank_lines(struct reader *reader) {
    for (;;) {
        const char *start = reader->next;
        while (reader->next < reader->end && (*reader->next == ' ' || *reader->next == '\t'))
            reader->next++;
        if (!at_line_feed(reader)) {
            if (reader->next < reader->end) reader->next = start;
            return;
        }
        skip_line_feed(reader);
    }
}

static struct field read_quoted(struct reader *reader) {
    const char *place = reader->next++;
    struct text text = text_new(reader->arena);
    text_add(&text, "");
    for (;;) {
        const char *start = reader->next;
        const char *quote = memchr(start, '"', (size_t)(reader->end - start));
        if (quote == NULL) fail_at(reader, place, "a quote opens here and is never closed");
        text_add_bytes(&text, start, (size_t)(quote - start));
        reader->next = quote + 1;
        if (reader->next == reader->end || *reader->next != '"') break;
        text_add(&text, "\""); // two quotes are one
        reader->next++;
    }
    if (!at_line_end(reader) && *reader->next != ',')
        fail_at(reader, reader->next,
                "after a closing quote, a comma or the end of the line must follow");
    return (struct field){.place = place, .string = text.bytes, .length = text.length};
}

static struct field read_plain(struct reader *reader) {
    const char *place = reader->next;
    while (!at_line_end(reader) && *reader->next != ',') {
        if (*reader->next == '"')
            fail_at(
                reader, reader->next,
                "a quote inside a field: put the whole field in quotes and write it twice, as in "
                "\"5\"\"\"");
        if (*reader->next == '\r')
            fail_at(reader, reader->next, "a carriage return alone: lines must end in LF or CRLF");
        reader->next++;
    }
    const size_t length = (size_t)(reader->next - place);
    const char *string = arena_copy_bytes(reader->arena, place, length);
    return (struct field){.place = place, .string = string, .length = length};
}

// Reads a line of at most `most` fields and moves behind it; `excess` says what is wrong with more.
static struct line read_line(struct reader *reader, int most, const char *excess) {
    struct line line = {0};
    for (;;) {
        if (line.count == most) fail_at(reader, reader->next, "%s", excess);
        const bool is_quoted = reader->next < reader->end && *reader->next == '"';
        line.field[line.count++] = is_quoted ? read_quoted(reader) : read_plain(reader);
        if (at_line_end(reader)) break;
        reader->next++; // the comma
    }
    line.end = reader->next;
    skip_line_feed(reader);
    return line;
}

// ---- What the fields say ------------------------------------------------------------------------

// A token or the name of a column: it will stand in tables and messages, so it has to be readable.
static const char *label_in(const struct reader *reader, struct field field, const char *what) {
    struct arena *arena = reader->arena;
    if (field.length == 0) fail_at(reader, field.place, "%s is missing", what);
    if (field.length > CSV_MAX_TOKEN_BYTES)
        fail_at(reader, field.place, "%s has %zu bytes: at most %d are possible", what,
                field.length, CSV_MAX_TOKEN_BYTES);
    if (!utf8_is_valid(field.string, field.length))
        fail_at(reader, field.place, "%s is not UTF-8: \"%s\"", what, shown(arena, field));
    if (strcmp(text_safe_bytes(arena, field.string, field.length), field.string) != 0)
        fail_at(reader, field.place, "%s has control characters: \"%s\"", what,
                shown(arena, field));
    return field.string;
}

static size_t digits_at(const char *string) {
    return strspn(string, "0123456789");
}

// Is it a decimal number: a sign, digits with a point among or beside them, an exponent?
static bool is_decimal(const char *string) {
    if (*string == '+' || *string == '-') string++;
    const size_t before = digits_at(string);
    string += before;
    const size_t after = *string == '.' ? digits_at(string + 1) : 0;
    if (*string == '.') string += 1 + after;
    if (before + after == 0) return false;
    if (*string == 'e' || *string == 'E') {
        string++;
        if (*string == '+' || *string == '-') string++;
        const size_t exponent = digits_at(string);
        if (exponent == 0) return false;
        string += exponent;
    }
    return *string == '\0';
}

// A copy of the field without blanks around it; it ends at a NUL.
static const char *trimmed(struct arena *arena, struct field field) {
    static const char BLANKS[] = " \t";
    char *string = arena_copy(arena, field.string + strspn(field.string, BLANKS));
    size_t length = strlen(string);
    while (length > 0 && strchr(BLANKS, string[length - 1]) != NULL) length--;
    string[length] = '\0';
    return string;
}

// strtod reads a point because the program never calls setlocale() for LC_NUMERIC; should something
// else do so, the number is refused, not cut at the point.
static float number_of(const struct reader *reader, struct field field) {
    static const double BEYOND_FLOAT = 0x1.ffffffp127; // the least that rounds to infinity
    const char *number = trimmed(reader->arena, field);
    const bool has_nul = strlen(field.string) != field.length;
    if (*number == '\0' && !has_nul)
        fail_at(reader, field.place, "a number is missing: write it like 0.43, -1 or 2e-3");
    char *end = NULL;
    const double value = is_decimal(number) ? strtod(number, &end) : 0;
    if (has_nul || end == NULL || *end != '\0')
        fail_at(reader, field.place, "\"%s\" is not a number: write it like 0.43, -1 or 2e-3",
                shown(reader->arena, field));
    if (value >= BEYOND_FLOAT || value <= -BEYOND_FLOAT)
        fail_at(reader, field.place, "\"%s\" is too large for a float: at most 3.4e38 is possible",
                shown(reader->arena, field));
    return (float)value;
}

// ---- The file -----------------------------------------------------------------------------------

struct table {
    int token_count, feature_count;
    const char *token[CSV_MAX_TOKENS];
    const char *feature[CSV_MAX_FEATURES];
    float number[CSV_MAX_TOKENS * CSV_MAX_FEATURES]; // row by row
};

static void read_header(struct reader *reader, struct table *table) {
    skip_blank_lines(reader);
    if (reader->next == reader->end)
        fail_at(reader, reader->start, "nothing here: a header like token,d1,d2 must come first");
    const char *excess =
        arena_format(reader->arena, "too many columns: at most %d numbers a token are possible",
                     CSV_MAX_FEATURES);
    const struct line line = read_line(reader, 1 + CSV_MAX_FEATURES, excess);
    const struct field first = line.field[0];
    if (strcmp(first.string, "token") != 0 || first.length != strlen("token"))
        fail_at(reader, first.place,
                "the first column is \"%s\": the header must be like token,d1,d2, with commas",
                shown(reader->arena, first));
    if (line.count == 1)
        fail_at(reader, line.end, "no column for numbers: the header must be like token,d1,d2");
    table->feature_count = line.count - 1;
    for (int i = 0; i < table->feature_count; i++)
        table->feature[i] = label_in(reader, line.field[1 + i], "the name of a column");
}

static void read_token(struct reader *reader, struct table *table) {
    const int features = table->feature_count;
    const char *expected =
        arena_format(reader->arena, "the header names %d: a token and %d number%s", 1 + features,
                     features, features == 1 ? "" : "s");
    const char *excess = arena_format(reader->arena, "one field too many: %s", expected);
    const char *start = reader->next;
    const struct line line = read_line(reader, 1 + features, excess);
    if (line.count < 1 + features)
        fail_at(reader, line.end, "%d field%s, but %s", line.count, line.count == 1 ? "" : "s",
                expected);
    if (table->token_count == CSV_MAX_TOKENS)
        fail_at(reader, start, "too many tokens: at most %d are possible", CSV_MAX_TOKENS);
    float *numbers = table->number + table->token_count * features;
    table->token[table->token_count++] = label_in(reader, line.field[0], "the token");
    for (int i = 0; i < features; i++) numbers[i] = number_of(reader, line.field[1 + i]);
}

static struct tensor tensor_of_table(struct arena *arena, const struct table *table) {
    const int tokens = table->token_count, features = table->feature_count;
    struct tensor tensor = tensor_given(arena, FLOAT32, SHAPE(tokens, features));
    memcpy(floats_of(&tensor), table->number, (size_t)(tokens * features) * sizeof(float));
    tensor = label_axis(name_axis(tensor, 0, "token"), 0, table->token);
    return label_axis(name_axis(tensor, 1, "feature"), 1, table->feature);
}

struct tensor csv_read(struct arena *arena, const char *name, const char *bytes, size_t length) {
    static const char MARK[] = "\xEF\xBB\xBF";
    const size_t marked = length >= 3 && memcmp(bytes, MARK, 3) == 0 ? 3 : 0;
    const char *start = bytes + marked;
    struct reader reader = {
        .arena = arena, .name = name, .start = start, .next = start, .end = bytes + length};
    if (length > CSV_MAX_BYTES)
        fail_at(&reader, reader.start, "too large: %zu bytes, at most %d are possible", length,
                CSV_MAX_BYTES);
    struct table *table = arena_allocate(arena, sizeof *table); // the tensor's labels stay in it
    read_header(&reader, table);
    for (skip_blank_lines(&reader); reader.next < reader.end; skip_blank_lines(&reader))
        read_token(&reader, table);
    if (table->token_count == 0)
        fail_at(&reader, reader.end,
                "no tokens: after the header, each line is a token and its numbers");
    return tensor_of_table(arena, table);
}
