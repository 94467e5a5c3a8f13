#ifndef ONESTEP_TENSOR_TEXT_NUMBERS_H
#define ONESTEP_TENSOR_TEXT_NUMBERS_H

// The numbers in a file of a student's, and how exact they are, which their digits say. numbers_read.h reads them, one by
// one.

#include "tensor/tensor.h"

enum form { FORM_TENSOR, FORM_ARRAY, FORM_LIST, FORM_TABLE, FORM_NPY, FORM_SAFETENSORS };

enum {
    NUMBERS_MAX = 1 << 20,       // in a file; twice the largest step
    NUMBERS_MAX_BYTES = 1 << 25, // of a file
};

struct numbers {
    enum form form;
    struct shape shape; // of a table: (rows, columns), whatever the tensor was
    double *values;     // row by row

    // How far each number may lie from what was meant: half a unit of its last digit. NULL if they
    // are exact, as in a .npy file. Numbers without a point are exact too, unless others have one.
    double *half_units;
    int decimals;       // most digits behind a point, -1 if the numbers are exact
    bool is_scientific; // those digits belong to numbers like 1.2346e-05
    bool is_triangle;   // row i of the file has i numbers; the others are 0 in `values`
    const char *dtype;  // of binary files, as NumPy calls it ("float32"); else NULL
    const struct numbers
        *behind; // a number printed behind the tensor, such as a loss; NULL if there is none
};

// "a PyTorch tensor", "a NumPy array", "a list", "a table", "a .npy file", "a safetensors file".
const char *form_text(enum form form);

// Numbers as they are being collected, for the readers (numeral.h).
struct reading;
struct numeral;
struct collector {
    const struct reading *reading;
    size_t count;
    struct numeral *numerals;
};

// Adds a number that was read at the byte `at`. Fails beyond NUMBERS_MAX.
void collect(struct collector *collector, const struct numeral *numeral, const char *at);

// The collected numbers in a shape of as many elements, with the precision that their digits show.
struct numbers collected(const struct collector *collector, enum form form, struct shape shape);

#endif
