#ifndef ONESTEP_TENSOR_FILE_BITS_H
#define ONESTEP_TENSOR_FILE_BITS_H

// The elements of binary files: numbers from their bytes, whatever the machine.

#include <stdbool.h>
#include <stddef.h> // defines: size_t
#include <stdint.h>

// Floats are those of IEEE 754 with 2, 4 or 8 bytes; a bfloat is the upper half of one with 4.
enum bits_kind { BITS_FLOAT, BITS_BFLOAT, BITS_SIGNED, BITS_UNSIGNED, BITS_TRUTH };

// The bits of `width` bytes, at most 8; the lowest comes first, or last if they are swapped.
uint64_t bits_at(const char *bytes, size_t width, bool is_swapped);

// The number that these bits are; integers beyond 2^53 are rounded.
double number_of_bits(enum bits_kind kind, size_t width, uint64_t bits);

#endif
