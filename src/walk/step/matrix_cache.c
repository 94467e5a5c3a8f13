#include "walk/step/screen.h"

static bool is_same_view(const struct tensor *a, const struct tensor *b) {
    if (a->storage != b->storage || a->offset != b->offset) return false;
    if (!shapes_equal(shape_of(a), shape_of(b))) return false;
    for (int dim = 0; dim < a->ndim; dim++) {
        if (a->stride[dim] != b->stride[dim] || a->axis[dim].labels != b->axis[dim].labels ||
            axis_name(a, dim) != axis_name(b, dim))
            return false;
    }
    return true;
}

const struct matrix *cached_matrix(struct matrix_cache *cache, const struct tensor *tensor,
                                   int64_t page, int digits) {
    int oldest = 0;
    for (int i = 0; i < cache->count; i++) {
        const struct matrix *matrix = &cache->matrices[i];
        if (cache->asked[i] < cache->asked[oldest]) oldest = i;
        if (matrix->page != page || matrix->digits != digits) continue;
        if (!is_same_view(&matrix->tensor, tensor)) continue;
        cache->asked[i] = ++cache->questions;
        return matrix;
    }
    const int position = cache->count < CACHED_MATRICES ? cache->count++ : oldest;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, cache->failure);
    cache->matrices[position] = matrix_measure(m, tensor, page, digits);
    cache->asked[position] = ++cache->questions;
    scratch_close(&scratch);
    return &cache->matrices[position];
}

void forget_matrices(struct matrix_cache *cache) {
    cache->count = 0;
    cache->longest.rows = 0;
}
