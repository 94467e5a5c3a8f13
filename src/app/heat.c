#include "app/heat.h"

#include <math.h>

const char heat_ink_light[] = "#14181d", heat_ink_dark[] = "#f4f6f8";

const struct heat_color heat_table[HEAT_COUNT] = {
    {"s0", "#f7fafa", "#1c2226"}, {"s1", "#e6f1f1", "#1a2b31"}, {"s2", "#d3e8e9", "#19353d"},
    {"s3", "#bedde1", "#18404b"}, {"s4", "#a7d1d8", "#184b59"}, {"s5", "#8ec4cf", "#195768"},
    {"s6", "#75b6c5", "#1c6376"}, {"s7", "#5da7b9", "#226f84"}, {"d0", "#a391d4", "#6a56a8"},
    {"d1", "#bdb0e0", "#54458a"}, {"d2", "#d5cdeb", "#40376a"}, {"d3", "#e9e5f4", "#2e2a48"},
    {"d4", "#f8f8f7", "#1f2225"}, {"d5", "#fbeadb", "#3a2b20"}, {"d6", "#f7d6b8", "#54391f"},
    {"d7", "#f0bd8f", "#70471e"}, {"d8", "#e6a468", "#8d561d"},
};

// Numbers that differ by less than this part of their size print alike, so they look alike: rows that add
// up to 1 do it but for their last bits.
static const double EVEN = 1e-5;

static const struct heat_color *diverging(const struct matrix *range, double value) {
    const double size = fmax(fabs(range->least), fabs(range->most));
    const long level = size > 0 ? lround(4 * value / size) : 0;
    return &heat_table[SEQUENTIAL_LEVELS + 4 + level];
}

static const struct heat_color *sequential(const struct matrix *range, double value) {
    const double width = range->most - range->least;
    const bool is_even = !(width > EVEN * fmax(fabs(range->least), fabs(range->most)));
    if (is_even) return &heat_table[range->most > 0 ? SEQUENTIAL_LEVELS / 2 : 0];
    return &heat_table[lround((SEQUENTIAL_LEVELS - 1) * ((value - range->least) / width))];
}

const struct heat_color *heat_of(const struct matrix *range, double value) {
    if (!isfinite(value) || is_crossed(range, value)) return NULL;
    return range->ramp == RAMP_DIVERGING ? diverging(range, value) : sequential(range, value);
}

void add_heat_rules(struct text *text, bool is_dark) {
    for (int i = 0; i < HEAT_COUNT; i++) {
        const struct heat_color *color = &heat_table[i];
        text_add_format(text, ".%s{background:%s}\n", color->name,
                        is_dark ? color->dark : color->light);
    }
}
