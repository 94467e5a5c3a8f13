#ifndef ONESTEP_SHOW_HEAT_H
#define ONESTEP_SHOW_HEAT_H

// The colours of numbers, on a terminal, on a page and on paper. A larger number (or one further from zero)
// stands further out from the page: it is darker on a light page and brighter on a dark one. tests/show/test_heat.c
// holds the table to this, also as three kinds of colour-blind people see it:
//   - The contrast between a cell and the text on it is at least 4.5.
//   - Lightness rises or falls from level to level; in a diverging ramp on both sides of zero.
//   - The colours of two levels differ, also those of a negative and a positive number of the same size.

#include "base/text.h"
#include "show/matrix.h"

enum heat_count { HEAT_COUNT = SEQUENTIAL_LEVELS + DIVERGING_LEVELS };

// A colour as "#rrggbb", and the one of a terminal's 256 that stands for it where there are no others: as near as the
// rules above let it be. Its number is 16 or more, since users change the first 16.
struct heat_tone {
    const char *rgb;
    short nearest;
};

// A background: "s0" ... "s7" from the least number to the most, "d0" ... "d8" from the most negative over
// zero ("d4") to the most positive.
struct heat_color {
    const char *name;
    struct heat_tone light, dark; // on a light page and on a dark one
};
extern const struct heat_color heat_table[HEAT_COUNT];

// What is written on all of them, "#rrggbb".
extern const char heat_ink_light[], heat_ink_dark[];

// "#rrggbb" as a number.
int rgb_number(const char *rgb);

// Levels of a ramp (not RAMP_NONE), and the colours of one of them.
int heat_levels(enum ramp ramp);
struct heat_pair {
    struct heat_tone paper, ink;
};
struct heat_pair heat_pair(enum ramp ramp, int level);

// The colour of a cell among those that `range` was measured for; NULL for one that is crossed out
// (masked, dropped) or is no number. `arena` is for finding out.
const struct heat_color *heat_of(struct arena *arena, const struct matrix *range,
                                 const struct cell *cell);

// Adds a rule of CSS for each colour: ".s0{background:#...}".
void add_heat_rules(struct text *text, bool is_dark);

// Adds the same as custom properties, "--s0:#...;", and the ink, "--heat-ink:#...;". And a level's colours as values
// of CSS: these properties, or for a ramp of a light screen, the colours themselves.
void add_heat_properties(struct text *text, bool is_dark);
struct heat_words {
    const char *paper, *ink;
};
struct heat_words heat_words(struct arena *arena, enum ramp ramp, int level);

#endif
