#include "app/gpt2.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/command/output.h"
#include "app/memory.h"
#include "tensor/fast/parallel.h"
#include "tensor/file/npy.h"
#include "tensor/text/format.h"

// ---- The table of sizes -------------------------------------------------------------------------

const struct gpt2_size gpt2_sizes[GPT2_SIZES] = {
    {"small", 12, 768, 12},
    {"medium", 24, 1024, 16},
    {"large", 36, 1280, 20},
    {"xl", 48, 1600, 25},
};

const struct gpt2_size *gpt2_size_by_name(const char *name) {
    for (int i = 0; i < GPT2_SIZES; i++) {
        if (strcmp(gpt2_sizes[i].name, name) == 0) return &gpt2_sizes[i];
    }
    return NULL;
}

// How many numbers a size learns. Each sum is spelled out in explain_count.
static int64_t weights_of_attention(int64_t d) {
    return 4 * d * d; // query, key, value, output
}

static int64_t attention_parameters(int64_t d) {
    return weights_of_attention(d) + d + 3 * d; // bias of output; of query, key and value
}

static int64_t block_parameters(int64_t d) {
    const int64_t feed_forward = 2 * d * (4 * d) + 4 * d + d, norms = 2 * (2 * d);
    return attention_parameters(d) + feed_forward + norms;
}

static int64_t model_parameters(const struct gpt2_size *size) {
    const int64_t d = size->width;
    const int64_t embeddings = (GPT2_VOCABULARY + GPT2_CONTEXT) * d, last_norm = 2 * d;
    return embeddings + size->layers * block_parameters(d) + last_norm;
}

static int64_t score_bytes(const struct gpt2_size *size) {
    return size->heads * GPT2_CONTEXT * GPT2_CONTEXT * (int64_t)sizeof(float);
}

static void add_size(struct text *text, const struct gpt2_size *size) {
    struct arena *arena = text->arena;
    text_add_format(
        text, "%-6s %6" PRId64 " %5" PRId64 " %5" PRId64 " %8" PRId64 " %7d %10s %13s %11s\n",
        size->name, size->layers, size->width, size->heads, size->width / size->heads, GPT2_CONTEXT,
        digits_grouped(arena, attention_parameters(size->width)),
        digits_grouped(arena, model_parameters(size)), digits_grouped(arena, score_bytes(size)));
}

static void add_sum(struct text *text, const char *what, const char *how, int64_t number) {
    text_add(text, "  ");
    text_add_padded(text, what, 36, false);
    text_add_padded(text, how, 20, false);
    text_add_padded(text, digits_grouped(text->arena, number), 14, true);
    text_add(text, "\n");
}

static void explain_count(struct text *text, const struct gpt2_size *size) {
    const int64_t d = size->width;
    text_add_format(text, "Counted for %s, d = %" PRId64 ". One attention layer:\n", size->name, d);
    add_sum(text, "weights: query, key, value, output", "4 d d", weights_of_attention(d));
    add_sum(text, "bias of the output projection", "d", d);
    add_sum(text, "biases of query, key and value", "3 d", 3 * d);
    add_sum(text, "together", "4 d d + 4 d", attention_parameters(d));
    text_add_format(text,
                    "Texts that count %s leave out the biases. The output projection has\n"
                    "one even where query, key and value have none (here: without --bias):\n"
                    "then it is %s.\n"
                    "\n",
                    digits_grouped(text->arena, weights_of_attention(d)),
                    digits_grouped(text->arena, weights_of_attention(d) + d));
    text_add(text, "The model:\n");
    add_sum(text, "attention of a block", "4 d d + 4 d", attention_parameters(d));
    add_sum(text, "feed-forward of a block, 4 d wide", "8 d d + 5 d", 8 * d * d + 5 * d);
    add_sum(text, "two layer norms of a block", "4 d", 4 * d);
    const char *blocks = arena_format(text->arena, "%" PRId64 " blocks", size->layers);
    add_sum(text, blocks, arena_format(text->arena, "%" PRId64 " (12 d d + 13 d)", size->layers),
            size->layers * block_parameters(d));
    add_sum(text, "embedding of 50257 tokens", "50257 d", GPT2_VOCABULARY * d);
    add_sum(text, "embedding of 1024 positions", "1024 d", GPT2_CONTEXT * d);
    add_sum(text, "last layer norm", "2 d", 2 * d);
    add_sum(text, "together", "", model_parameters(size));
    text_add(text,
             "The output layer adds no parameters: it is the embedding of the tokens again.\n\n");
}

static void add_table(struct text *text, const struct gpt2_size *only) {
    text_add(text,
             "                                           parameters    parameters  bytes of a\n"
             "                                           of a layer's         of a     layer's\n"
             "size   layers width heads head_dim context  attention         model      scores\n");
    for (int i = 0; i < GPT2_SIZES; i++) {
        if (only == NULL || only == &gpt2_sizes[i]) add_size(text, &gpt2_sizes[i]);
    }
    text_add(text, "\nScores are those of one layer for one sentence of 1024 tokens: heads times\n"
                   "1024 times 1024 floats. onestep never holds them all at once.\n\n");
    explain_count(text, only == NULL ? &gpt2_sizes[0] : only);
    text_add(text,
             "The paper says 117M and 345M for the two smaller models; counted, they are\n"
             "124M and 355M. Every head is 64 wide, so the heads are 12, 16, 20 and 25. Some\n"
             "texts give 24 and 36 for medium and large, their numbers of layers: 24 does\n"
             "not divide 1024, and 36 does not divide 1280.\n\n"
             "To run one attention layer:  onestep gpt2 small --batch 2 --tokens 1024\n");
}

// ---- Telling how far it is ----------------------------------------------------------------------

void show_progress(const char *what, double done) {
    enum { COLUMNS = 30 };
    if (isatty(STDERR_FILENO) != 1) return;
    if (what == NULL)
        fprintf(stderr, "\r%*s\r", COLUMNS, "");
    else
        fprintf(stderr, "\r%s: %3.0f %%", what, 100 * done);
}

struct meter {
    const char *what;
    double shown; // when
};

// A pass of a few milliseconds shows nothing, a long one ten times a second.
static void show_pass(void *context, double done) {
    struct meter *meter = context;
    const double now = seconds_now();
    if (now - meter->shown < 0.1) return;
    meter->shown = now;
    show_progress(meter->what, done);
}

// What a pass needs.
struct pass {
    struct attention_work *work;
    struct attention_layer layer;
    struct tensor x, output;
};

static double timed_pass(const struct pass *pass, const char *what) {
    const double start = seconds_now();
    struct meter meter = {.what = what, .shown = start};
    attention_report_to(pass->work, show_pass, &meter);
    attention_fast(pass->work, &pass->layer, &pass->x, floats_of(&pass->output));
    const double seconds = seconds_now() - start;
    show_progress(NULL, 0);
    return seconds;
}

// ---- Does it fit? -------------------------------------------------------------------------------

// A layer that is to be run.
struct plan {
    struct gpt2_options options;
    struct attention_size size;
    enum kernel_path path;
};

static double needed_bytes(const struct plan *plan) {
    const struct attention_size size = plan->size;
    const double d = (double)size.d;
    const double tensor = sizeof(float) * (double)size.batch * (double)size.tokens * d;
    const double kept =
        plan->options.path != NULL ? 4 * tensor : 0; // a text that doubled as it grew
    return 2 * tensor + kept + sizeof(float) * (4 * d * d + 4 * d) +
           attention_bytes(size, plan->path, plan->options.threads) +
           attention_mask_bytes(size, plan->options.dropout);
}

static void refuse_what_does_not_fit(struct arena *arena, const struct plan *plan) {
    const double needed = needed_bytes(plan), available = available_bytes();
    if (needed <= available) return;
    fail(arena->failure, FAIL_USAGE,
         "gpt2: a batch of %" PRId64 " with %" PRId64
         " tokens needs %s of memory, and there are %s;"
         " take fewer",
         plan->size.batch, plan->size.tokens, bytes_text(arena, needed),
         bytes_text(arena, available));
}

// Of a pass that takes long, or much memory: how much, before it begins. A pass comes near the peak; there are two,
// and what they read is drawn before.
static void tell_what_it_takes(struct arena *arena, const struct plan *plan) {
    enum { LONG = 3, LARGE = 1000000000 }; // seconds, bytes
    const double needed = needed_bytes(plan);
    const double peak = kernel_peak(plan->path, plan->options.threads);
    const double seconds = 2 * attention_operations(plan->size) / peak;
    if (seconds < LONG && needed < LARGE) return;
    fprintf(stderr, "gpt2: takes %s of memory and at least %.0f s\n", bytes_text(arena, needed),
            ceil(seconds));
}

// ---- A run --------------------------------------------------------------------------------------

enum kernel_path wanted_path(struct arena *arena) {
    const char *name = getenv("ONESTEP_KERNEL");
    if (name == NULL || *name == '\0') return PATH_BEST;
    for (int path = PATH_GENERIC; path < PATH_BEST; path++) {
        const char *path_name = kernel_path_name((enum kernel_path)path);
        if (path_name != NULL && strcmp(path_name, name) == 0) return (enum kernel_path)path;
    }
    fail(arena->failure, FAIL_USAGE,
         "ONESTEP_KERNEL is '%s'; it can be generic, avx2 or avx512, if the processor has that",
         text_safe(arena, name));
}

// Peak memory of this process, in bytes.
static double peak_memory(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#ifdef __APPLE__
    return (double)usage.ru_maxrss;
#else
    return 1024.0 * (double)usage.ru_maxrss;
#endif
}

static void print_figures(const struct plan *plan, double seconds, double peak) {
    const double memory = peak_memory(), rate = attention_operations(plan->size) / seconds;
    const int threads = plan->options.threads;
    fprintf(stderr, "path: %s, %d %s\n", kernel_path_name(plan->path), threads,
            threads == 1 ? "thread" : "threads");
    fprintf(stderr, "forward: %.1f ms\n", 1e3 * seconds);
    fprintf(stderr, "rate: %.1f GFLOP/s\n", 1e-9 * rate);
    if (rate <= peak)
        fprintf(stderr, "peak: %.1f GFLOP/s (%.0f %%)\n", 1e-9 * peak, 100 * rate / peak);
    else // nothing is faster than the peak: it was measured while others had the processors
        fputs("peak: not measured, other programs use the processors\n", stderr);
    fprintf(stderr, "memory: %.1f MB\n", 1e-6 * memory);
}

static struct attention_layer layer_of(struct arena *arena, struct generator *generator,
                                       const struct plan *plan) {
    const struct attention_size size = plan->size;
    return attention_layer_new(arena, generator, size.d, size.heads, plan->options.bias);
}

static struct tensor run_layer(struct arena *arena, const struct plan *plan) {
    const struct attention_size size = plan->size;
    const struct gpt2_options *options = &plan->options;
    const int threads = options->threads;
    struct generator generator;
    manual_seed(&generator, plan->options.seed);
    const struct shape shape = SHAPE(size.batch, size.tokens, size.d);
    struct pass pass = {.work = attention_prepare(arena, size, plan->path, threads)};
    pass.output = full(arena, shape, 0);
    show_progress("drawing", 0);
    if (options->layers_first) pass.layer = layer_of(arena, &generator, plan);
    pass.x = options->is_normal ? normal(arena, &generator, shape)
                                : uniform(arena, &generator, shape, 0, 1);
    if (!options->layers_first) pass.layer = layer_of(arena, &generator, plan);
    attention_drop(pass.work, arena, &generator, options->dropout, options->stream);
    timed_pass(&pass, "warming up");
    const double before = kernel_peak(plan->path, threads);
    const double seconds = timed_pass(&pass, "forward");
    const double after = kernel_peak(plan->path, threads); // other programs may disturb one
    print_figures(plan, seconds, before > after ? before : after);
    return pass.output;
}

static void write_npy(struct arena *arena, const struct tensor *tensor, const char *path) {
    struct text file = text_new(arena);
    npy_add(&file, tensor);
    write_file(path, ANY_FILE, file.bytes, file.length, arena->failure);
}

void add_gpt2(struct text *text, const struct gpt2_options *options) {
    if (options->batch == 0 && options->tokens == 0) {
        add_table(text, options->size);
        return;
    }
    struct plan plan = {.options = *options, .path = wanted_path(text->arena)};
    struct gpt2_options *chosen = &plan.options;
    if (chosen->size == NULL) chosen->size = &gpt2_sizes[0];
    if (chosen->threads == 0) chosen->threads = processor_count();
    plan.size = (struct attention_size){
        .batch = options->batch == 0 ? 1 : options->batch,
        .tokens = options->tokens == 0 ? GPT2_CONTEXT : options->tokens,
        .d = chosen->size->width,
        .heads = chosen->size->heads,
    };
    refuse_what_does_not_fit(text->arena, &plan);
    tell_what_it_takes(text->arena, &plan);
    const struct tensor output = run_layer(text->arena, &plan);
    if (options->path != NULL) write_npy(text->arena, &output, options->path);
    text_add_format(text, "%s\n", torch_text(text->arena, &output, 4));
}
