#ifndef ONESTEP_TENSOR_FILE_NUMERAL_H
#define ONESTEP_TENSOR_FILE_NUMERAL_H

// Numbers as they were written: one after the other is read and kept, and in the end their digits say
// how exact they are.

#include "tensor/file/numbers.h"
#include "tensor/file/reading.h"

// A number as it was written.
struct numeral {
    double value;
    int decimals;      // its last digit is worth 10^-decimals; EXACT for inf, nan, True and False
    int mantissa;      // digits behind the point, the exponent aside
    bool has_exponent; // written like 1e-3
};
enum { EXACT = 1000 };

// Takes a decimal number, inf, Infinity, nan, True or False, with a sign or without; what follows
// must not look like more of it. Returns false, and stays, if none is there. Fails for a number
// that is too long, or too large for a double.
bool take_numeral(struct reading *reading, struct numeral *numeral);

// Moves behind a decimal number: a sign or none, digits with a point among or beside them, an exponent
// or none. Returns false, and stays, if none is there.
bool skip_decimal(struct reading *reading);

// Is all of the field one numeral, blanks around it aside? Fails like take_numeral.
bool is_numeral(const struct reading *reading, struct field field);

// Numbers as they are being collected.
struct collector {
    const struct reading *reading;
    size_t count;
    struct numeral *numerals;
};

// Adds a number; `place` is where it stands. Fails beyond NUMBERS_MAX.
void collect(struct collector *collector, const struct numeral *numeral, const char *place);

// What was collected, in a shape of as many elements, with the precision that the digits speak of.
struct numbers collected(const struct collector *collector, enum form form, struct shape shape);

#endif
