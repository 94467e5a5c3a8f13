#ifndef ONESTEP_WALK_STEP_MAP_DRAWING_H
#define ONESTEP_WALK_STEP_MAP_DRAWING_H

// A lesson's map on a canvas: the whole map for the map's view, or the surroundings of a step beside its
// matrices.

#include "show/map/map.h"
#include "show/sketch.h"
#include "walk/kit/cells.h" // defines: struct area
#include "walk/step/scene.h"

struct map_drawing {
    const struct map *map;
    const struct sketch *sketch; // of it
    const struct scene *scene;
    int chosen; // node: it is highlighted, and in the middle if possible
};

// Draws as much as fits into an area, with arrows where the map continues. has_cursor: the cursor is put on
// the chosen node.
void draw_map(struct canvas *canvas, const struct area *area, const struct map_drawing *drawing,
              bool has_cursor);

// The marks of the timeline on a node: is it the step on screen, was it seen?
bool is_node_here(const struct map_drawing *drawing, int node);
bool was_node_seen(const struct map_drawing *drawing, int node);

// ---- Laid out once -------------------------------------------------------------------------------

// The map of the run on screen, kept so that each frame need not lay it out again.
struct map_cache {
    struct arena memory;
    bool is_known;
    struct map map;
    struct sketch sketch;
};

// The map of a run, laid out now or before; NULL if it has too many steps to be read beside matrices.
const struct map_cache *cached_map(struct map_cache *map_cache, const struct run *run);

// Forgets it, when the run is freed.
void forget_map(struct map_cache *map_cache);

// ---- Any sketch ----------------------------------------------------------------------------------

// Copies the part of a sketch from (row, column) on that an area shows, in the characters of this canvas. `style_of`
// gives the style of what a cell is a part of.
void put_sketch(struct canvas *canvas, const struct area *area, const struct sketch *sketch,
                int row, int column,
                struct style (*style_of)(const void *context, const struct sketch_cell *cell),
                const void *context);

#endif
