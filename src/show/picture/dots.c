#include "show/picture/dots.h"

#include <stdlib.h>

struct dots dots_new(struct arena *arena, int rows, int columns) {
    if (rows < 0) rows = 0;
    if (columns < 0) columns = 0;
    return (struct dots){rows, columns, arena_array(arena, (size_t)rows, (size_t)columns)};
}

void dot_at(struct dots *dots, int x, int y) {
    // bit of a dot, by row and column within its cell
    static const unsigned char bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (x < 0 || x >= 2 * dots->columns || y < 0 || y >= 4 * dots->rows) return;
    dots->bits[y / 4 * dots->columns + x / 2] |= bit[y % 4][x % 2];
}

static int rounded(int numerator, int denominator) {
    return (2 * numerator + (numerator < 0 ? -denominator : denominator)) / (2 * denominator);
}

void dots_line(struct dots *dots, int from_x, int from_y, int to_x, int to_y) {
    const int across = to_x - from_x, down = to_y - from_y;
    const int count = abs(across) > abs(down) ? abs(across) : abs(down);
    for (int i = 0; i <= count; i++) {
        dot_at(dots, from_x + (count > 0 ? rounded(i * across, count) : 0),
               from_y + (count > 0 ? rounded(i * down, count) : 0));
    }
}

static uint32_t character_of(unsigned char bits, bool ascii) {
    const bool is_high = (bits & (0x01 | 0x08 | 0x02 | 0x10)) != 0;
    const bool is_low = (bits & (0x04 | 0x20 | 0x40 | 0x80)) != 0;
    if (!ascii) return 0x2800u + bits;
    return is_high && is_low ? ':' : is_high ? '\'' : '.';
}

void put_dots(struct sketch *sketch, const struct dots *dots, int of, bool ascii) {
    for (int row = 0; row < dots->rows; row++) {
        for (int column = 0; column < dots->columns; column++) {
            const unsigned char bits = dots->bits[row * dots->columns + column];
            const struct sketch_cell *cell = sketch_at(sketch, row, column);
            if (bits == 0 || cell == NULL || cell->character != ' ') continue;
            sketch_put(sketch, row, column, character_of(bits, ascii), of);
        }
    }
}
