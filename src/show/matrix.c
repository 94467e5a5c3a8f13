#include "show/matrix.h"

#include <math.h>
#include <stddef.h>

#include "base/text.h"
#include "tensor/operation/derivation.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"

// number_format_of looks at all numbers up to here
enum { SUMMARY_THRESHOLD = 1000 };

// ---- Measuring ----------------------------------------------------------------------------------

static bool is_small(const struct tensor *tensor) {
    return count_of(shape_of(tensor)) <= SUMMARY_THRESHOLD;
}

static void take_into_range(struct matrix *matrix, double value) {
    if (!isfinite(value)) return;
    if (value < matrix->least) matrix->least = value;
    if (value > matrix->most) matrix->most = value;
}

// One row, whose first element lies at `start` of the storage.
static void measure_row(struct matrix *matrix, int64_t start) {
    const struct tensor *tensor = &matrix->tensor;
    const int64_t stride = tensor->ndim > 0 ? tensor->stride[tensor->ndim - 1] : 0;
    const float *floats = tensor->storage->data;
    const bool is_float = tensor->storage->dtype == FLOAT32;
    struct tensor number = {.storage = tensor->storage};
    for (int64_t j = 0; j < matrix->table.columns; j++) {
        number.offset = start + j * stride;
        take_into_range(matrix, is_float ? (double)floats[number.offset] : element(&number, NULL));
    }
}

// Passes over all numbers of the tensor, row by row, for their range. There may be half a million.
static void measure_range(struct matrix *matrix) {
    matrix->least = INFINITY;
    matrix->most = -INFINITY;
    const int64_t rows = matrix->table.pages * matrix->table.rows;
    for (int64_t i = 0; i < rows; i++) {
        int64_t index[MAX_DIMS] = {0};
        table_index(&matrix->tensor, i / matrix->table.rows, i % matrix->table.rows, 0, index);
        measure_row(matrix, flat_index(&matrix->tensor, index));
    }
}

// One page as a tensor of its own.
static struct tensor page_of(const struct tensor *tensor, int64_t page) {
    struct tensor result = *tensor;
    if (!has_pages(tensor) || count_of(shape_of(tensor)) == 0) return result;
    int64_t index[MAX_DIMS] = {0};
    table_index(tensor, page, 0, 0, index);
    for (int dim = 0; dim < tensor->ndim - 2; dim++) result = select_index(result, 0, index[dim]);
    return result;
}

static double value_at(const struct tensor *page, int64_t row, int64_t column) {
    int64_t index[MAX_DIMS] = {0};
    table_index(page, 0, row, column, index);
    return element(page, index);
}

// True and False by their first letters, where even numbers keep a single digit.
static bool has_initials(const struct matrix *matrix) {
    return matrix->is_for_screen && matrix->digits == 1 && matrix->tensor.storage->dtype == BOOL;
}

const char *matrix_number(struct arena *arena, const struct matrix *matrix, double value) {
    if (matrix->digits == ALL_DIGITS && matrix->tensor.storage->dtype == FLOAT32)
        return number_in_digits(arena, value, ALL_DIGITS);
    if (has_initials(matrix)) return value != 0 ? "T" : "F";
    return number_text(arena, matrix->format, value * pow(10, -matrix->exponent));
}

const char *factor_text(struct arena *arena, const struct matrix *matrix) {
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    if (matrix->exponent == 0) return "";
    struct text text = text_new(arena);
    text_add(&text, " ×10⁻");
    for (const char *digit = arena_format(arena, "%d", -matrix->exponent); *digit != '\0'; digit++)
        text_add(&text, raised[*digit - '0']);
    return text.bytes;
}

static int wider(struct arena *arena, const struct matrix *matrix, double value, int widest) {
    const int width = text_width(matrix_number(arena, matrix, value));
    return width > widest ? width : widest;
}

// Columns of the longest number of the page. With a fixed count of digits it is the largest or the
// smallest, or one that is not finite, so only those need to be written.
static int widest_number(struct arena *arena, const struct matrix *matrix,
                         const struct tensor *page) {
    const bool writes_all = matrix->digits == ALL_DIGITS;
    double least = 0, most = 0;
    int widest = 1;
    for (int64_t row = 0; row < matrix->table.rows; row++) {
        for (int64_t column = 0; column < matrix->table.columns; column++) {
            const double value = value_at(page, row, column);
            if (writes_all || (!isfinite(value) && widest < 4))
                widest = wider(arena, matrix, value, widest);
            const bool is_less =
                value < least || (value == least && signbit(value)); // -0.0 has a sign
            if (isfinite(value) && is_less) least = value;
            if (isfinite(value) && value > most) most = value;
        }
    }
    return wider(arena, matrix, most, wider(arena, matrix, least, widest));
}

// PyTorch decides the format of a long tensor by its corners. Here every number of the page is seen,
// so every number has a say: groups of rows that are short enough are asked, and the format that
// keeps most wins. Exponents win over all, so no row is asked behind the first that needs them.
static struct number_format format_of_page(struct arena *arena, const struct tensor *page,
                                           int digits) {
    if (!has_rows(page) || is_small(page)) return number_format_of(arena, page, digits);
    const int64_t rows = table_of(page).rows;
    const int64_t fitting = SUMMARY_THRESHOLD / table_of(page).columns;
    const int64_t group = fitting > 0 ? fitting : 1;
    struct number_format format = {.notation = INTEGER};
    for (int64_t row = 0; row < rows && format.notation != SCIENTIFIC; row += group) {
        const struct tensor part = narrow(*page, 0, row, rows - row < group ? rows - row : group);
        const struct number_format other = number_format_of(arena, &part, digits);
        if (other.notation >= format.notation) format = other;
    }
    return format;
}

// Where the largest number of a matrix on screen would keep one digit or none (or little more, of three and more
// digits), all are written with a factor in common: "0.01 -0.00" as "1.20 -0.43".
static void find_factor(struct matrix *matrix) {
    const double size = fmax(fabs(matrix->least), fabs(matrix->most));
    const bool is_fixed = matrix->tensor.storage->dtype == FLOAT32 && matrix->digits != ALL_DIGITS;
    if (!is_fixed || !(size > 0) || !isfinite(size)) return;
    const int digits = matrix->format.digits;
    const double least = digits < 3 ? 0.1 : 3 * pow(10, 1 - digits);
    if (size >= least) return;
    matrix->exponent = (int)floor(log10(size));
    matrix->format.notation = FIXED;
    matrix->format.width = 0;
}

// On screen numbers have an exponent only where all of them need one: not because another head holds a
// small one.
static void settle_format(struct matrix *matrix) {
    const double size = fmax(fabs(matrix->least), fabs(matrix->most));
    const bool shows = size >= pow(10, -matrix->format.digits) && size < 1e5;
    if (matrix->format.notation != SCIENTIFIC || !shows) return;
    matrix->format.notation = FIXED;
    matrix->format.width = 0; // of what stands there now
}

static void measure_numbers(struct arena *arena, struct matrix *matrix) {
    const struct tensor page = page_of(&matrix->tensor, matrix->page);
    const int digits = matrix->digits == ALL_DIGITS ? 8 : matrix->digits;
    if (is_small(&matrix->tensor)) {
        matrix->format = number_format_of(arena, &matrix->tensor, digits);
    } else {
        matrix->format = format_of_page(arena, &page, digits);
    }
    if (matrix->is_for_screen) settle_format(matrix);
    if (matrix->is_for_screen) find_factor(matrix);
    // PyTorch counts no columns for zeros and infinities; a tensor may hold nothing else.
    const int widest = widest_number(arena, matrix, &page);
    const bool counts =
        matrix->digits != ALL_DIGITS && !has_initials(matrix) && matrix->format.width > widest;
    if (!counts) matrix->format.width = widest;
}

static int widest_label(struct arena *arena, const struct tensor *tensor, int dim) {
    int widest = 0;
    for (int64_t i = 0; i < tensor->shape[dim]; i++) {
        const int width = text_width(label_of(arena, tensor, dim, i));
        if (width > widest) widest = width;
    }
    return widest;
}

static void measure_labels(struct arena *arena, struct matrix *matrix) {
    const struct tensor own = labelled_page(&matrix->tensor, matrix->page), *tensor = &own;
    if (tensor->ndim > 0)
        matrix->column_label_width = widest_label(arena, tensor, tensor->ndim - 1);
    if (!has_rows(tensor)) return;
    matrix->row_label_width = widest_label(arena, tensor, tensor->ndim - 2);
    const char *name = axis_name(tensor, tensor->ndim - 2);
    if (name != NULL) matrix->row_axis_width = text_width(name);
}

static struct matrix measured_for(struct arena *arena, struct matrix matrix) {
    matrix.table = table_of(&matrix.tensor);
    measure_range(&matrix);
    matrix.ramp = matrix.least < 0 ? RAMP_DIVERGING : RAMP_SEQUENTIAL;
    measure_numbers(arena, &matrix);
    measure_labels(arena, &matrix);
    return matrix;
}

struct matrix matrix_measure(struct arena *arena, const struct tensor *tensor, int64_t page,
                             int digits) {
    return measured_for(arena, (struct matrix){.tensor = *tensor, .page = page, .digits = digits});
}

struct matrix matrix_for_screen(struct arena *arena, const struct tensor *tensor, int64_t page,
                                int digits) {
    return measured_for(
        arena,
        (struct matrix){.tensor = *tensor, .page = page, .digits = digits, .is_for_screen = true});
}

enum crossing crossing_of(struct arena *arena, const struct cell *cell) {
    const struct origin *origin = cell->tensor.storage->origin;
    if (cell_value(cell) == -INFINITY && origin->operand_count > 0) return CROSSED_BY_MASK;
    if (!is_hidden_by_mask(arena, cell)) return NOT_CROSSED;
    const struct operation *operation = origin->operation;
    if (!operation->draws && !operation->moves) return CROSSED_BY_MASK;
    const struct derivation derivation = find_operands(arena, cell);
    const enum crossing before = crossing_of(arena, &derivation.operands[0].cell);
    return before == NOT_CROSSED ? CROSSED_BY_DROPOUT : before;
}

// ---- Heat ---------------------------------------------------------------------------------------

int level_of(const struct matrix *matrix, double value) {
    if (isnan(value)) return 0; // no size; what it rounds to would be the processor's choice
    if (matrix->ramp == RAMP_DIVERGING) {
        const double size = fmax(fabs(matrix->least), fabs(matrix->most));
        return 4 + (size > 0 ? (int)lround(4 * value / size) : 0);
    }
    // Numbers that print alike look alike: sums that are 1 but for their last bits.
    const double even = 1e-5 * fmax(fabs(matrix->least), fabs(matrix->most));
    const double range = matrix->most - matrix->least;
    if (!(range > even)) return matrix->most > 0 ? SEQUENTIAL_LEVELS / 2 : 0;
    return (int)lround((SEQUENTIAL_LEVELS - 1) * ((value - matrix->least) / range));
}
