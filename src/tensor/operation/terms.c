#include "tensor/operation/terms.h"

#include "base/text.h"
#include "tensor/number/partial.h"
#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"

struct terms terms_of(struct arena *arena, const struct cell *cell,
                      const struct derivation *derivation) {
    const struct operation *operation = derivation->origin->operation;
    if (operation->terms == NULL) return (struct terms){.order = ""};
    struct derivation own = *derivation;
    const struct account account = {
        .arena = arena, .derivation = &own, .storage = cell->tensor.storage};
    return operation->terms(&account);
}

struct term_operands operands_of_term(const struct derivation *derivation,
                                      const struct partial *term) {
    const int factors = derivation->origin->operation->factors;
    if (term->pair >= 0) return (struct term_operands){factors * (int)term->pair, factors};
    const int bias = derivation->operand_count % factors;
    const bool is_bias = term->pair == A_START;
    return (struct term_operands){derivation->operand_count - bias, is_bias ? bias : 0};
}

static const char *in_brackets(struct arena *arena, const char *number) {
    return number[0] == '-' ? arena_format(arena, "(%s)", number) : number;
}

const char *term_text(struct arena *arena, const struct derivation *derivation,
                      const struct partial *term, int digits) {
    const struct term_operands used = operands_of_term(derivation, term);
    struct text text = text_new(arena);
    text_add(&text, "");
    const bool is_first = term->pair >= 0 && term->before == 0;
    if (!is_first)
        text_add_format(&text, "%s + ", number_in_arithmetic(arena, term->before, digits));
    for (int i = 0; i < used.count; i++) {
        const double value = derivation->operands[used.first + i].value;
        const char *number = number_in_arithmetic(arena, value, digits);
        text_add_format(&text, "%s%s", i > 0 ? "·" : "",
                        is_first && i == 0 ? number : in_brackets(arena, number));
    }
    if (used.count == 0)
        text_add(&text, in_brackets(arena, number_in_arithmetic(arena, term->other, digits)));
    if (used.count == 1) text_add(&text, " (bias)");
    text_add_format(&text, " = %s", number_in_arithmetic(arena, term->sum, digits));
    return text.bytes;
}
