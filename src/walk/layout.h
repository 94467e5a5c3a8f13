#ifndef ONESTEP_WALK_LAYOUT_H
#define ONESTEP_WALK_LAYOUT_H

// How the rows of a screen are distributed. A screen is a column of slots. Each slot holds a block, which
// says how many rows it wants and draws itself in those that it gets. A table in layout.c says which slot
// gets rows first.

#include "walk/cells.h"

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
    // Rows that it would like. What it finds out for that it may leave in the slot.
    int (*wants)(struct screen *screen, struct slot *slot);
    void (*draw)(struct screen *screen, const struct slot *slot);
    // Of words, which may stand beside the matrices: the rows that all of them, or the first sentence, take in
    // so many columns. NULL: they may not.
    int (*rows_within)(const struct screen *screen, int columns, bool is_all);
    bool likes_gap;  // a blank row above it, where there is room
    bool may_be_cut; // all of it can be read elsewhere, where rows are scarce
    bool has_cursor; // drawn after the others, so that the cursor stays where it puts it
};

struct slot {
    const struct block *block; // NULL: the slot is empty
    int wanted, row, rows;
    int needed;     // how many of the rows wanted hold something that is shown nowhere else
    bool is_beside; // the words are drawn beside the matrices, in an area that these leave free
    char **lines;   // of text
    int lead;       // how many of the first lines may not be left out
};

// Rows that are kept for the words on a cell, on a screen of so many.
int cell_rows(int rows);

// Asks the blocks of all slots, from the first to the last, and gives them rows of the canvas.
void lay_out(struct screen *screen);

// Are there rows for some of the step's words, its formula or its code only? The text of the step (t) has them all.
bool leaves_words_out(const struct screen *screen);

// Draws the blocks that got rows.
void draw_slots(struct screen *screen);

#endif
