#ifndef ONESTEP_SHOW_HEAT_H
#define ONESTEP_SHOW_HEAT_H

// The colours of numbers: the ramps of the walker on a terminal, and the same for paper, where a larger number
// (or one further from zero) stands further out from the page: darker on white, brighter on black. On a terminal
// lightness rises from level to level, or on a light one falls.
// Every colour keeps a contrast of 4.5 or more against the text on it.

#include "base/text.h"
#include "show/matrix.h"

enum heat_count { HEAT_COUNT = SEQUENTIAL_LEVELS + DIVERGING_LEVELS };

// A colour: "s0" ... "s7" from the least number to the most, "d0" ... "d8" from the most negative over
// zero ("d4") to the most positive.
struct heat_color {
    const char *name;
    const char *light, *dark; // backgrounds, "#rrggbb"
    short paper, ink; // of a terminal with 256 colours: background and what is written on it
};
extern const struct heat_color heat_table[HEAT_COUNT];

// The colours of RAMP_LIGHT on a terminal, from the least to the most; and those of a level of any ramp (not
// RAMP_NONE).
struct heat_pair {
    short paper, ink;
};
extern const struct heat_pair heat_light[SEQUENTIAL_LEVELS];
struct heat_pair heat_pair(enum ramp ramp, int level);

// What is written on them, on any.
extern const char heat_ink_light[], heat_ink_dark[];

// The colour of a cell among those that `range` was measured for; NULL for one that is crossed out
// (masked, dropped) or is no number. `arena` is for finding out.
const struct heat_color *heat_of(struct arena *arena, const struct matrix *range,
                                 const struct cell *cell);

// Adds a rule of CSS for each colour: ".s0{background:#...}".
void add_heat_rules(struct text *text, bool is_dark);

#endif
