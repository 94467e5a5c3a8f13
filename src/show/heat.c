#include "show/heat.h"

#include <math.h>
#include <stdlib.h>

const char heat_ink_light[] = "#14181d", heat_ink_dark[] = "#f4f6f8";

const struct heat_color heat_table[HEAT_COUNT] = {
    {"s0", {"#f7fafa", 231}, {"#1c2226", 234}}, {"s1", {"#e6f1f1", 255}, {"#1a2b31", 235}},
    {"s2", {"#d3e8e9", 254}, {"#19353d", 236}}, {"s3", {"#bedde1", 188}, {"#18404b", 237}},
    {"s4", {"#a7d1d8", 152}, {"#184b59", 238}}, {"s5", {"#8ec4cf", 116}, {"#195768", 239}},
    {"s6", {"#75b6c5", 74}, {"#1c6376", 23}},   {"s7", {"#5da7b9", 67}, {"#226f84", 24}},
    {"d0", {"#a391d4", 104}, {"#6a56a8", 97}},  {"d1", {"#bdb0e0", 146}, {"#54458a", 61}},
    {"d2", {"#d5cdeb", 189}, {"#40376a", 60}},  {"d3", {"#e9e5f4", 254}, {"#2e2a48", 235}},
    {"d4", {"#f8f8f7", 231}, {"#1f2225", 234}}, {"d5", {"#fbeadb", 255}, {"#3a2b20", 236}},
    {"d6", {"#f7d6b8", 223}, {"#54391f", 237}}, {"d7", {"#f0bd8f", 180}, {"#70471e", 94}},
    {"d8", {"#e6a468", 173}, {"#8d561d", 130}},
};

int rgb_number(const char *rgb) {
    return (int)strtol(rgb + 1, NULL, 16);
}

static bool is_diverging(enum ramp ramp) {
    return ramp == RAMP_DIVERGING || ramp == RAMP_DIVERGING_LIGHT;
}

static bool is_light(enum ramp ramp) {
    return ramp == RAMP_SEQUENTIAL_LIGHT || ramp == RAMP_DIVERGING_LIGHT;
}

int heat_levels(enum ramp ramp) {
    return is_diverging(ramp) ? DIVERGING_LEVELS : SEQUENTIAL_LEVELS;
}

static const struct heat_color *color_at(enum ramp ramp, int level) {
    return &heat_table[is_diverging(ramp) ? SEQUENTIAL_LEVELS + level : level];
}

struct heat_pair heat_pair(enum ramp ramp, int level) {
    enum { BLACK = 16, WHITE = 231 };
    const struct heat_color *color = color_at(ramp, level);
    return is_light(ramp) ? (struct heat_pair){color->light, {heat_ink_light, BLACK}}
                          : (struct heat_pair){color->dark, {heat_ink_dark, WHITE}};
}

const struct heat_color *heat_of(struct arena *arena, const struct matrix *range,
                                 const struct cell *cell) {
    const double value = cell_value(cell);
    if (!isfinite(value) || crossing_of(arena, cell) != NOT_CROSSED) return NULL;
    return color_at(range->ramp, level_of(range, value));
}

void add_heat_rules(struct text *text, bool is_dark) {
    for (int i = 0; i < HEAT_COUNT; i++) {
        const struct heat_color *color = &heat_table[i];
        text_add_format(text, ".%s{background:%s}\n", color->name,
                        is_dark ? color->dark.rgb : color->light.rgb);
    }
}

void add_heat_properties(struct text *text, bool is_dark) {
    text_add_format(text, "--heat-ink:%s;", is_dark ? heat_ink_dark : heat_ink_light);
    for (int i = 0; i < HEAT_COUNT; i++) {
        const struct heat_color *color = &heat_table[i];
        text_add_format(text, "--%s:%s;", color->name,
                        is_dark ? color->dark.rgb : color->light.rgb);
    }
}

struct heat_words heat_words(struct arena *arena, enum ramp ramp, int level) {
    const struct heat_pair pair = heat_pair(ramp, level);
    if (is_light(ramp)) return (struct heat_words){pair.paper.rgb, pair.ink.rgb};
    const char *paper = arena_format(arena, "var(--%s)", color_at(ramp, level)->name);
    return (struct heat_words){paper, "var(--heat-ink)"};
}
