#ifndef ONESTEP_TENSOR_TEXT_TABLE_H
#define ONESTEP_TENSOR_TEXT_TABLE_H

// Lines of numbers, with labels or without: CSV as `print --format csv`, pandas and spreadsheets
// write it, and numpy.savetxt's text.
//
//     query,Your,journey            the first line names columns if it ends in no number, or begins
//     Your,0.43,0.15                with nothing or the name of an axis
//     journey,0.55,0.87             columns before the first number are labels; so are those that
//                                   the first line names after an axis (batch, head, query, ...)
//
//      0.4300 0.1500            C++ and R print a tensor so, perhaps with "(1,.,.) = " before each matrix and
//      0.5500 0.8700            "0.01 *" before its numbers; the shape stands below (said.h)
//     [ CPUFloatType{2,2} ]
//
//     1.0000                    a triangle: row i has i numbers
//     0.5517 0.4483
//
// Semicolons, tabs or blanks may stand for the commas; fields may be in double quotes. Blank lines
// and lines that begin with # are skipped.

#include "tensor/text/numbers.h"
#include "tensor/text/reading.h"

// Reads to the end of the file, or to a line that begins with a bracket. The shape is (lines, numbers in a line).
struct numbers read_table(struct reading *reading);

#endif
