#include "tensor/number/product.h"

#include <math.h>
#include <stdbool.h>

#include "tensor/number/fma.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

// sum + a[0]·b[0] + a[1]·b[1] + ..., each step fused.
static ALWAYS_INLINE float chain(float sum, struct line a, struct line b) {
    for (int64_t k = 0; k < a.count; k++) sum = fmaf(number_in(a, k), number_in(b, k), sum);
    return sum;
}

WITH_FMA static float chain_with_fma(float sum, struct line a, struct line b) {
    return chain(sum, a, b);
}

static float fused(float sum, struct line a, struct line b) {
    return has_fma() ? chain_with_fma(sum, a, b) : chain(sum, a, b);
}

// The same with every product rounded.
static ALWAYS_INLINE float unfused(float sum, struct line a, struct line b) {
    for (int64_t k = 0; k < a.count; k++) sum += number_in(a, k) * number_in(b, k);
    return sum;
}

// A block of terms, the first `turns` of them by turns to two sums.
static float fused_block(struct line a, struct line b, int64_t turns) {
    const struct line x = part_of(a, 0, turns), y = part_of(b, 0, turns);
    float sum = fused(0, every(x, 2, 0), every(y, 2, 0));
    sum = fused(sum, part_of(a, turns, a.count), part_of(b, turns, b.count));
    return turns == 0 ? sum : sum + fused(0, every(x, 2, 1), every(y, 2, 1));
}

float fused_product(struct line a, struct line b, float start, struct entry entry) {
    float sum = start;
    for (int64_t from = 0, end; from < a.count; from = end) {
        end = end_of_block(&entry, from);
        sum += fused_block(part_of(a, from, end), part_of(b, from, end),
                           terms_by_turns(&entry, end - from));
    }
    return sum;
}

float plain_product(struct line a, struct line b) {
    return unfused(0, a, b);
}

// ---- row · matrix ---------------------------------------------------------------------------------

// The chains of several columns beside each other: a step of one does not wait for the step before it, which
// it would wait for alone. They lie in one tile, so that their order is the same.
enum { SIDE = 8, FEW = 4 };

enum rounding { FUSED, ROUNDED };

static ALWAYS_INLINE void add_term(struct line row, struct line column, int64_t apart, int side,
                                   enum rounding rounding, int64_t k, float *chain) {
    const float x = number_in(row, k), *y = column.first + k * column.step;
    for (int j = 0; j < side; j++)
        chain[j] =
            rounding == FUSED ? fmaf(x, y[j * apart], chain[j]) : chain[j] + x * y[j * apart];
}

static ALWAYS_INLINE void add_some(struct line row, struct line column, int64_t apart, int side,
                                   enum rounding rounding, int64_t turns, float *sums) {
    float chain[SIDE] = {0}, other[SIDE] = {0};
    for (int64_t k = 0; k < turns; k += 2) {
        add_term(row, column, apart, side, rounding, k, chain);
        add_term(row, column, apart, side, rounding, k + 1, other);
    }
    for (int64_t k = turns; k < row.count; k++)
        add_term(row, column, apart, side, rounding, k, chain);
    for (int j = 0; j < side; j++) sums[j] += turns == 0 ? chain[j] : chain[j] + other[j];
}

// apart is said again for the compiler, which then takes neighbours as a vector.
static ALWAYS_INLINE void add_side(struct line row, struct line column, int64_t apart, int side,
                                   enum rounding rounding, int64_t turns, float *sums) {
    if (apart == 1)
        add_some(row, column, 1, side, rounding, turns, sums);
    else
        add_some(row, column, apart, side, rounding, turns, sums);
}

// From column j on; entry is that of column 0.
static ALWAYS_INLINE void add_fused_side(struct line row, struct columns columns,
                                         struct entry entry, int64_t j, int side, float *sums) {
    const struct line column = column_in(columns, j);
    entry.column += j;
    for (int64_t from = 0, end; from < row.count; from = end) {
        end = end_of_block(&entry, from);
        add_side(part_of(row, from, end), part_of(column, from, end), columns.apart, side, FUSED,
                 terms_by_turns(&entry, end - from), sums + j);
    }
}

static ALWAYS_INLINE void add_fused(struct line row, struct columns columns, struct entry entry,
                                    float *sums) {
    int64_t j = 0;
    for (; j + SIDE <= columns.count; j += SIDE) add_fused_side(row, columns, entry, j, SIDE, sums);
    for (; j + FEW <= columns.count; j += FEW) add_fused_side(row, columns, entry, j, FEW, sums);
    for (; j < columns.count; j++) add_fused_side(row, columns, entry, j, 1, sums);
}

WITH_FMA static void add_with_fma(struct line row, struct columns columns, struct entry entry,
                                  float *sums) {
    add_fused(row, columns, entry, sums);
}

void add_fused_products(struct line row, struct columns columns, struct entry entry, float *sums) {
    if (has_fma())
        add_with_fma(row, columns, entry, sums);
    else
        add_fused(row, columns, entry, sums);
}

void add_plain_products(struct line row, struct columns columns, float *sums) {
    int64_t j = 0;
    for (; j + SIDE <= columns.count; j += SIDE)
        add_side(row, column_in(columns, j), columns.apart, SIDE, ROUNDED, 0, sums + j);
    for (; j + FEW <= columns.count; j += FEW)
        add_side(row, column_in(columns, j), columns.apart, FEW, ROUNDED, 0, sums + j);
    for (; j < columns.count; j++) sums[j] += unfused(0, row, column_in(columns, j));
}

// ---- Lanes ---------------------------------------------------------------------------------------

// Four lanes, neighbours first.
static float sum_of_four(const float *lane) {
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

// ---- vector · vector: kernel/x86_64/sdot.c, sdot_microk_haswell-2.c ------------------------------

float dot_product(struct line a, struct line b) {
    const int64_t whole = a.count - a.count % 32;
    double sum = 0;
    for (int64_t k = whole; k < a.count; k++) sum += (double)(number_in(a, k) * number_in(b, k));
    if (whole == 0) return (float)sum;
    const struct line x = part_of(a, 0, whole), y = part_of(b, 0, whole);
    float quarter[4];
    for (int lane = 0; lane < 4; lane++) {
        float part[4];
        for (int j = 0; j < 4; j++) {
            const int low = 8 * j + lane, high = low + 4;
            part[j] = fused(0, every(x, 32, low), every(y, 32, low)) +
                      fused(0, every(x, 32, high), every(y, 32, high));
        }
        quarter[lane] = sum_of_four(part);
    }
    return (float)(sum + (double)sum_of_four(quarter));
}

// ---- matrix · vector: kernel/x86_64/sgemv_t_4.c --------------------------------------------------

// Number j of `step` lanes of the numbers from `from` on.
static struct line lane_of(struct line line, int64_t from, int64_t step, int64_t j) {
    return every(part_of(line, from, line.count), step, j);
}

// A row among four: eight fused lanes, of which four begin with the first count % 8 numbers.
static float row_among_four(struct line a, struct line x) {
    const int64_t first = a.count & 4;
    float lane[8] = {0};
    for (int j = 0; j < 8; j++) {
        if (j < first) lane[j] = fmaf(number_in(a, j), number_in(x, j), 0);
        lane[j] = fused(lane[j], lane_of(a, first, 8, j), lane_of(x, first, 8, j));
    }
    for (int j = 0; j < 4; j++) lane[j] += lane[j + 4];
    return sum_of_four(lane);
}

// A row among two: four lanes, not fused.
static float row_among_two(struct line a, struct line x) {
    float lane[4];
    for (int j = 0; j < 4; j++) lane[j] = unfused(0, lane_of(a, 0, 4, j), lane_of(x, 0, 4, j));
    return sum_of_four(lane);
}

// A row alone: twice four lanes, not fused, the first four beginning with the first count % 8 numbers.
static float row_alone(struct line a, struct line x) {
    const int64_t first = a.count & 4;
    float lane[4] = {0};
    for (int j = 0; j < 4; j++) {
        if (j < first) lane[j] = number_in(a, j) * number_in(x, j);
        lane[j] = unfused(lane[j], lane_of(a, first, 8, j), lane_of(x, first, 8, j));
        lane[j] += unfused(0, lane_of(a, first, 8, j + 4), lane_of(x, first, 8, j + 4));
    }
    return sum_of_four(lane);
}

float row_product(struct line a, struct line x, int64_t row, int64_t rows) {
    const int64_t whole = a.count - a.count % 4;
    const struct line lanes_a = part_of(a, 0, whole), lanes_x = part_of(x, 0, whole);
    float sum = 0;
    if (whole > 0) {
        sum += row < rows - rows % 4   ? row_among_four(lanes_a, lanes_x)
               : row < rows - rows % 2 ? row_among_two(lanes_a, lanes_x)
                                       : row_alone(lanes_a, lanes_x);
    }
    if (whole == a.count) return sum;
    const struct line rest_a = part_of(a, whole, a.count), rest_x = part_of(x, whole, x.count);
    const float first = number_in(rest_a, 0) * number_in(rest_x, 0);
    return sum + unfused(first, part_of(rest_a, 1, rest_a.count), part_of(rest_x, 1, rest_x.count));
}
