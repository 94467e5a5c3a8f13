#ifndef ONESTEP_APP_COMMAND_AGREEMENT_H
#define ONESTEP_APP_COMMAND_AGREEMENT_H

// What must go together on a command line, and what can't.

#include "app/command/reader.h"

// Fails with FAIL_USAGE where options contradict each other, or where one is missing that another, or the
// command, needs. All of the line has been read.
void check_command(const struct reader *reader);

#endif
