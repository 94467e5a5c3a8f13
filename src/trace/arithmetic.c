#include "trace/arithmetic.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "tensor/number/elementary.h"

// ---- Lines and numbers --------------------------------------------------------------------------

void say(struct reckoning *r, const char *format, ...) {
    struct derivation *d = r->derivation;
    const size_t used = (size_t)d->line_count * sizeof *d->lines;
    d->lines = arena_grow(r->arena, d->lines, used, sizeof *d->lines);
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *line = arena_allocate(r->arena, (size_t)length + 1);
    vsnprintf(line, (size_t)length + 1, format, again);
    va_end(again);
    d->lines[d->line_count++] = line;
}

const char *figure(const struct reckoning *r, double value) {
    return number_in_digits(r->arena, value, r->digits);
}

static const char *in_brackets(const struct reckoning *r, const char *text) {
    return text[0] == '-' ? arena_format(r->arena, "(%s)", text) : text;
}

const char *bracketed(const struct reckoning *r, double value) {
    return in_brackets(r, figure(r, value));
}

// A text that is "" until something is added.
static struct text empty_text(const struct reckoning *r) {
    struct text text = text_new(r->arena);
    text_add(&text, "");
    return text;
}

static float value_of(const struct reckoning *r, int i) {
    return (float)r->derivation->operands[i].value;
}

// An operand as text, written as its type asks: as it stands, and behind a sign.
static const char *operand(const struct reckoning *r, int i) {
    return cell_number(r->arena, &r->derivation->operands[i].cell, r->digits);
}

static const char *operand_term(const struct reckoning *r, int i) {
    return in_brackets(r, operand(r, i));
}

// ---- Numbers that were there --------------------------------------------------------------------

static double reckon_input(struct reckoning *r) {
    const double value = r->derivation->value;
    const bool is_whole = r->storage->dtype == INT64;
    const char *text = is_whole ? arena_format(r->arena, "%.0f", value) : figure(r, value);
    const bool is_constant = r->storage->shape.ndim == 0;
    say(r,
        is_constant ? "%s is a constant of the lesson"
                    : "%s is given: typed in, or read from a file",
        text);
    return value;
}

static double reckon_full(struct reckoning *r) {
    const float value = (float)r->derivation->origin->number;
    say(r, "every element is %s", figure(r, (double)value));
    return (double)value;
}

static double reckon_joined(struct reckoning *r) {
    const struct operand *from = &r->derivation->operands[0];
    const int count = r->derivation->origin->operand_count;
    say(r, "%s, copied from %s%stensor %d of %d", operand(r, 0), cell_label(r->arena, &from->cell),
        from->cell.tensor.ndim > 0 ? " of " : "", from->number + 1, count);
    return from->value;
}

static double reckon_copy(struct reckoning *r) {
    const struct operand *from = &r->derivation->operands[0];
    say(r, "%s, copied from number %" PRId64 " of the old storage to number %" PRId64 " of the new",
        operand(r, 0), flat_index(&from->cell.tensor, from->cell.index), r->derivation->flat_index);
    return from->value;
}

static double reckon_embedding(struct reckoning *r) {
    say(r, "id %s takes row %s of the weight, counted from 0: %s", operand(r, 0), operand(r, 0),
        operand(r, 1));
    return r->derivation->operands[1].value;
}

// ---- Element by element -------------------------------------------------------------------------

static double say_pair(struct reckoning *r, const char *sign, float result) {
    say(r, "%s %s %s = %s", operand(r, 0), sign, operand_term(r, 1), figure(r, (double)result));
    return (double)result;
}

static double reckon_add(struct reckoning *r) {
    return say_pair(r, "+", value_of(r, 0) + value_of(r, 1));
}

static double reckon_subtract(struct reckoning *r) {
    return say_pair(r, "−", value_of(r, 0) - value_of(r, 1));
}

static double reckon_multiply(struct reckoning *r) {
    return say_pair(r, "×", value_of(r, 0) * value_of(r, 1));
}

static double reckon_divide(struct reckoning *r) {
    return say_pair(r, "/", value_of(r, 0) / value_of(r, 1));
}

static double reckon_absolute(struct reckoning *r) {
    const double result = (double)fabsf(value_of(r, 0));
    say(r, "|%s| = %s", operand(r, 0), figure(r, result));
    return result;
}

static double reckon_relu(struct reckoning *r) {
    const float x = value_of(r, 0);
    const float result = x > 0 || x != x ? x : 0;
    say(r, "max(0, %s) = %s", operand(r, 0), figure(r, (double)result));
    return (double)result;
}

static double reckon_log(struct reckoning *r) {
    const double result = (double)log_float(value_of(r, 0));
    say(r, "log(%s) = %s", operand(r, 0), figure(r, result));
    return result;
}

// ---- Masks --------------------------------------------------------------------------------------

// "column 5 − row 2 = 3, at least 1: triu keeps 1.0000"
static double reckon_triangle(struct reckoning *r) {
    const struct derivation *d = r->derivation;
    const int last = r->storage->shape.ndim - 1;
    const int64_t row = d->index[last - 1], column = d->index[last];
    const int64_t above = column - row, diagonal = d->origin->diagonal;
    const bool is_lower = d->origin->operation == TRIL;
    const bool is_kept = is_lower ? above <= diagonal : above >= diagonal;
    const char *compared =
        is_lower ? (is_kept ? "at most" : "more than") : (is_kept ? "at least" : "less than");
    const char *fate = is_kept ? "keeps" : "puts 0 in place of";
    say(r, "column %" PRId64 " − row %" PRId64 " = %" PRId64 ", %s %" PRId64 ": %s %s %s",
        column + 1, row + 1, above, compared, diagonal, d->operation, fate, operand(r, 0));
    return is_kept ? d->operands[0].value : 0;
}

static double reckon_bool(struct reckoning *r) {
    const bool result = r->derivation->operands[0].value != 0;
    say(r, result ? "%s is not 0: True" : "%s is 0: False", operand(r, 0));
    return result;
}

// Why is the mask what it is here? Follows it to the triangle that it was cut from, if it was.
static void say_why_masked(struct reckoning *r) {
    struct cell cell = r->derivation->operands[1].cell;
    for (;;) {
        const struct derivation mask = derive(r->arena, &cell, ALL_DIGITS);
        const enum operation operation = mask.origin->operation;
        if (operation == TRIL || operation == TRIU) {
            say(r, "the mask: %s", mask.lines[mask.line_count - 1]);
            return;
        }
        if (operation != TO_BOOL && operation != COPY) return;
        cell = mask.operands[0].cell;
    }
}

static double reckon_masked_fill(struct reckoning *r) {
    say_why_masked(r);
    const float fill = (float)r->derivation->origin->number;
    if (r->derivation->operands[1].value == 0) {
        say(r, "the mask is False here: %s stays", operand(r, 0));
        return r->derivation->operands[0].value;
    }
    say(r, "the mask is True here: %s takes the place of %s", figure(r, (double)fill),
        operand(r, 0));
    return (double)fill;
}

// ---- Products -----------------------------------------------------------------------------------

// matmul and linear: the operands are pairs, and one more if there is a bias.
static double reckon_product(struct reckoning *r) {
    const int count = r->derivation->operand_count;
    struct text sum = empty_text(r);
    float value = 0;
    for (int i = 0; i + 1 < count; i += 2) {
        value = fmaf(value_of(r, i), value_of(r, i + 1), value);
        text_add_format(&sum, "%s%s·%s", i > 0 ? " + " : "",
                        i > 0 ? operand_term(r, i) : operand(r, i), operand_term(r, i + 1));
    }
    if (sum.length == 0) text_add(&sum, "0");
    if (count % 2 == 1) {
        value += value_of(r, count - 1);
        text_add_format(&sum, " + %s (bias)", operand_term(r, count - 1));
    }
    say(r, "%s = %s", sum.bytes, figure(r, (double)value));
    return (double)value;
}

// ---- Along a line -------------------------------------------------------------------------------

int64_t lanes_of_sum(int64_t count) {
    if (count < 4 || count == 8) return 1;
    return count < 8 ? 4 : 8;
}

int64_t lane_of_addend(int64_t count, int64_t k) {
    const int64_t lanes = lanes_of_sum(count);
    return lanes == 4 && k >= 4 ? 0 : k % lanes;
}

static int64_t addends_in_lane(int64_t count, int64_t lane) {
    int64_t addends = 0;
    for (int64_t k = 0; k < count; k++) addends += lane_of_addend(count, k) == lane;
    return addends;
}

// Tells the order where it is not simply from the first to the last.
static void say_order(struct reckoning *r, int64_t count) {
    if (lanes_of_sum(count) == 8) {
        say(r, "eight sums, each of every eighth number, then their sum");
    } else if (count > 4 && count < 8) {
        struct text text = empty_text(r);
        for (int64_t k = 5; k <= count; k++) text_add_format(&text, "%" PRId64 ", ", k);
        say(r, "added in PyTorch's order: numbers 1, %s2, 3, 4", text.bytes);
    }
}

// Adds up the operands, which stand in the order of use; *text becomes the sum written out.
static float add_up(struct reckoning *r, struct text *text) {
    const int64_t count = r->derivation->operand_count;
    float total = 0;
    int i = 0;
    for (int64_t lane = 0; lane < lanes_of_sum(count); lane++) {
        const int64_t addends = addends_in_lane(count, lane);
        const bool has_brackets = addends > 1 && lanes_of_sum(count) == 8;
        float sum = 0;
        if (lane > 0) text_add(text, " + ");
        if (has_brackets) text_add(text, "(");
        for (int64_t k = 0; k < addends; k++, i++) {
            sum += value_of(r, i);
            const bool leads = k == 0 && (lane == 0 || has_brackets);
            text_add_format(text, "%s%s", k > 0 ? " + " : "",
                            leads ? operand(r, i) : operand_term(r, i));
        }
        if (has_brackets) text_add(text, ")");
        total = lane == 0 ? sum : total + sum;
    }
    if (count == 0) text_add(text, "0");
    return total;
}

static double reckon_sum(struct reckoning *r) {
    struct text text = empty_text(r);
    say_order(r, r->derivation->operand_count);
    const double sum = (double)add_up(r, &text);
    say(r, "%s = %s", text.bytes, figure(r, sum));
    return sum;
}

static double reckon_mean(struct reckoning *r) {
    const float sum = (float)reckon_sum(r);
    const float mean = sum / (float)r->derivation->operand_count;
    say(r, "%s / %d = %s", figure(r, (double)sum), r->derivation->operand_count,
        figure(r, (double)mean));
    return (double)mean;
}

static double reckon_variance(struct reckoning *r) {
    const int count = r->derivation->operand_count;
    struct text addends = empty_text(r), distances = empty_text(r);
    double mean = 0, squares = 0;
    for (int i = 0; i < count; i++) {
        mean += (double)value_of(r, i);
        text_add_format(&addends, "%s%s", i > 0 ? " + " : "",
                        i > 0 ? operand_term(r, i) : operand(r, i));
    }
    mean /= (double)count;
    for (int i = 0; i < count; i++) {
        const double distance = (double)value_of(r, i) - mean;
        squares += distance * distance;
        text_add_format(&distances, "%s(%s − %s)²", i > 0 ? " + " : "", operand(r, i),
                        bracketed(r, mean));
    }
    const float variance = (float)(squares / (double)(count - 1));
    say(r, "mean = (%s) / %d = %s", addends.bytes, count, figure(r, mean));
    say(r, "squared distances from it: %s = %s", distances.bytes, figure(r, squares));
    say(r, "%s / (%d − 1) = %s", figure(r, squares), count, figure(r, (double)variance));
    return (double)variance;
}

// The place of the largest of operands `first` ... `first + count - 1`; a nan beats all. -1 if none
// is larger than -∞.
static int place_of_largest(const struct reckoning *r, int first, int count) {
    float most = -INFINITY;
    int place = -1;
    for (int i = first; i < first + count; i++) {
        const float value = value_of(r, i);
        if (value > most || value != value) {
            most = value;
            place = i;
        }
    }
    return place;
}

static float largest(const struct reckoning *r, int first, int count) {
    const int place = place_of_largest(r, first, count);
    return place < 0 ? -INFINITY : value_of(r, place);
}

static double reckon_largest(struct reckoning *r) {
    const struct derivation *d = r->derivation;
    const int place = place_of_largest(r, 0, d->operand_count);
    if (place < 0) {
        say(r, "-inf: no number is larger");
        return -INFINITY;
    }
    const struct cell *cell = &d->operands[place].cell;
    say(r, "the largest of %d numbers, %s%s, is %s", d->operand_count,
        cell->tensor.ndim > 0 ? "at " : "the only one", cell_label(r->arena, cell),
        operand(r, place));
    return d->operands[place].value;
}

// The largest of the line, e^(x - max) of each, and their sum, which it returns.
static float say_exponentials(struct reckoning *r, float most) {
    struct text addends = empty_text(r);
    const int count = r->derivation->operand_count;
    float sum = 0;
    say(r, "max = %s", figure(r, (double)most));
    for (int i = 0; i < count; i++) {
        const float power = exp_float(value_of(r, i) - most);
        sum += power;
        say(r, "e^(%s − %s) = %s", operand(r, i), bracketed(r, (double)most),
            figure(r, (double)power));
        text_add_format(&addends, "%s%s", i > 0 ? " + " : "", figure(r, (double)power));
    }
    say(r, "sum = %s = %s", addends.bytes, figure(r, (double)sum));
    return sum;
}

static double reckon_softmax(struct reckoning *r) {
    const struct derivation *d = r->derivation;
    const int own = (int)d->index[d->origin->dim];
    const float most = largest(r, 0, d->operand_count);
    const float sum = say_exponentials(r, most);
    const float power = exp_float(value_of(r, own) - most);
    const float scale = 1 / sum;
    const double weight = (double)(power * scale);
    say(r, "%s × (1 / %s) = %s", figure(r, (double)power), figure(r, (double)sum),
        figure(r, weight));
    return weight;
}

static double reckon_log_softmax(struct reckoning *r) {
    const struct derivation *d = r->derivation;
    const int own = (int)d->index[d->origin->dim];
    const float most = largest(r, 0, d->operand_count);
    const float sum = say_exponentials(r, most);
    const double result = (double)((value_of(r, own) - most) - log_float(sum));
    say(r, "%s − %s − log(%s) = %s", operand(r, own), bracketed(r, (double)most),
        figure(r, (double)sum), figure(r, result));
    return result;
}

// -log of the softmax of one row of logits, at its target.
static float reckon_row_loss(struct reckoning *r, int row, int classes, int target) {
    const int first = row * classes;
    const float most = largest(r, first, classes);
    float sum = 0;
    for (int i = first; i < first + classes; i++) sum += exp_float(value_of(r, i) - most);
    const float loss = -((value_of(r, first + target) - most) - log_float(sum));
    say(r,
        "row %d, target %d: max = %s, sum of e^(x − max) = %s, "
        "-(%s − %s − log(%s)) = %s",
        row + 1, target, figure(r, (double)most), figure(r, (double)sum),
        operand(r, first + target), bracketed(r, (double)most), figure(r, (double)sum),
        figure(r, (double)loss));
    return loss;
}

static double reckon_loss(struct reckoning *r) {
    const struct derivation *d = r->derivation;
    const int rows = (int)count_of(shape_of(&d->origin->operands[1]));
    const int classes = rows > 0 ? (d->operand_count - rows) / rows : 0;
    struct text addends = empty_text(r);
    float sum = 0;
    for (int row = 0; row < rows; row++) {
        const int target = (int)d->operands[rows * classes + row].value;
        const float loss = reckon_row_loss(r, row, classes, target);
        sum += loss;
        text_add_format(&addends, "%s%s", row > 0 ? " + " : "", figure(r, (double)loss));
    }
    const double mean = (double)(sum / (float)rows);
    say(r, "(%s) / %d = %s", addends.bytes, rows, figure(r, mean));
    return mean;
}

// ---- All operations -----------------------------------------------------------------------------

static double (*const reckoners[OPERATION_COUNT])(struct reckoning *r) = {
    [FROM_INPUT] = reckon_input,
    [FROM_FULL] = reckon_full,
    [FROM_UNIFORM] = reckon_uniform,
    [FROM_NORMAL] = reckon_normal,
    [ADD] = reckon_add,
    [SUBTRACT] = reckon_subtract,
    [MULTIPLY] = reckon_multiply,
    [DIVIDE] = reckon_divide,
    [ABSOLUTE] = reckon_absolute,
    [RELU] = reckon_relu,
    [LOG] = reckon_log,
    [MATMUL] = reckon_product,
    [LINEAR] = reckon_product,
    [SOFTMAX] = reckon_softmax,
    [LOG_SOFTMAX] = reckon_log_softmax,
    [SUM] = reckon_sum,
    [MEAN] = reckon_mean,
    [VARIANCE] = reckon_variance,
    [LARGEST] = reckon_largest,
    [TRIL] = reckon_triangle,
    [TRIU] = reckon_triangle,
    [TO_BOOL] = reckon_bool,
    [MASKED_FILL] = reckon_masked_fill,
    [DROPOUT] = reckon_dropout,
    [CAT] = reckon_joined,
    [STACK] = reckon_joined,
    [COPY] = reckon_copy,
    [EMBEDDING] = reckon_embedding,
    [CROSS_ENTROPY] = reckon_loss,
};

void reckon(struct arena *arena, struct derivation *derivation, const struct storage *storage,
            int digits) {
    struct reckoning r = {
        .arena = arena,
        .derivation = derivation,
        .storage = storage,
        .digits = digits,
    };
    derivation->recomputed = reckoners[derivation->origin->operation](&r);
}
