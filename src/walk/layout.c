#include "walk/layout.h"

#include "walk/screen.h"

// Who gets rows in which order: each slot up to so many, all that it wants for ALL, what it needs for
// NEEDED, what is kept for it at the foot for KEPT.
enum { ALL = 1000, KEPT = -1, NEEDED = -2, GAP = -1 };

static const struct grant {
    int slot; // or GAP: a blank row above the blocks that like one
    int up_to;
} grants[] = {
    {SLOT_TITLE, 1},       {SLOT_KEYS, 1},     {SLOT_MATRIX, 2},    {SLOT_CELL, 1},
    {SLOT_HEADING, 1},     {SLOT_MATRIX, 4},   {SLOT_CELL, ALL},    {SLOT_FACTS, NEEDED},
    {SLOT_SOURCE, NEEDED}, {SLOT_MATRIX, ALL}, {SLOT_SOURCE, 1},    {SLOT_CELL, KEPT},
    {SLOT_TIMELINE, 1},    {SLOT_FORMULA, 1},  {SLOT_SOURCE, KEPT}, {SLOT_OPENING, ALL},
    {SLOT_WORDS, ALL},     {SLOT_FACTS, 1},    {SLOT_FORMULA, ALL}, {SLOT_FACTS, ALL},
    {SLOT_TIMELINE, ALL},  {GAP, 4},           {SLOT_HEADING, ALL},
};

int cell_rows(int rows) {
    return rows < 20 ? 1 : rows < TALL_ROWS ? 3 : 4;
}

// Rows at the foot that are kept for what stands below the matrices, whether it needs them or not: so they
// stand still from step to step.
static int kept_rows(int slot, int rows) {
    if (slot == SLOT_CELL) return cell_rows(rows);
    if (slot == SLOT_SOURCE) return rows < 18 ? 0 : rows < 26 ? 1 : rows < TALL_ROWS ? 2 : 4;
    return 0;
}

// The rows that a slot is to have.
static int wanted_rows(const struct screen *screen, const struct grant *grant) {
    if (grant->slot == GAP) return grant->up_to;
    const struct slot *slot = &screen->slots[grant->slot];
    const int kept = slot->block == NULL ? 0 : kept_rows(grant->slot, screen->canvas->rows);
    if (grant->up_to == KEPT) return kept;
    if (grant->up_to == NEEDED) return slot->needed;
    const bool is_source =
        grant->slot == SLOT_SOURCE; // never more than is kept: it can be read elsewhere
    const int most = is_source && kept < grant->up_to ? kept : grant->up_to;
    return slot->wanted < most ? slot->wanted : most;
}

// Returns the number of gaps.
static int share_rows(struct screen *screen) {
    int left = screen->canvas->rows, gaps = 0;
    for (size_t i = 0; i < sizeof grants / sizeof *grants; i++) {
        const struct grant *grant = &grants[i];
        int *rows = grant->slot == GAP ? &gaps : &screen->slots[grant->slot].rows;
        int wanted = wanted_rows(screen, grant);
        if (wanted - *rows > left) wanted = *rows + left;
        if (wanted <= *rows) continue;
        left -= wanted - *rows;
        *rows = wanted;
    }
    return gaps;
}

// How many rows the matrices may take: prose can be cut short for them, a list cannot.
static struct composition_room room_for_matrices(const struct screen *screen) {
    enum { PROSE = 3, LEAST_MATRIX = 8 };
    const int rows = screen->canvas->rows;
    const struct slot *slots = screen->slots, *words = &slots[SLOT_WORDS];
    int left = rows - slots[SLOT_TITLE].wanted - slots[SLOT_KEYS].wanted - 1;
    const int cell = kept_rows(SLOT_CELL, rows);
    left -= slots[SLOT_CELL].wanted > cell ? slots[SLOT_CELL].wanted : cell;
    if (slots[SLOT_SOURCE].wanted > 0 && rows >= 18) left--;
    left -= slots[SLOT_FACTS].needed;
    if (slots[SLOT_SOURCE].needed > 1) left -= slots[SLOT_SOURCE].needed - 1;
    if (words->block != NULL && !words->block->may_be_cut)
        left -= words->wanted < left - LEAST_MATRIX ? words->wanted : left - LEAST_MATRIX;
    struct composition_room room = {.columns = screen->canvas->columns, .most = left};
    const bool is_prose = words->block != NULL && words->block->may_be_cut;
    if (rows >= 18) left -= slots[SLOT_TIMELINE].wanted;
    room.comfortable = left - (is_prose ? words->wanted < PROSE ? words->wanted : PROSE : 0);
    if (slots[SLOT_FORMULA].wanted > 0) room.comfortable--;
    if (slots[SLOT_FACTS].wanted > 0 && slots[SLOT_FACTS].needed == 0) room.comfortable--;
    if (rows >= TALL_ROWS) room.comfortable -= kept_rows(SLOT_SOURCE, rows);
    return room;
}

static void ask(struct screen *screen, int i) {
    struct slot *slot = &screen->slots[i];
    if (slot->block != NULL) slot->wanted = slot->block->wants(screen, slot);
}

void lay_out(struct screen *screen) {
    for (int i = 0; i < SLOT_COUNT; i++) {
        if (i != SLOT_MATRIX) ask(screen, i);
    }
    screen->room = room_for_matrices(screen);
    ask(screen, SLOT_MATRIX);
    int gaps = share_rows(screen), row = 0;
    for (int i = 0; i < SLOT_MATRIX; i++) {
        struct slot *slot = &screen->slots[i];
        if (slot->rows == 0) continue;
        if (slot->block->likes_gap && gaps > 0) gaps--, row++;
        slot->row = row;
        row += slot->rows;
    }
    int foot = screen->canvas->rows;
    for (int i = SLOT_COUNT - 1; i >= SLOT_MATRIX; i--) {
        foot -= screen->slots[i].rows;
        screen->slots[i].row = foot;
    }
}

void draw_slots(struct screen *screen) {
    for (int has_cursor = 0; has_cursor < 2; has_cursor++) {
        for (int i = 0; i < SLOT_COUNT; i++) {
            const struct slot *slot = &screen->slots[i];
            const bool is_drawn =
                slot->rows > 0 || (slot->block != NULL && slot->block->may_be_cut);
            if (is_drawn && slot->block->has_cursor == has_cursor) slot->block->draw(screen, slot);
        }
    }
}
