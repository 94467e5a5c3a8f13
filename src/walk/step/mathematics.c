#include "walk/step/screen.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/operation/terms.h"
#include "walk/kit/names.h"

enum { MOST_NUMBERS = 8 }; // that are written out where another line would do

// The operands added up from the first to the last, each behind some words: "0.2 + (-0.1)", "e^0.2 + e^-0.1".
static const char *added_up(struct arena *arena, const struct derivation *derivation,
                            const char *words, int digits) {
    struct text text = text_new(arena);
    for (int i = 0; i < derivation->operand_count; i++) {
        const char *number = number_in_arithmetic(arena, derivation->operands[i].value, digits);
        const bool has_brackets = number[0] == '-' && (i > 0 || *words != '\0');
        text_add_format(&text, "%s%s%s%s%s", i > 0 ? " + " : "", words, has_brackets ? "(" : "",
                        number, has_brackets ? ")" : "");
    }
    return derivation->operand_count > 0 ? text.bytes : "0";
}

// Not where all numbers are -inf: what is subtracted from them makes nan then, and the derivation says so.
static bool has_largest(const struct derivation *derivation) {
    for (int i = 0; i < derivation->operand_count; i++) {
        if (isfinite(derivation->operands[i].value)) return true;
    }
    return false;
}

// "e^0.2 / (e^0.2 + e^0.1) = 0.5250"; of a long line, the sum by its sign. Where e^x of a number is no float, with the
// largest number taken from all: "e^(x − max) / Σ e^(x − max)".
static const char *softmax_text(struct arena *arena, const struct derivation *derivation,
                                int digits) {
    const int at = (int)derivation->index[derivation->origin->dim];
    const char *number = number_in_arithmetic(arena, derivation->operands[at].value, digits);
    const char *weight = number_in_arithmetic(arena, derivation->value, digits);
    enum {
        LARGEST = 88
    }; // exponent of e whose result is a float, and whose inverse is not rounded to 0 beside others
    double most = -INFINITY;
    bool are_exponents = true; // scores that a program set to the most negative float are not
    for (int i = 0; i < derivation->operand_count; i++) {
        const double x = derivation->operands[i].value;
        most = fmax(most, x);
        are_exponents = are_exponents && (isinf(x) || fabs(x) <= LARGEST);
    }
    if (!are_exponents) {
        const char *largest = number_in_arithmetic(arena, most, digits);
        return arena_format(arena,
                            "e^(%s − %s%s%s) / Σ e^(x − %s%s%s) = %s, the largest number of its "
                            "line is subtracted from each x",
                            number, most < 0 ? "(" : "", largest, most < 0 ? ")" : "",
                            most < 0 ? "(" : "", largest, most < 0 ? ")" : "", weight);
    }
    const bool is_negative = number[0] == '-';
    const char *sum = derivation->operand_count <= MOST_NUMBERS
                          ? arena_format(arena, "(%s)", added_up(arena, derivation, "e^", digits))
                          : arena_format(arena, "Σ e^x over all %d numbers of its line",
                                         derivation->operand_count);
    const char *line = arena_format(arena, "e^%s%s%s / %s = %s", is_negative ? "(" : "", number,
                                    is_negative ? ")" : "", sum, weight);
    const bool has_masked = strstr(line, "e^(-inf)") != NULL;
    return has_masked ? arena_format(arena, "%s, and e^(-inf) is 0", line) : line;
}

// "2.8750 − 3.0000" of "2.8750 − 3.0000 = -0.1250"; NULL if it was not computed, or is too long for an aside.
static const char *right_side(struct arena *arena, const struct cell *cell, int digits) {
    enum { LONG = 36 };
    const struct derivation derivation = derive_conclusion(arena, cell, digits);
    const bool is_short = derivation.operand_count > 0 && derivation.operand_count <= 2;
    const struct operation *operation = derivation.origin->operation;
    if (!is_short || operation->moves || operation == &float_row) return NULL;
    const char *line = derivation.lines[derivation.line_count - 1], *end = strstr(line, " = ");
    if (end == NULL || strstr(end + 1, " = ") != NULL || end - line > LONG) return NULL;
    return arena_format(arena, "%.*s", (int)(end - line), line);
}

// ", and 6.5617 is the sum of all query_scores": what a number is that stands in no matrix on screen; "" of one that
// was given.
static const char *what_it_is(struct arena *arena, const struct run *run,
                              const struct derivation *derivation, const struct operand *operand,
                              int before, int digits) {
    const struct tensor *tensor = &operand->cell.tensor;
    const struct origin *origin = tensor->storage->origin;
    const char *number = number_in_arithmetic(arena, operand->value, digits);
    const bool is_single = tensor->ndim == 0, is_sum = is_single && origin->operation == &sum_row;
    const struct tensor *named = is_sum ? &origin->operands[0] : tensor;
    const char *name =
        short_name(arena, is_single ? tensor_name(arena, run, named, before)
                                    : operand_name(arena, run, derivation, operand, before));
    if (origin->operand_count == 0 || (name != NULL && !is_single)) return "";
    if (name == NULL) name = right_side(arena, &operand->cell, digits);
    if (name == NULL) return "";
    return arena_format(arena, ", and %s is %s%s", number, is_sum ? "the sum of all " : "", name);
}

// "43.1300 (Σ of 200) / 200 = 0.2156"; of a variance, what is added up for it.
static const char *total_text(struct arena *arena, const struct derivation *derivation) {
    const char *line = derivation->lines[derivation->line_count - 1];
    const char *divided = strstr(line, " / ");
    if (divided == NULL) return line;
    const char *sum = derivation->origin->operation == &mean_row
                          ? arena_format(arena, "Σ of %d", derivation->operand_count)
                          : "Σ of (x − mean)²";
    return arena_format(arena, "%.*s (%s)%s", (int)(divided - line), line, sum, divided);
}

const char *mathematics_text(struct arena *arena, const struct run *run,
                             const struct derivation *derivation, int before, int digits) {
    const struct operation *operation = derivation->origin->operation;
    const char *number = number_in_arithmetic(arena, derivation->value, digits);
    if (operation == &softmax_row && has_largest(derivation))
        return softmax_text(arena, derivation, digits);
    if (operation == &sum_row)
        return arena_format(arena, "%s = %s", added_up(arena, derivation, "", digits), number);
    if (operation == &mean_row && derivation->operand_count <= MOST_NUMBERS)
        return arena_format(arena, "(%s) / %d = %s", added_up(arena, derivation, "", digits),
                            derivation->operand_count, number);
    if (adds_products(derivation))
        return arena_format(arena, "%s = %s", products_text(arena, derivation, digits), number);
    if (operation == &mean_row || operation == &var_row) return total_text(arena, derivation);
    const char *line = derivation->lines[derivation->line_count - 1];
    if (operation->of_pair == NULL) return line;
    for (int i = 0; i < derivation->operand_count; i++)
        line = arena_format(
            arena, "%s%s", line,
            what_it_is(arena, run, derivation, &derivation->operands[i], before, digits));
    return line;
}
