#ifndef ONESTEP_APP_SESSION_SCREEN_H
#define ONESTEP_APP_SESSION_SCREEN_H

// The command `screen`: a screen of the walker without a terminal, for a page, a slide or a test. The walker is
// pure: keys go in, a canvas comes out, the one that the terminal would show.

#include "app/command/command.h"
#include "walk/walker.h"

// Adds the screen that the command asks for. Fails with FAIL_USAGE if there is no such step or key, or if a key
// leaves the walker, and as run_lesson does.
void add_screen(struct text *text, const struct command *command);

// Writes a screen of the walker, as text, HTML or SVG, into a new file of the current folder,
// "onestep-causal-masked_scores.svg", or, as FORMAT_LINES, its lesson as a program, "onestep-causal.py", or with a number behind that where there is one already. Returns the name, in
// `arena`. Fails with FAIL_RUNTIME if it can't.
const char *save_screen(struct arena *arena, const struct canvas *canvas,
                        const struct walker *walker, enum format format);

#endif
