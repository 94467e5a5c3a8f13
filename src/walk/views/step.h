#ifndef ONESTEP_WALK_VIEWS_STEP_H
#define ONESTEP_WALK_VIEWS_STEP_H

// What a step shown whole and one seen from inside have in common.

#include "walk/walker.h"

void press_on_step(struct walker *walker, void *view_state, const struct pressed *pressed);
void draw_step(struct walker *walker, void *view_state, struct canvas *canvas);

void typed_on_step(struct walker *walker, void *view_state, const char *text);

// To the first step of a lesson, counted from 0; says so if there is none.
void change_lesson(struct walker *walker, int lesson);

// Into the step: row by row, and from there cell by cell.
void step_into(struct walker *walker);

// Puts the cell cursor where the mouse points, if that is on the matrix of a step: of this one, if the
// walk is bound to it, or of one beside it, which is gone to.
void click_cell(struct walker *walker, const struct press *press, bool is_bound);

#endif
