#include "show/sketch.h"

struct sketch sketch_new(struct arena *arena, int rows, int columns) {
    struct sketch sketch = {arena, rows > 0 ? rows : 0, columns > 0 ? columns : 0, NULL};
    const size_t count = (size_t)sketch.rows * (size_t)sketch.columns;
    sketch.cells = arena_array(arena, count, sizeof *sketch.cells);
    for (size_t i = 0; i < count; i++)
        sketch.cells[i] = (struct sketch_cell){' ', PART_OF_NOTHING, false};
    return sketch;
}

struct sketch_cell *sketch_at(const struct sketch *sketch, int row, int column) {
    if (row < 0 || row >= sketch->rows || column < 0 || column >= sketch->columns) return NULL;
    return &sketch->cells[row * sketch->columns + column];
}

// Half of a wide character makes no sense: what is left of one becomes a blank.
static void set_cell(struct sketch *sketch, int row, int column, struct sketch_cell cell) {
    struct sketch_cell *here = sketch_at(sketch, row, column);
    if (here == NULL) return;
    struct sketch_cell *before = sketch_at(sketch, row, column - 1);
    struct sketch_cell *after = sketch_at(sketch, row, column + 1);
    if (here->character == 0 && cell.character != 0 && before != NULL) before->character = ' ';
    if (after != NULL && after->character == 0) after->character = ' ';
    *here = cell;
}

void sketch_put(struct sketch *sketch, int row, int column, uint32_t character, int of) {
    set_cell(sketch, row, column, (struct sketch_cell){character, of, false});
}

int sketch_write(struct sketch *sketch, int row, int column, const char *words, int of) {
    int used = 0;
    while (*words != '\0') {
        const uint32_t character = utf8_next(&words);
        const int width = character_width(character);
        if (width <= 0) continue;
        const bool is_cut = width == 2 && column + used + 1 >= sketch->columns;
        set_cell(sketch, row, column + used,
                 (struct sketch_cell){is_cut ? ' ' : character, of, true});
        if (width == 2) set_cell(sketch, row, column + used + 1, (struct sketch_cell){0, of, true});
        used += width;
    }
    return used;
}

static const struct sketch_cell *row_of(const struct sketch *sketch, int row) {
    return sketch->cells + (size_t)row * (size_t)sketch->columns;
}

static int last_column(const struct sketch *sketch, int row) {
    int column = sketch->columns - 1;
    while (column >= 0 && row_of(sketch, row)[column].character == ' ') column--;
    return column;
}

void add_sketch(struct text *text, const struct sketch *sketch) {
    for (int row = 0; row < sketch->rows; row++) {
        const int last = last_column(sketch, row);
        for (int column = 0; column <= last; column++) {
            char bytes[5];
            const uint32_t character = row_of(sketch, row)[column].character;
            if (character != 0) text_add_bytes(text, bytes, utf8_encode(character, bytes));
        }
        text_add(text, "\n");
    }
}
