#include "tensor/number/sum.h"

#include <stdbool.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

enum { LEVELS = 4, LANES = 8, CASCADES = 4 };

static float in_order(struct line line) {
    float sum = 0;
    for (int64_t i = 0; i < line.count; i++) sum += number_in(line, i);
    return sum;
}

// The number of binary digits of a run's length: 4, and more where LEVELS levels would not do.
static int run_digits(int64_t count) {
    int digits = 0;
    while (((int64_t)1 << digits) < count) digits++;
    return digits / LEVELS > 4 ? digits / LEVELS : 4;
}

static float cascade(struct line line) {
    float level[LEVELS] = {0};
    const int digits = run_digits(line.count);
    const int64_t run = (int64_t)1 << digits;
    int64_t i = 0;
    while (i + run <= line.count) {
        for (const int64_t end = i + run; i < end; i++) level[0] += number_in(line, i);
        for (int j = 1; j < LEVELS; j++) {
            level[j] += level[j - 1];
            level[j - 1] = 0;
            if ((i & (run - 1) << j * digits) != 0) break; // the run of runs is not complete
        }
    }
    for (; i < line.count; i++) level[0] += number_in(line, i);
    for (int j = 1; j < LEVELS; j++) level[0] += level[j];
    return level[0];
}

static float four_cascades(struct line line) {
    const int64_t whole = line.count - line.count % CASCADES;
    float total = 0;
    for (int j = 0; j < CASCADES; j++) {
        float sum = cascade(every(part_of(line, 0, whole), CASCADES, j));
        for (int64_t i = whole; j == 0 && i < line.count; i++) sum += number_in(line, i);
        total += sum;
    }
    return total;
}

static float eight_lanes(struct line line) {
    const int64_t whole = line.count - line.count % LANES;
    float sum = 0;
    for (int64_t i = whole; i < line.count; i++) sum += number_in(line, i);
    for (int lane = 0; lane < LANES; lane++)
        sum += four_cascades(every(part_of(line, 0, whole), LANES, lane));
    return sum;
}

static float lanes_by_halves(struct line line) {
    if (line.count < LANES) return in_order(line);
    float lane[LANES];
    for (int i = 0; i < LANES; i++) lane[i] = in_order(every(line, LANES, i));
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

float sum_of(struct line line, enum sum_order order) {
    static float (*const sums[])(struct line) = {
        [IN_ORDER] = in_order,
        [CASCADE] = cascade,
        [FOUR_CASCADES] = four_cascades,
        [EIGHT_LANES] = eight_lanes,
        [LANES_BY_HALVES] = lanes_by_halves,
    };
    return sums[order](line);
}

enum sum_order sum_order(int64_t count, int64_t step, int64_t position, int64_t lines,
                         int64_t apart) {
    if (step == 1 && count >= LANES) return EIGHT_LANES;
    const bool side_by_side = apart == 1 && lines >= LANES;
    if (!side_by_side && step < apart) return FOUR_CASCADES;
    const int64_t group = side_by_side ? CASCADES * LANES : CASCADES;
    return position < lines - lines % group ? CASCADE : FOUR_CASCADES;
}
