#ifndef ONESTEP_TENSOR_OPS_ACCOUNT_H
#define ONESTEP_TENSOR_OPS_ACCOUNT_H

// The account that an operation gives of an element: its arithmetic, written down with every number on
// the way. For the rows of operations; readers want derive() of derivation.h, which asks for it.

#include "base/text.h"
#include "tensor/ops/derivation.h"

// A derivation whose operands are known and whose lines are being written.
struct account {
    struct arena *arena;
    struct derivation *derivation;
    const struct storage *storage; // that the element lies in
    int digits;
    int part_count; // that have ended
};

// Adds a line, in printf's manner.
void say(struct account *account, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The lines up to here belong to one part of what is computed of a line before its cells.
void end_part(struct account *account);

// A number as it stands, and behind a sign: "-0.5", "(-0.5)".
const char *figure(const struct account *account, double value);
const char *bracketed(const struct account *account, double value);

// The operand number i of the derivation: its value, and as text, written as its type asks: as it stands,
// and behind a sign.
float operand_value(const struct account *account, int i);
const char *operand_figure(const struct account *account, int i);
const char *operand_term(const struct account *account, int i);

// A text that is "" until something is added.
struct text empty_text(const struct account *account);

#endif
