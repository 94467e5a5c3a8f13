#ifndef ONESTEP_WALK_VIEWS_LINE_H
#define ONESTEP_WALK_VIEWS_LINE_H

// The line of a step, to be changed and run.

#include "walk/walker.h"

// Opens the line of the step on screen for editing; or says why it can't be changed.
void open_line(struct walker *walker);

#endif
