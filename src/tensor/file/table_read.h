#ifndef ONESTEP_TENSOR_FILE_TABLE_READ_H
#define ONESTEP_TENSOR_FILE_TABLE_READ_H

// Lines of numbers, with labels or without: CSV as `print --format csv`, pandas and spreadsheets
// write it, and numpy.savetxt's text.
//
//     query,Your,journey            the first line names columns if it ends in no number, or begins
//     Your,0.43,0.15                with nothing or the name of an axis
//     journey,0.55,0.87             columns before the first number are labels; so are those that
//                                   the first line names after an axis (batch, head, query, ...)
//
// Semicolons, tabs or blanks may stand for the commas; fields may be in double quotes. Blank lines
// and lines that begin with # are skipped.

#include "tensor/file/numbers.h"
#include "tensor/file/reading.h"

// Reads to the end of the file. The shape is (lines, numbers in a line).
struct numbers read_table(struct reading *reading);

#endif
