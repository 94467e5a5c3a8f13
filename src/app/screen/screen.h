#ifndef ONESTEP_APP_SCREEN_SCREEN_H
#define ONESTEP_APP_SCREEN_SCREEN_H

// The command `screen`: a screen of the walker without a terminal, for a page, a slide or a test. The walker is
// pure: keys go in, a canvas comes out, the one that the terminal would show.

#include "app/command.h"

// Adds the screen that the command asks for. Fails with FAIL_USAGE if there is no such step or key, or if a key
// leaves the walker, and as run_lesson does.
void add_screen(struct text *text, const struct command *command);

#endif
