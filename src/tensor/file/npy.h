#ifndef ONESTEP_TENSOR_FILE_NPY_H
#define ONESTEP_TENSOR_FILE_NPY_H

// NumPy's file format, version 1.0 (numpy/lib/format.py): what numpy.save writes and numpy.load reads.
//
//     \x93NUMPY  1 0  length of the header (two bytes)
//     {'descr': '<f4', 'fortran_order': False, 'shape': (6, 3), }   blanks, newline
//     the elements, row by row
//
// All is little-endian, whatever the machine, and the elements begin at a multiple of 64 bytes.

#include "base/text.h"
#include "tensor/tensor.h"

// Adds the bytes of a tensor's .npy file; the tensor may be any view. FLOAT32 becomes '<f4', BOOL '|b1',
// INT64 '<i8'. The text then holds NUL bytes: only its length says where it ends.
void npy_add(struct text *text, const struct tensor *tensor);

#endif
