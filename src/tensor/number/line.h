#ifndef ONESTEP_TENSOR_NUMBER_LINE_H
#define ONESTEP_TENSOR_NUMBER_LINE_H

// Floats in memory, evenly apart: a row of a matrix, a column, a diagonal.

#include <stdint.h>

struct line {
    const float *first;
    int64_t step; // floats from one to the next
    int64_t count;
};

// Number i of them, from 0.
static inline float number_in(struct line line, int64_t i) {
    return line.first[i * line.step];
}

// The numbers from ... to - 1; every `stride`-th from `from` on.
static inline struct line part_of(struct line line, int64_t from, int64_t to) {
    return (struct line){line.first + from * line.step, line.step, to - from};
}

static inline struct line every(struct line line, int64_t stride, int64_t from) {
    const int64_t count = line.count > from ? (line.count - from + stride - 1) / stride : 0;
    return (struct line){line.first + from * line.step, line.step * stride, count};
}

// Lines beside each other, the columns of a matrix: the first, how many floats it is from one to the next,
// and how many there are.
struct columns {
    struct line first;
    int64_t apart, count;
};

static inline struct line column_in(struct columns columns, int64_t j) {
    const struct line first = columns.first;
    return (struct line){first.first + j * columns.apart, first.step, first.count};
}

#endif
