#include "tensor/number/sum.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

enum { LEVELS = 4, LANES = 8, CASCADES = 4 };

// The number of binary digits of a run's length: 4, and more where LEVELS levels would not do.
static int run_digits(size_t n) {
    int digits = 0;
    while (((size_t)1 << digits) < n) digits++;
    return digits / LEVELS > 4 ? digits / LEVELS : 4;
}

float cascade_sum(const float *x, size_t n, ptrdiff_t stride) {
    float level[LEVELS] = {0};
    int digits = run_digits(n);
    size_t run = (size_t)1 << digits;
    size_t i = 0;
    while (i + run <= n) {
        for (size_t end = i + run; i < end; i++, x += stride) level[0] += *x;
        for (int j = 1; j < LEVELS; j++) {
            level[j] += level[j - 1];
            level[j - 1] = 0;
            if (i & (run - 1) << j * digits) break; // the run of runs is not complete
        }
    }
    for (; i < n; i++, x += stride) level[0] += *x;
    for (int j = 1; j < LEVELS; j++) level[0] += level[j];
    return level[0];
}

float strided_sum(const float *x, size_t n, ptrdiff_t stride) {
    float sums[CASCADES];
    for (int j = 0; j < CASCADES; j++)
        sums[j] = cascade_sum(x + j * stride, n / CASCADES, CASCADES * stride);
    for (size_t i = n - n % CASCADES; i < n; i++) sums[0] += x[(ptrdiff_t)i * stride];
    for (int j = 1; j < CASCADES; j++) sums[0] += sums[j];
    return sums[0] + 0.0f; // PyTorch adds the sum to the 0 that is there
}

float contiguous_sum(const float *x, size_t n) {
    if (n < LANES) return strided_sum(x, n, 1);
    float sum = 0;
    for (size_t i = n - n % LANES; i < n; i++) sum += x[i];
    for (int lane = 0; lane < LANES; lane++) sum += strided_sum(x + lane, n / LANES, LANES);
    return sum;
}

void column_sums(const float *x, size_t rows, size_t columns, ptrdiff_t row_stride,
                 ptrdiff_t column_stride, float *sums) {
    int vectors = column_stride == 1 && columns >= LANES;
    size_t group = vectors ? CASCADES * LANES : CASCADES;
    size_t grouped = columns - columns % group;
    for (size_t i = 0; i < columns; i++) {
        const float *column = x + (ptrdiff_t)i * column_stride;
        sums[i] = i < grouped ? cascade_sum(column, rows, row_stride)
                              : strided_sum(column, rows, row_stride);
    }
}

// A dimension on its way through memory: its size, its stride in x and in the sums (0: added up).
struct axis {
    size_t size;
    ptrdiff_t stride, kept;
};

// Whether axis a has to come after axis b (1), before it (-1), or either (0).
static int compare_axes(struct axis a, struct axis b) {
    if ((a.kept == 0) != (b.kept == 0)) return b.kept == 0 ? 1 : -1;
    if (a.kept != 0 && a.kept != b.kept) return a.kept > b.kept ? 1 : -1;
    if (a.kept != 0 && a.size > b.size) return 1;
    if (a.stride == 0 || b.stride == 0) return 0;
    if (a.stride != b.stride) return a.stride > b.stride ? 1 : -1;
    return a.size > b.size ? 1 : 0;
}

// An insertion sort that stops where nothing is decided only at a decided pair, as PyTorch's does.
static void sort_axes(struct axis *axes, int count) {
    for (int i = 1; i < count; i++) {
        int place = i;
        for (int j = i - 1; j >= 0; j--) {
            int order = compare_axes(axes[j], axes[place]);
            if (order < 0) break;
            if (order == 0) continue;
            struct axis other = axes[j];
            axes[j] = axes[place];
            axes[place] = other;
            place = j;
        }
    }
}

// Makes one of neighbours that are one in memory; returns how many are left.
static int join_axes(struct axis *axes, int count) {
    int last = 0;
    for (int i = 1; i < count; i++) {
        struct axis *a = &axes[last], b = axes[i];
        ptrdiff_t size = (ptrdiff_t)a->size;
        bool one = size * a->stride == b.stride && size * a->kept == b.kept;
        if (a->size != 1 && b.size != 1 && !one) {
            axes[++last] = b;
            continue;
        }
        if (a->size == 1) a->stride = b.stride, a->kept = b.kept;
        a->size *= b.size;
    }
    return last + 1;
}

// Adds the sums over axis `along` to sums; both axes may be added up.
static void sum_plane(const float *x, struct axis along, struct axis across, float *sums) {
    if (along.kept != 0 && across.kept == 0) {
        struct axis other = along;
        along = across;
        across = other;
    }
    if (along.kept != 0) { // nothing is added up
        for (size_t i = 0; i < across.size; i++)
            for (size_t j = 0; j < along.size; j++)
                sums[(ptrdiff_t)i * across.kept + (ptrdiff_t)j * along.kept] +=
                    x[(ptrdiff_t)i * across.stride + (ptrdiff_t)j * along.stride];
        return;
    }
    bool rows = along.stride == 1 && along.size >= LANES;
    bool vectors = !rows && across.stride == 1 && across.size >= LANES;
    size_t group = vectors                        ? CASCADES * LANES
                   : along.stride < across.stride ? across.size + 1
                                                  : CASCADES;
    size_t grouped = rows ? 0 : across.size - across.size % group;
    for (size_t i = 0; i < across.size; i++) {
        const float *first = x + (ptrdiff_t)i * across.stride;
        float *sum = sums + (ptrdiff_t)i * across.kept;
        *sum += rows          ? contiguous_sum(first, along.size)
                : i < grouped ? cascade_sum(first, along.size, along.stride)
                              : strided_sum(first, along.size, along.stride);
    }
}

// Goes through the axes from the third on, outermost first.
static void sum_axes(const float *x, const struct axis *axes, int count, float *sums) {
    struct axis none = {1, 0, 0};
    if (count <= 2) {
        sum_plane(x, axes[0], count == 2 ? axes[1] : none, sums);
        return;
    }
    struct axis outer = axes[count - 1];
    for (size_t i = 0; i < outer.size; i++)
        sum_axes(x + (ptrdiff_t)i * outer.stride, axes, count - 1,
                 sums + (ptrdiff_t)i * outer.kept);
}

void sum_dimensions(const struct summed *x, float *sums) {
    struct axis axes[SUM_DIMENSIONS] = {{1, 0, 0}};
    size_t total = 1, kept = 1;
    for (int i = 0; i < x->ndim; i++) {
        int dim = x->ndim - 1 - i;
        axes[i] = (struct axis){x->shape[dim], x->stride[dim], 0};
        total *= x->shape[dim];
        if (x->reduced[dim]) continue;
        axes[i].kept = (ptrdiff_t)kept;
        kept *= x->shape[dim];
    }
    for (size_t i = 0; i < kept; i++) sums[i] = 0;
    if (total == 0) return;
    int count = x->ndim > 0 ? x->ndim : 1;
    sort_axes(axes, count);
    sum_axes(x->data, axes, join_axes(axes, count), sums);
}
