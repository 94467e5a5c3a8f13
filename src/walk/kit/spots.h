#ifndef ONESTEP_WALK_KIT_SPOTS_H
#define ONESTEP_WALK_KIT_SPOTS_H

// What of a frame can be clicked beside its numbers, and what a click there is as good as. Whoever draws something notes
// its spot in the same breath; the walker keeps those of the last frame.

#include "walk/kit/canvas.h"
#include "walk/kit/cells.h"

enum spot_kind {
    SPOT_KEY,  // pressing this key
    SPOT_LINE, // choosing this line of the view, as its own struct counts them (walk_view.chosen_at)
    SPOT_STEP, // going to this step, from 0
};

struct spot {
    int row, column, columns;
    enum spot_kind kind;
    int number;
};

enum { MOST_SPOTS = 256 };

struct spots {
    int count;
    struct spot all[MOST_SPOTS];
};

// Notes the row of a line: a click chooses the line, or presses Enter if it is the chosen one.
void put_line_spot(struct canvas *canvas, const struct area *row, int line, bool is_chosen);

// Notes a spot of one row. Nothing where the canvas has no list of them, or a full one.
void put_spot(struct canvas *canvas, struct spot spot);

// The spot at a place, the last one noted; NULL if there is none.
const struct spot *spot_at(const struct spots *spots, int row, int column);

#endif
