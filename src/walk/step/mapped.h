#ifndef ONESTEP_WALK_STEP_MAPPED_H
#define ONESTEP_WALK_STEP_MAPPED_H

// A lesson's map on a canvas: the whole map for the map's view, or the surroundings of a step beside its
// matrices.

#include "show/map/map.h"
#include "walk/kit/cells.h" // defines: struct area
#include "walk/step/scene.h"

struct map_sight {
    const struct map *map;
    const struct sketch *sketch; // of it
    const struct scene *scene;
    int chosen; // node: it is highlighted, and in the middle if possible
};

// Draws as much as fits into an area, with arrows where the map continues. has_cursor: the cursor is put on
// the chosen node.
void draw_map(struct canvas *canvas, const struct area *area, const struct map_sight *sight,
              bool has_cursor);

// The marks of the timeline on a node: is it the step on screen, was it seen?
bool is_node_here(const struct map_sight *sight, int node);
bool was_node_seen(const struct map_sight *sight, int node);

// ---- Laid out once -------------------------------------------------------------------------------

// The map of the run on screen, kept so that each frame need not lay it out again.
struct mapped {
    struct arena memory;
    bool is_known;
    struct map map;
    struct sketch sketch;
};

// The map of a run, laid out now or before; NULL if it has too many steps to be read beside matrices.
const struct mapped *mapped_run(struct mapped *mapped, const struct run *run);

// Forgets it, when the run is freed.
void mapped_forget(struct mapped *mapped);

#endif
