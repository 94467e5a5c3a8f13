#include "tensor/operation/line.h"

#include <math.h>

int64_t lines_of(const struct tensor *x, int dim) {
    return x->shape[dim] == 0 ? 0 : count_of(shape_of(x)) / x->shape[dim];
}

struct line line_at(const struct tensor *x, int dim, int64_t position, int64_t *flat) {
    struct shape others = shape_of(x);
    others.size[dim] = 1;
    int64_t index[MAX_DIMS];
    index_at(others, position, index);
    *flat = flat_index(x, index);
    return (struct line){(const float *)x->storage->data + *flat, x->stride[dim], x->shape[dim]};
}

float largest_in(struct line line) {
    float most = -INFINITY;
    for (int64_t i = 0; i < line.count; i++) {
        const float value = line.first[i * line.step];
        if (value > most || value != value) most = value;
    }
    return most;
}

int place_of_largest(const struct account *account, int first, int count) {
    float most = -INFINITY;
    int position = -1;
    for (int i = first; i < first + count; i++) {
        const float value = operand_value(account, i);
        if (value > most || value != value) {
            most = value;
            position = i;
        }
    }
    return position;
}
