#ifndef ONESTEP_WALK_STEP_LAYOUT_H
#define ONESTEP_WALK_STEP_LAYOUT_H

// How the rows of a screen are distributed. A screen is a column of slots. Each slot holds a block, which
// says how many rows it wants, and draws itself in the rows that it gets. A table in layout.c says which slot
// gets rows first.

#include "walk/kit/cells.h"

enum slot_name {
    SLOT_TITLE,
    SLOT_TIMELINE,
    SLOT_OPENING,
    SLOT_HEADING,
    SLOT_WORDS,
    SLOT_FORMULA,
    SLOT_FACTS,
    SLOT_MATRIX,
    SLOT_CELL,
    SLOT_SOURCE,
    SLOT_KEYS,
    SLOT_COUNT,
};

struct screen;
struct slot;

struct block {
    // The number of rows that it would like. It may keep results in the slot for drawing.
    int (*wants)(struct screen *screen, struct slot *slot);
    void (*draw)(struct screen *screen, const struct slot *slot);
    // For blocks of words that may be drawn beside the matrices: the rows that all words, or the first
    // sentence, take in so many columns. NULL: the block may not be drawn there.
    int (*rows_within)(const struct screen *screen, int columns, bool is_all);
    bool likes_gap;  // gets a blank row above it if there is room
    bool may_be_cut; // may be shortened, since all of it can be read elsewhere
    bool has_cursor; // drawn after the others, so that the cursor stays where it puts it
};

struct slot {
    const struct block *block; // NULL: the slot is empty
    int wanted, row, rows;
    int needed;     // how many of the wanted rows contain something that is shown nowhere else
    bool is_beside; // the words are drawn beside the matrices, in an area that these leave free
    char **lines;   // of text
    int lead;       // how many of the first lines must be shown
    int brief;      // rows of what stands for these where there is no room for all
};

// Asks the blocks of all slots, from the first to the last, and gives them rows of the canvas.
void lay_out(struct screen *screen);

// "text" if some of the step's words or its formula were left out, "code" if only lines of code were; else NULL.
// The text of the step (t) has all of them.
const char *what_is_left_out(const struct screen *screen);

// Draws the blocks that got rows.
void draw_slots(struct screen *screen);

#endif
