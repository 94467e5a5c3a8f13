#ifndef ONESTEP_TENSOR_FILE_JSON_READ_H
#define ONESTEP_TENSOR_FILE_JSON_READ_H

// JSON (RFC 8259), read piece by piece, as far as notebooks and safetensors need it. Each function moves behind what it
// read, and fails with FAIL_INPUT if something else is there.

#include "base/text.h"
#include "tensor/text/reading.h"

// The next byte that is no blank, which stays; NUL at the end.
char json_next(struct reading *json);

// Takes this byte.
void json_take(struct reading *json, char byte);

// A string without its quotes and escapes: adds it to a text, or returns it.
void json_add_text(struct reading *json, struct text *text);
const char *json_string(struct reading *json);

// Moves over any value.
void json_skip(struct reading *json);

// What comes next in an object or a list that was opened: returns false at its end. In an object, *name is the member's,
// and its value comes next.
bool json_item(struct reading *json, char end, const char **name);

#endif
