#ifndef ONESTEP_APP_COMMAND_OUTPUT_H
#define ONESTEP_APP_COMMAND_OUTPUT_H

// Where results go, and what a command that failed says instead. A result is complete in memory before
// its first byte is written, so an error never leaves half of one behind.

#include <stdbool.h>
#include <stddef.h> // defines: size_t

#include "app/command/input.h"
#include "base/fail.h"

enum exit_status { EXIT_DONE = 0, EXIT_RUNTIME = 1, EXIT_USAGE = 2 };

// Writes everything to standard output. Fails with FAIL_RUNTIME if it can't (a full disk); a closed
// pipe is not a failure: the reader has seen enough.
void write_output(const char *bytes, size_t length, struct failure *failure);

// What goes into a file.
struct output {
    const char *path;
    const char *bytes;
    size_t length;
};

// Writes regular files: all of them beside their places first, under other names, which then take the places; a symbolic
// link stays one, and the mode stays. A file with other names or another owner is written where it is, so that they
// stay. Fails with FAIL_RUNTIME if one can't be written, as one that the user may not write; then all are as they were.
void write_files(const struct output *outputs, int count, struct failure *failure);

// The same of one file. A pipe or a device of ANY_FILE is written to as it is.
void write_file(const char *path, enum file_kind kind, const char *bytes, size_t length,
                struct failure *failure);

// Writes a file that is not there yet. Returns false if there is one of that name, which stays as it is; fails
// with FAIL_RUNTIME, and leaves nothing, if it can't be written.
bool write_new_file(const char *path, const char *bytes, size_t length, struct failure *failure);

// One line on standard error, "onestep: ..."; for wrong usage a second line that names --help.
// Returns the exit status that goes with it.
enum exit_status report(const struct failure *failure);

#endif
