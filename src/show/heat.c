#include "show/heat.h"

#include <math.h>

const char heat_ink_light[] = "#14181d", heat_ink_dark[] = "#f4f6f8";

const struct heat_color heat_table[HEAT_COUNT] = {
    {"s0", "#f7fafa", "#1c2226", 17, 231}, {"s1", "#e6f1f1", "#1a2b31", 18, 231},
    {"s2", "#d3e8e9", "#19353d", 24, 231}, {"s3", "#bedde1", "#18404b", 30, 16},
    {"s4", "#a7d1d8", "#184b59", 35, 16},  {"s5", "#8ec4cf", "#195768", 71, 16},
    {"s6", "#75b6c5", "#1c6376", 149, 16}, {"s7", "#5da7b9", "#226f84", 226, 16},
    {"d0", "#a391d4", "#6a56a8", 53, 231}, {"d1", "#bdb0e0", "#54458a", 97, 231},
    {"d2", "#d5cdeb", "#40376a", 103, 16}, {"d3", "#e9e5f4", "#2e2a48", 189, 16},
    {"d4", "#f8f8f7", "#1f2225", 231, 16}, {"d5", "#fbeadb", "#3a2b20", 223, 16},
    {"d6", "#f7d6b8", "#54391f", 215, 16}, {"d7", "#f0bd8f", "#70471e", 130, 231},
    {"d8", "#e6a468", "#8d561d", 52, 231},
};

const struct heat_pair heat_light[SEQUENTIAL_LEVELS] = {
    {231, 16}, {195, 16}, {153, 16}, {111, 16}, {68, 16}, {25, 231}, {19, 231}, {17, 231},
};

struct heat_pair heat_pair(enum ramp ramp, int level) {
    if (ramp == RAMP_LIGHT) return heat_light[level];
    const struct heat_color *color =
        &heat_table[ramp == RAMP_DIVERGING ? SEQUENTIAL_LEVELS + level : level];
    return (struct heat_pair){color->paper, color->ink};
}

const struct heat_color *heat_of(struct arena *arena, const struct matrix *range,
                                 const struct cell *cell) {
    const double value = cell_value(cell);
    if (!isfinite(value) || is_crossed(arena, cell)) return NULL;
    const int level = level_of(range, value);
    return &heat_table[range->ramp == RAMP_DIVERGING ? SEQUENTIAL_LEVELS + level : level];
}

void add_heat_rules(struct text *text, bool is_dark) {
    for (int i = 0; i < HEAT_COUNT; i++) {
        const struct heat_color *color = &heat_table[i];
        text_add_format(text, ".%s{background:%s}\n", color->name,
                        is_dark ? color->dark : color->light);
    }
}
