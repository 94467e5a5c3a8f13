#ifndef ONESTEP_TENSOR_OPS_BROADCAST_H
#define ONESTEP_TENSOR_OPS_BROADCAST_H

// Shapes that meet element by element, as in PyTorch: from the right, sizes agree or one of them is 1.

#include "tensor/origin.h"

// The shape that the shapes of two operands broadcast to; fails, naming the operation, if they do not.
struct shape broadcast_shape(struct arena *arena, const struct origin *origin,
                             const struct tensor *a, const struct tensor *b);

// A view of x with the broadcast shape: a dimension of size 1 is walked with stride 0.
struct tensor broadcast_to(struct tensor x, struct shape shape);

// The way back: x, whose shape `shape` broadcasts to, with all numbers added up that one of them was
// repeated for. Dimensions are added up from the first to the last.
struct tensor sum_to(struct tensor x, struct shape shape);

// Names and labels of the result: those of a, and where it has none those of b.
void join_axes(const struct tensor *a, const struct tensor *b, struct tensor *result);

// A shape as rows along its last dimension; a scalar is one row of one element. `places` is the shape
// over which the rows are counted, for next_index.
struct rows {
    struct shape places;
    int64_t count, length;
};
struct rows rows_of(struct shape shape);

// Copies the row of x that starts at the index, as floats.
void read_row(const struct tensor *x, const int64_t *index, int64_t length, float *row);

#endif
