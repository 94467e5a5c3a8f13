#ifndef ONESTEP_TENSOR_FILE_CSV_H
#define ONESTEP_TENSOR_FILE_CSV_H

// Token vectors as CSV (RFC 4180), the form of --input and of data/journey.csv:
//
//     token,d1,d2,d3
//     Your,0.43,0.15,0.89
//     journey,0.55,0.87,0.66
//
// The first line names the columns, the first of them token or another word; each further line is a token and its numbers. Fields may be in
// double quotes ("" is a quote inside). Lines end in LF or CRLF, the last one may lack it; a UTF-8
// byte order mark at the start is skipped; blank lines are skipped.

#include "tensor/tensor.h"

enum {
    CSV_MAX_TOKENS = 64, // more would not fit a screen, nor a lesson
    CSV_MAX_FEATURES = 64,
    CSV_MAX_TOKEN_BYTES = 64,
    CSV_MAX_BYTES = 1 << 20,
};

// Reads `length` bytes of CSV into a FLOAT32 tensor (tokens, features) with AXIS_TOKEN (labelled
// with the tokens) and AXIS_FEATURE (labelled with the header). Numbers are read as C does, whatever the
// locale, as double rounded to float. On anything wrong (no header, no tokens, no numbers, ragged
// lines, a field that is not a finite number, a token with control characters or bad UTF-8, an empty
// token, over a limit) it fails with FAIL_INPUT and "NAME:LINE:COLUMN: what is wrong and what would
// be right"; `name` is the file's name for the message, made safe for a terminal.
struct tensor csv_read(struct arena *arena, const char *name, const char *bytes, size_t length);

// Reads the same, or numbers alone in any form of numbers_read.h, a row for each token: CSV, a print of a tensor, a .npy file.
// Then the tokens are numbered from 1, and the columns are called d1, d2, ... Fails with FAIL_INPUT and "NAME: what is wrong and
// what would be right" for a file that is neither, for numbers that are no table, not finite or too large for a float, and above
// the limits above.
struct tensor vectors_read(struct arena *arena, const char *name, const char *bytes, size_t length);

#endif
