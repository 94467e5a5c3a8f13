#ifndef ONESTEP_TENSOR_OPERATION_ACCOUNT_H
#define ONESTEP_TENSOR_OPERATION_ACCOUNT_H

// Writes the arithmetic of an element with every intermediate number. For the rows of operations; other code
// calls derive() of derivation.h, which calls the row.

#include "base/text.h"
#include "tensor/operation/derivation.h"

// A derivation whose operands are known and whose lines are being added.
struct account {
    struct arena *arena;
    struct derivation *derivation;
    const struct storage *storage; // that contains the element
    int digits;
    bool only_concludes; // lines before the last need not be said
    int part_count;      // that have ended
};

// Adds a line, in printf's manner.
void say(struct account *account, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Ends a part: the lines since the previous part belong to one value that is computed before the cells of a
// line, such as a softmax's maximum.
void end_part(struct account *account);

// A number alone, and after an operator: "-0.5", "(-0.5)".
const char *figure(const struct account *account, double value);
const char *bracketed(const struct account *account, double value);

// The operand number i of the derivation: its value, and its text in the format of its type: alone, and after
// an operator.
float operand_value(const struct account *account, int i);
const char *operand_figure(const struct account *account, int i);
const char *operand_term(const struct account *account, int i);

// operand_figure with `more` decimals (number_more_precise in cell.h).
const char *precise_figure(const struct account *account, int i, int more);

// A text that is "" until something is added.
struct text empty_text(const struct account *account);

#endif
