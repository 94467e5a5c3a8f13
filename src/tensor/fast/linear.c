#include "tensor/fast/linear.h"

#include "tensor/fast/panels.h"
#include "tensor/fast/parallel.h"

struct linear_work {
    struct linear_size size;
    int threads;
    struct panels inputs;     // all tokens are one sentence
    float *rows[MAX_THREADS]; // project_to_rows

    struct tensor weight, bias; // of this layer
    const float *x;
    float *result;
};

struct linear_work *linear_prepare(struct arena *m, struct linear_size size, enum kernel_path path,
                                   int threads) {
    const struct kernel *kernel = kernel_for(path, size.tokens);
    struct linear_work *work = arena_allocate(m, sizeof *work);
    work->size = size;
    work->threads = threads;
    work->inputs = panels_new(m, kernel, 1, size.tokens, size.d_in);
    for (int i = 0; i < threads; i++)
        work->rows[i] = arena_array(m, (size_t)room_of_rows(kernel), sizeof(float));
    return work;
}

static void pack(void *context, int64_t item, int thread) {
    const struct linear_work *work = context;
    (void)thread;
    fill_panel(&work->inputs, work->x, item);
}

static void project(void *context, int64_t item, int thread) {
    const struct linear_work *work = context;
    const struct tile tile = tile_at(&work->inputs, work->size.d_out, item);
    project_to_rows(&work->inputs, &tile, work->weight, work->bias, work->rows[thread],
                    work->result);
}

void linear_fast(struct linear_work *work, struct tensor weight, struct tensor bias, const float *x,
                 float *result) {
    work->weight = weight;
    work->bias = bias;
    work->x = x;
    work->result = result;
    const struct phase phases[] = {
        {pack, work->inputs.count},
        {project, tile_count(&work->inputs, work->size.d_out)},
    };
    parallel_phases(work->threads, phases, sizeof phases / sizeof *phases, work);
}
