#ifndef ONESTEP_WALK_TOUR_H
#define ONESTEP_WALK_TOUR_H

// The tour: a minute and a half in which the walker asks for the keys that it teaches, one after the other.
// It is no view: the key that is asked for goes to the walker as always, and the tour looks at what came of it. A key that
// would lead elsewhere is answered with a line. It stands
// in the first and the last row of the screen, where it hides no number.

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "walk/canvas.h"

struct walker;

// Begins the tour, with all views closed, at the first step of the first lesson.
void tour_begin(struct walker *walker);

// A key comes: true if the tour keeps it, because it ends the tour or is not the one asked for. The offer, if there is one, is over.
bool tour_takes(struct walker *walker, uint32_t key);

// A key was handled: goes on to the next stage if it was the one asked for, and back to where the tour was
// begun after the last.
void tour_look(struct walker *walker);

// Adds what it says now, or the offer; nothing if there is neither.
void say_tour(const struct walker *walker, struct text *text);

// Draws it over the screen of a view, or the offer; nothing if there is neither.
void draw_tour(struct walker *walker, struct canvas *canvas);

#endif
