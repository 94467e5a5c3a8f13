#ifndef ONESTEP_TENSOR_TEXT_DIGITS_H
#define ONESTEP_TENSOR_TEXT_DIGITS_H

// One number written alone: in how many digits. format.h writes all numbers of a tensor alike.

#include "base/text.h"
#include "tensor/cell.h"

// Digits after the point; or ALL_DIGITS, nine significant ones, by which any two floats differ.
enum { ALL_DIGITS = -1 };

// "1.4950", "-inf", "nan". What `digits` would round to nothing, or could not hold, has an exponent:
// "2.9802e-08".
const char *number_in_digits(struct arena *arena, double number, int digits);

// The same for arithmetic, which is to come out with the digits shown: where `digits` would leave one or two significant
// ones, there are `digits` of those: "0.001566".
const char *number_in_arithmetic(struct arena *arena, double number, int digits);

// The same with `more` decimals, unless these are zeros: "0.0158741" by one, "0.0100" by any.
const char *number_more_precise(struct arena *arena, double number, int digits, int more);

// The cell's value, written as its type asks: "1.4950", "True", "42".
const char *cell_number(struct arena *arena, const struct cell *cell, int digits);

// The fewest digits that read back as the same float or double: "0.1", not "0.10000000000000001", but "1e+01".
const char *shortest_decimal(struct arena *arena, double number, enum dtype dtype);

// The same of a double as Python's repr writes it: "10.0", "1e-05".
void text_add_float(struct text *text, double number);

// A plain decimal number and nothing else: no "nan", no "0x1p-1", no locale.
bool read_decimal(const char *text, double *number);

#endif
