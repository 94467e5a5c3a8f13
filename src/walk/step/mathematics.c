#include "walk/step/mathematics.h"

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

// "e^0.2 / (e^0.2 + e^0.1) = 0.5250"; of a long line, the sum by its sign.
static const char *softmax_text(struct arena *arena, const struct derivation *derivation,
                                int digits) {
    const int own = (int)derivation->index[derivation->origin->dim];
    const char *number = number_in_arithmetic(arena, derivation->operands[own].value, digits);
    const bool is_negative = number[0] == '-';
    const char *sum = derivation->operand_count <= MOST_NUMBERS
                          ? arena_format(arena, "(%s)", added_up(arena, derivation, "e^", digits))
                          : arena_format(arena, "Σ e^x over all %d numbers of its line",
                                         derivation->operand_count);
    return arena_format(arena, "e^%s%s%s / %s = %s", is_negative ? "(" : "", number,
                        is_negative ? ")" : "", sum,
                        number_in_arithmetic(arena, derivation->value, digits));
}

// ", and 6.5617 is the sum of all query_scores": what a single number is that stands in no matrix on screen; "" of one that
// was given.
static const char *what_it_is(struct arena *arena, const struct run *run,
                              const struct operand *operand, int before, int digits) {
    const struct tensor *tensor = &operand->cell.tensor;
    const struct origin *origin = tensor->storage->origin;
    if (tensor->ndim > 0 || origin->operand_count == 0) return "";
    const bool is_sum = origin->operation == &sum_row;
    const struct tensor *named = is_sum ? &origin->operands[0] : tensor;
    const char *name = short_name(arena, tensor_name(arena, run, named, before));
    if (name == NULL) return "";
    return arena_format(arena, ", and %s is %s%s",
                        number_in_arithmetic(arena, operand->value, digits),
                        is_sum ? "the sum of all " : "", name);
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
    const char *line = derivation->lines[derivation->line_count - 1];
    if (operation->of_pair == NULL) return line;
    for (int i = 0; i < derivation->operand_count; i++)
        line = arena_format(arena, "%s%s", line,
                            what_it_is(arena, run, &derivation->operands[i], before, digits));
    return line;
}
