#include "agreement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 2, ATTENTION_HEADS = 2, MOST_VOCABULARY = 64 };

// The file, and the next byte to be read.
struct reading {
    struct run *run;
    const char *at;
};

static const char *next_word(struct reading *reading) {
    const char *word = reading->at + strspn(reading->at, " \n");
    size_t length = strcspn(word, " \n");
    reading->at = word + length;
    return arena_copy_bytes(reading->run->memory, word, length);
}

static const char *const *read_words(struct reading *reading,
                                     int64_t *count) {
    const char **words =
        arena_array(reading->run->memory, MOST_VOCABULARY, sizeof *words);
    (void)next_word(reading); // "words"
    while (*reading->at != '\n' && *count < MOST_VOCABULARY)
        words[(*count)++] = next_word(reading);
    return words;
}

// Four hexadecimal digits are a bfloat16: the upper half of a float32.
static float read_bfloat16(struct reading *reading) {
    uint32_t bits = (uint32_t)strtoul(next_word(reading), NULL, 16) << 16;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// The next tensor. Its name says what it is to a reader of the file; here the
// order does.
static struct tensor read_tensor(struct reading *reading) {
    (void)next_word(reading);
    struct shape shape = {.ndim = 0};
    while (*reading->at != '\n')
        shape.size[shape.ndim++] = strtoll(next_word(reading), NULL, 10);
    tensor read = tensor_given(reading->run->memory, FLOAT32, shape);
    for (int64_t i = 0; i < read.storage->count; i++)
        floats_of(&read)[i] = read_bfloat16(reading);
    return read;
}

static struct tensor read_table(struct reading *reading, enum role makes) {
    tensor table = read_tensor(reading);
    table.storage->purpose =
        (struct purpose){.role = ROLE_EMBEDDING,
                         .makes = makes,
                         .layer = ++reading->run->layers[makes]};
    return set_matrix(table,
                      makes == ROLE_TOKENS ? AXIS_WORD : AXIS_POSITION,
                      AXIS_FEATURE);
}

static struct layer read_layer(struct reading *reading, enum role makes,
                               bool bias) {
    enum meaning features = makes == ROLE_LOGITS ? AXIS_WORD : AXIS_FEATURE;
    struct purpose purpose = {.role = ROLE_LAYER_WEIGHT,
                              .makes = makes,
                              .layer = ++reading->run->layers[makes]};
    struct layer read = {
        .weight = set_matrix(read_tensor(reading), features, AXIS_INPUT)};
    read.weight.storage->purpose = purpose;
    if (!bias) return read;
    read.bias = set_axis(read_tensor(reading), 0, features);
    purpose.role = ROLE_LAYER_BIAS;
    read.bias.storage->purpose = purpose;
    return read;
}

static struct norm read_norm(struct reading *reading) {
    tensor scale = set_axis(read_tensor(reading), 0, AXIS_FEATURE);
    tensor shift = set_axis(read_tensor(reading), 0, AXIS_FEATURE);
    return (struct norm){scale, shift};
}

static struct block read_block(struct reading *reading) {
    struct block block;
    block.norm1 = read_norm(reading);
    block.norm2 = read_norm(reading);
    block.W_query = read_layer(reading, ROLE_QUERIES, true);
    block.W_key = read_layer(reading, ROLE_KEYS, true);
    block.W_value = read_layer(reading, ROLE_VALUES, true);
    block.W_out = read_layer(reading, ROLE_OUTPUT, true);
    block.W_ffn1 = read_layer(reading, ROLE_NONE, true);
    block.W_ffn2 = read_layer(reading, ROLE_NONE, true);
    return block;
}

static int64_t id_of(const struct agreement *model, const char *word) {
    for (int64_t id = 0; id < model->gpt.sizes.vocabulary; id++)
        if (strcmp(model->words[id], word) == 0) return id;
    return -1;
}

static void read_verbs(struct reading *reading, struct agreement *model) {
    int64_t count = 0;
    const char *const *forms = read_words(reading, &count);
    tensor verbs =
        tensor_given(reading->run->memory, INT64, SHAPE(count / 2, 2));
    int64_t *ids = verbs.storage->data;
    const char **names =
        arena_array(reading->run->memory, (size_t)count / 2, sizeof *names);
    for (int64_t i = 0; i < count; i++) {
        ids[i] = id_of(model, forms[i]);
        names[i / 2] = forms[i];
    }
    static const char *const numbers[] = {"singular", "plural"};
    model->verbs =
        label_rows(label_columns(named(verbs, "verb", "number"), numbers),
                   names);
}

struct agreement read_agreement(struct run *run) {
    struct reading reading = {run, data_agreement};
    struct agreement model = {0};
    struct gpt_sizes *sizes = &model.gpt.sizes;
    model.words = read_words(&reading, &sizes->vocabulary);
    read_verbs(&reading, &model);
    model.gpt.token_table =
        label_rows(read_table(&reading, ROLE_TOKENS), model.words);
    tensor positions = read_table(&reading, ROLE_POSITIONS);
    *sizes = (struct gpt_sizes){sizes->vocabulary,
                                positions.shape[0],
                                positions.shape[1],
                                ATTENTION_HEADS,
                                BLOCKS,
                                true};
    model.gpt.position_table =
        label_rows(positions, position_names(run, positions.shape[0]));
    model.gpt.blocks =
        arena_array(run->memory, BLOCKS, sizeof *model.gpt.blocks);
    for (int i = 0; i < BLOCKS; i++)
        model.gpt.blocks[i] = read_block(&reading);
    model.gpt.norm = read_norm(&reading);
    model.gpt.W_head =
        label_layer(read_layer(&reading, ROLE_LOGITS, false), model.words);
    return model;
}

// ---- A sentence -----------------------------------------------------------

static _Noreturn void refuse_word(struct run *run,
                                  const struct agreement *model,
                                  const char *word) {
    fail(run->memory->failure, FAIL_USAGE,
         "--sentence takes words that the model knows, not '%s': %s",
         text_safe(run->memory, word),
         words_joined(run->memory, model->words,
                      (int)model->gpt.sizes.vocabulary, "and"));
}

struct tensor ids_of_sentence(struct run *run,
                              const struct agreement *model) {
    int64_t most = model->gpt.sizes.context_length, count = 0;
    int64_t ids[MOST_VOCABULARY];
    const char *next = run->parameters.sentence;
    for (next += strspn(next, " "); *next != '\0' && count <= most;
         next += strspn(next, " ")) {
        size_t length = strcspn(next, " ");
        const char *word = arena_copy_bytes(run->memory, next, length);
        ids[count] = id_of(model, word);
        if (ids[count++] < 0) refuse_word(run, model, word);
        next += length;
    }
    if (count == 0 || count > most)
        fail(run->memory->failure, FAIL_USAGE,
             "--sentence takes 1 to %lld words with blanks between them",
             (long long)most);
    tensor sentence = tensor_given(run->memory, INT64, SHAPE(count));
    memcpy(sentence.storage->data, ids, sizeof *ids * (size_t)count);
    sentence.storage->words = model->words;
    sentence.storage->word_count = model->gpt.sizes.vocabulary;
    const char **said =
        arena_array(run->memory, (size_t)count, sizeof *said);
    for (int64_t i = 0; i < count; i++) said[i] = model->words[ids[i]];
    return label_columns(set_axis(sentence, 0, AXIS_TOKEN), said);
}

// ---- What the model computes ----------------------------------------------

static struct tensor learned_norm(const struct norm *norm, tensor x) {
    return scale_and_shift(norm, layer_norm(x));
}

static struct tensor weights_of(struct run *run, const struct block *block,
                                int64_t heads, tensor normalized) {
    int64_t tokens = normalized.shape[0];
    tensor queries = split_heads(apply(block->W_query, normalized), heads);
    tensor keys = split_heads(apply(block->W_key, normalized), heads);
    tensor scores = matmul(queries, transpose(keys, 1, 2));
    tensor future = to_bool(triu(ones(run, tokens, tokens), 1));
    tensor masked_scores = masked_fill(scores, future, -INFINITY);
    return softmax(divide_by(masked_scores, root(keys.shape[2])), -1);
}

struct tensor look(struct run *run, const struct small_gpt *gpt, int number,
                   struct tensor x) {
    const struct block *block = &gpt->blocks[number - 1];
    return weights_of(run, block, gpt->sizes.heads,
                      learned_norm(&block->norm1, x));
}

// 0 for a head that is off, else 1.
static struct tensor heads_on(struct run *run, int64_t heads, int number,
                              const char *off) {
    tensor on = tensor_given(run->memory, FLOAT32, SHAPE(heads, 1, 1));
    for (int64_t head = 0; head < heads; head++)
        floats_of(&on)[head] = !is_switched_off(off, number, head + 1);
    return on;
}

struct tensor pass_block(struct run *run, const struct small_gpt *gpt,
                         int number, struct tensor x, const char *off) {
    const struct block *block = &gpt->blocks[number - 1];
    int64_t heads = gpt->sizes.heads;
    if (is_switched_off(off, number, 0)) return x;
    tensor normalized = learned_norm(&block->norm1, x);
    tensor weights = weights_of(run, block, heads, normalized);
    tensor values = split_heads(apply(block->W_value, normalized), heads);
    tensor context = matmul(weights, values);
    tensor kept = multiply(context, heads_on(run, heads, number, off));
    tensor attention =
        rows(apply(block->W_out, merge_heads(kept)), AXIS_TOKEN);
    tensor after_attention = add(attention, x);
    tensor hidden =
        apply(block->W_ffn1, learned_norm(&block->norm2, after_attention));
    tensor feed_forward = apply(block->W_ffn2, gelu(run, hidden));
    return add(feed_forward, after_attention);
}

struct tensor to_words(const struct small_gpt *gpt, struct tensor x) {
    return apply(gpt->W_head, learned_norm(&gpt->norm, x));
}
