#ifndef ONESTEP_APP_JSON_H
#define ONESTEP_APP_JSON_H

// Pieces of JSON (RFC 8259).

#include "base/text.h"
#include "tensor/tensor.h"

// A string in quotes, escaped; NULL becomes null. The string is UTF-8.
void json_add_string(struct text *text, const char *string);

// The elements of a tensor as nested lists: floats with nine significant digits, so that reading them
// back gives the same bits; "inf", "-inf" and "nan" as strings; bools as true and false.
void json_add_values(struct text *text, const struct tensor *tensor);

// A list of `count` integers.
void json_add_integers(struct text *text, const int64_t *integers, int count);

#endif
