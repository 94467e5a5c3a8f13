#include "tensor/number/product.h"

#include <math.h>    // defines: fmaf
#include <stdbool.h> // defines: bool

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

static float at(struct vector x, size_t i) {
    return x.data[(ptrdiff_t)i * x.stride];
}

static struct vector row_of(const struct matrix *a, size_t i) {
    return (struct vector){a->data + (ptrdiff_t)i * a->row_stride, a->columns, a->column_stride};
}

static struct vector column_of(const struct matrix *a, size_t j) {
    return (struct vector){a->data + (ptrdiff_t)j * a->column_stride, a->rows, a->row_stride};
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

// sum + x[from] y[from] + x[from + step] y[from + step] + ... up to `to`, each step fused.
static float fused(float sum, struct vector x, struct vector y, size_t from, size_t to,
                   size_t step) {
    for (size_t i = from; i < to; i += step) sum = fmaf(at(x, i), at(y, i), sum);
    return sum;
}

// The same with every product rounded.
static float unfused(float sum, struct vector x, struct vector y, size_t from, size_t to,
                     size_t step) {
    for (size_t i = from; i < to; i += step) sum += at(x, i) * at(y, i);
    return sum;
}

// Four lanes, neighbours first.
static float sum_of_four(const float *lane) {
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

// --- vector · vector: kernel/x86_64/sdot.c, sdot_microk_haswell-2.c ---

float dot_product(struct vector x, struct vector y) {
    size_t n = x.size, i = 0;
    double sum = 0;
    if (x.stride != 1 || y.stride != 1) {
        for (; i + 2 <= n; i += 2) sum += at(x, i) * at(y, i) + at(x, i + 1) * at(y, i + 1);
        if (i < n) sum += at(x, i) * at(y, i);
        return (float)sum;
    }
    size_t lanes = n - n % 32;
    for (i = lanes; i < n; i++) sum += x.data[i] * y.data[i];
    float quarter[4] = {0};
    for (size_t lane = 0; lanes > 0 && lane < 4; lane++) {
        float part[4];
        for (size_t j = 0; j < 4; j++)
            part[j] = fused(0, x, y, 8 * j + lane, lanes, 32) +
                      fused(0, x, y, 8 * j + lane + 4, lanes, 32);
        quarter[lane] = sum_of_four(part);
    }
    return (float)(sum + sum_of_four(quarter));
}

// --- matrix · vector: kernel/x86_64/sgemv_t_4.c and sgemv_n_4.c ---

enum { BLOCK = 4096 }; // the numbers that are taken at a time

// A row among four: eight fused lanes, of which four begin with the first n % 8 numbers.
static float row_among_four(struct vector a, struct vector x, size_t from, size_t to) {
    size_t first = from + ((to - from) & 4);
    float lane[8];
    for (size_t j = 0; j < 8; j++)
        lane[j] = fused(j < 4 ? fused(0, a, x, from + j, first, 4) : 0, a, x, first + j, to, 8);
    for (size_t j = 0; j < 4; j++) lane[j] += lane[j + 4];
    return sum_of_four(lane);
}

// A row among two: four lanes, not fused.
static float row_among_two(struct vector a, struct vector x, size_t from, size_t to) {
    float lane[4];
    for (size_t j = 0; j < 4; j++) lane[j] = unfused(0, a, x, from + j, to, 4);
    return sum_of_four(lane);
}

// A row alone: twice four lanes, not fused, the second four beginning behind the first n % 8.
static float row_alone(struct vector a, struct vector x, size_t from, size_t to) {
    size_t first = from + ((to - from) & 4);
    float lane[4];
    for (size_t j = 0; j < 4; j++) {
        float even = unfused(unfused(0, a, x, from + j, first, 4), a, x, first + j, to, 8);
        lane[j] = even + unfused(0, a, x, first + 4 + j, to, 8);
    }
    return sum_of_four(lane);
}

// y = a x where a's rows lie in memory number by number.
static void rows_times_vector(const struct matrix *a, struct vector x, float *y) {
    size_t fours = a->rows - a->rows % 4, twos = a->rows - a->rows % 2;
    size_t n = a->columns, whole = n - n % 4;
    for (size_t i = 0; i < a->rows; i++) {
        struct vector row = row_of(a, i);
        float sum = 0;
        for (size_t from = 0; from < whole; from += BLOCK) {
            size_t to = smaller(from + BLOCK, whole);
            sum += i < fours  ? row_among_four(row, x, from, to)
                   : i < twos ? row_among_two(row, x, from, to)
                              : row_alone(row, x, from, to);
        }
        if (n > whole) sum += unfused(at(row, whole) * at(x, whole), row, x, whole + 1, n, 1);
        y[i] = sum;
    }
}

// Adds numbers from ... from + count of row · x to a sum: in one fused chain, or in two by turns.
static float add_columns(float sum, struct vector a, struct vector x, size_t from, size_t count,
                         bool one_chain) {
    if (one_chain) return sum + fused(0, a, x, from, from + count, 1);
    float even = fused(0, a, x, from, from + count, 2);
    return sum + (even + fused(0, a, x, from + 1, from + count, 2));
}

// A row in a group of four, eight or sixteen rows.
static float row_in_group(struct vector a, struct vector x, bool one_chain) {
    size_t n = a.size, i = 0, step = x.stride == 1 ? 8 : 4;
    float sum = 0;
    for (; i + step <= n; i += step) sum = add_columns(sum, a, x, i, step, one_chain);
    for (; i + 4 <= n; i += 4) sum = add_columns(sum, a, x, i, 4, one_chain);
    return unfused(sum, a, x, i, n, 1);
}

// A row of a matrix of one, two or three rows and nothing between its columns: products are added
// up four (one row) or two at a time before they are added to the sum, as far as there are four.
static float row_of_few(struct vector a, struct vector x, size_t rows) {
    size_t fours = a.size - a.size % 4, step = rows == 1 ? 4 : 2;
    float sum = 0;
    for (size_t i = 0; i < fours; i += step)
        sum += unfused(at(a, i) * at(x, i), a, x, i + 1, i + step, 1);
    return unfused(sum, a, x, fours, a.size, 1);
}

// y = a x where a's columns lie in memory number by number.
static void columns_times_vector(const struct matrix *a, struct vector x, float *y) {
    size_t whole = a->rows - a->rows % 4;
    bool few = a->rows < 4 && a->column_stride == (ptrdiff_t)a->rows && x.stride == 1;
    for (size_t i = 0; i < a->rows; i++) {
        struct vector row = row_of(a, i);
        size_t first = i - i % BLOCK, rest = (smaller(first + BLOCK, whole) - first) % 16;
        if (i < whole) {
            y[i] = row_in_group(row, x, i - first >= rest);
        } else if (few) {
            y[i] = 0.0f + row_of_few(row, x, a->rows);
        } else {
            y[i] = 0.0f + unfused(0, row, x, 0, row.size, 1);
        }
    }
}

void matrix_vector_product(const struct matrix *a, struct vector x, float *y) {
    struct matrix m = *a;
    bool by_columns = m.row_stride == 1 && (m.columns == 1 || m.column_stride >= (ptrdiff_t)m.rows);
    if (by_columns) {
        if (m.columns == 1) m.column_stride = (ptrdiff_t)m.rows;
        columns_times_vector(&m, x, y);
    } else {
        rows_times_vector(&m, x, y);
    }
}

// --- matrix · matrix: driver/level3/level3.c, kernel/x86_64/sgemm_kernel_8x4_haswell_2.c ---

enum { DEPTH = 320, HEIGHT = 320, PANEL = 8 }; // sgemm's Q, P and unrolling

// The size of the next block of `left`: whole blocks, the last two of them alike.
static size_t next_block(size_t left, size_t block) {
    if (left >= 2 * block) return block;
    return left > block ? (left / 2 + PANEL - 1) / PANEL * PANEL : left;
}

// Whether an element of a tile of `panels` · 8 by 12 adds up in two chains.
static bool two_chains_of_twelve(size_t panel, size_t panels, bool left) {
    if (panels < 2) return false;
    bool last = panel == panels - 1;
    return left ? panel == 0 || (last && panels % 2 == 0) : last && panels % 2 == 1;
}

// Whether element i, j of a block of m by n adds up in two chains. The first block of m is served
// n four at a time behind the twelves, the others eight at a time.
static bool two_chains(size_t i, size_t j, size_t m, size_t n, bool first) {
    size_t panel = i / PANEL, panels = m / PANEL;
    if (panel >= panels) return false;
    size_t twelves = n - n % 12;
    if (j < twelves) return two_chains_of_twelve(panel, panels, j % 12 < 6);
    size_t fours = twelves + n % 12 / 4 * 4;
    bool eight = !first && fours - twelves == 8;
    return j < fours && !eight;
}

// Numbers from ... to of x · y: in one chain, or in two by turns, as far as whole eights go.
static float block_product(struct vector x, struct vector y, size_t from, size_t to, bool two) {
    if (!two) return fused(0, x, y, from, to, 1);
    size_t eights = to - (to - from) % 8;
    float even = fused(0, x, y, from, eights, 2), odd = fused(0, x, y, from + 1, eights, 2);
    return fused(even, x, y, eights, to, 1) + odd;
}

// c + x · y, a block of numbers after the other.
static float element(struct vector x, struct vector y, float c, bool two) {
    for (size_t from = 0, size; from < x.size; from += size) {
        size = next_block(x.size - from, DEPTH);
        c += block_product(x, y, from, from + size, two);
    }
    return c;
}

// Row-major results are BLAS's transposed: its m are the columns, its n the rows, but for a column.
void matrix_product(const struct matrix *a, const struct matrix *b, const float *start, float *c) {
    bool column = b->columns == 1;
    size_t m = column ? a->rows : b->columns, n = column ? 1 : a->rows, height;
    for (size_t block = 0; block < m; block += height) {
        height = next_block(m - block, HEIGHT);
        for (size_t i = 0; i < height; i++) {
            for (size_t j = 0; j < n; j++) {
                size_t row = column ? block + i : j, place = column ? j : block + i;
                size_t cell = row * b->columns + place;
                c[cell] = element(row_of(a, row), column_of(b, place), start ? start[cell] : 0.0f,
                                  two_chains(i, j, height, n, block == 0));
            }
        }
    }
}

void matrix_product_in_one_chain(const struct matrix *a, const struct matrix *b, const float *start,
                                 float *c) {
    for (size_t i = 0; i < a->rows; i++)
        for (size_t j = 0; j < b->columns; j++, c++)
            *c = (start ? *start++ : 0.0f) +
                 fused(0, row_of(a, i), column_of(b, j), 0, a->columns, 1);
}

void small_matrix_product(const struct matrix *a, const struct matrix *b, float *c) {
    for (size_t i = 0; i < a->rows; i++)
        for (size_t j = 0; j < b->columns; j++)
            *c++ = unfused(0, row_of(a, i), column_of(b, j), 0, a->columns, 1);
}
