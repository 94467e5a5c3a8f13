#ifndef ONESTEP_TENSOR_FILE_NPY_READ_H
#define ONESTEP_TENSOR_FILE_NPY_READ_H

// NumPy's file format, as numpy.save writes it (numpy/lib/format.py), versions 1.0, 2.0 and 3.0:
//
//     \x93NUMPY 1 0   length of the header: two bytes in version 1, four later, the lowest first
//     {'descr': '<f4', 'fortran_order': False, 'shape': (6, 3), }
//     the elements, row by row, or column by column in Fortran's order

#include "tensor/text/numbers.h"
#include "tensor/text/reading.h"

// Does the file begin like that?
bool is_npy(const struct reading *reading);

// Reads float32, float64, bool and all widths of integers, in both orders and both byte orders, at
// most MAX_DIMS dimensions.
struct numbers read_npy(struct reading *reading);

#endif
