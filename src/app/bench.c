#include "app/bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/gpt2.h"
#include "tensor/fast/parallel.h"

// The readable attention takes ten seconds for 1024 tokens, so it only goes so far.
enum { LEAST_TOKENS = 128, MOST_TOKENS = 8192, MOST_READABLE = 512, MOST_PASSES = 15 };

struct bench {
    enum kernel_path path;
    int threads;
};

struct bench_row {
    struct attention_size size;
    double seconds, bytes;                   // fast: median of several passes
    double readable_seconds, readable_bytes; // 0: not run
    bool is_same;
};

static int compare_seconds(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Passes for half a second, at least three, after one that warms up.
static double median_seconds(struct attention_work *work, const struct attention_layer *layer,
                             const struct tensor *x, const struct tensor *result) {
    double seconds[MOST_PASSES], sum = 0;
    int count = 0;
    attention_fast(work, layer, x, floats_of(result));
    while (count < 3 || (sum < 0.5 && count < MOST_PASSES)) {
        const double start = seconds_now();
        attention_fast(work, layer, x, floats_of(result));
        seconds[count] = seconds_now() - start;
        sum += seconds[count++];
    }
    qsort(seconds, (size_t)count, sizeof *seconds, compare_seconds);
    return seconds[count / 2];
}

// Both attentions on the same input. What they allocate, the arena counts.
static void measure(const struct bench *bench, struct arena *arena, struct bench_row *row) {
    const struct attention_size size = row->size;
    const struct shape shape = SHAPE(size.batch, size.tokens, size.d);
    struct generator generator;
    manual_seed(&generator, 123);
    const struct tensor x = uniform(arena, &generator, shape, 0, 1);
    const struct attention_layer layer =
        attention_layer_new(arena, &generator, size.d, size.heads, true);
    size_t before = arena->used;
    struct attention_work *work = attention_prepare(arena, size, bench->path, bench->threads);
    const struct tensor result = full(arena, shape, 0);
    row->bytes = (double)(arena->used - before);
    row->seconds = median_seconds(work, &layer, &x, &result);
    if (size.tokens > MOST_READABLE) return;
    before = arena->used;
    const double start = seconds_now();
    const struct tensor expected = attention(&layer, x, NULL, 0, MT19937);
    row->readable_seconds = seconds_now() - start;
    row->readable_bytes = (double)(arena->used - before);
    row->is_same = memcmp(floats_of(&expected), floats_of(&result),
                          (size_t)count_of(shape) * sizeof(float)) == 0;
}

static void add_row(struct text *text, const struct bench_row *row) {
    const double operations = attention_operations(row->size);
    text_add_format(text, "%6" PRId64 " %10.1f %8.1f %8.1f", row->size.tokens, 1e3 * row->seconds,
                    1e-9 * operations / row->seconds, 1e-6 * row->bytes);
    if (row->readable_seconds > 0) {
        text_add_format(text, " %12.1f %8.1f %8.1f %6.0f  %s", 1e3 * row->readable_seconds,
                        1e-9 * operations / row->readable_seconds, 1e-6 * row->readable_bytes,
                        row->readable_seconds / row->seconds, row->is_same ? "same" : "differ");
    } else {
        text_add_format(text, " %12s %8s %8s %6s  %s", "-", "-", "-", "-", "-");
    }
    text_add(text, "\n");
}

void add_bench(struct text *text, int threads) {
    const struct gpt2_size *small = &gpt2_sizes[0];
    const struct bench bench = {
        .path = wanted_path(text->arena),
        .threads = threads == 0 ? processor_count() : threads,
    };
    text_add_format(text,
                    "One attention layer of GPT-2 small, %" PRId64 " wide, %" PRId64
                    " heads, batch 1.\nFast: path %s, %d %s, peak %.1f GFLOP/s of multiply-adds.\n"
                    "Readable: one thread; as the lessons compute it, up to %d tokens.\n\n",
                    small->width, small->heads, kernel_path_name(bench.path), bench.threads,
                    bench.threads == 1 ? "thread" : "threads",
                    1e-9 * kernel_peak(bench.path, bench.threads), MOST_READABLE);
    text_add(text,
             "        fast                              readable\n"
             "tokens         ms  GFLOP/s       MB           ms  GFLOP/s       MB  times  bits\n");
    for (int64_t tokens = LEAST_TOKENS; tokens <= MOST_TOKENS; tokens *= 2) {
        show_progress(arena_format(text->arena, "%" PRId64 " tokens", tokens),
                      (double)tokens / (2 * MOST_TOKENS));
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, text->arena->failure);
        struct bench_row row = {.size = {1, tokens, small->width, small->heads}};
        measure(&bench, m, &row);
        add_row(text, &row);
        scratch_close(&scratch);
    }
    show_progress(NULL, 0);
}
