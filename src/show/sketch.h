#ifndef ONESTEP_SHOW_SKETCH_H
#define ONESTEP_SHOW_SKETCH_H

// A picture made of characters: a grid, each of whose cells knows what it is a part of. The walker copies it
// to its screen, part by part in a style; `print` writes it as lines. Everything is clipped at the edges.

#include "base/text.h"

// What a cell is a part of. The numbers mean what the picture says they do.
enum { PART_OF_NOTHING = -1 };

// A character that is two columns wide is followed by a cell whose character is 0. Combining characters are
// left out.
struct sketch_cell {
    uint32_t character; // ' ' where nothing is
    int of;             // PART_OF_NOTHING, or a number from 0
    bool is_words;      // rather than a line or a dot
};

struct sketch {
    struct arena *arena;
    int rows, columns;
    struct sketch_cell *cells; // row by row
};

struct sketch sketch_new(struct arena *arena, int rows, int columns);

// The cell at a place; NULL outside.
struct sketch_cell *sketch_at(const struct sketch *sketch, int row, int column);

// Puts one character of one column; and words, whole characters from a column on. Returns the columns used.
void sketch_put(struct sketch *sketch, int row, int column, uint32_t character, int of);
int sketch_write(struct sketch *sketch, int row, int column, const char *words, int of);

// Adds the rows as lines, without blanks at their ends.
void add_sketch(struct text *text, const struct sketch *sketch);

#endif
