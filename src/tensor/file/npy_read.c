#include "tensor/file/npy_read.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "tensor/file/bits.h"

static const char MAGIC[] = "\x93NUMPY";
enum { MAGIC_LENGTH = sizeof MAGIC - 1 };
enum { MAX_HEADER = 1 << 16 }; // numpy.save's own have some hundred bytes

bool is_npy(const struct reading *reading) {
    return reading->end - reading->start >= MAGIC_LENGTH &&
           memcmp(reading->start, MAGIC, MAGIC_LENGTH) == 0;
}

// ---- The header ---------------------------------------------------------------------------------

struct header {
    char kind; // f, i, u or b
    size_t width;
    bool is_swapped; // the highest byte comes first
    bool is_fortran;
    struct shape shape;
    bool has_descr, has_order, has_shape;
};

_Noreturn static void fail_header(const struct reading *reading, const char *what) {
    fail_whole(reading, "the header of this .npy file is damaged: %s", what);
}

static bool skip_mark(struct reading *reading, const char *mark) {
    skip_blanks(reading);
    return skip_word(reading, mark);
}

// Reads a Python string; returns it without its quotes.
static const char *take_string(struct reading *reading) {
    skip_blanks(reading);
    const char quote = reading->next < reading->end ? *reading->next : '\0';
    if (quote != '\'' && quote != '"') fail_header(reading, "a name in quotes is missing");
    const char *first = ++reading->next;
    while (reading->next < reading->end && *reading->next != quote) reading->next++;
    if (reading->next == reading->end) fail_header(reading, "a quote is never closed");
    return arena_copy_bytes(reading->arena, first, (size_t)(reading->next++ - first));
}

static bool is_width(char kind, size_t width) {
    if (kind == 'f') return width == 2 || width == 4 || width == 8;
    if (kind == 'b') return width == 1;
    return (kind == 'i' || kind == 'u') && (width == 1 || width == 2 || width == 4 || width == 8);
}

// '<f4': byte order, kind, width.
static void take_descr(struct reading *reading, struct header *header) {
    skip_blanks(reading);
    if (reading->next < reading->end && *reading->next == '[')
        fail_whole(reading, "an array of records: save one plain array of float32 or float64");
    const char *descr = take_string(reading);
    const size_t orders = strspn(descr, "<>=|");
    header->is_swapped = descr[0] == '>';
    header->kind = orders == 1 ? descr[1] : '\0';
    header->width =
        orders == 1 && descr[1] != '\0' && descr[2] >= '1' && descr[2] <= '8' && descr[3] == '\0'
            ? (size_t)(descr[2] - '0')
            : 0;
    if (!is_width(header->kind, header->width))
        fail_whole(reading,
                   "numbers of the type '%s': save float32 or float64 (float16, integers and bool "
                   "can be read as well)",
                   text_cut(reading->arena, text_safe(reading->arena, descr), 24));
    header->has_descr = true;
}

static void take_order(struct reading *reading, struct header *header) {
    header->is_fortran = skip_mark(reading, "True");
    if (!header->is_fortran && !skip_mark(reading, "False"))
        fail_header(reading, "'fortran_order' is neither True nor False");
    header->has_order = true;
}

static int64_t take_size(struct reading *reading) {
    int64_t size = 0;
    const char *first = reading->next;
    while (reading->next < reading->end && *reading->next >= '0' && *reading->next <= '9') {
        if (size <= NUMBERS_MAX) size = size * 10 + (*reading->next - '0');
        reading->next++;
    }
    if (reading->next == first) fail_header(reading, "'shape' is not a list of sizes");
    return size;
}

// (), (6,), (6, 3). Sizes beyond NUMBERS_MAX are cut to something that still is beyond it.
static void take_shape(struct reading *reading, struct header *header) {
    struct shape *shape = &header->shape;
    if (!skip_mark(reading, "(")) fail_header(reading, "'shape' is not a list of sizes");
    int64_t count = 1;
    while (!skip_mark(reading, ")")) {
        if (shape->ndim == MAX_DIMS)
            fail_whole(reading, "an array of more than %d dimensions, which no step has", MAX_DIMS);
        const int64_t size = take_size(reading);
        shape->size[shape->ndim++] = size;
        if (size == 0) fail_whole(reading, "an array without elements");
        if (size > NUMBERS_MAX / count)
            fail_whole(reading, "the header speaks of more than %d numbers, which no step has",
                       NUMBERS_MAX);
        count *= size;
        skip_blanks(reading);
        const bool ends = reading->next < reading->end && *reading->next == ')';
        if (!ends && !skip_mark(reading, ","))
            fail_header(reading, "'shape' is not a list of sizes");
    }
    header->has_shape = true;
}

static void take_entry(struct reading *reading, struct header *header) {
    const char *name = take_string(reading);
    if (!skip_mark(reading, ":")) fail_header(reading, "a colon is missing");
    if (strcmp(name, "descr") == 0 && !header->has_descr)
        take_descr(reading, header);
    else if (strcmp(name, "fortran_order") == 0 && !header->has_order)
        take_order(reading, header);
    else if (strcmp(name, "shape") == 0 && !header->has_shape)
        take_shape(reading, header);
    else
        fail_header(reading, "an unknown entry, or one that is there twice");
}

static struct header take_header(struct reading *reading) {
    struct header header = {0};
    if (!skip_mark(reading, "{")) fail_header(reading, "it does not begin with {");
    while (!skip_mark(reading, "}")) {
        take_entry(reading, &header);
        skip_blanks(reading);
        const bool ends = reading->next < reading->end && *reading->next == '}';
        if (!ends && !skip_mark(reading, ",")) fail_header(reading, "a comma or } is missing");
    }
    skip_blanks(reading);
    if (reading->next != reading->end) fail_header(reading, "there is more after its }");
    if (!header.has_descr || !header.has_order || !header.has_shape)
        fail_header(reading, "it must have 'descr', 'fortran_order' and 'shape'");
    return header;
}

// The length of the header; moves to its start.
static size_t take_length(struct reading *reading) {
    reading->next = reading->start + MAGIC_LENGTH;
    const size_t left = (size_t)(reading->end - reading->next);
    if (left < 4) fail_whole(reading, "this .npy file is cut: it ends before its header");
    const unsigned char *bytes = (const unsigned char *)reading->next;
    const unsigned version = bytes[0];
    if (version < 1 || version > 3 || bytes[1] != 0)
        fail_whole(reading, "version %u.%u of .npy files: 1.0, 2.0 and 3.0 can be read", version,
                   bytes[1]);
    const size_t width = version == 1 ? 2 : 4;
    if (left < 2 + width) fail_whole(reading, "this .npy file is cut: it ends before its header");
    size_t length = 0;
    for (size_t i = width; i > 0; i--) length = length << 8 | bytes[1 + i];
    reading->next += 2 + width;
    if (length > MAX_HEADER)
        fail_whole(reading,
                   "the header of this .npy file would have %zu bytes: at most %d are "
                   "possible",
                   length, MAX_HEADER);
    if (length > left - 2 - width)
        fail_whole(reading, "this .npy file is cut: it ends within its header");
    return length;
}

// ---- The elements -------------------------------------------------------------------------------

static double element_of(const struct header *header, const char *bytes) {
    const enum bits_kind kind = header->kind == 'f'   ? BITS_FLOAT
                                : header->kind == 'b' ? BITS_TRUTH
                                : header->kind == 'u' ? BITS_UNSIGNED
                                                      : BITS_SIGNED;
    return number_of_bits(kind, header->width, bits_at(bytes, header->width, header->is_swapped));
}

// Where the element number `position`, counted row by row, lies when columns come first.
static int64_t fortran_position(struct shape shape, int64_t position) {
    int64_t index[MAX_DIMS], at = 0;
    index_at(shape, position, index);
    for (int dim = shape.ndim - 1; dim >= 0; dim--) at = at * shape.size[dim] + index[dim];
    return at;
}

static const char *dtype_name(const struct reading *reading, const struct header *header) {
    if (header->kind == 'b') return "bool";
    return arena_format(reading->arena, "%s%zu",
                        header->kind == 'f'   ? "float"
                        : header->kind == 'u' ? "uint"
                                              : "int",
                        8 * header->width);
}

static void check_size(const struct reading *reading, const struct header *header, size_t count) {
    const size_t expected = count * header->width, got = (size_t)(reading->end - reading->next);
    const char *shape = shape_text(reading->arena, header->shape);
    if (got < expected)
        fail_whole(reading, "this .npy file is cut: %s of %s are %zu bytes, but only %zu are there",
                   shape, dtype_name(reading, header), expected, got);
    if (got > expected)
        fail_whole(reading, "too long: %s of %s are %zu bytes, but %zu are there", shape,
                   dtype_name(reading, header), expected, got);
}

struct numbers read_npy(struct reading *reading) {
    const size_t length = take_length(reading);
    struct reading inside = *reading;
    inside.end = reading->next + length;
    const struct header header = take_header(&inside);
    reading->next += length;
    const int64_t count = count_of(header.shape);
    check_size(reading, &header, (size_t)count);
    struct numbers numbers = {.form = FORM_NPY, .shape = header.shape, .decimals = -1};
    numbers.dtype = dtype_name(reading, &header);
    numbers.values = arena_array(reading->arena, (size_t)count, sizeof *numbers.values);
    const char *bytes = reading->next;
    for (int64_t i = 0; i < count; i++) {
        const int64_t position = header.is_fortran ? fortran_position(header.shape, i) : i;
        numbers.values[i] = element_of(&header, bytes + (size_t)position * header.width);
    }
    return numbers;
}
