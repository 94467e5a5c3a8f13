#ifndef ONESTEP_TENSOR_FILE_WIDENED_H
#define ONESTEP_TENSOR_FILE_WIDENED_H

// Numbers of a file that memory holds in another type: a bfloat16 of two bytes is a float of four. Of a large tensor they are
// made piece by piece, when somebody reads them, and only so many pieces are kept: whoever reads a piece that was dropped
// finds it made again. To read them is to read memory. Any thread may, at any time; nobody may write there.
//
// The memory cannot be read at first. Reading it raises SIGSEGV, whose handler makes the piece and goes on. On systems other than
// Linux all numbers are made at once.

#include "tensor/file/dump_read.h"

enum {
    BYTES_OF_PIECE = 1 << 18,
    MOST_PIECES = 64 // that are kept, of all tensors together: 16 MB
};

// The data of a storage whose type and count are known: the elements as its numbers. The bytes of the elements stay as long as
// the arena. Fails with FAIL_RUNTIME if there is no room.
void *widened(struct arena *arena, const struct storage *storage, struct elements elements);

// Called for any other SIGSEGV, which then ends the program: to leave the terminal as it was.
void when_memory_is_foreign(void (*restore)(void));

#endif
