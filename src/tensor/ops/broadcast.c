#include "tensor/ops/broadcast.h"

#include <string.h>

#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"

struct shape broadcast_shape(struct arena *arena, const struct origin *origin,
                             const struct tensor *a, const struct tensor *b) {
    struct shape shape = {.ndim = a->ndim > b->ndim ? a->ndim : b->ndim};
    for (int back = 1; back <= shape.ndim; back++) {
        const int64_t size_a = back <= a->ndim ? a->shape[a->ndim - back] : 1;
        const int64_t size_b = back <= b->ndim ? b->shape[b->ndim - back] : 1;
        if (size_a != size_b && size_a != 1 && size_b != 1)
            refuse_shapes(arena, origin, a, b, "do not broadcast");
        shape.size[shape.ndim - back] = size_a == 1 ? size_b : size_a;
    }
    return shape;
}

struct tensor broadcast_to(struct tensor x, struct shape shape) {
    struct tensor result = x;
    result.ndim = shape.ndim;
    for (int dim = 0; dim < shape.ndim; dim++) {
        const int dim_of_x = dim - (shape.ndim - x.ndim);
        result.shape[dim] = shape.size[dim];
        const bool is_same = dim_of_x >= 0 && x.shape[dim_of_x] == shape.size[dim];
        result.stride[dim] = is_same ? x.stride[dim_of_x] : 0;
        result.axis[dim] = is_same ? x.axis[dim_of_x] : (struct axis){0};
    }
    return result;
}

struct tensor sum_to(struct tensor x, struct shape shape) {
    while (x.ndim > shape.ndim) x = sum(x, 0, false);
    for (int dim = 0; dim < shape.ndim; dim++) {
        if (x.shape[dim] != shape.size[dim]) x = sum(x, dim, true);
    }
    return x;
}

void join_axes(const struct tensor *a, const struct tensor *b, struct tensor *result) {
    for (int dim = 0; dim < result->ndim; dim++) {
        result->axis[dim] = a->axis[dim];
        if (axis_name(result, dim) == NULL) {
            result->axis[dim].meaning = b->axis[dim].meaning;
            result->axis[dim].name = b->axis[dim].name;
        }
        if (result->axis[dim].labels != NULL) continue;
        result->axis[dim].labels = b->axis[dim].labels;
        result->axis[dim].apart = b->axis[dim].apart;
    }
}

struct rows rows_of(struct shape shape) {
    struct rows rows = {.places = shape, .length = 1};
    if (shape.ndim > 0) {
        rows.length = shape.size[shape.ndim - 1];
        rows.places.size[shape.ndim - 1] = 1;
    }
    rows.count = rows.length == 0 ? 0 : count_of(rows.places);
    return rows;
}

void read_row(const struct tensor *x, const int64_t *index, int64_t length, float *row) {
    const int64_t first = flat_index(x, index), step = x->ndim > 0 ? x->stride[x->ndim - 1] : 0;
    const void *data = x->storage->data;
    switch (x->storage->dtype) {
    case FLOAT32:
        if (step == 1)
            memcpy(row, (const float *)data + first, (size_t)length * sizeof *row);
        else
            for (int64_t i = 0; i < length; i++) row[i] = ((const float *)data)[first + i * step];
        break;
    case BOOL:
        for (int64_t i = 0; i < length; i++)
            row[i] = ((const unsigned char *)data)[first + i * step];
        break;
    case INT64:
        for (int64_t i = 0; i < length; i++)
            row[i] = (float)((const int64_t *)data)[first + i * step];
        break;
    case INT32:
        for (int64_t i = 0; i < length; i++)
            row[i] = (float)((const int32_t *)data)[first + i * step];
        break;
    case FLOAT64:
        for (int64_t i = 0; i < length; i++)
            row[i] = (float)((const double *)data)[first + i * step];
        break;
    }
}
