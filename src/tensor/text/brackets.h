#ifndef ONESTEP_TENSOR_TEXT_BRACKETS_H
#define ONESTEP_TENSOR_TEXT_BRACKETS_H

// Numbers in brackets: what PyTorch and NumPy print, lists of Python and JSON.

#include "tensor/text/numbers.h"
#include "tensor/text/reading.h"

// Reads nested brackets, or one number without any; `form` is FORM_LIST if it is not known yet:
// numbers divided by blanks make it FORM_ARRAY. Moves behind the last bracket.
struct numbers read_brackets(struct reading *reading, enum form form);

// Reads from "tensor(" or "array(" on, with dtype=..., grad_fn=<...> and the like before its ")".
struct numbers read_call(struct reading *reading);

// Reads "Tensor { data: [[...]], shape: [6, 2], ... }", as burn prints a tensor; moves behind its end.
struct numbers read_record(struct reading *reading);

// Reads an object of JSON with one list called "values" in it, as `print --step S --format json`
// writes it, or with one list whatever its name.
struct numbers read_object(struct reading *reading);

#endif
