#ifndef ONESTEP_APP_SCREEN_PAINT_H
#define ONESTEP_APP_SCREEN_PAINT_H

// A canvas written down: as text, as text with colours for a terminal (ECMA-48, 256 colours), as a page, as a
// figure. The colours of the numbers are the terminal's; all else is light or dark as the reader's screen is.

#include "base/text.h"
#include "walk/canvas.h"

void paint_text(struct text *text, const struct canvas *canvas);
void paint_ansi(struct text *text, const struct canvas *canvas);
void paint_html(struct text *text, const struct canvas *canvas, const char *title);

// The rows of paint_html alone, each closed by a newline; they stand in an element of the class "screen". And the
// style that they need.
void paint_spans(struct text *text, const struct canvas *canvas);
void paint_style(struct text *text);

void paint_svg(struct text *text, const struct canvas *canvas, const char *title);

#endif
