#include "tensor/operation/terms.h"

#include "base/text.h"
#include "tensor/number/partial.h"
#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"

// ---- Two products --------------------------------------------------------------------------------

bool adds_products(const struct derivation *derivation) {
    const struct origin *origin = derivation->origin;
    if (origin->operation != &add_row && origin->operation != &subtract_row) return false;
    for (int i = 0; i < 2; i++) {
        if (origin->operands[i].storage->origin->operation != &multiply_row) return false;
    }
    return true;
}

// The cell that a number was copied from, through the operations that only move numbers.
static struct cell source_of(struct arena *arena, struct cell cell) {
    while (cell.tensor.storage->origin->operation->moves) {
        const struct derivation derivation = find_operands(arena, &cell);
        if (derivation.operand_count != 1) break;
        cell = derivation.operands[0].cell;
    }
    return cell;
}

struct cell cell_with_terms(struct arena *arena, struct cell cell) {
    const struct cell source = source_of(arena, cell);
    const struct derivation derivation = {.origin = source.tensor.storage->origin};
    return adds_products(&derivation) ? source : cell;
}

// "(-0.5766)", "cos(1.0000)"; of a number that is the negative of another one, the other one, and the sign changes.
static const char *factor_text(struct arena *arena, const struct cell *cell, int digits,
                               bool *is_negative) {
    struct cell source = source_of(arena, *cell);
    const struct operation *operation = source.tensor.storage->origin->operation;
    const bool turns = operation == &cos_row || operation == &sin_row;
    if (operation == &neg_row) *is_negative = !*is_negative;
    if (turns || operation == &neg_row) source = find_operands(arena, &source).operands[0].cell;
    const char *number = number_in_arithmetic(arena, cell_value(&source), digits);
    if (turns) return arena_format(arena, "%s(%s)", operation->name, number);
    return number[0] == '-' ? arena_format(arena, "(%s)", number) : number;
}

// A product with the sign that it gets in the sum.
static const char *product_text(struct arena *arena, const struct derivation *derivation, int i,
                                int digits, bool *is_negative) {
    const struct derivation product = find_operands(arena, &derivation->operands[i].cell);
    *is_negative = i == 1 && derivation->origin->operation == &subtract_row;
    const char *a = factor_text(arena, &product.operands[0].cell, digits, is_negative);
    const char *b = factor_text(arena, &product.operands[1].cell, digits, is_negative);
    return arena_format(arena, "%s·%s", a, b);
}

const char *products_text(struct arena *arena, const struct derivation *derivation, int digits) {
    bool is_first_negative, is_second_negative;
    const char *first = product_text(arena, derivation, 0, digits, &is_first_negative);
    const char *second = product_text(arena, derivation, 1, digits, &is_second_negative);
    return arena_format(arena, "%s%s %s %s", is_first_negative ? "-" : "", first,
                        is_second_negative ? "−" : "+", second);
}

static struct terms terms_of_products(struct arena *arena, const struct derivation *derivation) {
    struct partial *terms = arena_array(arena, 2, sizeof *terms);
    const double first = derivation->operands[0].value, second = derivation->operands[1].value;
    terms[0] = (struct partial){.pair = 0, .lane = -1, .other = first, .sum = first};
    terms[1] = (struct partial){
        .pair = 1, .lane = -1, .before = first, .other = second, .sum = derivation->value};
    return (struct terms){2, terms, "Each product is rounded before it is added."};
}

// ---- Terms ---------------------------------------------------------------------------------------

struct terms terms_of(struct arena *arena, const struct cell *cell,
                      const struct derivation *derivation) {
    const struct operation *operation = derivation->origin->operation;
    if (adds_products(derivation)) return terms_of_products(arena, derivation);
    if (operation->terms == NULL) return (struct terms){.order = ""};
    struct derivation copy = *derivation;
    const struct account account = {
        .arena = arena, .derivation = &copy, .storage = cell->tensor.storage};
    return operation->terms(&account);
}

struct term_operands operands_of_term(const struct derivation *derivation,
                                      const struct partial *term) {
    const int factors = derivation->origin->operation->factors;
    if (adds_products(derivation)) return (struct term_operands){(int)term->pair, 1};
    if (term->pair >= 0) return (struct term_operands){factors * (int)term->pair, factors};
    const int bias = derivation->operand_count % factors;
    const bool is_bias = term->pair == A_START;
    return (struct term_operands){derivation->operand_count - bias, is_bias ? bias : 0};
}

static const char *in_brackets(struct arena *arena, const char *number) {
    return number[0] == '-' ? arena_format(arena, "(%s)", number) : number;
}

// "0.1582·cos(1.0000) = 0.0855", "0.0855 − (-0.5766)·sin(1.0000) = 0.5706".
static const char *term_of_products(struct arena *arena, const struct derivation *derivation,
                                    const struct partial *term, int digits) {
    bool is_negative;
    const char *product = product_text(arena, derivation, (int)term->pair, digits, &is_negative);
    const char *sum = number_in_arithmetic(arena, term->sum, digits);
    if (term->pair == 0)
        return arena_format(arena, "%s%s = %s", is_negative ? "-" : "", product, sum);
    return arena_format(arena, "%s %s %s = %s", number_in_arithmetic(arena, term->before, digits),
                        is_negative ? "−" : "+", product, sum);
}

const char *term_text(struct arena *arena, const struct derivation *derivation,
                      const struct partial *term, int digits) {
    if (adds_products(derivation)) return term_of_products(arena, derivation, term, digits);
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
