#include "tensor/number/partial.h"

#include <math.h>
#include <stdbool.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

static struct partials none_yet(struct arena *arena, struct line a, struct line b) {
    return (struct partials){.arena = arena, .a = a, .b = b};
}

static void note(struct partials *p, struct partial partial) {
    const size_t used = (size_t)p->count * sizeof *p->all;
    p->all = arena_grow(p->arena, p->all, used, sizeof *p->all);
    p->all[p->count++] = partial;
}

// What is noted last is the whole sum: it has begun with 0, so it is no -0.
static struct partials ended(struct partials p, double sum) {
    if (p.count > 0) p.all[p.count - 1].sum = sum;
    return p;
}

enum rounding { FUSED, ROUNDED };

static float add_pair(struct partials *p, int64_t k, int64_t lane, float before,
                      enum rounding rounding) {
    const float x = number_in(p->a, k), y = number_in(p->b, k);
    const float product = x * y;
    const float sum = rounding == FUSED ? fmaf(x, y, before) : before + product;
    note(p, (struct partial){k, lane, (double)before, 0, (double)sum});
    return sum;
}

// The pairs from `from` to `to` - 1, every `step`-th, added to a lane's sum.
static float add_pairs(struct partials *p, int64_t from, int64_t to, int64_t step, int64_t lane,
                       float sum, enum rounding rounding) {
    for (int64_t k = from; k < to; k += step) sum = add_pair(p, k, lane, sum, rounding);
    return sum;
}

static void note_sum(struct partials *p, int64_t kind, float a, float b) {
    note(p, (struct partial){kind, -1, (double)a, (double)b, (double)(a + b)});
}

static float add_sums(struct partials *p, float a, float b) {
    note_sum(p, A_SUM, a, b);
    return a + b;
}

// A block of terms (tile.h); its second sum, if it has one, lies in the next lane.
static float add_block(struct partials *p, int64_t from, int64_t end, int64_t turns, int64_t lane) {
    float sum = add_pairs(p, from, from + turns, 2, lane, 0, FUSED);
    sum = add_pairs(p, from + turns, end, 1, lane, sum, FUSED);
    if (turns == 0) return sum;
    return add_sums(p, sum, add_pairs(p, from + 1, from + turns, 2, lane + 1, 0, FUSED));
}

struct partials partials_of_fused(struct arena *arena, struct line a, struct line b,
                                  const float *start, struct entry entry) {
    struct partials p = none_yet(arena, a, b);
    float sum = start != NULL ? *start : 0;
    for (int64_t from = 0, end, lane = 0; from < a.count; from = end, lane += 2) {
        end = end_of_block(&entry, from);
        const int64_t turns = terms_by_turns(&entry, end - from);
        const bool is_alone = turns == 0 && end - from == a.count;
        const float block = add_block(&p, from, end, turns, is_alone ? -1 : lane);
        if (from > 0) add_sums(&p, sum, block);
        if (from == 0 && start != NULL) note_sum(&p, A_START, block, *start);
        sum += block;
    }
    return ended(p, (double)sum);
}

struct partials partials_of_plain(struct arena *arena, struct line a, struct line b) {
    struct partials p = none_yet(arena, a, b);
    const float sum = add_pairs(&p, 0, a.count, 1, -1, 0, ROUNDED);
    return ended(p, (double)(0 + sum));
}

// Four sums, neighbours first.
static float add_four(struct partials *p, const float *lane) {
    const float low = add_sums(p, lane[0], lane[1]), high = add_sums(p, lane[2], lane[3]);
    return add_sums(p, low, high);
}

// ---- vector · vector -----------------------------------------------------------------------------

static float add_lanes_of_dot(struct partials *p, int64_t whole) {
    float quarter[4];
    for (int lane = 0; lane < 4; lane++) {
        float part[4];
        for (int j = 0; j < 4; j++) {
            const int low = 8 * j + lane, high = low + 4;
            const float a = add_pairs(p, low, whole, 32, low, 0, FUSED);
            const float b = add_pairs(p, high, whole, 32, high, 0, FUSED);
            part[j] = add_sums(p, a, b);
        }
        quarter[lane] = add_four(p, part);
    }
    return add_four(p, quarter);
}

struct partials partials_of_dot(struct arena *arena, struct line a, struct line b) {
    struct partials p = none_yet(arena, a, b);
    const int64_t whole = a.count - a.count % 32;
    double sum = 0;
    for (int64_t k = whole; k < a.count; k++) {
        const float product = number_in(a, k) * number_in(b, k);
        const double before = sum;
        sum += (double)product;
        note(&p, (struct partial){k, -1, before, 0, sum});
    }
    if (whole == 0) return ended(p, (double)(float)sum);
    const double lanes = (double)add_lanes_of_dot(&p, whole);
    if (whole < a.count) note(&p, (struct partial){A_SUM, -1, sum, lanes, 0});
    return ended(p, (double)(float)(sum + lanes));
}

// ---- matrix · vector -----------------------------------------------------------------------------

// The first `first` pairs begin the first lanes; behind them come groups of eight.
static float add_row_among_four(struct partials *p, int64_t whole) {
    const int64_t first = whole & 4;
    float lane[8] = {0};
    for (int j = 0; j < 8; j++) {
        if (j < first) lane[j] = add_pair(p, j, j, 0, FUSED);
        lane[j] = add_pairs(p, first + j, whole, 8, j, lane[j], FUSED);
    }
    for (int j = 0; j < 4; j++) {
        if (whole > 4)
            lane[j] = add_sums(p, lane[j], lane[j + 4]);
        else
            lane[j] += lane[j + 4];
    }
    return add_four(p, lane);
}

static float add_row_among_two(struct partials *p, int64_t whole) {
    float lane[4];
    for (int j = 0; j < 4; j++) lane[j] = add_pairs(p, j, whole, 4, j, 0, ROUNDED);
    return add_four(p, lane);
}

static float add_row_alone(struct partials *p, int64_t whole) {
    const int64_t first = whole & 4;
    float lane[4] = {0};
    for (int j = 0; j < 4; j++) {
        if (j < first) lane[j] = add_pair(p, j, j, 0, ROUNDED);
        lane[j] = add_pairs(p, first + j, whole, 8, j, lane[j], ROUNDED);
        if (first + j + 4 >= whole) continue;
        const float other = add_pairs(p, first + j + 4, whole, 8, j + 4, 0, ROUNDED);
        lane[j] = add_sums(p, lane[j], other);
    }
    return add_four(p, lane);
}

struct partials partials_of_row(struct arena *arena, struct line a, struct line x, int64_t row,
                                int64_t rows) {
    struct partials p = none_yet(arena, a, x);
    const int64_t whole = a.count - a.count % 4;
    float sum = 0;
    if (whole > 0)
        sum += row < rows - rows % 4   ? add_row_among_four(&p, whole)
               : row < rows - rows % 2 ? add_row_among_two(&p, whole)
                                       : add_row_alone(&p, whole);
    if (whole == a.count) return ended(p, (double)sum);
    const float rest = add_pairs(&p, whole, a.count, 1, whole > 0 ? whole : -1, 0, ROUNDED);
    if (whole == 0) return ended(p, (double)(sum + rest));
    add_sums(&p, sum, rest);
    return ended(p, (double)(sum + rest));
}
