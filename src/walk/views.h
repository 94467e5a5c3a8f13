#ifndef ONESTEP_WALK_VIEWS_H
#define ONESTEP_WALK_VIEWS_H

// All views, and what reaches them: a key that is pressed, a frame that is to be drawn.

#include "walk/walker.h"

// In the order of the help.
extern const struct walk_view *const view_table[];
extern const int view_count;

// Handles a key on a screen of so many rows. Afterwards walker->state.has_quit tells whether to go on.
void walker_press(struct walker *walker, struct press press, int rows);

// Draws a frame on the canvas.
void walker_draw(struct walker *walker, struct canvas *canvas);

#endif
