#include "tensor/file/csv.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tensor/file/numbers_read.h"
#include "tensor/ops/ops.h" // defines: tensor_given
#include "tensor/text/fields.h"
#include "tensor/text/numeral.h"

// ---- What the fields say ------------------------------------------------------------------------

// A token or the name of a column: it will stand in tables and messages, so it has to be readable.
static const char *take_label(const struct reading *reading, struct field field, const char *what) {
    struct arena *arena = reading->arena;
    if (field.length == 0) fail_at(reading, field.start, "%s is missing", what);
    if (field.length > CSV_MAX_TOKEN_BYTES)
        fail_at(reading, field.start, "%s has %zu bytes: at most %d are possible", what,
                field.length, CSV_MAX_TOKEN_BYTES);
    if (!utf8_is_valid(field.bytes, field.length))
        fail_at(reading, field.start, "%s is not UTF-8: \"%s\"", what, field_text(reading, field));
    if (!is_called(field, text_safe_bytes(arena, field.bytes, field.length)))
        fail_at(reading, field.start, "%s has control characters: \"%s\"", what,
                field_text(reading, field));
    return arena_copy_bytes(arena, field.bytes, field.length);
}

// strtod reads a point because the program never calls setlocale() for LC_NUMERIC. It has no limit to
// the length of a number, but wants a NUL behind it.
static float take_float(const struct reading *reading, struct field field) {
    static const double BEYOND_FLOAT = 0x1.ffffffp127; // the least that rounds to infinity
    struct reading inside = inside_of(reading, field);
    skip_blanks(&inside);
    if (inside.next == inside.end)
        fail_at(reading, field.start, "a number is missing: write it like 0.43, -1 or 2e-3");
    const bool is_decimal = skip_decimal(&inside);
    skip_blanks(&inside);
    if (!is_decimal || inside.next != inside.end)
        fail_at(reading, field.start, "\"%s\" is not a number: write it like 0.43, -1 or 2e-3",
                field_text(reading, field));
    const double value = strtod(arena_copy_bytes(reading->arena, field.bytes, field.length), NULL);
    if (value >= BEYOND_FLOAT || value <= -BEYOND_FLOAT)
        fail_at(reading, field.start, "\"%s\" is too large for a float: at most 3.4e38 is possible",
                field_text(reading, field));
    return (float)value;
}

// ---- The file -----------------------------------------------------------------------------------

// What was read so far.
struct vectors {
    int token_count, feature_count;
    const char *token[CSV_MAX_TOKENS];
    const char *feature[CSV_MAX_FEATURES];
    float number[CSV_MAX_TOKENS * CSV_MAX_FEATURES]; // row by row
};

// Is it a word, such as "word"?
static bool is_word(struct field field) {
    bool is_word = field.length > 0 && isalpha((unsigned char)*field.bytes);
    for (size_t i = 0; i < field.length && is_word; i++)
        is_word = isalnum((unsigned char)field.bytes[i]) || field.bytes[i] == '_';
    return is_word;
}

// "token,d1,d2", or another word in the place of the first one if all others are names, too.
static bool is_header(const struct csv_line *line) {
    bool is_header = line->count > 1 && is_word(line->field[0]);
    for (int i = 1; i < line->count && is_header; i++) is_header = is_word(line->field[i]);
    return is_header || is_called(line->field[0], "token");
}

static void take_header(const struct lines *lines, struct vectors *vectors) {
    const struct reading *reading = lines->reading;
    if (!next_line(lines))
        fail_at(reading, reading->start, "nothing here: a header like token,d1,d2 must come first");
    const char *excess =
        arena_format(reading->arena, "too many columns: at most %d numbers a token are possible",
                     CSV_MAX_FEATURES);
    const struct csv_line line = take_fields(lines, 1 + CSV_MAX_FEATURES, excess);
    const struct field first = line.field[0];
    if (!is_header(&line))
        fail_at(reading, first.start,
                "the first column is \"%s\": the header must be like token,d1,d2, with commas",
                field_text(reading, first));
    if (line.count == 1)
        fail_at(reading, line.end, "no column for numbers: the header must be like token,d1,d2");
    vectors->feature_count = line.count - 1;
    for (int i = 0; i < vectors->feature_count; i++)
        vectors->feature[i] = take_label(reading, line.field[1 + i], "the name of a column");
}

static void take_token(const struct lines *lines, struct vectors *vectors) {
    const struct reading *reading = lines->reading;
    const int features = vectors->feature_count;
    const char *expected =
        arena_format(reading->arena, "the header names %d: a token and %d number%s", 1 + features,
                     features, features == 1 ? "" : "s");
    const char *excess = arena_format(reading->arena, "one field too many: %s", expected);
    const char *start = reading->next;
    const struct csv_line line = take_fields(lines, 1 + features, excess);
    if (line.count < 1 + features)
        fail_at(reading, line.end, "%d field%s, but %s", line.count, line.count == 1 ? "" : "s",
                expected);
    if (vectors->token_count == CSV_MAX_TOKENS)
        fail_at(reading, start, "too many tokens: at most %d are possible", CSV_MAX_TOKENS);
    float *numbers = vectors->number + vectors->token_count * features;
    vectors->token[vectors->token_count++] = take_label(reading, line.field[0], "the token");
    for (int i = 0; i < features; i++) numbers[i] = take_float(reading, line.field[1 + i]);
}

static struct tensor labelled(struct tensor tensor, const char *const *tokens,
                              const char *const *features) {
    tensor = label_axis(set_axis(tensor, 0, AXIS_TOKEN), 0, tokens);
    return label_axis(set_axis(tensor, 1, AXIS_FEATURE), 1, features);
}

static struct tensor tensor_of_vectors(struct arena *arena, const struct vectors *vectors) {
    const int tokens = vectors->token_count, features = vectors->feature_count;
    struct tensor tensor = tensor_given(arena, FLOAT32, SHAPE(tokens, features));
    memcpy(floats_of(&tensor), vectors->number, (size_t)(tokens * features) * sizeof(float));
    return labelled(tensor, vectors->token, vectors->feature);
}

struct tensor csv_read(struct arena *arena, const char *name, const char *bytes, size_t length) {
    struct reading reading = reading_new(arena, name, bytes, length);
    skip_byte_order_mark(&reading);
    if (length > CSV_MAX_BYTES)
        fail_at(&reading, reading.start, "too large: %zu bytes, at most %d are possible", length,
                CSV_MAX_BYTES);
    // The tensor's labels stay in it.
    struct vectors *vectors = arena_allocate(arena, sizeof *vectors);
    const struct lines lines = {.reading = &reading, .divider = ',', .is_strict = true};
    take_header(&lines, vectors);
    while (next_line(&lines)) take_token(&lines, vectors);
    if (vectors->token_count == 0)
        fail_at(&reading, reading.end,
                "no tokens: after the header, each line is a token and its numbers");
    return tensor_of_vectors(arena, vectors);
}

// ---- Numbers without tokens ---------------------------------------------------------------------

static bool begins_number(const struct reading *reading) {
    const char first = reading->next < reading->end ? *reading->next : '\0';
    return first != '\0' && (isdigit((unsigned char)first) || strchr("-+.", first) != NULL);
}

// Is it CSV with a column of tokens? Its first line has commas, no bracket and a word at its start, and so has the second.
static bool has_tokens(const struct reading *file) {
    struct reading reading = *file;
    skip_byte_order_mark(&reading);
    skip_blanks(&reading);
    if (skip_word(&reading, "token") || skip_word(&reading, "\"token")) return true;
    if (reading.next == reading.end) return true;
    if (begins_number(&reading) || memchr(reading.next, '\0', (size_t)(reading.end - reading.next)))
        return false;
    const size_t left = (size_t)(reading.end - reading.next);
    const char *line_end = memchr(reading.next, '\n', left);
    const size_t length = line_end != NULL ? (size_t)(line_end - reading.next) : left;
    if (memchr(reading.next, '[', length) != NULL) return false;
    if (memchr(reading.next, ',', length) == NULL) return memchr(reading.next, '[', left) == NULL;
    reading.next += length;
    skip_blanks(&reading);
    return !begins_number(&reading);
}

// Without dimensions of size 1 in front.
static struct shape table_shape(const struct reading *reading, struct shape shape) {
    const struct shape whole = shape;
    while (shape.ndim > 2 && shape.size[0] == 1) {
        shape.ndim--;
        memmove(shape.size, shape.size + 1, (size_t)shape.ndim * sizeof *shape.size);
    }
    if (shape.ndim != 2)
        fail_whole(
            reading,
            "its shape is %s: token vectors are a table, with a row of numbers for each token",
            shape_text(reading->arena, whole));
    return shape;
}

static const char **numbered(struct arena *arena, const char *before, int64_t count) {
    const char **labels = arena_array(arena, (size_t)count, sizeof *labels);
    for (int64_t i = 0; i < count; i++) labels[i] = arena_format(arena, "%s%d", before, (int)i + 1);
    return labels;
}

static struct tensor tensor_of_numbers(const struct reading *reading,
                                       const struct numbers *numbers) {
    struct arena *arena = reading->arena;
    const struct shape shape = table_shape(reading, numbers->shape);
    const int64_t tokens = shape.size[0], features = shape.size[1];
    if (tokens > CSV_MAX_TOKENS)
        fail_whole(reading, "too many tokens: at most %d are possible", CSV_MAX_TOKENS);
    if (features > CSV_MAX_FEATURES)
        fail_whole(reading, "too many columns: at most %d numbers a token are possible",
                   CSV_MAX_FEATURES);
    struct tensor tensor = tensor_given(arena, FLOAT32, shape);
    for (int64_t i = 0; i < count_of(shape); i++) {
        const float number = (float)numbers->values[i];
        if (!isfinite(number))
            fail_whole(reading, "one of its numbers is not finite, or too large for a float");
        floats_of(&tensor)[i] = number;
    }
    return labelled(tensor, numbered(arena, "", tokens), numbered(arena, "d", features));
}

struct tensor vectors_read(struct arena *arena, const char *name, const char *bytes,
                           size_t length) {
    const struct reading reading = reading_new(arena, name, bytes, length);
    if (length > CSV_MAX_BYTES || has_tokens(&reading)) return csv_read(arena, name, bytes, length);
    const struct numbers numbers = numbers_read(arena, name, bytes, length);
    return tensor_of_numbers(&reading, &numbers);
}
