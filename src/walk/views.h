#ifndef ONESTEP_WALK_VIEWS_H
#define ONESTEP_WALK_VIEWS_H

// All views, in the order of the help. What reaches them is in views.c as well: walker_press and
// walker_draw (walker.h).

#include "walk/walker.h"

extern const struct walk_view *const view_table[];
extern const int view_count;

#endif
