#include "walk/step/screen.h"

// Rows are granted in the order of this table. A grant raises a slot to a number of rows, or to one of these: ALL that it wants;
// what is NEEDED; what is KEPT for it at the foot; the words before the numbers (FIRST_WORDS). Tall screens also grant
// ONE_IF_TALL and KEPT_IF_TALL; other screens grant WHOLE_CODE: all lines of the code, or no further row.
enum {
    ALL = 1000,
    KEPT = -1,
    NEEDED = -2,
    FIRST_WORDS = -3,
    ONE_IF_TALL = -4,
    KEPT_IF_TALL = -5,
    WHOLE_CODE = -6
};
enum { GAP = -1 };

// The order of importance on every screen: the title, the explanation and the formula; the numbers and what they were computed
// from; the arithmetic of a number; the code; where we are in the lesson; the shape and what else is true of the numbers.
// The first rows keep a small screen useful. On a tall one the foot is kept before the numbers get theirs, so that they
// stand still from step to step.
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
    {SLOT_WORDS, FIRST_WORDS},
    {SLOT_SOURCE, 1},
    {SLOT_TIMELINE, ONE_IF_TALL},
    {SLOT_SOURCE, KEPT_IF_TALL},
    {SLOT_CELL, KEPT_IF_TALL},
    {SLOT_MATRIX, ALL},   // which is asked now: what is left is its room
    {SLOT_WORDS, NEEDED}, // what a small matrix gave back
    {SLOT_FORMULA, ALL},
    {SLOT_WORDS, FIRST_WORDS},
    {SLOT_TIMELINE, 1},
    {SLOT_OPENING, ALL},
    {SLOT_WORDS, ALL},
    {SLOT_SOURCE, KEPT},
    {SLOT_CELL, KEPT},
    {SLOT_FACTS, ALL},
    {SLOT_TIMELINE, ALL},
    {SLOT_SOURCE, WHOLE_CODE},
    {GAP, 4},
};

// Rows that are kept for the code. A step with less code leaves them to the words on a cell.
static int source_rows(int rows) {
    return rows < 18 ? 0 : rows < 26 ? 1 : rows < TALL_ROWS ? 2 : 4;
}

// The foot has a fixed number of rows for the code and the words on a cell, so that matrices stand still. The code gets what it
// wants of them, the words on a cell the rest.
static int rows_at_foot(const struct screen *screen, int name) {
    const int rows = screen->canvas->rows;
    const struct slot *slots = screen->slots, *slot = &slots[name];
    const int cell_rows = rows < 20 ? 1 : rows < TALL_ROWS ? 3 : 4;
    const int foot = cell_rows + (slots[SLOT_SOURCE].block != NULL ? source_rows(rows) : 0);
    if (slot->block == NULL) return 0;
    if (name == SLOT_CELL) return foot - slots[SLOT_SOURCE].rows;
    const int most = foot - slots[SLOT_CELL].rows;
    if (slot->lead > most)
        return slot->brief <= most + 1 ? slot->brief : 1; // a row more is worth it
    return slot->wanted < most ? slot->wanted : most;
}

static bool has_prose(const struct screen *screen) {
    const struct block *words = screen->slots[SLOT_WORDS].block;
    return words != NULL && words->rows_within != NULL;
}

// The rows of the words that come before the numbers: all; on a small screen those of the first sentence.
static int first_words(const struct screen *screen) {
    enum { SMALL = 20 };
    const struct slot *words = &screen->slots[SLOT_WORDS];
    return screen->canvas->rows < SMALL && has_prose(screen) ? words->needed : words->wanted;
}

// The rows that a slot is to have.
static int wanted_rows(const struct screen *screen, const struct grant *grant) {
    if (grant->slot == GAP) return grant->up_to;
    const struct slot *slot = &screen->slots[grant->slot];
    const int rows = screen->canvas->rows, up_to = grant->up_to;
    const bool is_for_tall = up_to == ONE_IF_TALL || up_to == KEPT_IF_TALL;
    if (slot->is_beside || (is_for_tall && rows < TALL_ROWS)) return 0;
    if (up_to == NEEDED) return slot->needed;
    if (grant->slot == SLOT_SOURCE && source_rows(rows) == 0) return 0;
    if (up_to == KEPT || up_to == KEPT_IF_TALL) return rows_at_foot(screen, grant->slot);
    if (up_to == FIRST_WORDS) return first_words(screen);
    if (up_to == WHOLE_CODE) return rows < TALL_ROWS ? slot->lead : 0;
    const int most = up_to == ONE_IF_TALL ? 1 : up_to;
    return slot->wanted < most ? slot->wanted : most;
}

static void ask(struct screen *screen, int i) {
    struct slot *slot = &screen->slots[i];
    if (slot->block == NULL) return;
    slot->wanted = slot->block->wants(screen, slot);
    if (i == SLOT_CELL && slot->needed < slot->wanted) slot->needed = slot->wanted;
}

// Moves the words beside the picture if they leave too few rows for its operands, and if the picture with operands leaves an area
// that holds all words. Returns the rows that this frees.
static int put_words_beside(struct screen *screen) {
    struct slot *words = &screen->slots[SLOT_WORDS], *matrix = &screen->slots[SLOT_MATRIX];
    bool has_operands = false;
    for (int i = 0; i < screen->matrices.count; i++)
        has_operands |= screen->matrices.panels[i].step == NULL;
    if (!has_prose(screen) || has_operands || screen->derivation.operand_count == 0) return 0;
    const struct matrices without = screen->matrices;
    const int rows = matrix->wanted, freed = words->rows;
    screen->matrices = (struct matrices){0};
    screen->room.most += freed;
    ask(screen, SLOT_MATRIX);
    const struct area free_area = free_area_of(screen);
    words->is_beside = free_area.rows > 0 &&
                       words->block->rows_within(screen, free_area.columns) <= free_area.rows;
    if (words->is_beside) {
        words->rows = 0;
        return freed;
    }
    screen->room.most -= freed;
    screen->matrices = without;
    matrix->wanted = rows;
    return 0;
}

// Asks the matrices how many of `most` rows they want. A comfortable number leaves rows to the words, to the timeline, and on a
// tall screen to the facts. Returns the rows that were freed.
static int ask_matrices(struct screen *screen, int most) {
    enum { MORE_WORDS = 2, LEAST_FOR_TIMELINE = 18 };
    const struct slot *slots = screen->slots;
    const int rows = screen->canvas->rows;
    const int more = slots[SLOT_WORDS].wanted - first_words(screen);
    screen->room.most = most;
    screen->room.comfortable = most - (more < MORE_WORDS ? more : MORE_WORDS) -
                               (rows < LEAST_FOR_TIMELINE ? 0 : slots[SLOT_TIMELINE].wanted) -
                               (rows < TALL_ROWS ? 0 : slots[SLOT_FACTS].wanted);
    ask(screen, SLOT_MATRIX);
    return put_words_beside(screen);
}

// Returns the number of gaps.
static int share_rows(struct screen *screen) {
    int left = screen->canvas->rows, gaps = 0;
    for (size_t i = 0; i < sizeof grants / sizeof *grants; i++) {
        const struct grant *grant = &grants[i];
        const bool is_asked = grant->slot == SLOT_MATRIX && grant->up_to == ALL;
        int *rows = grant->slot == GAP ? &gaps : &screen->slots[grant->slot].rows;
        if (is_asked) left += ask_matrices(screen, *rows + left);
        int wanted = wanted_rows(screen, grant);
        if (wanted - *rows > left) wanted = grant->up_to == WHOLE_CODE ? *rows : *rows + left;
        if (wanted <= *rows && !is_asked) continue; // the matrices give back what they don't want
        left -= wanted - *rows;
        *rows = wanted;
    }
    return gaps;
}

void lay_out(struct screen *screen) {
    for (int i = 0; i < SLOT_COUNT; i++) {
        if (i != SLOT_MATRIX) ask(screen, i);
    }
    screen->slots[SLOT_MATRIX].wanted = ALL; // until it is asked
    if (screen->failure != NULL) ask(screen, SLOT_MATRIX);
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
    const struct area free_area = free_area_of(screen);
    const bool cuts_words =
        words->is_beside ? words->block->rows_within(screen, free_area.columns) > free_area.rows
                         : words->rows < words->wanted;
    if ((has_prose(screen) && cuts_words) || slots[SLOT_FORMULA].rows < slots[SLOT_FORMULA].wanted)
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
