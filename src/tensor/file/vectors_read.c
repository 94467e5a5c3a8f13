#include "tensor/file/vectors_read.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "tensor/file/csv.h"
#include "tensor/file/numbers_read.h"
#include "tensor/ops/ops.h" // defines: tensor_given
#include "tensor/text/reading.h"

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

static void check_limits(const struct reading *reading, struct shape shape) {
    const int64_t tokens = shape.size[0], features = shape.size[shape.ndim - 1];
    if (tokens > CSV_MAX_TOKENS)
        fail_whole(reading, "too many tokens: at most %d are possible", CSV_MAX_TOKENS);
    if (features > CSV_MAX_FEATURES)
        fail_whole(reading, "too many columns: at most %d numbers a token are possible",
                   CSV_MAX_FEATURES);
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
    check_limits(reading, shape);
    struct tensor tensor = tensor_given(arena, FLOAT32, shape);
    for (int64_t i = 0; i < count_of(shape); i++) {
        const float number = (float)numbers->values[i];
        if (!isfinite(number))
            fail_whole(reading, "one of its numbers is not finite, or too large for a float");
        floats_of(&tensor)[i] = number;
    }
    tensor = label_axis(set_axis(tensor, 0, AXIS_TOKEN), 0, numbered(arena, "", tensor.shape[0]));
    return label_axis(set_axis(tensor, 1, AXIS_FEATURE), 1, numbered(arena, "d", tensor.shape[1]));
}

struct tensor vectors_read(struct arena *arena, const char *name, const char *bytes,
                           size_t length) {
    const struct reading reading = reading_new(arena, name, bytes, length);
    if (length > CSV_MAX_BYTES || has_tokens(&reading)) return csv_read(arena, name, bytes, length);
    const struct numbers numbers = numbers_read(arena, name, bytes, length);
    return tensor_of_numbers(&reading, &numbers);
}
