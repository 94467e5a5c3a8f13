#include "tensor/fast/quick.h"

#include "tensor/fast/kernel.h"
#include "tensor/fast/linear.h"
#include "tensor/fast/parallel.h"
#include "tensor/ops/quick.h"

static void linear_quickly(struct tensor x, struct tensor weight, struct tensor bias,
                           struct tensor result) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, result.storage->arena->failure);
    const int64_t d_in = weight.shape[1], d_out = weight.shape[0];
    const struct linear_size size = {count_of(shape_of(&x)) / d_in, d_in, d_out};
    struct linear_work *work = linear_prepare(m, size, PATH_BEST, processor_count());
    linear_fast(work, weight, bias, floats_of(&x), floats_of(&result));
    scratch_close(&scratch);
}

static void normals_quickly(float *values, int64_t blocks) {
    kernel_of(PATH_BEST)->normals(values, blocks);
}

void use_quick_ways(void) {
    quick_ways = (struct quick_ways){linear_quickly, normals_quickly};
}
