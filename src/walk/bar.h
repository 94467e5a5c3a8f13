#ifndef ONESTEP_WALK_BAR_H
#define ONESTEP_WALK_BAR_H

// The first and the last line of every screen.

#include "walk/action.h"
#include "walk/canvas.h"

// The line at the head: `left`, and `right` at its end.
void draw_title(struct canvas *canvas, const char *left, const char *right);

// The line of keys at the foot: as many as fit, help and the way out always.
void draw_key_bar(struct canvas *canvas, enum view_bit view);

// The same, with an action that helps here for certain, and without one that does nothing here.
void draw_key_bar_here(struct canvas *canvas, enum view_bit view, enum action helps,
                       enum action does_nothing);

#endif
