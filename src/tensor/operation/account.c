#include "tensor/operation/account.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tensor/operation/operation.h"

void say(struct account *account, const char *format, ...) {
    struct derivation *d = account->derivation;
    const size_t used = (size_t)d->line_count * sizeof *d->lines;
    d->lines = arena_grow(account->arena, d->lines, used, sizeof *d->lines);
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *line = arena_allocate(account->arena, (size_t)length + 1);
    vsnprintf(line, (size_t)length + 1, format, again);
    va_end(again);
    d->lines[d->line_count++] = line;
}

void end_part(struct account *account) {
    account->derivation->part_end[account->part_count++] = account->derivation->line_count;
}

const char *figure(const struct account *account, double value) {
    return number_in_arithmetic(account->arena, value, account->digits);
}

static const char *in_brackets(const struct account *account, const char *text) {
    return text[0] == '-' ? arena_format(account->arena, "(%s)", text) : text;
}

const char *bracketed(const struct account *account, double value) {
    return in_brackets(account, figure(account, value));
}

float operand_value(const struct account *account, int i) {
    return (float)account->derivation->operands[i].value;
}

const char *precise_figure(const struct account *account, int i, int more) {
    const struct operand *operand = &account->derivation->operands[i];
    if (operand->cell.tensor.storage->dtype == FLOAT32)
        return number_more_precise(account->arena, operand->value, account->digits, more);
    return cell_number(account->arena, &operand->cell, account->digits);
}

const char *operand_figure(const struct account *account, int i) {
    return precise_figure(account, i, 0);
}

const char *operand_term(const struct account *account, int i) {
    return in_brackets(account, operand_figure(account, i));
}

struct text empty_text(const struct account *account) {
    struct text text = text_new(account->arena);
    text_add(&text, "");
    return text;
}

// The element itself, in the format of its type.
static const char *figure_of_result(const struct account *account) {
    struct tensor whole = {.storage = (struct storage *)account->storage};
    whole.offset = account->derivation->flat_index;
    const struct cell cell = {.tensor = whole};
    return account->storage->dtype == FLOAT32 ? figure(account, account->derivation->value)
                                              : cell_number(account->arena, &cell, account->digits);
}

// "floor_divide(7, 2) = 3", for an operation that does not say it in its own words.
static double account_plainly(struct account *account) {
    enum { MOST_SHOWN = 8 };
    const struct derivation *d = account->derivation;
    struct text text = empty_text(account);
    for (int i = 0; i < d->operand_count && i < MOST_SHOWN; i++)
        text_add_format(&text, "%s%s", i > 0 ? ", " : "", operand_figure(account, i));
    if (d->operand_count > MOST_SHOWN) text_add(&text, ", ...");
    say(account, "%s(%s) = %s", d->operation, text.bytes, figure_of_result(account));
    return d->value;
}

static struct derivation account_for(struct arena *arena, const struct cell *cell, int digits,
                                     bool only_concludes) {
    struct derivation derivation = find_operands(arena, cell);
    struct account account = {
        .arena = arena,
        .derivation = &derivation,
        .storage = cell->tensor.storage,
        .digits = digits,
        .only_concludes = only_concludes,
    };
    const struct operation *operation = derivation.origin->operation;
    if (account.storage->count == 0) {
        say(&account, "there are no numbers");
        return derivation;
    }
    derivation.recomputed =
        operation->account != NULL ? operation->account(&account) : account_plainly(&account);
    return derivation;
}

struct derivation derive(struct arena *arena, const struct cell *cell, int digits) {
    return account_for(arena, cell, digits, false);
}

struct derivation derive_conclusion(struct arena *arena, const struct cell *cell, int digits) {
    return account_for(arena, cell, digits, true);
}
