#include <math.h>

#include "gradients.h"

static void note(struct forward *f, const char *name, tensor parameter,
                 tensor grad) {
    if (!is_tensor(&parameter)) return;
    f->names[f->count] = name;
    f->parameters[f->count] = parameter;
    f->by_hand[f->count++] = grad;
}

static struct tensor back_to_attention(struct run *run, struct forward *f) {
    int64_t vocabulary = f->W_logits.shape[0];
    double positions = (double)count_of(shape_of(&f->targets));

    SECTION("The way back: from the loss to attention");

    // How the loss answers to each logit. This is ∂L, the gradient of the logits L.
    // Read a number as: raise this logit by a little, and the loss grows by so many
    // times that little. For softmax and -log together it is simple: what the model
    // said minus what was true, 1 at the right word and 0 elsewhere (one-hot). The
    // loss is a mean, so each of the n positions gets its share, 1/n: here, and
    // nowhere else on the way. Each row adds up to 0: what is given to one word is
    // taken from the others.
    tensor truth = one_hot(f->targets, vocabulary);
    tensor missed = subtract(f->probabilities, truth);
    tensor logits_grad = divide_by(missed, positions);
    STEP(logits_grad, "∂L = (P - one-hot) / n",
         "truth = torch.nn.functional.one_hot(targets, vocabulary)\n"
         "logits_grad = (probabilities - truth) / targets.numel()");

    // The weight behind the logits. A logit is a dot product of a row of the weight
    // with a token's features; so the weight's number moves the logit in proportion
    // to the feature that it meets, and the loss in proportion to that logit's
    // gradient. What is multiplied along a way like this is called the chain rule. The
    // number meets a feature at every position: these add up. Rows by columns, that
    // is a product of matrices, with the shape of the weight.
    tensor W_logits_grad =
        axes_of(f->W_logits, matmul(transpose(flat(logits_grad), 0, 1),
                                    flat(f->feed_forward)));
    STEP(W_logits_grad, "∂W_l = ∂Lᵀ F",
         "W_logits_grad = logits_grad.flatten(0, 1).T @ feed_forward.flatten(0, 1)");

    // The bias: a sum over positions, not a mean. The same bias is added at every
    // position, and moving it moves the logit there by just as much. The mean was
    // taken in the loss already; to take it again here would divide twice.
    tensor W_logits_bias_grad = sum(flat(logits_grad), 0, false);
    STEP(W_logits_bias_grad, "∂b_l = sum of rows of ∂L",
         "W_logits_bias_grad = logits_grad.flatten(0, 1).sum(0)");

    // The other factor: what went into the layer. A feature goes into the logits of
    // all words, each time multiplied by a weight. The loss answers to it through
    // all of these ways, and what comes back through each is added up. From here on
    // every linear layer is the same three lines: its input, its weight, its bias.
    tensor feed_forward_grad =
        axes_of(f->feed_forward, matmul(logits_grad, f->W_logits));
    STEP(feed_forward_grad, "∂F = ∂L W_l",
         "feed_forward_grad = logits_grad @ to_logits.weight");

    // The second layer of the feed-forward block. The pattern again: gradient of
    // what came out, turned, times what went in. A column of zeros belongs to a
    // hidden feature that was 0 at every position: a weight that was multiplied by
    // nothing but zeros moved nothing.
    tensor W_ffn2_grad =
        axes_of(f->W_ffn2, matmul(transpose(flat(feed_forward_grad), 0, 1),
                                  flat(f->hidden)));
    STEP(W_ffn2_grad, "∂W₂ = ∂Fᵀ H",
         "W_ffn2_grad = feed_forward_grad.flatten(0, 1).T @ hidden.flatten(0, 1)");
    tensor W_ffn2_bias_grad =
        axes_of(f->W_ffn2_bias, sum(flat(feed_forward_grad), 0, false));
    STEP(W_ffn2_bias_grad, "∂b₂ = sum of rows of ∂F",
         "W_ffn2_bias_grad = feed_forward_grad.flatten(0, 1).sum(0)");

    // What ReLU gave. This is the gradient of its result, not yet of what it was
    // given: there is a number for every hidden feature, also for those that ReLU set
    // to 0.
    tensor hidden_grad =
        axes_of(f->hidden, matmul(feed_forward_grad, f->W_ffn2));
    STEP(hidden_grad, "∂H = ∂F W₂",
         "hidden_grad = feed_forward_grad @ ffn2.weight");

    // ReLU lets through what was positive. Where it gave a feature on, a nudge (a
    // little more or less of it) went on as well, unchanged; where it set it to 0, a
    // nudge is still 0, and nothing comes back. The gate is the feature on the way
    // forward, not the sign of the gradient: negative gradients pass like positive
    // ones.
    tensor closed = at_most(f->hidden, number(run, 0));
    tensor ffn1_grad = masked_fill(hidden_grad, closed, 0);
    STEP(ffn1_grad, "∂H where H > 0, else 0",
         "ffn1_grad = hidden_grad.masked_fill(hidden <= 0, 0)");

    // The first layer of the feed-forward block. Rows of zeros belong to hidden
    // features that were closed at every position. They can't learn from this
    // sentence, and if no sentence ever opens them they never will: dead units.
    tensor W_ffn1_grad =
        axes_of(f->W_ffn1, matmul(transpose(flat(ffn1_grad), 0, 1),
                                  flat(f->attention)));
    STEP(W_ffn1_grad, "∂W₁ = (∂H where H > 0)ᵀ A",
         "W_ffn1_grad = ffn1_grad.flatten(0, 1).T @ attention.flatten(0, 1)");
    tensor W_ffn1_bias_grad =
        axes_of(f->W_ffn1_bias, sum(flat(ffn1_grad), 0, false));
    STEP(W_ffn1_bias_grad, "∂b₁ = sum of rows",
         "W_ffn1_bias_grad = ffn1_grad.flatten(0, 1).sum(0)");

    // What attention gave to the feed-forward block. Each number says how the loss
    // would answer to one feature of one token's attention result. PyTorch's
    // backward() leaves a gradient in .grad for parameters only: for what lies
    // inside, like this, .grad is None unless retain_grad() asked for it.
    tensor attention_grad =
        axes_of(f->attention, matmul(ffn1_grad, f->W_ffn1));
    STEP(attention_grad, "∂A = (∂H where H > 0) W₁",
         "attention_grad = ffn1_grad @ ffn1.weight");

    note(f, "W_logits", f->W_logits, W_logits_grad);
    note(f, "W_logits_bias", f->W_logits_bias, W_logits_bias_grad);
    note(f, "W_ffn2", f->W_ffn2, W_ffn2_grad);
    note(f, "W_ffn2_bias", f->W_ffn2_bias, W_ffn2_bias_grad);
    note(f, "W_ffn1", f->W_ffn1, W_ffn1_grad);
    note(f, "W_ffn1_bias", f->W_ffn1_bias, W_ffn1_bias_grad);
    return attention_grad;
}

// Through the output projection, if there is one.
static struct tensor back_to_context(struct run *run, struct forward *f,
                                     tensor attention_grad) {
    bool projects = run->parameters.heads > 1;

    SECTION("The way back: through the heads");

    // The output projection. A linear layer like the others. This weight mixed the
    // two heads on the way forward, so it shares the gradient out among them on the
    // way back. They meet again where the heads began, at the words.
    tensor W_out_grad = projects
                            ? matmul(transpose(flat(attention_grad), 0, 1),
                                     flat(f->context))
                            : NO_TENSOR;
    STEP(W_out_grad, "∂W_o = ∂Aᵀ Z",
         "W_out_grad = attention_grad.flatten(0, 1).T @ context.flatten(0, 1)");
    tensor W_out_bias_grad =
        projects
            ? axes_of(f->W_out_bias, sum(flat(attention_grad), 0, false))
            : NO_TENSOR;
    STEP(W_out_bias_grad, "∂b_o = sum of rows of ∂A",
         "W_out_bias_grad = attention_grad.flatten(0, 1).sum(0)");

    // The context vectors, all heads side by side. The projection was a linear layer,
    // so its input's gradient is the result's times its weight. (With one head there
    // is no projection, and this is the gradient above.)
    tensor context_grad =
        axes_of(f->context, projects ? matmul(attention_grad, f->W_out)
                                     : attention_grad);
    STEP(context_grad, projects ? "∂Z = ∂A W_o" : "∂Z = ∂A",
         projects ? "context_grad = attention_grad @ out_proj.weight"
                  : "context_grad = attention_grad");

    // Each head's part of it. On the way forward the heads were laid side by side;
    // the way back cuts them apart again. View and transpose compute nothing, so
    // their gradient computes nothing either: each number goes back to the place
    // that it was read from.
    tensor context_by_head_grad = split(run, context_grad, "query");
    STEP(context_by_head_grad, "∂Z[b, h, t, d]",
         "context_by_head_grad = split(context_grad)");

    note(f, "W_out", f->W_out, W_out_grad);
    note(f, "W_out_bias", f->W_out_bias, W_out_bias_grad);
    return context_by_head_grad;
}

struct paths {
    struct tensor queries, keys, values; // gradients, (batch, token, width)
};

static struct paths back_through_heads(struct run *run, struct forward *f,
                                       tensor context_by_head_grad) {
    double scale = 1 / root(f->keys_by_head.shape[3]);

    // The values. A value was handed to every token that looked at it, with the
    // weight as factor: so it collects the gradients of all of these tokens, each
    // with that same weight. Down a column of the weights, not along a row: that is
    // why they are turned. The first token was seen by all, the last by itself only.
    tensor values_by_head_grad =
        axes_of(f->values_by_head,
                matmul(transpose(f->weights, 2, 3), context_by_head_grad));
    STEP(values_by_head_grad, "∂V = Wᵀ ∂Z",
         "values_by_head_grad = weights.transpose(2, 3) @ context_by_head_grad");

    // The attention weights. What would it cost to look more at that token? The
    // answer is a dot product: of the token's value with the direction in which
    // moving the context vector raises the loss. There is an answer for masked
    // tokens, too. It will not get far.
    tensor weights_grad =
        axes_of(f->weights, matmul(context_by_head_grad,
                                   transpose(f->values_by_head, 2, 3)));
    STEP(weights_grad, "∂W = ∂Z Vᵀ",
         "weights_grad = context_by_head_grad @ values_by_head.transpose(2, 3)");

    // Through the softmax: not element by element. Raise one score, and its weight
    // grows while all others of the row shrink. So a score's gradient is its weight
    // times how much more than the row's average (weighted, of course) it costs to
    // look there. Each row adds up to 0. Where a weight is 0 or 1, nothing gets
    // through: this is how a softmax that is too sure of itself stops learning.
    tensor average = sum(multiply(weights_grad, f->weights), -1, true);
    tensor masked_scores_grad =
        multiply(subtract(weights_grad, average), f->weights);
    STEP(masked_scores_grad, "∂M = W · (∂W - sum over the row of ∂W · W)",
         "average = (weights_grad * weights).sum(-1, keepdim=True)\n"
         "masked_scores_grad = (weights_grad - average) * weights");

    // Through the mask: 0 where it hid. A score that was replaced by -∞ does not
    // answer, whatever it was. The softmax gave it a weight of 0, so its gradient
    // is 0 already; the mask would see to it in any case.
    tensor scores_grad = masked_fill(masked_scores_grad, f->mask, 0);
    STEP(scores_grad, "∂S[i,j] = 0 if j > i, else ∂M[i,j]",
         "scores_grad = masked_scores_grad.masked_fill(mask, 0)");

    // Through the scaling. What was multiplied by 1/√head_dim on the way forward is
    // multiplied by it on the way back. The root has two effects, then: it keeps
    // scores small, so that the softmax lets something through at all, and it makes
    // what gets through smaller by this factor.
    tensor dot_products_grad = multiply_by(scores_grad, scale);
    STEP(dot_products_grad, "∂S · 1/√head_dim",
         "dot_products_grad = scores_grad * head_dim**-0.5");

    // The queries and the keys. A score is the dot product of a query and a key: the
    // query's gradient is made of keys, and the key's of queries. Along a row of the
    // scores for a query, down a column for a key, so that one is turned. To forget
    // that still fits, since the matrix is square, and is wrong.
    tensor queries_by_head_grad =
        axes_of(f->queries_by_head,
                matmul(dot_products_grad, f->keys_by_head));
    STEP(queries_by_head_grad, "∂Q = ∂(Q Kᵀ) K",
         "queries_by_head_grad = dot_products_grad @ keys_by_head");
    tensor keys_by_head_grad =
        axes_of(f->keys_by_head, matmul(transpose(dot_products_grad, 2, 3),
                                        f->queries_by_head));
    STEP(keys_by_head_grad, "∂K = ∂(Q Kᵀ)ᵀ Q",
         "keys_by_head_grad = dot_products_grad.transpose(2, 3) @ queries_by_head");

    // All heads side by side again. A layer made the queries of all heads in one
    // product, so its gradient wants them as it gave them: token by token.
    tensor queries_grad = rows(merge(queries_by_head_grad), "query");
    STEP(queries_grad, "∂Q, heads side by side",
         "queries_grad = merge(queries_by_head_grad)");
    tensor keys_grad = rows(merge(keys_by_head_grad), "key");
    STEP(keys_grad, "∂K, heads side by side",
         "keys_grad = merge(keys_by_head_grad)");
    tensor values_grad = rows(merge(values_by_head_grad), "token");
    STEP(values_grad, "∂V, heads side by side",
         "values_grad = merge(values_by_head_grad)");

    return (struct paths){queries_grad, keys_grad, values_grad};
}

static void back_to_embedding(struct run *run, struct forward *f,
                              const struct paths *paths) {
    tensor queries_grad = paths->queries, keys_grad = paths->keys;
    tensor values_grad = paths->values;

    SECTION("The way back: to the embedding");

    // The layers of queries and values. Linear layers once more. All three layers
    // read the same rows, so all three gradients have them as a factor.
    tensor W_query_grad =
        axes_of(f->W_query, matmul(transpose(flat(queries_grad), 0, 1),
                                   flat(f->embedded)));
    STEP(W_query_grad, "∂W_q = ∂Qᵀ X",
         "W_query_grad = queries_grad.flatten(0, 1).T @ embedded.flatten(0, 1)");
    tensor W_query_bias_grad =
        axes_of(f->W_query_bias, sum(flat(queries_grad), 0, false));
    STEP(W_query_bias_grad, "∂b_q = sum of rows of ∂Q",
         "W_query_bias_grad = queries_grad.flatten(0, 1).sum(0)");
    tensor W_value_grad =
        axes_of(f->W_value, matmul(transpose(flat(values_grad), 0, 1),
                                   flat(f->embedded)));
    STEP(W_value_grad, "∂W_v = ∂Vᵀ X",
         "W_value_grad = values_grad.flatten(0, 1).T @ embedded.flatten(0, 1)");
    tensor W_value_bias_grad =
        axes_of(f->W_value_bias, sum(flat(values_grad), 0, false));
    STEP(W_value_bias_grad, "∂b_v = sum of rows of ∂V",
         "W_value_bias_grad = values_grad.flatten(0, 1).sum(0)");

    // The layer of keys, whose bias has a gradient of 0. The same number added to
    // every key adds the same amount to all scores of a query, and the softmax does
    // not feel that. So nothing the key's bias does can change the loss. What stands
    // here in place of 0 is rounding, less than 10⁻⁹. This bias has nothing to learn;
    // some models leave it out.
    tensor W_key_grad =
        axes_of(f->W_key, matmul(transpose(flat(keys_grad), 0, 1),
                                 flat(f->embedded)));
    STEP(W_key_grad, "∂W_k = ∂Kᵀ X",
         "W_key_grad = keys_grad.flatten(0, 1).T @ embedded.flatten(0, 1)");
    tensor W_key_bias_grad =
        axes_of(f->W_key_bias, sum(flat(keys_grad), 0, false));
    STEP(W_key_bias_grad, "∂b_k = sum of rows of ∂K = 0",
         "W_key_bias_grad = keys_grad.flatten(0, 1).sum(0)");

    // Three paths add up. A token's row was used as a query, as a key and as a
    // value. Nudge it, and the loss changes through all three at once; so the
    // gradients of the three are added. Each gets the whole, not a third. This is
    // why programs write += for a gradient, and why an order is needed: all uses of
    // a tensor must be done before its own gradient is handed on.
    tensor through_values = matmul(values_grad, f->W_value);
    tensor through_keys = matmul(keys_grad, f->W_key);
    tensor through_queries = matmul(queries_grad, f->W_query);
    tensor embedded_grad =
        axes_of(f->embedded,
                add(add(through_values, through_keys), through_queries));
    STEP(embedded_grad, "∂X = ∂V W_v + ∂K W_k + ∂Q W_q",
         "through_values = values_grad @ W_value.weight\n"
         "through_keys = keys_grad @ W_key.weight\n"
         "through_queries = queries_grad @ W_query.weight\n"
         "embedded_grad = through_values + through_keys + through_queries");

    // The end of the way: the words' own rows. A lookup copied rows, so each
    // gradient goes back to the row that it was copied from, and a word that was
    // read twice would get both, added up. A word that was not read gets exactly 0:
    // the loss does not know of it. (It stands in the sentence as the last target
    // only.)
    tensor embedding_grad =
        axes_of(f->embedding,
                index_add(f->embedding.shape[0], f->read, embedded_grad));
    STEP(embedding_grad, "∂E[id] = sum of ∂xᵢ where idᵢ = id",
         "embedding_grad = torch.zeros_like(embedding.weight).index_add(\n"
         "    0, ids[:, :-1].flatten(), embedded_grad.flatten(0, 1))");

    note(f, "W_query", f->W_query, W_query_grad);
    note(f, "W_query_bias", f->W_query_bias, W_query_bias_grad);
    note(f, "W_key", f->W_key, W_key_grad);
    note(f, "W_key_bias", f->W_key_bias, W_key_bias_grad);
    note(f, "W_value", f->W_value, W_value_grad);
    note(f, "W_value_bias", f->W_value_bias, W_value_bias_grad);
    note(f, "embedding", f->embedding, embedding_grad);
}

void go_back(struct run *run, struct forward *f) {
    tensor attention_grad = back_to_attention(run, f);
    tensor context_grad = back_to_context(run, f, attention_grad);
    struct paths paths = back_through_heads(run, f, context_grad);
    back_to_embedding(run, f, &paths);
}
