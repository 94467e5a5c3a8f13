#ifndef ONESTEP_APP_HELP_H
#define ONESTEP_APP_HELP_H

// What --help prints.

#include "app/command.h"
#include "base/text.h"

// Adds the help about a command, or about the program for VERB_HELP.
void add_help(struct text *text, enum verb about);

#endif
