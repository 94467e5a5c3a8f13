#include "app/gpt_ways.h"

#include <string.h>

#include "app/memory.h"
#include "tensor/fast/gpt.h"
#include "tensor/fast/parallel.h"
#include "tensor/fast/quick.h"
#include "whole_gpt.h"

// Beside the tensors: texts, and what comes between the layers.
static const double OTHER_BYTES = 64e6;

static void make_room(struct run *run, double bytes) {
    const double available = available_bytes();
    if (bytes + OTHER_BYTES <= available) return;
    struct arena *m = run->memory;
    fail(m->failure, FAIL_RUNTIME, "gpt: the model needs %s of memory, and there are %s",
         bytes_text(m, bytes + OTHER_BYTES), bytes_text(m, available));
}

// The numbers of a tensor that was computed elsewhere.
static struct tensor given_copy(struct arena *m, struct tensor x) {
    const struct tensor copy = tensor_given(m, FLOAT32, shape_of(&x));
    memcpy(floats_of(&copy), floats_of(&x), sizeof(float) * (size_t)copy.storage->count);
    return with_axes_of(copy, &x);
}

static struct tensor zeros_of(struct arena *m, struct tensor x) {
    return full(m, shape_of(&x), 0);
}

// The output projection without what it reads of the heads that are off.
static struct tensor projection_of(struct arena *m, const char *off, int64_t number,
                                   struct tensor weight, int64_t heads) {
    bool is_any_off = false;
    for (int64_t head = 1; head <= heads; head++)
        is_any_off = is_any_off || is_switched_off(off, number, head);
    if (!is_any_off) return weight;
    const struct tensor left = given_copy(m, weight);
    const int64_t count = left.storage->count, width = size_along(&weight, AXIS_INPUT);
    for (int64_t i = 0; i < count; i++) {
        const int64_t head = i % width / (width / heads);
        if (is_switched_off(off, number, head + 1)) floats_of(&left)[i] = 0;
    }
    return left;
}

// A block without what is switched off of it.
static void switch_off(struct arena *m, const char *off, int64_t number, struct gpt_block *block) {
    struct attention_layer *attention = &block->attention;
    attention->W_out = projection_of(m, off, number, attention->W_out, attention->heads);
    if (!is_switched_off(off, number, 0)) return;
    attention->W_out = zeros_of(m, attention->W_out);
    attention->W_out_bias = zeros_of(m, attention->W_out_bias);
    block->W_ffn2 = zeros_of(m, block->W_ffn2);
    block->W_ffn2_bias = zeros_of(m, block->W_ffn2_bias);
}

static struct gpt_block block_of(const struct block *block, int64_t heads) {
    return (struct gpt_block){
        .attention = {.heads = heads,
                      .W_query = block->W_query.weight,
                      .W_key = block->W_key.weight,
                      .W_value = block->W_value.weight,
                      .W_out = block->W_out.weight,
                      .W_out_bias = block->W_out.bias},
        .W_ffn1 = block->W_ffn1.weight,
        .W_ffn1_bias = block->W_ffn1.bias,
        .W_ffn2 = block->W_ffn2.weight,
        .W_ffn2_bias = block->W_ffn2.bias,
    };
}

// The same model, as the fast passes read it.
static struct gpt gpt_of(struct arena *m, const struct small_gpt *model, const char *off) {
    const struct gpt_sizes sizes = model->sizes;
    struct gpt gpt = {.size = {.vocabulary = sizes.vocabulary,
                               .context = sizes.context_length,
                               .d = sizes.d_model,
                               .heads = sizes.heads,
                               .layers = sizes.blocks},
                      .token_table = model->token_table,
                      .position_table = model->position_table,
                      .W_head = model->W_head.weight};
    gpt.blocks = arena_array(m, (size_t)sizes.blocks, sizeof *gpt.blocks);
    for (int64_t i = 0; i < sizes.blocks; i++) {
        gpt.blocks[i] = block_of(&model->blocks[i], sizes.heads);
        switch_off(m, off, i + 1, &gpt.blocks[i]);
    }
    return gpt;
}

// `count` sentences of ids from one on.
static struct tensor ids_copy(struct arena *m, struct tensor ids, int64_t sentence, int64_t count) {
    const int64_t tokens = size_along(&ids, AXIS_TOKEN);
    const struct tensor copy = tensor_given(m, INT64, SHAPE(count, tokens));
    const int64_t *first = (const int64_t *)ids.storage->data + sentence * tokens;
    memcpy(copy.storage->data, first, sizeof *first * (size_t)copy.storage->count);
    return set_matrix(copy, AXIS_BATCH, AXIS_TOKEN);
}

static struct tensor hidden(struct run *run, const struct small_gpt *model, struct tensor ids) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, run->memory->failure);
    const struct gpt gpt = gpt_of(m, model, run->parameters.off);
    const struct gpt_pass pass = {.gpt = &gpt,
                                  .generator = &run->generator,
                                  .p = run->parameters.dropout,
                                  .stream = run->stream,
                                  .path = PATH_BEST,
                                  .threads = processor_count()};
    const struct tensor x =
        gpt_hidden(&pass, ids_copy(m, ids, 0, size_along(&ids, AXIS_BATCH)), gpt.size.layers);
    const struct tensor result = given_copy(run->memory, x);
    scratch_close(&scratch);
    return axes(result, AXIS_BATCH, AXIS_TOKEN, AXIS_FEATURE);
}

// The most likely token behind the last one.
static int64_t next_of(struct tensor logits, int64_t vocabulary) {
    const float *last = floats_of(&logits) + logits.storage->count - vocabulary;
    int64_t best = 0;
    for (int64_t i = 1; i < vocabulary; i++) {
        if (last[i] > last[best]) best = i;
    }
    return best;
}

// The most likely token behind ids that nobody has read so far; behind those in the cache.
static int64_t next_token(const struct gpt_pass *pass, struct gpt_cache *cache, struct arena *m,
                          const int64_t *ids, int64_t count) {
    struct scratch scratch;
    struct arena *token = scratch_open(&scratch, m->failure);
    const struct tensor read = tensor_given(token, INT64, SHAPE(1, count));
    memcpy(read.storage->data, ids, sizeof *ids * (size_t)count);
    if (cache == NULL) cache = gpt_cache_new(token, pass->gpt);
    const struct tensor logits =
        gpt_continue(pass, cache, set_matrix(read, AXIS_BATCH, AXIS_TOKEN));
    const int64_t next = next_of(logits, pass->gpt->size.vocabulary);
    scratch_close(&scratch);
    return next;
}

// Writes `count` ids behind the first `tokens`, in evaluation mode. As long as they fit, each new one goes through the model
// alone. Then the model reads the last ids that fit, all of them at other positions than before
// (generate_text_simple of the course: idx[:, -context_size:]).
static void say(const struct gpt_pass *pass, struct arena *m, int64_t *ids, int64_t tokens,
                int64_t count) {
    struct gpt_cache *cache = gpt_cache_new(m, pass->gpt);
    const int64_t context = pass->gpt->size.context;
    int64_t read = 0;
    for (int64_t all = tokens; all < tokens + count; all++) {
        if (all > context) {
            ids[all] = next_token(pass, NULL, m, ids + all - context, context);
            continue;
        }
        ids[all] = next_token(pass, cache, m, ids + read, all - read);
        read = all;
    }
}

static struct tensor go_on(struct run *run, const struct small_gpt *model, struct tensor ids,
                           int64_t count) {
    const int64_t sentences = size_along(&ids, AXIS_BATCH), tokens = size_along(&ids, AXIS_TOKEN);
    const int64_t all = tokens + count;
    const struct tensor said = tensor_given(run->memory, INT64, SHAPE(sentences, all));
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, run->memory->failure);
    struct gpt gpt = gpt_of(m, model, run->parameters.off);
    if (all < gpt.size.context) gpt.size.context = all; // what a cache makes room for
    const struct gpt_pass pass = {.gpt = &gpt, .path = PATH_BEST, .threads = processor_count()};
    for (int64_t i = 0; i < sentences; i++) {
        int64_t *row = (int64_t *)said.storage->data + i * all;
        memcpy(row, (const int64_t *)ids.storage->data + i * tokens, sizeof *row * (size_t)tokens);
        say(&pass, m, row, tokens, count);
    }
    scratch_close(&scratch);
    said.storage->words = ids.storage->words;
    said.storage->word_count = ids.storage->word_count;
    return axes(said, AXIS_BATCH, AXIS_TOKEN);
}

void use_gpt_ways(void) {
    use_quick_ways();
    gpt_ways = (struct gpt_ways){make_room, hidden, go_on};
}
