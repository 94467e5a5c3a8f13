#ifndef ONESTEP_TENSOR_TEXT_PRINTED_H
#define ONESTEP_TENSOR_TEXT_PRINTED_H

// Numbers as programs print them. numbers_read.h says which of these readers a file is for.

#include "tensor/text/numbers.h"
#include "tensor/text/reading.h"

// ---- Brackets (brackets.c) ----------------------------------------------------------------------

// What PyTorch and NumPy print, lists of Python and JSON.
//
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

// ---- Tables (table.c) ---------------------------------------------------------------------------

// Lines of numbers, with labels or without: CSV as `print --format csv`, pandas and spreadsheets
// write it, and numpy.savetxt's text.
//
//     query,Your,journey            the first line names columns if it ends in no number, or begins
//     Your,0.43,0.15                with nothing or the name of an axis
//     journey,0.55,0.87             columns before the first number are labels; so are those that
//                                   the first line names after an axis (batch, head, query, ...)
//
//      0.4300 0.1500            C++ and R print a tensor so, perhaps with "(1,.,.) = " before each matrix and
//      0.5500 0.8700            "0.01 *" before its numbers; the shape stands below (said.c)
//     [ CPUFloatType{2,2} ]
//
//     1.0000                    a triangle: row i has i numbers
//     0.5517 0.4483
//
// Semicolons, tabs or blanks may stand for the commas; fields may be in double quotes. Blank lines
// and lines that begin with # are skipped.

// Reads to the end of the file, or to a line that begins with a bracket. The shape is (lines, numbers in a line).
struct numbers read_table(struct reading *reading);

// ---- What stands around them (said.c) -----------------------------------------------------------

// What stands around a tensor's numbers: often its shape or its type, printed by the line before or after, and the
// prompts of a session.

// Moves over lines of a session (">>> print(context)", "In [5]: context") and over what is said of the numbers
// that follow ("Context shape: (6, 2)"), as long as anything follows.
void skip_what_is_said_before(struct reading *reading);

// Moves over "torch.Size([6, 2])", "(6, 2)", "torch.float32" and the like, each with a caption or without
// ("context.shape: "), and over prompts, up to the end. So is the last line of what Rust and C++ print:
// "Tensor[[6, 2], f32]", "[ CPUFloatType{6,2} ]"; the latter gives a table its shape. One number, as "loss: 1.7565" or tensor(1.7565), becomes
// numbers->behind. Fails if a shape is not the numbers' own, or anything else is there.
void skip_what_is_said(struct reading *reading, struct numbers *numbers);

#endif
