#ifndef ONESTEP_APP_OUTPUT_H
#define ONESTEP_APP_OUTPUT_H

// Where results go. A result is complete in memory before its first byte is written, so an error
// never leaves half of one behind. Call these inside an attempt(): they need memory for their messages.

#include <stdbool.h>
#include <stddef.h>

#include "base/fail.h"

enum exit_status { EXIT_DONE = 0, EXIT_RUNTIME = 1, EXIT_USAGE = 2 };

// Writes everything to standard output. Returns false, with the reason in `failure`, if that fails
// (a full disk); a closed pipe is not a failure: the reader has seen enough.
bool write_output(const char *bytes, size_t length, struct failure *failure);

// Writes a file: beside it first, under another name, which then takes its place; a symbolic link stays
// one. Returns false, with the reason in `failure`, and leaves what was there, if anything fails.
bool write_file(const char *path, const char *bytes, size_t length, struct failure *failure);

// One line on standard error, "onestep: ..."; for wrong usage a second line that names --help.
// Returns the exit status that goes with it.
int report(const struct failure *failure);

#endif
