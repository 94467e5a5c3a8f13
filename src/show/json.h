#ifndef ONESTEP_SHOW_JSON_H
#define ONESTEP_SHOW_JSON_H

// Pieces of JSON (RFC 8259).

#include "base/text.h"
#include "tensor/tensor.h"

// A string in quotes, escaped; NULL becomes null. The string is UTF-8.
void json_add_string(struct text *text, const char *string);

// A number with nine significant digits, so that reading it back gives the same float; "inf", "-inf"
// and "nan" as strings.
void json_add_number(struct text *text, double value);

// The elements of a tensor as nested lists: floats as above; bools as true and false.
void json_add_values(struct text *text, const struct tensor *tensor);

// A list of `count` integers.
void json_add_integers(struct text *text, const int64_t *integers, int count);

#endif
