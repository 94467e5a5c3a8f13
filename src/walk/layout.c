#include "walk/layout.h"

#include "walk/screen.h"

// Who gets rows in which order: each slot up to so many, all that it wants for ALL.
enum { ALL = 1000, GAP = -1 };

static const struct grant {
    int slot; // or GAP: a blank row above the blocks that like one
    int up_to;
} grants[] = {
    {SLOT_TITLE, 1},     {SLOT_KEYS, 1},     {SLOT_MATRIX, 2},  {SLOT_CELL, 1},
    {SLOT_HEADING, 1},   {SLOT_MATRIX, 4},   {SLOT_FORMULA, 1}, {SLOT_WORDS, 2},
    {SLOT_CELL, ALL},    {SLOT_FACTS, 1},    {SLOT_MATRIX, 7},  {SLOT_HEADING, ALL},
    {SLOT_WORDS, ALL},   {SLOT_FACTS, ALL},  {SLOT_SOURCE, 3},  {SLOT_TIMELINE, 1},
    {SLOT_FORMULA, ALL}, {SLOT_SOURCE, ALL}, {GAP, 4},          {SLOT_MATRIX, ALL},
};

// Returns the number of gaps.
static int share_rows(struct screen *screen) {
    int left = screen->canvas->rows, gaps = 0;
    for (size_t i = 0; i < sizeof grants / sizeof *grants; i++) {
        const struct grant *grant = &grants[i];
        struct slot *slot = grant->slot == GAP ? NULL : &screen->slots[grant->slot];
        int *rows = slot == NULL ? &gaps : &slot->rows;
        int wanted = slot == NULL || slot->wanted > grant->up_to ? grant->up_to : slot->wanted;
        if (wanted - *rows > left) wanted = *rows + left;
        if (wanted <= *rows) continue;
        left -= wanted - *rows;
        *rows = wanted;
    }
    return gaps;
}

void lay_out(struct screen *screen) {
    for (int i = 0; i < SLOT_COUNT; i++) {
        struct slot *slot = &screen->slots[i];
        if (slot->block != NULL) slot->wanted = slot->block->wants(screen, slot);
    }
    int gaps = share_rows(screen), row = 0;
    for (int i = 0; i < SLOT_COUNT; i++) {
        struct slot *slot = &screen->slots[i];
        if (slot->rows == 0) continue;
        if (slot->block->likes_gap && gaps > 0) gaps--, row++;
        slot->row = row;
        row += slot->rows;
    }
}

void draw_slots(struct screen *screen) {
    for (int has_cursor = 0; has_cursor < 2; has_cursor++) {
        for (int i = 0; i < SLOT_COUNT; i++) {
            const struct slot *slot = &screen->slots[i];
            if (slot->rows > 0 && slot->block->has_cursor == has_cursor)
                slot->block->draw(screen, slot);
        }
    }
}
