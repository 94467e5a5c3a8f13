#include "tensor/fast/attention.h"

#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "tensor/fast/kernel.h"
#include "tensor/fast/parallel.h"
#include "tensor/number/product.h"

// ---- The layer, and its definition --------------------------------------------------------------

struct attention_layer attention_layer_new(struct arena *m, struct generator *g, int64_t d,
                                           int64_t heads, bool bias) {
    if (heads < 1 || d % heads != 0) {
        fail(m->failure, FAIL_USAGE, "attention: %lld heads do not divide %lld dimensions",
             (long long)heads, (long long)d);
    }
    struct attention_layer layer = {.heads = heads};
    layer.W_query = uniform_weight(m, g, d, d);
    if (bias) layer.W_query_bias = uniform_bias(m, g, d, d);
    layer.W_key = uniform_weight(m, g, d, d);
    if (bias) layer.W_key_bias = uniform_bias(m, g, d, d);
    layer.W_value = uniform_weight(m, g, d, d);
    if (bias) layer.W_value_bias = uniform_bias(m, g, d, d);
    layer.W_out = uniform_weight(m, g, d, d);
    layer.W_out_bias = uniform_bias(m, g, d, d);
    return layer;
}

// A projection of x, cut into heads: (batch, heads, tokens, head_dim).
static struct tensor project_heads(struct tensor x, int64_t heads, struct tensor weight,
                                   struct tensor bias) {
    const int64_t batch = x.shape[0], tokens = x.shape[1], d = x.shape[2];
    const struct tensor projected = linear(x, weight, bias);
    return transpose(view(projected, SHAPE(batch, tokens, heads, d / heads)), 1, 2);
}

struct tensor attention(const struct attention_layer *layer, struct tensor x, struct generator *g,
                        double p, enum bernoulli stream) {
    const int64_t batch = x.shape[0], tokens = x.shape[1], d = x.shape[2], heads = layer->heads;
    const struct tensor queries = project_heads(x, heads, layer->W_query, layer->W_query_bias);
    const struct tensor keys = project_heads(x, heads, layer->W_key, layer->W_key_bias);
    const struct tensor values = project_heads(x, heads, layer->W_value, layer->W_value_bias);

    const struct tensor scores = matmul(queries, transpose(keys, 2, 3));
    const struct tensor mask = to_bool(triu(full(x.storage->arena, SHAPE(tokens, tokens), 1), 1));
    const struct tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    const struct tensor weights = softmax(divide_by(masked_scores, sqrt((double)(d / heads))), -1);

    const struct tensor dropped = p > 0 ? drop(g, weights, p, stream) : weights;

    const struct tensor context_by_head = transpose(matmul(dropped, values), 1, 2);
    const struct tensor context = view(contiguous(context_by_head), SHAPE(batch, tokens, d));
    return linear(context, layer->W_out, layer->W_out_bias);
}

// ---- Paths --------------------------------------------------------------------------------------

static bool is_there(enum attention_path path) {
#ifdef __x86_64__
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (path == PATH_AVX2) return has_avx2;
    if (path == PATH_AVX512)
        return has_avx2 && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#endif
    return path == PATH_GENERIC || path == PATH_BEST;
}

static const struct kernel *kernel_of(enum attention_path path) {
#ifdef __x86_64__
    if ((path == PATH_BEST || path == PATH_AVX512) && is_there(PATH_AVX512)) return &kernel_avx512;
    if ((path == PATH_BEST || path == PATH_AVX2) && is_there(PATH_AVX2)) return &kernel_avx2;
#else
    (void)path;
#endif
    return &kernel_generic;
}

const char *attention_path_name(enum attention_path path) {
    return is_there(path) ? kernel_of(path)->name : NULL;
}

// ---- Room to work in ----------------------------------------------------------------------------

enum {
    GROUP = 4,       // panels that share what is fetched of a weight
    PART = 128,      // rows of a weight in one item of work
    CACHE_LINE = 16, // floats
};

// How a size is cut. All counts in floats.
struct cut {
    int64_t panels;     // of a sentence
    int64_t groups;     // of a sentence
    int64_t parts;      // of a weight
    int64_t panel_step; // from one panel of d features to the next
    int64_t value_step; // from one row of values to the next
};

struct attention_work {
    const struct kernel *kernel;
    struct attention_size size;
    struct cut cut;
    int threads;
    float *inputs;                 // [batch][panel][d][width]
    float *queries, *keys;         // the same; a head's queries are replaced by its context
    float *values;                 // [batch][d][tokens], rows value_step apart
    float *scores[MAX_THREADS];    // [tokens][width]
    float *projected[MAX_THREADS]; // [GROUP][PART][width]
    atomic_bool values_are_finite;
    unsigned char *kept; // a bit a weight, [batch][heads][tokens][tokens]; NULL: all are
    float kept_factor;

    attention_progress *progress;
    void *context;
    atomic_llong done; // operations, of this pass

    const struct attention_layer *layer; // of this pass
    const float *x;
    float *result;
};

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static struct cut cut_of(struct attention_size size, const struct kernel *kernel) {
    const int64_t panels = divide_up(size.tokens, kernel->width);
    return (struct cut){
        .panels = panels,
        .groups = divide_up(panels, GROUP),
        .parts = divide_up(size.d, PART),
        .panel_step = size.d * kernel->width,
        // A line more than needed: rows a power of two apart would fight for the same cache lines.
        .value_step = panels * kernel->width + CACHE_LINE,
    };
}

double attention_bytes(struct attention_size size, enum attention_path path, int threads) {
    const double width = kernel_of(path)->width;
    const double padded = ((double)size.tokens + width) * (double)size.batch * (double)size.d;
    const double own = ((double)size.tokens + width) * width + GROUP * PART * width;
    return sizeof(float) *
           (4 * padded + (double)CACHE_LINE * (double)size.batch * (double)size.d + threads * own);
}

struct attention_work *attention_prepare(struct arena *m, struct attention_size size,
                                         enum attention_path path, int threads) {
    struct attention_work *work = arena_allocate(m, sizeof *work);
    work->kernel = kernel_of(path);
    work->size = size;
    work->cut = cut_of(size, work->kernel);
    work->threads = threads;
    const struct cut *cut = &work->cut;
    const size_t width = (size_t)work->kernel->width;
    const size_t panels = (size_t)size.batch * (size_t)cut->panels;
    const size_t row = sizeof(float) * width * (size_t)size.d; // bytes of a panel
    work->inputs = arena_array(m, panels, row);
    work->queries = arena_array(m, panels, row);
    work->keys = arena_array(m, panels, row);
    work->values = arena_array(m, (size_t)size.batch * (size_t)size.d,
                               sizeof(float) * (size_t)cut->value_step);
    for (int i = 0; i < threads; i++) {
        work->scores[i] = arena_array(m, (size_t)cut->panels * width, sizeof(float) * width);
        work->projected[i] = arena_array(m, GROUP * PART, sizeof(float) * width);
    }
    return work;
}

static int64_t weights_of(struct attention_size size) {
    return size.batch * size.heads * size.tokens * size.tokens;
}

double attention_mask_bytes(struct attention_size size, double p) {
    const double tokens = (double)size.tokens;
    return p > 0 ? (double)size.batch * (double)size.heads * tokens * tokens / 8 : 0;
}

void attention_drop(struct attention_work *work, struct arena *m, struct generator *g, double p,
                    enum bernoulli stream) {
    if (!(p > 0)) return;
    const int64_t weights = weights_of(work->size);
    work->kept = arena_allocate(m, (size_t)(weights + 7) / 8);
    work->kept_factor = kept_factor(p);
    draw_kept(g, p, stream, work->kept, weights);
}

void attention_report_to(struct attention_work *work, attention_progress *progress, void *context) {
    work->progress = progress;
    work->context = context;
}

double attention_operations(struct attention_size size) {
    const double batch = (double)size.batch, tokens = (double)size.tokens, d = (double)size.d;
    return 8 * batch * tokens * d * d + 2 * batch * tokens * (tokens + 1) * d;
}

// Counts what an item did, and tells.
static void note(struct attention_work *work, int thread, int64_t operations) {
    const long long done = atomic_fetch_add(&work->done, operations) + operations;
    if (thread != 0 || work->progress == NULL) return;
    work->progress(work->context, (double)done / attention_operations(work->size));
}

// ---- Items of work ------------------------------------------------------------------------------

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// Tokens of the panels from `panel` on that are there.
static int64_t tokens_from(const struct attention_work *work, int64_t panel, int64_t panels) {
    const int64_t width = work->kernel->width;
    return least(panels * width, work->size.tokens - panel * width);
}

// Item: one panel of the input.
static void pack_inputs(void *context, int64_t item, int thread) {
    struct attention_work *work = context;
    (void)thread;
    const int64_t sentence = item / work->cut.panels, panel = item % work->cut.panels;
    const int64_t first = sentence * work->size.tokens + panel * work->kernel->width;
    work->kernel->pack(work->x + first * work->size.d, tokens_from(work, panel, 1), work->size.d,
                       work->inputs + item * work->cut.panel_step);
}

// Rows of a weight that meet a group of panels.
struct block {
    int64_t sentence, panel; // the group's first
    int64_t panels, row, rows;
};

static struct block block_of(const struct attention_work *work, int64_t part, int64_t group) {
    const int64_t panel = group % work->cut.groups * GROUP, row = part * PART;
    return (struct block){
        .sentence = group / work->cut.groups,
        .panel = panel,
        .panels = least(GROUP, work->cut.panels - panel),
        .row = row,
        .rows = least(PART, work->size.d - row),
    };
}

static struct projection projection_of(const struct attention_work *work, const struct block *block,
                                       struct tensor weight, struct tensor bias,
                                       const float *panels) {
    const int64_t d = work->size.d, panel = block->sentence * work->cut.panels + block->panel;
    return (struct projection){
        .weight = floats_of(&weight) + block->row * d,
        .bias = is_tensor(&bias) ? floats_of(&bias) + block->row : NULL,
        .rows = block->rows,
        .depth = d,
        .panels = panels + panel * work->cut.panel_step,
        .tokens = tokens_from(work, block->panel, block->panels),
        .panel_step = work->cut.panel_step,
    };
}

static int64_t operations_of(const struct attention_work *work, const struct block *block) {
    return 2 * block->rows * work->size.d * tokens_from(work, block->panel, block->panels);
}

static bool is_finite_block(const struct projection *projection, int64_t columns) {
    bool is_finite = true;
    for (int64_t n = 0; n < projection->rows; n++) {
        const float *row = projection->out + n * projection->row_step;
        uint32_t is_special = 0;
        for (int64_t i = 0; i < columns; i++) {
            uint32_t bits;
            memcpy(&bits, row + i, sizeof bits);
            is_special |= (bits & 0x7f800000U) == 0x7f800000U;
        }
        if (is_special) is_finite = false;
    }
    return is_finite;
}

// Item: a block of queries, keys or values.
static void project_inputs(void *context, int64_t item, int thread) {
    struct attention_work *work = context;
    const struct attention_layer *layer = work->layer;
    enum { QUERY, KEY, VALUE, KINDS };
    const int64_t kind = item / work->cut.parts % KINDS;
    const struct block block =
        block_of(work, item % work->cut.parts, item / work->cut.parts / KINDS);
    const struct tensor weight = kind == QUERY ? layer->W_query
                                 : kind == KEY ? layer->W_key
                                               : layer->W_value;
    const struct tensor bias = kind == QUERY ? layer->W_query_bias
                               : kind == KEY ? layer->W_key_bias
                                             : layer->W_value_bias;
    struct projection projection = projection_of(work, &block, weight, bias, work->inputs);
    const int64_t width = work->kernel->width;
    if (kind == VALUE) {
        projection.row_step = work->cut.value_step;
        projection.out_step = width;
        projection.out = work->values +
                         (block.sentence * work->size.d + block.row) * work->cut.value_step +
                         block.panel * width;
    } else {
        projection.row_step = width;
        projection.out_step = work->cut.panel_step;
        projection.out = (kind == QUERY ? work->queries : work->keys) +
                         (block.sentence * work->cut.panels + block.panel) * work->cut.panel_step +
                         block.row * width;
    }
    work->kernel->project(&projection);
    if (kind == VALUE &&
        !is_finite_block(&projection, tokens_from(work, block.panel, block.panels))) {
        atomic_store(&work->values_are_finite, false);
    }
    note(work, thread, operations_of(work, &block));
}

// Item: one head of a panel of queries. A head's panels follow each other, so that its keys and values
// stay in the cache, the longest first, so that no thread is left with one at the end.
static void attend(void *context, int64_t item, int thread) {
    struct attention_work *work = context;
    const struct attention_size *size = &work->size;
    const struct cut *cut = &work->cut;
    const int64_t panel = cut->panels - 1 - item % cut->panels, head_dim = size->d / size->heads;
    const int64_t sentence = item / cut->panels / size->heads;
    const int64_t row = item / cut->panels % size->heads * head_dim; // the head's first feature
    const int64_t width = work->kernel->width, first_panel = sentence * cut->panels;
    const struct head head = {
        .head_dim = head_dim,
        .tokens = size->tokens,
        .first = panel * width,
        .queries = work->queries + (first_panel + panel) * cut->panel_step + row * width,
        .keys = work->keys + first_panel * cut->panel_step + row * width,
        .key_step = cut->panel_step,
        .values = work->values + (sentence * size->d + row) * cut->value_step,
        .value_step = cut->value_step,
        .values_are_finite = atomic_load(&work->values_are_finite),
        .is_small = size->tokens * size->tokens * head_dim < SMALL_BATCH,
        .root = (float)sqrt((double)head_dim),
        .kept = work->kept,
        .kept_from = item / cut->panels * size->tokens * size->tokens,
        .kept_factor = work->kept_factor,
        .scores = work->scores[thread],
    };
    work->kernel->attend(&head);
    const int64_t tokens = tokens_from(work, panel, 1);
    note(work, thread, 2 * head_dim * tokens * (2 * head.first + tokens + 1));
}

// Item: a block of the output.
static void project_outputs(void *context, int64_t item, int thread) {
    struct attention_work *work = context;
    const struct attention_layer *layer = work->layer;
    const struct block block = block_of(work, item % work->cut.parts, item / work->cut.parts);
    struct projection projection =
        projection_of(work, &block, layer->W_out, layer->W_out_bias, work->queries);
    const int64_t width = work->kernel->width, d = work->size.d;
    projection.out = work->projected[thread];
    projection.row_step = width;
    projection.out_step = PART * width;
    work->kernel->project(&projection);
    for (int64_t i = 0; i < block.panels; i++) {
        const int64_t token = block.sentence * work->size.tokens + (block.panel + i) * width;
        work->kernel->unpack(projection.out + i * projection.out_step,
                             tokens_from(work, block.panel + i, 1), block.rows,
                             work->result + token * d + block.row, d);
    }
    note(work, thread, operations_of(work, &block));
}

// ---- One pass -----------------------------------------------------------------------------------

void attention_fast(struct attention_work *work, const struct attention_layer *layer,
                    const struct tensor *x, float *result) {
    const int64_t panels = work->size.batch * work->cut.panels;
    const int64_t blocks = work->size.batch * work->cut.groups * work->cut.parts;
    work->layer = layer;
    work->x = floats_of(x);
    work->result = result;
    atomic_store(&work->done, 0);
    atomic_store(&work->values_are_finite, true);
    const struct phase phases[] = {
        {pack_inputs, panels},
        {project_inputs, 3 * blocks},
        {attend, panels * work->size.heads},
        {project_outputs, blocks},
    };
    parallel_phases(work->threads, phases, sizeof phases / sizeof *phases, work);
}

// ---- What the processor can do ------------------------------------------------------------------

struct spin {
    const struct kernel *kernel;
    int64_t rounds;
    double operations[MAX_THREADS];
};

static void spin(void *context, int64_t item, int thread) {
    struct spin *spin = context;
    (void)thread;
    spin->operations[item] = spin->kernel->spin(spin->rounds);
}

// Seconds of one try.
static double try_spin(struct spin *job, int threads, double *operations) {
    const double start = seconds_now();
    parallel_phases(threads, &(struct phase){spin, threads}, 1, job);
    const double seconds = seconds_now() - start;
    *operations = 0;
    for (int i = 0; i < threads; i++) *operations += job->operations[i];
    return seconds;
}

double attention_peak(enum attention_path path, int threads) {
    enum { TRIES = 12 };
    struct spin job = {.kernel = kernel_of(path), .rounds = 1000};
    double operations, peak = 0;
    while (try_spin(&job, threads, &operations) < 0.002) job.rounds *= 2;
    for (int i = 0; i < TRIES; i++) {
        const double seconds = try_spin(&job, threads, &operations);
        if (operations / seconds > peak) peak = operations / seconds;
    }
    return peak;
}
