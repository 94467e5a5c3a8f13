#include "tensor/text/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "tensor/text/digits.h"

const struct printing_options standard_printing = {
    .digits = 4, .edge = 3, .width = 80, .threshold = 1000, .scientific = -1};

static const char PREFIX[] = "tensor(";
enum { PREFIX_WIDTH = sizeof PREFIX - 1 };

static bool is_cut(const struct printing_options *options, const struct tensor *tensor, int dim) {
    return (double)count_of(shape_of(tensor)) > options->threshold &&
           tensor->shape[dim] > 2 * options->edge;
}

// ---- One number ---------------------------------------------------------------------------------

// snprintf of a number: returns its length, `text` may be NULL if `room` is 0. The point is a point:
// the program never calls setlocale() for LC_NUMERIC. printf and Python both round the exact value.
static int write_number(char *text, size_t room, struct number_format format, double value) {
    if (isnan(value)) return snprintf(text, room, "nan"); // whatever its sign
    switch (format.notation) {
    case INTEGER:
        return snprintf(text, room, isinf(value) ? "%.0f" : "%.0f.", value);
    case FIXED:
        return snprintf(text, room, "%.*f", format.digits, value);
    case SCIENTIFIC:
        return snprintf(text, room, "%.*e", format.digits, value);
    case WHOLE:
        return snprintf(text, room, "%.0f", value);
    case INITIAL:
        return snprintf(text, room, "%s", value != 0 ? "T" : "F");
    case NINE_DIGITS:
        return snprintf(text, room, "%.9g", value);
    case TRUTH:
        break;
    }
    return snprintf(text, room, "%s", value != 0 ? "True" : "False");
}

const char *number_text(struct arena *arena, struct number_format format, double value) {
    if (format.exponent != 0) value *= pow(10, -format.exponent);
    const size_t room = (size_t)write_number(NULL, 0, format, value) + 1;
    char *text = arena_allocate(arena, room);
    write_number(text, room, format, value);
    return text;
}

enum { ELEMENT_ROOM = 64 }; // the longest element is -FLT_MAX with 17 digits after the point

// The same for an element: an int64 has more digits than a double keeps.
static int write_element(char number[static ELEMENT_ROOM], const struct tensor *tensor,
                         struct number_format format, const int64_t *index) {
    if (format.notation != WHOLE)
        return write_number(number, ELEMENT_ROOM, format, element(tensor, index));
    return snprintf(number, ELEMENT_ROOM, "%" PRId64, whole_element(tensor, index));
}

// ---- One format for all numbers -----------------------------------------------------------------

// Indices of the elements that decide how all are written.
struct deciding {
    int64_t count;
    int64_t (*index)[MAX_DIMS];
};

// Zeros, infinities and nan have no say in how floats are written.
static bool decides(const struct tensor *tensor, const int64_t *index) {
    if (!is_floating(tensor->storage->dtype)) return true;
    const double value = element(tensor, index);
    return isfinite(value) && value != 0;
}

// Of a tensor that is summarised only the edges are asked, which are what is shown.
static struct deciding deciding_elements(struct arena *arena, const struct tensor *tensor,
                                         const struct printing_options *options) {
    struct shape shown = shape_of(tensor);
    for (int dim = 0; dim < tensor->ndim; dim++) {
        if (is_cut(options, tensor, dim)) shown.size[dim] = 2 * options->edge;
    }
    const int64_t count = count_of(shown);
    struct deciding deciding = {0};
    deciding.index = arena_array(arena, (size_t)count, sizeof *deciding.index);
    for (int64_t i = 0; i < count; i++) {
        int64_t *index = deciding.index[deciding.count];
        index_at(shown, i, index);
        for (int dim = 0; dim < tensor->ndim; dim++) {
            if (index[dim] >= options->edge) index[dim] += tensor->shape[dim] - shown.size[dim];
        }
        if (decides(tensor, index)) deciding.count++;
    }
    return deciding;
}

static bool are_whole(const struct tensor *tensor, struct deciding deciding) {
    for (int64_t i = 0; i < deciding.count; i++) {
        const double number = element(tensor, deciding.index[i]);
        if (number != ceil(number)) return false;
    }
    return true;
}

static enum notation float_notation(const struct tensor *tensor, struct deciding deciding) {
    double least = INFINITY, most = 0;
    for (int64_t i = 0; i < deciding.count; i++) {
        const double magnitude = fabs(element(tensor, deciding.index[i]));
        least = fmin(least, magnitude);
        most = fmax(most, magnitude);
    }
    if (most / least > 1000 || most > 1e8) return SCIENTIFIC;
    if (are_whole(tensor, deciding)) return INTEGER;
    return least < 1e-4 ? SCIENTIFIC : FIXED; // the float nearest to 1e-4 is less
}

static struct number_format format_as(struct arena *arena, const struct tensor *tensor,
                                      const struct printing_options *options) {
    const struct deciding deciding = deciding_elements(arena, tensor, options);
    const enum dtype dtype = tensor->storage->dtype;
    struct number_format format = {.digits = options->digits, .width = 1};
    format.notation = dtype == BOOL        ? TRUTH
                      : is_floating(dtype) ? float_notation(tensor, deciding)
                                           : WHOLE;
    for (int64_t i = 0; i < deciding.count; i++) {
        char number[ELEMENT_ROOM];
        const int width = write_element(number, tensor, format, deciding.index[i]);
        if (width > format.width) format.width = width;
    }
    if (options->scientific >= 0 && is_floating(dtype) && deciding.count > 0) // the width stays
        format.notation = options->scientific           ? SCIENTIFIC
                          : are_whole(tensor, deciding) ? INTEGER
                                                        : FIXED;
    return format;
}

struct number_format number_format_of(struct arena *arena, const struct tensor *tensor,
                                      int digits) {
    struct printing_options options = standard_printing;
    options.digits = digits;
    return format_as(arena, tensor, &options);
}

// ---- One format for a page on screen ------------------------------------------------------------

static bool is_small(const struct tensor *tensor) {
    return (double)count_of(shape_of(tensor)) <= standard_printing.threshold;
}

// PyTorch decides the format of a long tensor by its corners. Here every number of the page is seen,
// so every number has a say: groups of rows that are short enough are asked, and the format that
// keeps most wins. Exponents win over all, so no row is asked behind the first that needs them.
static struct number_format format_of_rows(struct arena *arena, const struct tensor *page,
                                           int digits) {
    if (page->ndim < 2 || is_small(page)) return number_format_of(arena, page, digits);
    const int64_t rows = page->shape[0];
    const int64_t fitting = (int64_t)standard_printing.threshold / page->shape[1];
    const int64_t group = fitting > 0 ? fitting : 1;
    struct number_format format = {.notation = INTEGER};
    for (int64_t row = 0; row < rows && format.notation != SCIENTIFIC; row += group) {
        struct tensor part = *page;
        part.offset += row * part.stride[0];
        part.shape[0] = rows - row < group ? rows - row : group;
        const struct number_format other = number_format_of(arena, &part, digits);
        if (other.notation >= format.notation) format = other;
    }
    return format;
}

// On screen numbers have an exponent only where all of them need one: not because another head holds a
// small one. Where the largest number would keep one digit or none (or little more, of three and more digits), all are
// written with a factor in common: "0.01 -0.00" as "1.20 -0.43".
static void share_notation(struct number_format *format, double size, bool may_have_factor) {
    const int digits = format->digits;
    const double least = digits < 3 ? 0.1 : 3 * pow(10, 1 - digits);
    const bool has_factor = may_have_factor && size > 0 && isfinite(size) && size < least;
    const bool shows = size >= pow(10, -digits) && size < 1e5;
    if (!has_factor && (format->notation != SCIENTIFIC || !shows)) return;
    if (has_factor) format->exponent = (int)floor(log10(size));
    format->notation = FIXED;
    format->width = 0; // of what stands there now
}

static int wider(struct arena *arena, struct number_format format, double value, int widest) {
    const int width = (int)strlen(number_text(arena, format, value));
    return width > widest ? width : widest;
}

// Columns of the longest number of the page. With a fixed count of digits it is the largest or the
// smallest, or one that is not finite, so only those need to be written.
static int widest_number(struct arena *arena, struct number_format format,
                         const struct tensor *page, bool writes_all) {
    const struct shape shape = shape_of(page);
    const int64_t count = count_of(shape);
    const bool is_float = page->storage->dtype == FLOAT32;
    int64_t index[MAX_DIMS] = {0};
    double least = 0, most = 0;
    int widest = 1;
    for (int64_t i = 0; i < count; i++, next_index(&shape, index)) {
        const double value = is_float ? (double)float_at(page, index) : element(page, index);
        if (!writes_all && value > least && value <= most) continue;
        if (writes_all || (!isfinite(value) && widest < 4))
            widest = wider(arena, format, value, widest);
        const bool is_less = value < least || (value == least && signbit(value)); // -0.0 has a sign
        if (isfinite(value) && is_less) least = value;
        if (isfinite(value) && value > most) most = value;
    }
    return wider(arena, format, most, wider(arena, format, least, widest));
}

struct number_format page_format_of(struct arena *arena, const struct tensor *tensor,
                                    const struct tensor *page, int digits, double size) {
    const enum dtype dtype = tensor->storage->dtype;
    const bool has_all = digits == ALL_DIGITS, has_initials = digits == 1 && dtype == BOOL;
    if (has_all) digits = 8;
    struct number_format format = is_small(tensor) ? number_format_of(arena, tensor, digits)
                                                   : format_of_rows(arena, page, digits);
    share_notation(&format, size, dtype == FLOAT32 && !has_all);
    if (has_all && dtype == FLOAT32) format.notation = NINE_DIGITS;
    if (has_initials) format.notation = INITIAL; // where even numbers keep a single digit
    // PyTorch counts no columns for zeros and infinities; a tensor may hold nothing else.
    const int widest = widest_number(arena, format, page, has_all);
    if (has_all || has_initials || format.width < widest) format.width = widest;
    return format;
}

const char *common_factor(struct arena *arena, struct number_format format) {
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    if (format.exponent == 0) return "";
    struct text text = text_new(arena);
    text_add(&text, " ×10⁻");
    for (const char *digit = arena_format(arena, "%d", -format.exponent); *digit != '\0'; digit++)
        text_add(&text, raised[*digit - '0']);
    return text.bytes;
}

// ---- The whole tensor ---------------------------------------------------------------------------

struct printing {
    const struct printing_options *options;
    struct arena *arena;
    const struct tensor *tensor;
    struct number_format format;
    struct text text;
};

static void add_number(struct printing *printing, const int64_t *index) {
    char number[ELEMENT_ROOM];
    write_element(number, printing->tensor, printing->format, index);
    text_add_padded(&printing->text, number, printing->format.width, true);
}

// Between item number `item` of a dimension and the one before it: numbers fill lines, rows begin a
// new line, matrices leave one free, and so on.
static void add_separator(struct printing *printing, int dim, int64_t item) {
    const int indent = PREFIX_WIDTH + dim;
    const int below = printing->tensor->ndim - 1 - dim;
    const int fitting = (printing->options->width - indent) / (printing->format.width + 2);
    const int per_line = fitting > 1 ? fitting : 1;
    if (below == 0 && item % per_line != 0) {
        text_add(&printing->text, ", ");
        return;
    }
    text_add(&printing->text, ",");
    text_add_repeated(&printing->text, "\n", below > 0 ? below : 1);
    text_add_repeated(&printing->text, " ", indent + 1);
}

// Adds what has the indices index[0] ... index[dim - 1]: a number or a bracket with everything inside.
static void add_items(struct printing *printing, int64_t *index, int dim) {
    const struct tensor *tensor = printing->tensor;
    if (dim == tensor->ndim) {
        add_number(printing, index);
        return;
    }
    const int64_t size = tensor->shape[dim];
    const int edge = printing->options->edge;
    const bool cut = is_cut(printing->options, tensor, dim);
    const int64_t items = cut ? 2 * edge + 1 : size;
    text_add(&printing->text, "[");
    for (int64_t item = 0; item < items; item++) {
        if (item > 0) add_separator(printing, dim, item);
        if (cut && item == edge) {
            text_add(&printing->text, dim == tensor->ndim - 1 ? " ..." : "...");
            continue;
        }
        index[dim] = item < edge ? item : size - items + item;
        add_items(printing, index, dim + 1);
    }
    text_add(&printing->text, "]");
}

// A suffix goes on the line if it fits, with PyTorch's idea of fitting: two columns are counted twice.
static void add_suffix(struct printing *printing, size_t *line_width, const char *suffix) {
    const bool fits = *line_width + strlen(suffix) + 2 <= (size_t)printing->options->width;
    text_add(&printing->text, fits ? ", " : ",\n       ");
    text_add(&printing->text, suffix);
    *line_width = (fits ? *line_width + 2 : PREFIX_WIDTH) + strlen(suffix);
}

// Without numbers to show, the shape and the type say what there is.
static void add_nothing(struct printing *printing) {
    const struct tensor *tensor = printing->tensor;
    text_add(&printing->text, "[]");
    size_t line_width = printing->text.length + 2;
    if (tensor->ndim != 1) {
        const char *sizes = shape_text(printing->arena, shape_of(tensor));
        add_suffix(printing, &line_width, arena_format(printing->arena, "size=%s", sizes));
    }
    if (tensor->storage->dtype != FLOAT32)
        add_suffix(printing, &line_width,
                   arena_format(printing->arena, "dtype=torch.%s", dtype_text(tensor)));
}

// Numbers of other types than PyTorch takes for granted say of which they are.
static bool needs_dtype(const struct tensor *tensor) {
    const enum dtype dtype = tensor->storage->dtype;
    return tensor->storage->narrow != ALL_BITS ||
           (count_of(shape_of(tensor)) > 0 && (dtype == FLOAT64 || dtype == INT32));
}

const char *torch_text(struct arena *arena, const struct tensor *tensor, int digits) {
    struct printing_options options = standard_printing;
    options.digits = digits;
    return torch_text_as(arena, tensor, &options, NULL);
}

const char *torch_text_as(struct arena *arena, const struct tensor *tensor,
                          const struct printing_options *options, const char *suffix) {
    struct printing printing = {
        .options = options, .arena = arena, .tensor = tensor, .text = text_new(arena)};
    text_add(&printing.text, PREFIX);
    if (count_of(shape_of(tensor)) == 0) {
        add_nothing(&printing);
    } else {
        int64_t index[MAX_DIMS];
        printing.format = format_as(arena, tensor, options);
        add_items(&printing, index, 0);
    }
    const char *last = strrchr(printing.text.bytes, '\n');
    size_t width = (last == NULL ? printing.text.length : strlen(last + 1)) + 2;
    if (needs_dtype(tensor))
        add_suffix(&printing, &width, arena_format(arena, "dtype=torch.%s", dtype_text(tensor)));
    if (suffix != NULL) add_suffix(&printing, &width, suffix);
    text_add(&printing.text, ")");
    return printing.text.bytes;
}
