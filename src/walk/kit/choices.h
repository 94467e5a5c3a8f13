#ifndef ONESTEP_WALK_KIT_CHOICES_H
#define ONESTEP_WALK_KIT_CHOICES_H

// A screen that is a list, one line of which is chosen.

#include "walk/kit/canvas.h"
#include "walk/kit/cells.h"

struct choice {
    const char *text;
    struct style style;
    const char *more; // beside the text where there is room; NULL: nothing
};

// Draws the lines between title and keys, the chosen one in sight and with the cursor.
void draw_choices(struct canvas *canvas, const struct choice *choices, int count, int chosen);

// Marks on the lines of an area that shows items of a list from `first` on that there are more above, and
// below.
void mark_more(struct canvas *canvas, const struct area *area, int first, int count);

#endif
