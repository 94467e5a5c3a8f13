#ifndef ONESTEP_SHOW_PICTURE_DOTS_H
#define ONESTEP_SHOW_PICTURE_DOTS_H

// Points and lines finer than characters: two dots across and four down in each cell of a sketch, in braille. In
// ASCII a cell says only whether there are dots in its upper half, its lower half or both: ' . :

#include "show/sketch.h"

struct dots {
    int rows, columns;   // cells
    unsigned char *bits; // of each cell, as in Unicode's braille
};

struct dots dots_new(struct arena *arena, int rows, int columns);

// Sets a dot, x from the left and y from the top, from 0; nothing outside. And those of a line between two.
void dot_at(struct dots *dots, int x, int y);
void dots_line(struct dots *dots, int from_x, int from_y, int to_x, int to_y);

// Puts them on a sketch, wherever it is still blank, as parts of `of`.
void put_dots(struct sketch *sketch, const struct dots *dots, int of, bool ascii);

#endif
