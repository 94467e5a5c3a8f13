#include <math.h>

#include "training_model.h"
#include "variants.h"

// A layer is a weight, and behind it a bias.
static void put(struct tensor *p, enum parameter_place which, layer drawn) {
    p[which] = drawn.weight;
    p[which + 1] = drawn.bias;
}

static struct layer at(tensor *p, enum parameter_place which) {
    return (struct layer){p[which], p[which + 1]};
}

void draw_parameters(struct run *run, const struct sentence *sentence,
                     struct tensor *p) {
    int64_t vocabulary = sentence->vocabulary;
    int64_t d_model = run->parameters.d_model;
    int64_t hidden = run->parameters.hidden;
    bool projects = run->parameters.heads > 1;
    reseed(run, 123);
    const char *const *words = sentence->vocabulary_words;
    tensor embedding =
        draw_embedding(run, ROLE_TOKENS, vocabulary, d_model);
    p[EMBEDDING] = label_rows(embedding, words);
    put(p, W_QUERY, draw_layer(run, ROLE_QUERIES, d_model, d_model, true));
    put(p, W_KEY, draw_layer(run, ROLE_KEYS, d_model, d_model, true));
    put(p, W_VALUE, draw_layer(run, ROLE_VALUES, d_model, d_model, true));
    put(p, W_OUT,
        projects ? draw_layer(run, ROLE_OUTPUT, d_model, d_model, true)
                 : NO_LAYER);
    put(p, W_FFN1, draw_layer(run, ROLE_NONE, d_model, hidden, true));
    put(p, W_FFN2, draw_layer(run, ROLE_NONE, hidden, d_model, true));
    layer W_logits =
        draw_layer(run, ROLE_LOGITS, d_model, vocabulary, true);
    put(p, W_LOGITS, label_layer(W_logits, words));
}

struct tensor weigh(const struct task *t, tensor *p, tensor embedded) {
    int64_t heads = t->run->parameters.heads;
    tensor queries = apply(at(p, W_QUERY), embedded);
    tensor keys = apply(at(p, W_KEY), embedded);
    tensor queries_by_head = split_heads(queries, heads);
    tensor keys_by_head = split_heads(keys, heads);
    tensor dot_products =
        matmul(queries_by_head, transpose(keys_by_head, 2, 3));
    int64_t head_dim = queries_by_head.shape[3];
    double scale = 1 / root(head_dim);
    tensor scores = multiply_by(dot_products, scale);
    return softmax(masked_fill(scores, t->mask, -INFINITY), -1);
}

struct tensor conclude(const struct task *t, tensor *p, tensor embedded,
                       tensor weights) {
    int64_t heads = t->run->parameters.heads;
    tensor values = apply(at(p, W_VALUE), embedded);
    tensor mixed = matmul(weights, split_heads(values, heads));
    tensor context = merge_heads(mixed);
    tensor attention =
        is_tensor(&p[W_OUT]) ? apply(at(p, W_OUT), context) : context;
    tensor hidden = relu(apply(at(p, W_FFN1), attention));
    tensor feed_forward = apply(at(p, W_FFN2), hidden);
    tensor logits = apply(at(p, W_LOGITS), feed_forward);
    return rows(logits, AXIS_TOKEN);
}

struct tensor logits_of(const struct task *t, tensor *p) {
    tensor embedded = embed(t->read, p[EMBEDDING]);
    return conclude(t, p, embedded, weigh(t, p, embedded));
}

struct tensor loss_of(const void *task, tensor *p) {
    const struct task *t = task;
    return cross_entropy(logits_of(t, p), t->targets);
}

struct tensor read_so_far(const struct task *t, tensor *p, tensor ids) {
    int64_t tokens = ids.shape[1];
    struct task so_far = *t;
    so_far.read = ids;
    so_far.mask = narrow(narrow(t->mask, 0, 0, tokens), 1, 0, tokens);
    return logits_of(&so_far, p);
}

static struct tensor choose(struct run *run, tensor logits,
                            const struct choice *choice) {
    if (choice == NULL) return argmax(logits);
    tensor drawn =
        draw_words(run, logits, choice->temperature, choice->top_k, 1);
    return select_index(drawn, 0, 0);
}

struct tensor speak(const struct task *t, tensor *p, tensor ids,
                    int64_t given, int64_t words,
                    const struct choice *choice) {
    struct tensor said[MOST_WORDS];
    tensor sentence = select_index(ids, 0, 0);
    for (int64_t i = 0; i < given; i++)
        said[i] = select_index(sentence, 0, i);
    for (int64_t i = given; i < words; i++) {
        tensor so_far =
            axes(view(stack(i, said, 0), 1, i), AXIS_BATCH, AXIS_TOKEN);
        tensor logits = read_so_far(t, p, so_far);
        tensor last = select_index(select_index(logits, 0, 0), 0, i - 1);
        said[i] = choose(t->run, last, choice);
    }
    return name_axis(stack(words, said, 0), 0, "token");
}
