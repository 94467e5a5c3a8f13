#ifndef ONESTEP_WALK_TOUR_H
#define ONESTEP_WALK_TOUR_H

// The tour: a minute and a half in which the walker teaches its main keys: it asks for one key after another.
// The tour is no view: the key that it asks for goes to the walker as usual, and the tour checks the result.
// If another key would lead away, the tour says so in a line and keeps the key. Its words are in the first
// and the last row of the screen, where they hide no number.

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "walk/kit/canvas.h"

struct walker;

// Begins the tour, with all views closed, at the first step of the first lesson.
void tour_begin(struct walker *walker);

// Called with each key: true if the tour keeps it, because the key ends the tour or is not the one that the
// tour asked for. An offer of the tour ends.
bool tour_takes(struct walker *walker, uint32_t key);

// Called after a key was handled: goes to the next stage if it was the key that the tour asked for. After the
// last stage it goes back to where the tour began.
void tour_look(struct walker *walker);

// Adds the words of this stage, or of the offer; nothing if there is neither.
void say_tour(const struct walker *walker, struct text *text);

// Draws the tour, or the offer, over the screen of a view; nothing if there is neither.
void draw_tour(struct walker *walker, struct canvas *canvas);

#endif
