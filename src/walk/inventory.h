#ifndef ONESTEP_WALK_INVENTORY_H
#define ONESTEP_WALK_INVENTORY_H

// Many parameters in a row (lists_parameters) as a list, one line each: name, shape, and between which numbers theirs
// lie. It stands at the left of the parameter that is open.

#include "walk/scene.h"

struct inventory {
    struct stop stop;
    int columns;    // of the list and the gap behind it; 0: there is no list
    bool has_range; // the columns suffice for all that a line may say
};

// The list for the step on screen. None where its parameters are few, or where too few columns are left for a matrix.
struct inventory inventory_of(const struct canvas *canvas, const struct scene *scene);

// Draws as many lines as the area has rows, the open parameter among them.
void draw_inventory(struct canvas *canvas, struct area area, const struct scene *scene,
                    const struct inventory *inventory);

#endif
