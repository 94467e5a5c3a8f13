#ifndef ONESTEP_APP_COMMAND_ARGUMENTS_H
#define ONESTEP_APP_COMMAND_ARGUMENTS_H

#include "app/command/command.h"

// Reads the command line. `argv[argc]` is NULL, as in main. An --input file is read as well. All in
// `arena`. Fails with FAIL_USAGE (FAIL_INPUT for the input file) on anything wrong.
struct command read_command(struct arena *arena, int argc, char **argv);

#endif
