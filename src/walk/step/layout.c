#include "walk/step/layout.h"

#include "walk/step/screen.h"

// Who gets rows in which order: each slot up to so many, all that it wants for ALL, what it needs for
// NEEDED, what is kept for it at the foot for KEPT; for KEPT_IF_TALL the same on tall screens only; for
// ALL_IF_ROOM all that it wants, if the screen has room for an explanation and a matrix.
enum { ALL = 1000, KEPT = -1, NEEDED = -2, KEPT_IF_TALL = -3, ALL_IF_ROOM = -4, GAP = -1 };

// The order of importance on every screen: the title, the explanation and the formula; the numbers and
// what they were computed from; the arithmetic of a number; the code; where we are in the lesson; the shape
// and what else is true of the numbers. The first rows keep a small screen useful.
static const struct grant {
    int slot; // or GAP: a blank row above the blocks that like one
    int up_to;
} grants[] = {
    {SLOT_TITLE, 1},
    {SLOT_KEYS, 1},
    {SLOT_MATRIX, 2},
    {SLOT_CELL, 1},
    {SLOT_HEADING, 1},
    {SLOT_MATRIX, 4},
    {SLOT_CELL, NEEDED},
    {SLOT_FACTS, NEEDED},
    {SLOT_MATRIX, NEEDED},
    {SLOT_SOURCE, NEEDED},
    {SLOT_HEADING, ALL},
    {SLOT_WORDS, NEEDED},
    {SLOT_FORMULA, ALL},
    {SLOT_WORDS, ALL_IF_ROOM},
    {SLOT_MATRIX, ALL},
    {SLOT_SOURCE, 1},
    {SLOT_TIMELINE, 1},
    {SLOT_SOURCE, KEPT_IF_TALL},
    {SLOT_CELL, KEPT_IF_TALL},
    {SLOT_OPENING, ALL},
    {SLOT_WORDS, ALL},
    {SLOT_SOURCE, KEPT},
    {SLOT_CELL, KEPT},
    {SLOT_FACTS, ALL},
    {SLOT_TIMELINE, ALL},
    {GAP, 4},
};

// Rows reserved for the words about a cell, on a screen of `rows` rows.
static int cell_rows(int rows) {
    return rows < 20 ? 1 : rows < TALL_ROWS ? 3 : 4;
}

// Rows that are kept for the code: a step with less of it leaves them to the words on a cell.
static int source_rows(int rows) {
    return rows < 18 ? 0 : rows < 26 ? 1 : rows < TALL_ROWS ? 2 : 4;
}

// Rows at the foot that are kept for what stands below the matrices, whether it needs them or not: so the
// matrices stand still from step to step.
static int foot_rows(const struct screen *screen) {
    const int rows = screen->canvas->rows;
    const bool has_source = screen->slots[SLOT_SOURCE].block != NULL;
    return cell_rows(rows) + (has_source ? source_rows(rows) : 0);
}

// Of the foot, what the code may have, and what is left to the words on a cell.
static int rows_at_foot(const struct screen *screen, enum slot_name name) {
    const struct slot *slots = screen->slots, *slot = &slots[name];
    if (slot->block == NULL) return 0;
    if (name == SLOT_CELL) return foot_rows(screen) - slots[SLOT_SOURCE].rows;
    const int most = foot_rows(screen) - slots[SLOT_CELL].rows;
    if (slot->lead > most)
        return slot->brief <= most + 1 ? slot->brief : 1; // a row more is worth it
    return slot->wanted < most ? slot->wanted : most;
}

// The rows of the explanation that come before the numbers: all, but on a small screen the first sentence.
static int first_words(const struct screen *screen) {
    enum { SMALL = 20 };
    const struct slot *words = &screen->slots[SLOT_WORDS];
    return screen->canvas->rows < SMALL ? words->needed : words->wanted;
}

// The rows that a slot is to have.
static int wanted_rows(const struct screen *screen, const struct grant *grant) {
    if (grant->slot == GAP) return grant->up_to;
    const struct slot *slot = &screen->slots[grant->slot];
    if (slot->is_beside) return 0;
    if (grant->up_to == KEPT_IF_TALL && screen->canvas->rows < TALL_ROWS) return 0;
    if (grant->up_to == KEPT || grant->up_to == KEPT_IF_TALL)
        return rows_at_foot(screen, (enum slot_name)grant->slot);
    if (grant->up_to == NEEDED) return slot->needed;
    if (grant->up_to == ALL_IF_ROOM) return first_words(screen);
    if (grant->slot == SLOT_SOURCE && source_rows(screen->canvas->rows) == 0) return 0;
    return slot->wanted < grant->up_to ? slot->wanted : grant->up_to;
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

// How many rows the matrices may take: the explanation and the formula keep theirs, as long as a few are
// left for the numbers; comfortably, so does the timeline. A list gives none.
static struct composition_room room_for_matrices(const struct screen *screen) {
    enum { MORE_WORDS = 2, LEAST_MATRIX = 4 }; // as the table above grants before the words
    const int rows = screen->canvas->rows;
    const struct slot *slots = screen->slots, *words = &slots[SLOT_WORDS];
    const bool is_prose = words->block != NULL && words->block->may_be_cut;
    int left =
        rows - slots[SLOT_TITLE].wanted - slots[SLOT_KEYS].wanted - slots[SLOT_HEADING].wanted;
    const int foot = rows < TALL_ROWS ? 0 : foot_rows(screen);
    const int code = slots[SLOT_SOURCE].needed > 0 ? slots[SLOT_SOURCE].needed : 1;
    const int below = slots[SLOT_CELL].needed +
                      (slots[SLOT_SOURCE].wanted > 0 && source_rows(rows) > 0 ? code : 0);
    left -= slots[SLOT_FACTS].needed + (below > foot ? below : foot);
    const int first = is_prose ? first_words(screen) + slots[SLOT_FORMULA].wanted : words->wanted;
    if (left > LEAST_MATRIX) left -= first < left - LEAST_MATRIX ? first : left - LEAST_MATRIX;
    if (rows >= TALL_ROWS) left--; // a row of the timeline
    struct composition_room room = {.columns = screen->canvas->columns - screen->inventory.columns,
                                    .most = left};
    const int more = is_prose ? words->wanted - first_words(screen) : 0;
    left -= more < MORE_WORDS ? more : MORE_WORDS;
    if (rows >= 18) left -= slots[SLOT_TIMELINE].wanted;
    if (rows >= TALL_ROWS) left -= slots[SLOT_FACTS].wanted;
    room.comfortable = left;
    return room;
}

static void ask(struct screen *screen, int i) {
    struct slot *slot = &screen->slots[i];
    if (slot->block == NULL) return;
    slot->wanted = slot->block->wants(screen, slot);
    if (i == SLOT_CELL && slot->needed < slot->wanted) slot->needed = slot->wanted;
}

static bool has_operands(const struct matrices *matrices) {
    for (int i = 0; i < matrices->count; i++) {
        if (matrices->panels[i].step == NULL) return true;
    }
    return false;
}

// Where the words leave too few rows for the operands, and a picture with operands leaves a place beside it
// that holds them all, they stand there.
static void put_words_beside(struct screen *screen) {
    struct slot *words = &screen->slots[SLOT_WORDS], *matrix = &screen->slots[SLOT_MATRIX];
    const bool is_prose = words->block != NULL && words->block->rows_within != NULL;
    if (!is_prose || has_operands(&screen->matrices) || screen->derivation.operand_count == 0)
        return;
    const struct matrices without = screen->matrices;
    const int rows = matrix->wanted;
    screen->matrices = (struct matrices){0};
    screen->room.most += first_words(screen);
    ask(screen, SLOT_MATRIX);
    screen->room.most -= first_words(screen);
    const struct area free_area = free_area_of(screen);
    words->is_beside = free_area.rows > 0 &&
                       words->block->rows_within(screen, free_area.columns, true) <= free_area.rows;
    if (words->is_beside) return;
    screen->matrices = without;
    matrix->wanted = rows;
}

void lay_out(struct screen *screen) {
    for (int i = 0; i < SLOT_COUNT; i++) {
        if (i != SLOT_MATRIX) ask(screen, i);
    }
    screen->room = room_for_matrices(screen);
    ask(screen, SLOT_MATRIX);
    put_words_beside(screen);
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

const char *what_is_left_out(const struct screen *screen) {
    const struct slot *slots = screen->slots, *words = &slots[SLOT_WORDS];
    const bool is_prose = words->block != NULL && words->block->rows_within != NULL;
    const struct area free_area = free_area_of(screen);
    const bool cuts_words = words->is_beside ? words->block->rows_within(screen, free_area.columns,
                                                                         true) > free_area.rows
                                             : words->rows < words->wanted;
    if ((is_prose && cuts_words) || slots[SLOT_FORMULA].rows < slots[SLOT_FORMULA].wanted)
        return "text";
    return slots[SLOT_SOURCE].rows < slots[SLOT_SOURCE].lead ? "code" : NULL;
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
