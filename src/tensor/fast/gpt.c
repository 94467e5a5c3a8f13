#include "tensor/fast/gpt.h"

#include <math.h>
#include <string.h>

#include "tensor/fast/kernel.h"
#include "tensor/fast/linear.h"
#include "tensor/fast/parallel.h"

const struct gpt_size gpt2_small = {
    .vocabulary = 50257, .context = 1024, .d = 768, .heads = 12, .layers = 12};

// ---- The model ----------------------------------------------------------------------------------

static int64_t block_parameters(int64_t d) {
    const int64_t attention = 4 * d * d + d, feed_forward = 8 * d * d + 5 * d, norms = 4 * d;
    return attention + feed_forward + norms;
}

int64_t gpt_parameters(struct gpt_size size) {
    const int64_t tables = (size.vocabulary + size.context) * size.d, last_norm = 2 * size.d;
    return tables + size.layers * block_parameters(size.d) + last_norm + size.vocabulary * size.d;
}

double gpt_bytes(struct gpt_size size) {
    return sizeof(float) * (double)gpt_parameters(size);
}

// A table of normal numbers, drawn as `normal` (ops.h) draws them: all uniform numbers first.
static struct tensor table_new(struct arena *m, struct generator *generator, int64_t rows,
                               int64_t d, enum kernel_path path) {
    const struct tensor table = tensor_given(m, FLOAT32, SHAPE(rows, d));
    const int64_t count = rows * d;
    if (count % NORMAL_BLOCK != 0) {
        random_normal(generator, floats_of(&table), count);
        return table;
    }
    random_floats(generator, floats_of(&table), count);
    kernel_of(path)->normals(floats_of(&table), count / NORMAL_BLOCK);
    return table;
}

// How much of a model is drawn.
struct drawing {
    gpt_progress *progress;
    void *context;
    double whole, drawn; // numbers
};

static void note_drawn(struct drawing *drawing, double numbers) {
    drawing->drawn += numbers;
    if (drawing->progress != NULL)
        drawing->progress(drawing->context, drawing->drawn / drawing->whole);
}

static struct gpt_block block_new(struct arena *m, struct generator *generator,
                                  struct gpt_size size) {
    const int64_t d = size.d, hidden = 4 * d;
    struct gpt_block block = {.attention = attention_layer_new(m, generator, d, size.heads, false)};
    block.W_ffn1 = uniform_weight(m, generator, hidden, d);
    block.W_ffn1_bias = uniform_bias(m, generator, hidden, d);
    block.W_ffn2 = uniform_weight(m, generator, d, hidden);
    block.W_ffn2_bias = uniform_bias(m, generator, d, hidden);
    return block;
}

struct gpt gpt_new(struct arena *m, struct generator *generator, struct gpt_size size,
                   gpt_progress *progress, void *context) {
    struct drawing drawing = {progress, context, (double)gpt_parameters(size), 0};
    const double table = (double)(size.vocabulary * size.d);
    struct gpt gpt = {.size = size};
    gpt.token_table = table_new(m, generator, size.vocabulary, size.d, PATH_BEST);
    note_drawn(&drawing, table);
    gpt.position_table = table_new(m, generator, size.context, size.d, PATH_BEST);
    gpt.blocks = arena_array(m, (size_t)size.layers, sizeof *gpt.blocks);
    for (int64_t layer = 0; layer < size.layers; layer++) {
        gpt.blocks[layer] = block_new(m, generator, size);
        note_drawn(&drawing, (double)block_parameters(size.d));
    }
    gpt.W_head = uniform_weight(m, generator, size.vocabulary, size.d);
    note_drawn(&drawing, table);
    return gpt;
}

// ---- Between the layers -------------------------------------------------------------------------

// torch.nn.LayerNorm without scale and shift: (x - mean) / √(variance + 1e-5), the variance divided by n.
static struct tensor normalize_row(struct tensor x) {
    const struct tensor epsilon = scalar(x.storage->arena, 1e-5);
    const struct tensor distance = subtract(x, mean(x, -1, true));
    return divide(distance, square_root(add(var(x, -1, false, true), epsilon)));
}

struct norm_work {
    const struct kernel *kernel;
    struct norm norm;
    int64_t rows;
};

enum { NORM_ROWS = 64 };

static void normalize_rows(void *context, int64_t item, int thread) {
    const struct norm_work *work = context;
    (void)thread;
    const int64_t first = item * NORM_ROWS, left = work->rows - first;
    work->kernel->normalize(&work->norm, first, left < NORM_ROWS ? left : NORM_ROWS);
}

// The same for rows of any number.
static struct tensor normalize(const struct gpt_pass *pass, struct tensor any) {
    const struct tensor x = contiguous(any);
    const int64_t features = x.shape[x.ndim - 1], rows = count_of(shape_of(&x)) / features;
    if (rows == 1) return normalize_row(x);
    const struct tensor means = mean(x, -1, true);
    const struct tensor result = full(x.storage->arena, shape_of(&x), 0);
    const struct norm norm = {floats_of(&x), floats_of(&means), 1e-5F, features,
                              floats_of(&result)};
    struct norm_work work = {kernel_of(pass->path), norm, rows};
    const struct phase phase = {normalize_rows, (rows + NORM_ROWS - 1) / NORM_ROWS};
    parallel_phases(pass->threads, &phase, 1, &work);
    return result;
}

// x in another arena.
static struct tensor copied(struct arena *m, struct tensor x) {
    const struct tensor copy = full(m, shape_of(&x), 0);
    memcpy(floats_of(&copy), floats_of(&x), sizeof(float) * (size_t)count_of(shape_of(&x)));
    return copy;
}

static struct tensor linear_layer(const struct gpt_pass *pass, struct tensor x,
                                  struct tensor weight, struct tensor bias) {
    struct arena *m = x.storage->arena;
    struct shape shape = shape_of(&x);
    const struct linear_size size = {.tokens = count_of(shape) / weight.shape[1],
                                     .d_in = weight.shape[1],
                                     .d_out = weight.shape[0]};
    shape.size[shape.ndim - 1] = size.d_out;
    const struct tensor result = full(m, shape, 0);
    struct linear_work *work = linear_prepare(m, size, pass->path, pass->threads);
    linear_fast(work, weight, bias, floats_of(&x), floats_of(&result));
    return result;
}

static struct tensor dropped(const struct gpt_pass *pass, struct tensor x) {
    return pass->p > 0 ? drop(pass->generator, x, pass->p, pass->stream) : x;
}

// ---- A pass -------------------------------------------------------------------------------------

// Rows of the tables for tokens that stand from `position` on.
static struct tensor embed_at(const struct gpt_pass *pass, struct tensor ids, int64_t position) {
    const struct gpt *gpt = pass->gpt;
    struct arena *m = ids.storage->arena;
    const int64_t tokens = ids.shape[1], context = gpt->size.context;
    if (tokens > context - position) {
        fail(m->failure, FAIL_USAGE,
             "gpt: %lld tokens are more than the %lld positions of the model",
             (long long)(position + tokens), (long long)context);
    }
    const struct tensor positions = narrow(gpt->position_table, 0, position, tokens);
    return add(embed(ids, gpt->token_table), positions);
}

struct tensor gpt_embed(const struct gpt_pass *pass, struct tensor ids) {
    return dropped(pass, embed_at(pass, ids, 0));
}

static struct tensor attend(const struct gpt_pass *pass, int64_t layer, struct tensor x) {
    const struct gpt *gpt = pass->gpt;
    struct arena *m = x.storage->arena;
    const struct attention_size size = {x.shape[0], x.shape[1], x.shape[2], gpt->size.heads};
    const struct tensor result = full(m, shape_of(&x), 0);
    struct attention_work *work = attention_prepare(m, size, pass->path, pass->threads);
    if (pass->p > 0) attention_drop(work, m, pass->generator, pass->p, pass->stream);
    attention_fast(work, &gpt->blocks[layer].attention, &x, floats_of(&result));
    return result;
}

// The course's GELU of all numbers, in their place.
struct gelu_work {
    const struct kernel *kernel;
    float *values, root;
    int64_t count;
};

enum { GELU_PIECE = 1 << 14 };

static void gelu_piece(void *context, int64_t item, int thread) {
    const struct gelu_work *work = context;
    (void)thread;
    const int64_t first = item * GELU_PIECE, left = work->count - first;
    work->kernel->gelu(work->values + first, left < GELU_PIECE ? left : GELU_PIECE, work->root);
}

static void gelu(const struct gpt_pass *pass, struct tensor x) {
    const float two_by_pi = (float)(2 / 3.14159265358979323846);
    struct gelu_work work = {kernel_of(pass->path), floats_of(&x), sqrtf(two_by_pi),
                             count_of(shape_of(&x))};
    const struct phase phase = {gelu_piece, (work.count + GELU_PIECE - 1) / GELU_PIECE};
    parallel_phases(pass->threads, &phase, 1, &work);
}

static struct tensor feed_forward(const struct gpt_pass *pass, int64_t layer, struct tensor x) {
    const struct gpt_block *block = &pass->gpt->blocks[layer];
    const struct tensor hidden = linear_layer(pass, x, block->W_ffn1, block->W_ffn1_bias);
    gelu(pass, hidden);
    return linear_layer(pass, hidden, block->W_ffn2, block->W_ffn2_bias);
}

struct tensor gpt_block(const struct gpt_pass *pass, int64_t layer, struct tensor x) {
    struct scratch scratch;
    struct arena *outside = x.storage->arena, *m = scratch_open(&scratch, outside->failure);
    const struct tensor before = copied(m, x);
    const struct tensor attention = dropped(pass, attend(pass, layer, normalize(pass, before)));
    const struct tensor after_attention = add(attention, before);
    const struct tensor thought =
        dropped(pass, feed_forward(pass, layer, normalize(pass, after_attention)));
    const struct tensor result = copied(outside, add(thought, after_attention));
    scratch_close(&scratch);
    return result;
}

struct tensor gpt_hidden(const struct gpt_pass *pass, struct tensor ids, int64_t layer) {
    struct tensor x = gpt_embed(pass, ids);
    for (int64_t block = 0; block < layer; block++) x = gpt_block(pass, block, x);
    return x;
}

struct tensor gpt_logits(const struct gpt_pass *pass, struct tensor hidden) {
    return linear_layer(pass, normalize(pass, hidden), pass->gpt->W_head, NO_TENSOR);
}

// ---- Token by token -----------------------------------------------------------------------------

struct gpt_cache {
    int64_t tokens;
    struct tensor *keys, *values; // of each block: (heads, context, head_dim)
};

struct gpt_cache *gpt_cache_new(struct arena *m, const struct gpt *gpt) {
    const struct gpt_size size = gpt->size;
    struct gpt_cache *cache = arena_allocate(m, sizeof *cache);
    cache->keys = arena_array(m, (size_t)size.layers, sizeof *cache->keys);
    cache->values = arena_array(m, (size_t)size.layers, sizeof *cache->values);
    for (int64_t layer = 0; layer < size.layers; layer++) {
        const struct shape shape = SHAPE(size.heads, size.context, size.d / size.heads);
        cache->keys[layer] = full(m, shape, 0);
        cache->values[layer] = full(m, shape, 0);
    }
    return cache;
}

// (1, tokens, d) as (heads, tokens, head_dim).
static struct tensor heads_of(struct tensor x, int64_t heads) {
    const int64_t tokens = x.shape[1], d = x.shape[2];
    return transpose(view(x, SHAPE(tokens, heads, d / heads)), 0, 1);
}

// Writes the heads' rows behind those of `before` tokens, and gives all of them: (heads, before + tokens, head_dim).
static struct tensor behind(struct tensor cached, int64_t before, struct tensor heads) {
    const int64_t tokens = heads.shape[1], head_dim = heads.shape[2];
    for (int64_t h = 0; h < heads.shape[0]; h++) {
        for (int64_t t = 0; t < tokens; t++) {
            memcpy(floats_of(&cached) + h * cached.stride[0] + (before + t) * cached.stride[1],
                   floats_of(&heads) + h * heads.stride[0] + t * heads.stride[1],
                   sizeof(float) * (size_t)head_dim);
        }
    }
    return narrow(cached, 1, 0, before + tokens);
}

static struct tensor attend_cached(const struct gpt_pass *pass, struct gpt_cache *cache,
                                   int64_t layer, struct tensor x) {
    const struct attention_layer *a = &pass->gpt->blocks[layer].attention;
    const int64_t tokens = x.shape[1], before = cache->tokens;
    const struct tensor new_keys = linear_layer(pass, x, a->W_key, a->W_key_bias);
    const struct tensor new_values = linear_layer(pass, x, a->W_value, a->W_value_bias);
    const struct tensor keys = behind(cache->keys[layer], before, heads_of(new_keys, a->heads));
    const struct tensor values =
        behind(cache->values[layer], before, heads_of(new_values, a->heads));
    if (before == 0 && tokens > FEW_TOKENS) return attend(pass, layer, x);

    const struct tensor queries = linear_layer(pass, x, a->W_query, a->W_query_bias);
    const struct tensor scores = matmul(heads_of(queries, a->heads), transpose(keys, 1, 2));
    const struct tensor ones = full(x.storage->arena, SHAPE(tokens, before + tokens), 1);
    const struct tensor later = to_bool(triu(ones, 1 + (int)before));
    const struct tensor scaled =
        divide_by(masked_fill(scores, later, -INFINITY), sqrt((double)keys.shape[2]));
    const struct tensor context = transpose(matmul(softmax(scaled, -1), values), 0, 1);
    const struct tensor merged = view(contiguous(context), SHAPE(1, tokens, x.shape[2]));
    return linear_layer(pass, merged, a->W_out, a->W_out_bias);
}

struct tensor gpt_continue(const struct gpt_pass *pass, struct gpt_cache *cache,
                           struct tensor ids) {
    struct arena *outside = ids.storage->arena;
    struct tensor x = embed_at(pass, ids, cache->tokens);
    for (int64_t layer = 0; layer < pass->gpt->size.layers; layer++) {
        struct scratch scratch;
        const struct tensor before = copied(scratch_open(&scratch, outside->failure), x);
        const struct tensor attended =
            add(attend_cached(pass, cache, layer, normalize(pass, before)), before);
        x = copied(outside, add(feed_forward(pass, layer, normalize(pass, attended)), attended));
        scratch_close(&scratch);
    }
    cache->tokens += ids.shape[1];
    return gpt_logits(pass, contiguous(narrow(x, 1, ids.shape[1] - 1, 1)));
}
