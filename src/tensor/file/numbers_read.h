#ifndef ONESTEP_TENSOR_FILE_NUMBERS_READ_H
#define ONESTEP_TENSOR_FILE_NUMBERS_READ_H

// Reads the numbers in a file of a student's, in whatever form they were written:
//
//     tensor([[0.4300, 0.1500],       a tensor that PyTorch printed, with or without dtype, grad_fn
//             [0.5500, 0.8700]])      and device; a caption may come before it
//     [[0.43 0.15]                    an array that NumPy printed, or its repr: array([[...]])
//      [0.55 0.87]]
//     [[0.43, 0.15], [0.55, 0.87]]    a list of Python's or JSON, with NaN, "inf" and the like; or
//                                     an object of JSON with one list in it, or one "values"
//     query,Your,journey              CSV, with or without labels; also with semicolons, tabs or
//     journey,0.43,0.15               blanks, as numpy.savetxt writes it
//     \x93NUMPY...                    .npy, as numpy.save writes it
//     PK\x03\x04...                  .npz, as numpy.savez writes it, or safetensors, with one tensor in it
//     {"cells": [...], "nbformat": 4} a notebook: what one of its cells printed
//
//     [[0.43, 0.15],              what Rust, C++ and R print (printed.h)
//      [0.55, 0.87]]
//     Tensor[[2, 2], f32]
//     1.0000                      the rows of a triangle (printed.h)
//     0.5517 0.4483
//
// Before and behind a tensor, an array or a list its shape and type may stand, as in the lines that print them, and the
// prompts of a session. A page's minus and blanks (U+2212, U+00A0) are those of the keyboard.
//
// Which it is, the content says, not the name.

#include "tensor/text/numbers.h"

// Reads `length` bytes. Fails with FAIL_INPUT and "NAME:LINE:COLUMN: what is wrong" for a file that
// is none of the above, is cut (by "..." or by accident), ragged, empty, binary, or too large; a
// .npy file and what is not text have no lines, so there it is "NAME: what is wrong". Time and
// memory are proportional to `length`. A name NAME#CELL says which cell of a notebook is meant: its
// number in In [...], or its id.
struct numbers numbers_read(struct arena *arena, const char *name, const char *bytes,
                            size_t length);

#endif
