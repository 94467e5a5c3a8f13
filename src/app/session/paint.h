#ifndef ONESTEP_APP_SESSION_PAINT_H
#define ONESTEP_APP_SESSION_PAINT_H

// A canvas written down: as text, as text with colours for a terminal (ECMA-48, of 256 or of all, as the canvas
// has), as a page, as a figure. Page and figure are light or dark as the reader's screen is; a canvas for a light
// screen keeps its light cells on both.

#include "base/text.h"
#include "walk/kit/canvas.h"

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
