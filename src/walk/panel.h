#ifndef ONESTEP_WALK_PANEL_H
#define ONESTEP_WALK_PANEL_H

// The settings: a line for each parameter that the lesson uses.

#include "walk/screen.h"

// The parameters that a lesson uses and that can be typed here; at most PARAMETER_COUNT.
int panel_parameters(const struct lesson *lesson, const struct parameter **parameters);

// What panel_draw wants: a line a parameter and two that explain.
int panel_rows(const struct scene *scene);

void draw_panel(struct canvas *canvas, const struct scene *scene, struct area area);

// The value before (by -1) or after (by 1) of a parameter, as text; NULL if there is none.
const char *panel_neighbour(struct arena *arena, const struct run *run,
                            const struct parameter *parameter, int by);

#endif
