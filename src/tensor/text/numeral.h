#ifndef ONESTEP_TENSOR_TEXT_NUMERAL_H
#define ONESTEP_TENSOR_TEXT_NUMERAL_H

// One number read from a file.

#include "tensor/text/reading.h"

// A number as it was written.
struct numeral {
    double value;
    int decimals;      // its last digit is worth 10^-decimals; EXACT for inf, nan, True and False
    int mantissa;      // digits after the point, without the exponent
    bool has_exponent; // written like 1e-3
};
enum { EXACT = 1000 };

// Takes a decimal number, inf, Infinity, nan, True or False, with or without a sign; what follows must not
// look like part of it. Returns false, and does not move, if there is none. Fails for a number that is too
// long, or too large for a double.
bool take_numeral(struct reading *reading, struct numeral *numeral);

// Moves past a decimal number: an optional sign, digits with an optional point, an optional exponent. Returns
// false, and does not move, if there is none.
bool skip_decimal(struct reading *reading);

// Is the whole field one numeral, apart from blanks around it? If so, it is *numeral, which may be NULL. Fails like take_numeral.
bool is_numeral(const struct reading *reading, struct field field, struct numeral *numeral);

#endif
