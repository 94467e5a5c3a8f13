#ifndef ONESTEP_APP_RUN_H
#define ONESTEP_APP_RUN_H

// The command `run`: a program in Python, with PyTorch's tensors.

#include "base/arena.h"
#include "tensor/origin.h"

// Runs the file ("-" is standard input) and writes what it prints to standard output as it goes. Returns whether it ended
// well; if not, standard error says why: FILE:LINE: Type: message, the line, and the calls that led there. `memory` is the most bytes that it may take, 0: as machine.h says; `stream` is that of dropout's masks. Fails with
// FAIL_INPUT if the file can't be read, and with FAIL_RUNTIME if the output can't be written.
bool run_program(struct arena *arena, const char *path, int64_t memory, enum bernoulli stream);

#endif
