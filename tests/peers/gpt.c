// How long a whole GPT-2 small takes: a line a piece of work, in milliseconds, the median of `runs`. gpt_peers.py calls it and
// does the same with PyTorch.
//
//     gpt WORK THREADS PATH RUNS        WORK is draw, few, many, more, read
//
//     draw    draws the model
//     few     4 tokens, all logits
//     many    1,024 tokens, the last one's logits
//     more    20 tokens more behind 4, with a cache: each
//     read    adds up all numbers of the model: no pass over 4 tokens can be much faster

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/fail.h"
#include "tensor/fast/gpt.h"
#include "tensor/fast/quick.h"
#include "tensor/ops/ops.h"

enum { FEW = 4, MANY = 1024, MORE = 20, MOST_RUNS = 99 };

static struct failure failure;
static struct arena model_memory;
static struct gpt gpt;
static struct gpt_pass pass = {.gpt = &gpt};

static double milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static void draw_model(void) {
    struct generator generator;
    manual_seed(&generator, 123);
    gpt = gpt_new(&model_memory, &generator, gpt2_small, NULL, NULL);
}

static struct tensor ids_of(struct arena *m, int64_t tokens) {
    const struct tensor ids = tensor_given(m, INT64, SHAPE(1, tokens));
    int64_t *id = ids.storage->data;
    for (int64_t i = 0; i < tokens; i++) id[i] = i * 7919 % gpt2_small.vocabulary;
    return ids;
}

// Of the last token's logits, so that no compiler leaves the work out.
static double logits_behind(struct arena *m, int64_t tokens, bool has_all) {
    const struct tensor hidden = gpt_hidden(&pass, ids_of(m, tokens), gpt.size.layers);
    const struct tensor read = has_all ? hidden : contiguous(narrow(hidden, 1, tokens - 1, 1));
    const struct tensor logits = gpt_logits(&pass, read);
    return element_at(&logits, count_of(shape_of(&logits)) - 1);
}

static double go_on(struct arena *m) {
    struct gpt_cache *cache = gpt_cache_new(m, &gpt);
    gpt_continue(&pass, cache, ids_of(m, FEW));
    const double start = milliseconds();
    for (int i = 0; i < MORE; i++) {
        struct scratch scratch;
        gpt_continue(&pass, cache, ids_of(scratch_open(&scratch, &failure), 1));
        scratch_close(&scratch);
    }
    return (milliseconds() - start) / MORE;
}

static float added_up(const struct tensor *tensor) {
    enum { SUMS = 64 };
    float sums[SUMS] = {0}, sum = 0;
    const float *at = floats_of(tensor);
    const int64_t count = count_of(shape_of(tensor));
    for (int64_t i = 0; i + SUMS <= count; i += SUMS) {
        for (int j = 0; j < SUMS; j++) sums[j] += at[i + j];
    }
    for (int j = 0; j < SUMS; j++) sum += sums[j];
    return sum;
}

// All that a pass over a few tokens reads: not the rows of tables that belong to other tokens.
static float read_model(void) {
    float sum = added_up(&gpt.W_head);
    for (int64_t i = 0; i < gpt.size.layers; i++) {
        const struct gpt_block *block = &gpt.blocks[i];
        const struct tensor *const weights[] = {
            &block->attention.W_query, &block->attention.W_key, &block->attention.W_value,
            &block->attention.W_out,   &block->W_ffn1,          &block->W_ffn2,
        };
        for (size_t j = 0; j < sizeof weights / sizeof *weights; j++) sum += added_up(weights[j]);
    }
    return sum;
}

static double time_of(const char *work) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, &failure);
    volatile double kept = 0;
    const double start = milliseconds();
    double taken = 0;
    if (strcmp(work, "draw") == 0) {
        arena_free(&model_memory);
        const double again = milliseconds();
        draw_model();
        taken = milliseconds() - again;
    } else if (strcmp(work, "more") == 0) {
        taken = go_on(m);
    } else {
        if (strcmp(work, "few") == 0) kept = logits_behind(m, FEW, true);
        if (strcmp(work, "many") == 0) kept = logits_behind(m, MANY, false);
        if (strcmp(work, "read") == 0) kept = (double)read_model();
        taken = milliseconds() - start;
    }
    (void)kept;
    scratch_close(&scratch);
    return taken;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static enum kernel_path path_called(const char *name) {
    for (int path = PATH_GENERIC; path < PATH_BEST; path++) {
        const char *known = kernel_path_name((enum kernel_path)path);
        if (known != NULL && strcmp(known, name) == 0) return (enum kernel_path)path;
    }
    return PATH_BEST;
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "usage: gpt WORK THREADS PATH RUNS\n");
        return 2;
    }
    model_memory = arena_new(&failure);
    pass.threads = atoi(arguments[2]);
    pass.path = path_called(arguments[3]);
    const int runs = atoi(arguments[4]) < MOST_RUNS ? atoi(arguments[4]) : MOST_RUNS;
    double times[MOST_RUNS];
    draw_model();
    (void)time_of(arguments[1]); // warms up
    for (int i = 0; i < runs; i++) times[i] = time_of(arguments[1]);
    qsort(times, (size_t)runs, sizeof *times, by_size);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.1f ms, %ld MB\n", times[runs / 2], usage.ru_maxrss / 1024);
    return 0;
}
