#ifndef ONESTEP_WALK_STEP_INVENTORY_H
#define ONESTEP_WALK_STEP_INVENTORY_H

// A list of parameters (lists_parameters), one line each: name, shape, and the range of the numbers. It is
// drawn at the left of the open parameter.

#include "walk/step/scene.h"

struct inventory {
    struct stop stop;
    int columns;    // of the list and the gap after it; 0: there is no list
    bool has_range; // there is room for the range too
};

// The list for the step on screen. No list if there are few parameters, or if too few columns would be left
// for a matrix.
struct inventory inventory_of(const struct canvas *canvas, const struct scene *scene);

// Draws as many lines as the area has rows, the open parameter among them.
void draw_inventory(struct canvas *canvas, struct area area, const struct scene *scene,
                    const struct inventory *inventory);

#endif
