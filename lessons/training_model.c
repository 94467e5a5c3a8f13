#include <math.h>

#include "training_model.h"

const char *const parameter_names[COUNT] = {"embedding",    "W_query",
                                            "W_query_bias", "W_key",
                                            "W_key_bias",   "W_value",
                                            "W_value_bias", "W_out",
                                            "W_out_bias",   "W_ffn1",
                                            "W_ffn1_bias",  "W_ffn2",
                                            "W_ffn2_bias",  "W_logits",
                                            "W_logits_bias"};

void draw_parameters(struct run *run, const struct sentence *sentence,
                     struct tensor *p) {
    int64_t vocabulary = sentence->vocabulary;
    int64_t d_model = run->parameters.d_model;
    int64_t d_hidden = run->parameters.hidden;
    bool projects = run->parameters.heads > 1;
    reseed(run, 123);
    p[EMBEDDING] =
        axes(normal(run, vocabulary, d_model), AXIS_TOKEN, AXIS_FEATURE);
    for (int i = W_QUERY; i < W_OUT; i += 2) {
        p[i] = linear_weight(run, d_model, d_model);
        p[i + 1] = linear_bias(run, true, d_model, d_model);
    }
    p[W_OUT] = projects ? linear_weight(run, d_model, d_model) : NO_TENSOR;
    p[W_OUT_BIAS] = linear_bias(run, projects, d_model, d_model);
    p[W_FFN1] = linear_weight(run, d_hidden, d_model);
    p[W_FFN1_BIAS] = linear_bias(run, true, d_hidden, d_model);
    p[W_FFN2] = linear_weight(run, d_model, d_hidden);
    p[W_FFN2_BIAS] = linear_bias(run, true, d_model, d_hidden);
    p[W_LOGITS] = axes(linear_weight(run, vocabulary, d_model), AXIS_WORD,
                       AXIS_INPUT);
    p[W_LOGITS_BIAS] =
        axes(linear_bias(run, true, vocabulary, d_model), AXIS_WORD);
    p[EMBEDDING] = label_rows(p[EMBEDDING], sentence->vocabulary_words);
    p[W_LOGITS] = label_rows(p[W_LOGITS], sentence->vocabulary_words);
    p[W_LOGITS_BIAS] =
        label_columns(p[W_LOGITS_BIAS], sentence->vocabulary_words);
}

struct tensor weigh(const struct task *t, const struct tensor *p,
                    tensor embedded) {
    tensor queries = linear(embedded, p[W_QUERY], p[W_QUERY_BIAS]);
    tensor keys = linear(embedded, p[W_KEY], p[W_KEY_BIAS]);
    tensor queries_by_head = split(t->run, queries, AXIS_QUERY);
    tensor keys_by_head = split(t->run, keys, AXIS_KEY);
    tensor dot_products =
        matmul(queries_by_head, transpose(keys_by_head, 2, 3));
    int64_t head_dim = queries_by_head.shape[3];
    double scale = 1 / root(head_dim);
    tensor scores = multiply_by(dot_products, scale);
    return softmax(masked_fill(scores, t->mask, -INFINITY), -1);
}

struct tensor conclude(const struct task *t, const struct tensor *p,
                       tensor embedded, tensor weights) {
    tensor values = linear(embedded, p[W_VALUE], p[W_VALUE_BIAS]);
    tensor mixed = matmul(weights, split(t->run, values, AXIS_TOKEN));
    tensor context = merge(mixed);
    tensor attention = is_tensor(&p[W_OUT])
                           ? linear(context, p[W_OUT], p[W_OUT_BIAS])
                           : context;
    tensor hidden = relu(linear(attention, p[W_FFN1], p[W_FFN1_BIAS]));
    tensor feed_forward = linear(hidden, p[W_FFN2], p[W_FFN2_BIAS]);
    tensor logits = linear(feed_forward, p[W_LOGITS], p[W_LOGITS_BIAS]);
    return rows(logits, AXIS_TOKEN);
}

struct tensor logits_of(const struct task *t, const struct tensor *p) {
    tensor embedded = embed(t->read, p[EMBEDDING]);
    return conclude(t, p, embedded, weigh(t, p, embedded));
}

struct tensor loss_of(const void *task, const struct tensor *p) {
    const struct task *t = task;
    return cross_entropy(logits_of(t, p), t->targets);
}

struct tensor speak(const struct task *t, const struct tensor *p,
                    tensor ids) {
    int64_t words = ids.shape[1];
    struct tensor said[MOST_WORDS] = {
        select_index(select_index(ids, 0, 0), 0, 0)};
    for (int64_t i = 1; i < words; i++) {
        struct task so_far = *t;
        so_far.read = view(stack(i, said, 0), 1, i);
        so_far.mask = narrow(narrow(t->mask, 0, 0, i), 1, 0, i);
        tensor logits = logits_of(&so_far, p);
        said[i] =
            argmax(select_index(select_index(logits, 0, 0), 0, i - 1));
    }
    return name_axis(stack(words, said, 0), 0, "token");
}
