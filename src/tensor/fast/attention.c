#include "tensor/fast/attention.h"

#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "tensor/fast/kernel.h"
#include "tensor/fast/panels.h"
#include "tensor/fast/parallel.h"
#include "tensor/fast/small_head.h"

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

// ---- Room to work in ----------------------------------------------------------------------------

enum { CACHE_LINE = 16 }; // floats

struct attention_work {
    struct attention_size size;
    int threads;
    struct panels inputs, keys; // of d features
    struct panels queries;      // the same; a head's are replaced by its context
    float *values;              // [batch][d][tokens], rows value_step apart
    int64_t value_step;
    float *scores[MAX_THREADS]; // [tokens][width]
    float *rows[MAX_THREADS];   // project_to_rows
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

double attention_bytes(struct attention_size size, enum kernel_path path, int threads) {
    const struct kernel *kernel = kernel_for(path, size.tokens);
    const double width = kernel->width;
    const double padded = ((double)size.tokens + width) * (double)size.batch * (double)size.d;
    const double room_of_thread =
        ((double)size.tokens + width) * width + (double)room_of_rows(kernel);
    return sizeof(float) * (4 * padded + (double)CACHE_LINE * (double)size.batch * (double)size.d +
                            threads * room_of_thread);
}

struct attention_work *attention_prepare(struct arena *m, struct attention_size size,
                                         enum kernel_path path, int threads) {
    const struct kernel *kernel = kernel_for(path, size.tokens);
    struct attention_work *work = arena_allocate(m, sizeof *work);
    work->size = size;
    work->threads = threads;
    work->inputs = panels_new(m, kernel, size.batch, size.tokens, size.d);
    work->queries = panels_new(m, kernel, size.batch, size.tokens, size.d);
    work->keys = panels_new(m, kernel, size.batch, size.tokens, size.d);
    const int64_t padded = work->inputs.count * kernel->width;
    // A line more than needed: rows a power of two apart would fight for the same cache lines.
    work->value_step = padded + CACHE_LINE;
    work->values = arena_array(m, (size_t)size.batch * (size_t)size.d,
                               sizeof(float) * (size_t)work->value_step);
    for (int i = 0; i < threads; i++) {
        work->scores[i] = arena_array(m, (size_t)padded, sizeof(float) * (size_t)kernel->width);
        work->rows[i] = arena_array(m, (size_t)room_of_rows(kernel), sizeof(float));
    }
    return work;
}

double attention_mask_bytes(struct attention_size size, double p) {
    const double tokens = (double)size.tokens;
    return p > 0 ? (double)size.batch * (double)size.heads * tokens * tokens / 8 : 0;
}

void attention_drop(struct attention_work *work, struct arena *m, struct generator *g, double p,
                    enum bernoulli stream) {
    if (!(p > 0)) return;
    const struct attention_size size = work->size;
    const int64_t weights = size.batch * size.heads * size.tokens * size.tokens;
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

// Item: one panel of the input.
static void pack_inputs(void *context, int64_t item, int thread) {
    const struct attention_work *work = context;
    (void)thread;
    fill_panel(&work->inputs, work->x, item);
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

// Where a tile of queries or keys goes: panels again.
static void aim_at_panels(struct projection *projection, const struct panels *panels,
                          const struct tile *tile) {
    projection->row_step = panels->kernel->width;
    projection->out_step = panels->step;
    projection->out =
        packed_panel(panels, tile->sentence, tile->panel) + tile->row * panels->kernel->width;
}

// Where one of values goes: rows of tokens.
static void aim_at_values(struct projection *projection, const struct attention_work *work,
                          const struct tile *tile) {
    const int64_t width = work->inputs.kernel->width;
    projection->row_step = work->value_step;
    projection->out_step = width;
    projection->out = work->values +
                      (tile->sentence * work->size.d + tile->row) * work->value_step +
                      tile->panel * width;
}

// Item: a tile of queries, keys or values, all three of a group of panels before the next group.
static void project_inputs(void *context, int64_t item, int thread) {
    struct attention_work *work = context;
    const struct attention_layer *layer = work->layer;
    enum { QUERY, KEY, VALUE, KINDS };
    const int64_t across = tiles_across(work->size.d);
    const int64_t kind = item / across % KINDS;
    const struct tile tile =
        tile_at(&work->inputs, work->size.d, item / across / KINDS * across + item % across);
    const struct tensor weight = kind == QUERY ? layer->W_query
                                 : kind == KEY ? layer->W_key
                                               : layer->W_value;
    const struct tensor bias = kind == QUERY ? layer->W_query_bias
                               : kind == KEY ? layer->W_key_bias
                                             : layer->W_value_bias;
    struct projection projection = tile_projection(&work->inputs, &tile, weight, bias);
    if (kind == VALUE)
        aim_at_values(&projection, work, &tile);
    else
        aim_at_panels(&projection, kind == QUERY ? &work->queries : &work->keys, &tile);
    project_tile(&work->inputs, &tile, work->size.d, &projection);
    if (kind == VALUE && !is_finite_block(&projection, tile.tokens))
        atomic_store(&work->values_are_finite, false);
    note(work, thread, tile_operations(&work->inputs, &tile));
}

// Item: one head of a panel of queries. A head's panels follow each other, so that its keys and values
// stay in the cache, the longest first, so that no thread is left with one at the end.
static void attend(void *context, int64_t item, int thread) {
    struct attention_work *work = context;
    const struct attention_size *size = &work->size;
    const struct panels *queries = &work->queries, *keys = &work->keys;
    const int64_t panel = queries->count - 1 - item % queries->count;
    const int64_t number = item / queries->count; // of the head, over all sentences
    const int64_t sentence = number / size->heads, head_dim = size->d / size->heads;
    const int64_t row = number % size->heads * head_dim; // the head's first feature
    const int64_t width = queries->kernel->width;
    const struct head head = {
        .head_dim = head_dim,
        .tokens = size->tokens,
        .first = panel * width,
        .queries = packed_panel(queries, sentence, panel) + row * width,
        .keys = packed_panel(keys, sentence, 0) + row * width,
        .key_step = keys->step,
        .values = work->values + (sentence * size->d + row) * work->value_step,
        .value_step = work->value_step,
        .values_are_finite = atomic_load(&work->values_are_finite),
        .root = (float)sqrt((double)head_dim),
        .kept = work->kept,
        .kept_from = number * size->tokens * size->tokens,
        .kept_factor = work->kept_factor,
        .scores = work->scores[thread],
    };
    attend_head(queries->kernel, &head);
    const int64_t tokens = tokens_from(queries, panel, 1);
    note(work, thread, 2 * head_dim * tokens * (2 * head.first + tokens + 1));
}

// Item: a tile of the output.
static void project_outputs(void *context, int64_t item, int thread) {
    struct attention_work *work = context;
    const struct tile tile = tile_at(&work->queries, work->size.d, item);
    project_to_rows(&work->queries, &tile, work->layer->W_out, work->layer->W_out_bias,
                    work->rows[thread], work->result);
    note(work, thread, tile_operations(&work->queries, &tile));
}

// ---- One pass -----------------------------------------------------------------------------------

void attention_fast(struct attention_work *work, const struct attention_layer *layer,
                    const struct tensor *x, float *result) {
    const int64_t panels = work->size.batch * work->inputs.count;
    const int64_t tiles = tile_count(&work->inputs, work->size.d);
    work->layer = layer;
    work->x = floats_of(x);
    work->result = result;
    atomic_store(&work->done, 0);
    atomic_store(&work->values_are_finite, true);
    const struct phase phases[] = {
        {pack_inputs, panels},
        {project_inputs, 3 * tiles},
        {attend, panels * work->size.heads},
        {project_outputs, tiles},
    };
    parallel_phases(work->threads, phases, sizeof phases / sizeof *phases, work);
}
