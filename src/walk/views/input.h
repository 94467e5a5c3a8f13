#ifndef ONESTEP_WALK_VIEWS_INPUT_H
#define ONESTEP_WALK_VIEWS_INPUT_H

// Another number in the input: typed in place where the step shows the input, else over the step, which
// stays in sight.

#include "walk/walker.h"

// Begins typing, or opens the view; says why where a lesson has no input.
void open_input(struct walker *walker);

// Takes the number for the cell under the cursor of a step that shows the input: its typed().
void type_input(struct walker *walker, void *view_state, const char *text);

#endif
