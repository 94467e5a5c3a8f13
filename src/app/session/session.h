#ifndef ONESTEP_APP_SESSION_SESSION_H
#define ONESTEP_APP_SESSION_SESSION_H

// The walker in a terminal, in a page, and as screens without either. The walker is pure: keys go in, a canvas comes out.

#include "app/command/command.h"
#include "app/command/progress.h"
#include "base/text.h"
#include "walk/walker.h"

// ---- The command `walk`: lessons on the terminal, until the user leaves -------------------------

// Walks, beside a companion if there is one. Fails before it takes the terminal, or after it gave it back, never while it has it: with
// FAIL_USAGE for parameters that do not fit or a step that is not there, as terminal_open does, or with
// FAIL_RUNTIME if memory ends.
void walk_command(const struct command *command, const struct companion_source *companions,
                  struct failure *failure);

// ---- A walk from where the last one was left ----------------------------------------------------

// What the terminal and the page have in common.
struct walking {
    struct walker walker;
    struct progress progress; // as read or last written
    struct progress now;      // to be written
    struct failure unsaved;   // why it was not, if its message is not empty
};

// What a walk takes from a command, beside a companion if there is one. Its lessons, and which of them is the first, are still to be said.
struct walk_start start_of(const struct command *command,
                           const struct companion_source *companions);

// Starts the walk that the command asks for, through these lessons: without a lesson of its own, that is
// the one walked last. Fails as walker_start does, and with FAIL_USAGE if the command's lesson is none of
// these; walker_free is still to be called then.
void walking_start(struct walking *walking, const struct lesson *const *lessons, int count,
                   const struct command *command, const struct companion_source *companions,
                   struct failure *failure);

// Offers the tour, if nothing is remembered yet but can be: it is written down at once, so that the tour is
// offered only once.
void walking_offer_tour(struct walking *walking);

// Writes the place down if it is another one. What cannot be written now is tried again the next time.
void walking_remember(struct walking *walking);

// ---- The command `screen`: a screen of the walker -----------------------------------------------

// Adds the screen that the command asks for. Fails with FAIL_USAGE if there is no such step or key, or if a key
// leaves the walker, and as run_lesson does.
void add_screen(struct text *text, const struct command *command,
                const struct companion_source *companions);

// Writes a screen of the walker into a new file of the current folder: as text, HTML or SVG,
// "onestep-causal-masked_scores.svg"; as FORMAT_LINES its lesson as a program, "onestep-causal.py". Where there is one already,
// a number follows. Returns the name, in `arena`. Fails with FAIL_RUNTIME if it can't.
const char *save_screen(struct arena *arena, const struct canvas *canvas,
                        const struct walker *walker, enum format format);

// Saves the screen as a file, if the last key asked for that, and says so at the foot.
void save_if_asked(struct walking *walking, int rows, int columns, struct look look);

// ---- A canvas written down ----------------------------------------------------------------------

// As text, as text with colours for a terminal (ECMA-48, of 256 or of all, as the canvas has), as a page, as a figure. Page
// and figure are light or dark as the reader's screen is; a canvas for a light screen keeps its light cells on both.
void paint_text(struct text *text, const struct canvas *canvas);
void paint_ansi(struct text *text, const struct canvas *canvas);
void paint_html(struct text *text, const struct canvas *canvas, const char *title);

// The rows of paint_html alone, each closed by a newline; they stand in an element of the class "screen". And the
// style that they need.
void paint_spans(struct text *text, const struct canvas *canvas);
void paint_style(struct text *text);

// Several frames of one size become a figure that moves: each is seen for FRAME_SECONDS, and then they begin again. Who asked
// for less motion sees the last one.
enum { FRAME_SECONDS = 2 };
void paint_svg(struct text *text, const struct canvas *frames, int count, const char *title);

#endif
