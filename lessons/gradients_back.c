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
    int64_t vocabulary = f->layers.W_logits.weight.shape[0];
    double positions = (double)count_of(shape_of(&f->targets));

    SECTION("The way back: from the loss to attention");

    // How the loss changes with each logit. The rule is simple: probability
    // minus truth, divided by n. The truth is one-hot: 1 at the right word, 0
    // elsewhere. The loss is a mean over n positions, so each number is
    // divided by n, here and in no later step. The result is ∂L, the gradient
    // of the logits L: if a logit rises by a little, the loss rises by its
    // number times that little. Each row adds up to 0: what one word gains,
    // the others lose.
    tensor truth = one_hot(f->targets, vocabulary);
    tensor missed = subtract(f->probabilities, truth);
    tensor logits_grad =
        gradient_of(f->logits, divide_by(missed, positions));
    STEP(logits_grad, "∂L = (P - one-hot) / n",
         "truth = torch.nn.functional.one_hot(targets, vocabulary)\n"
         "logits_grad = (probabilities - truth) / targets.numel()");

    // The weight of the last layer. If a weight rises by h, a logit rises by h
    // times a feature, and the loss by that times the logit's gradient: this
    // is the chain rule. The weight is used at every position, and all
    // contributions add up. This makes a product of matrices, with the shape
    // of the weight.
    tensor W_logits_grad =
        gradient_of(f->layers.W_logits.weight,
                    matmul(transpose(flat(logits_grad), 0, 1),
                           flat(f->feed_forward)));
    STEP(W_logits_grad, "∂W_l = ∂Lᵀ F",
         "W_logits_grad = logits_grad.flatten(0, 1).T @ feed_forward.flatten(0, 1)");

    // The bias: a sum over positions, not a mean. The same bias is added at
    // every position and changes each logit there by the same amount, so the
    // contributions add up. The loss has already taken the mean; taking it
    // again would divide twice.
    tensor W_logits_bias_grad =
        gradient_of(f->layers.W_logits.bias,
                    sum(flat(logits_grad), 0, false));
    STEP(W_logits_bias_grad, "∂b_l = sum of rows of ∂L",
         "W_logits_bias_grad = logits_grad.flatten(0, 1).sum(0)");

    // The input of the last layer. Each feature enters the logits of all
    // words. So its gradient is a sum over all words: each logit's gradient
    // times the weight of that feature for that word. (∂L is the gradient
    // of the logits L, and W_l is the weight of the last layer.) Every
    // linear layer in the next steps passes its gradient to its input in
    // this way.
    tensor feed_forward_grad =
        gradient_of(f->feed_forward,
                    matmul(logits_grad, f->layers.W_logits.weight));
    STEP(feed_forward_grad, "∂F = ∂L W_l",
         "feed_forward_grad = logits_grad @ to_logits.weight");

    // The second layer of the feed-forward block. The rule is the same: the
    // gradient of the layer's result, transposed, times the layer's input. A
    // column of zeros belongs to a hidden feature that was 0 at every
    // position: a weight that only multiplies zeros changes nothing.
    tensor W_ffn2_grad =
        gradient_of(f->layers.W_ffn2.weight,
                    matmul(transpose(flat(feed_forward_grad), 0, 1),
                           flat(f->hidden)));
    STEP(W_ffn2_grad, "∂W₂ = ∂Fᵀ H",
         "W_ffn2_grad = feed_forward_grad.flatten(0, 1).T @ hidden.flatten(0, 1)");
    tensor W_ffn2_bias_grad =
        gradient_of(f->layers.W_ffn2.bias,
                    sum(flat(feed_forward_grad), 0, false));
    STEP(W_ffn2_bias_grad, "∂b₂ = sum of rows of ∂F",
         "W_ffn2_bias_grad = feed_forward_grad.flatten(0, 1).sum(0)");

    // The result of ReLU. This is the gradient of what ReLU returned, not yet
    // of what it was given. Every hidden feature has a number here, even if
    // ReLU set it to 0.
    tensor hidden_grad =
        gradient_of(f->hidden,
                    matmul(feed_forward_grad, f->layers.W_ffn2.weight));
    STEP(hidden_grad, "∂H = ∂F W₂",
         "hidden_grad = feed_forward_grad @ ffn2.weight");

    // ReLU passes a gradient back where its input was positive. Such an input
    // was returned unchanged, and so is a small change of it. Where it
    // returned 0, a small change still gives 0, so the gradient is 0. The sign
    // of the input decides, not the sign of the gradient: negative gradients
    // pass like positive ones.
    tensor closed = at_most(f->hidden, number(run, 0));
    tensor ffn1_grad =
        gradient_of(f->ffn1, masked_fill(hidden_grad, closed, 0));
    STEP(ffn1_grad, "∂H where H > 0, else 0",
         "ffn1_grad = hidden_grad.masked_fill(hidden <= 0, 0)");

    // The first layer of the feed-forward block. A row of zeros belongs to a
    // hidden feature that ReLU set to 0 at every position. Such a hidden
    // feature cannot learn from this sentence. If no sentence makes it
    // positive, it never learns: it is called a dead unit.
    tensor W_ffn1_grad =
        gradient_of(f->layers.W_ffn1.weight,
                    matmul(transpose(flat(ffn1_grad), 0, 1),
                           flat(f->attention)));
    STEP(W_ffn1_grad, "∂W₁ = (∂H where H > 0)ᵀ A",
         "W_ffn1_grad = ffn1_grad.flatten(0, 1).T @ attention.flatten(0, 1)");
    tensor W_ffn1_bias_grad =
        gradient_of(f->layers.W_ffn1.bias, sum(flat(ffn1_grad), 0, false));
    STEP(W_ffn1_bias_grad, "∂b₁ = sum of rows",
         "W_ffn1_bias_grad = ffn1_grad.flatten(0, 1).sum(0)");

    // The result of attention. Each number says how the loss would change if
    // one feature of one token's attention result changed. PyTorch's
    // backward() keeps gradients in .grad only for parameters. For an
    // intermediate result like this one, .grad is None unless you call
    // retain_grad() on it first.
    tensor attention_grad =
        gradient_of(f->attention,
                    matmul(ffn1_grad, f->layers.W_ffn1.weight));
    STEP(attention_grad, "∂A = (∂H where H > 0) W₁",
         "attention_grad = ffn1_grad @ ffn1.weight");

    note(f, "W_logits", f->layers.W_logits.weight, W_logits_grad);
    note(f, "W_logits_bias", f->layers.W_logits.bias, W_logits_bias_grad);
    note(f, "W_ffn2", f->layers.W_ffn2.weight, W_ffn2_grad);
    note(f, "W_ffn2_bias", f->layers.W_ffn2.bias, W_ffn2_bias_grad);
    note(f, "W_ffn1", f->layers.W_ffn1.weight, W_ffn1_grad);
    note(f, "W_ffn1_bias", f->layers.W_ffn1.bias, W_ffn1_bias_grad);
    return attention_grad;
}

// Through the output projection, if there is one.
static struct tensor back_to_context(struct run *run, struct forward *f,
                                     tensor attention_grad) {
    bool projects = run->parameters.heads > 1;

    SECTION("The way back: through the heads");

    // The output projection. It is a linear layer like the others. On the way
    // forward it mixed the heads, so on the way back it distributes the
    // gradient over them. All heads were computed from the rows of the words.
    // So each word's row later gets the sum of the heads' gradients.
    tensor W_out_grad =
        projects ? gradient_of(f->layers.W_out.weight,
                               matmul(transpose(flat(attention_grad), 0, 1),
                                      flat(f->context)))
                 : NO_TENSOR;
    STEP(W_out_grad, "∂W_o = ∂Aᵀ Z",
         "W_out_grad = attention_grad.flatten(0, 1).T @ context.flatten(0, 1)");
    tensor W_out_bias_grad =
        projects ? gradient_of(f->layers.W_out.bias,
                               sum(flat(attention_grad), 0, false))
                 : NO_TENSOR;
    STEP(W_out_bias_grad, "∂b_o = sum of rows of ∂A",
         "W_out_bias_grad = attention_grad.flatten(0, 1).sum(0)");

    // The context vectors, all heads side by side. They are the input of the
    // projection, so their gradient is the gradient of its result times its
    // weight. (With one head there is no projection, and this is the attention
    // gradient itself.)
    tensor context_grad =
        gradient_of(f->context, projects ? matmul(attention_grad,
                                                  f->layers.W_out.weight)
                                         : attention_grad);
    STEP(context_grad, projects ? "∂Z = ∂A W_o" : "∂Z = ∂A",
         projects ? "context_grad = attention_grad @ out_proj.weight"
                  : "context_grad = attention_grad");

    // Each head's part of the gradient. The way forward put the heads side by
    // side; the way back cuts them apart again. view and transpose only move
    // numbers, so their gradient only moves them back: each number returns to
    // the place that it came from.
    tensor context_by_head_grad =
        split_heads(context_grad, run->parameters.heads);
    STEP(context_by_head_grad, "∂Z[b, h, t] = part h of ∂Z[b, t]",
         "context_by_head_grad = split(context_grad)");

    note(f, "W_out", f->layers.W_out.weight, W_out_grad);
    note(f, "W_out_bias", f->layers.W_out.bias, W_out_bias_grad);
    return context_by_head_grad;
}

struct paths {
    struct tensor queries, keys, values; // gradients, (batch, token, width)
};

static struct paths back_through_heads(struct run *run, struct forward *f,
                                       tensor context_by_head_grad) {
    double scale = 1 / root(f->keys_by_head.shape[3]);

    // The values. A value entered the context of every token that attended to
    // it. So its gradient is a sum down a column of the weights, not along a
    // row, and the weights are transposed. Each context's gradient is
    // multiplied by the weight that multiplied the value. The first token was
    // seen by all tokens, the last only by itself.
    tensor values_by_head_grad =
        gradient_of(f->values_by_head, matmul(transpose(f->weights, 2, 3),
                                              context_by_head_grad));
    STEP(values_by_head_grad, "∂V = Wᵀ ∂Z",
         "values_by_head_grad = weights.transpose(2, 3) @ context_by_head_grad");

    // The attention weights. How would the loss change if this query gave this
    // key more weight? The answer is the dot product of the key's value with
    // the gradient of the query's context vector. Masked keys have a number
    // here, too, but the next steps set it to 0.
    tensor weights_grad =
        gradient_of(f->weights, matmul(context_by_head_grad,
                                       transpose(f->values_by_head, 2, 3)));
    STEP(weights_grad, "∂W = ∂Z Vᵀ",
         "weights_grad = context_by_head_grad @ values_by_head.transpose(2, 3)");

    // Through the softmax, which works on a whole row. If one score rises, its
    // weight grows and all other weights of the row shrink. So subtract from
    // the gradient of its weight the row's mean gradient, weighted by the
    // attention weights. Multiply by the weight: this is the score's gradient.
    // Each row adds up to 0. Where a weight is 0 or 1, the gradient is 0: a
    // softmax that gives all weight to one key stops learning.
    tensor average = sum(multiply(weights_grad, f->weights), -1, true);
    tensor masked_scores_grad =
        gradient_of(f->masked_scores,
                    multiply(subtract(weights_grad, average), f->weights));
    STEP(masked_scores_grad, "∂M = W · (∂W - sum over the row of ∂W · W)",
         "average = (weights_grad * weights).sum(-1, keepdim=True)\n"
         "masked_scores_grad = (weights_grad - average) * weights");

    // Through the mask: 0 where it hid a score. A score that was replaced by
    // -∞ cannot change the loss, whatever it was. The softmax gave it the
    // weight 0, so its gradient is 0 already. The mask's own rule sets it to 0
    // in any case.
    tensor scores_grad =
        gradient_of(f->scores, masked_fill(masked_scores_grad, f->mask, 0));
    STEP(scores_grad, "∂S[i,j] = 0 if j > i, else ∂M[i,j]",
         "scores_grad = masked_scores_grad.masked_fill(mask, 0)");

    // Through the scaling. The way forward multiplied by 1/√head_dim, so the
    // way back does so, too. The factor makes gradients smaller here. But it
    // keeps scores small, too, and only then does the softmax pass gradients.
    tensor dot_products_grad =
        gradient_of(f->dot_products, multiply_by(scores_grad, scale));
    STEP(dot_products_grad, "∂S · 1/√head_dim",
         "dot_products_grad = scores_grad * head_dim**-0.5");

    // The queries and the keys. A score is the dot product of a query and a
    // key, so a query's gradient is a sum of keys, and a key's is a sum of
    // queries. For a query the sum runs along a row of the scores; for a key
    // it runs down a column, so the gradient is transposed. If you forget
    // that, the shapes still fit, because the matrix is square, but the result
    // is wrong.
    tensor queries_by_head_grad =
        gradient_of(f->queries_by_head,
                    matmul(dot_products_grad, f->keys_by_head));
    STEP(queries_by_head_grad, "∂Q = ∂(Q Kᵀ) K",
         "queries_by_head_grad = dot_products_grad @ keys_by_head");
    tensor keys_by_head_grad =
        gradient_of(f->keys_by_head,
                    matmul(transpose(dot_products_grad, 2, 3),
                           f->queries_by_head));
    STEP(keys_by_head_grad, "∂K = ∂(Q Kᵀ)ᵀ Q",
         "keys_by_head_grad = dot_products_grad.transpose(2, 3) @ queries_by_head");

    // All heads side by side again. One layer made the queries of all heads in
    // one product, so the layer's gradient needs the heads' gradients side by
    // side again, one row for each token. The same holds for keys and values.
    tensor queries_grad = merge_heads(queries_by_head_grad);
    AT(1, 2);
    STEP(queries_grad, "∂Q, heads side by side",
         "queries_grad = merge(queries_by_head_grad)");
    tensor keys_grad = merge_heads(keys_by_head_grad);
    AT(0, 2);
    STEP(keys_grad, "∂K, heads side by side",
         "keys_grad = merge(keys_by_head_grad)");
    tensor values_grad = merge_heads(values_by_head_grad);
    AT(0, 2);
    STEP(values_grad, "∂V, heads side by side",
         "values_grad = merge(values_by_head_grad)");

    return (struct paths){queries_grad, keys_grad, values_grad};
}

static void back_to_embedding(struct run *run, struct forward *f,
                              const struct paths *paths) {
    tensor queries_grad = paths->queries, keys_grad = paths->keys;
    tensor values_grad = paths->values;

    SECTION("The way back: to the embedding");

    // The layers of queries and values. The gradient of a weight is that of
    // the layer's result, transposed, times the layer's input, here the
    // rows X. The first token sees only itself, whatever its query is, so
    // its query has a gradient of 0.
    tensor W_query_grad =
        gradient_of(f->layers.W_query.weight,
                    matmul(transpose(flat(queries_grad), 0, 1),
                           flat(f->embedded)));
    STEP(W_query_grad, "∂W_q = ∂Qᵀ X",
         "W_query_grad = queries_grad.flatten(0, 1).T @ embedded.flatten(0, 1)");
    tensor W_query_bias_grad =
        gradient_of(f->layers.W_query.bias,
                    sum(flat(queries_grad), 0, false));
    STEP(W_query_bias_grad, "∂b_q = sum of rows of ∂Q",
         "W_query_bias_grad = queries_grad.flatten(0, 1).sum(0)");
    tensor W_value_grad =
        gradient_of(f->layers.W_value.weight,
                    matmul(transpose(flat(values_grad), 0, 1),
                           flat(f->embedded)));
    STEP(W_value_grad, "∂W_v = ∂Vᵀ X",
         "W_value_grad = values_grad.flatten(0, 1).T @ embedded.flatten(0, 1)");
    tensor W_value_bias_grad =
        gradient_of(f->layers.W_value.bias,
                    sum(flat(values_grad), 0, false));
    STEP(W_value_bias_grad, "∂b_v = sum of rows of ∂V",
         "W_value_bias_grad = values_grad.flatten(0, 1).sum(0)");

    // The layer of keys, whose bias has a gradient of 0. The bias adds the same
    // number to all scores of a query, and that leaves the softmax unchanged.
    // So no value of this bias changes the loss. The numbers of W_key_bias_grad
    // are rounding errors. At the course's parameters they are below 10⁻⁹. This
    // bias has nothing to learn; some models leave it out.
    tensor W_key_grad = gradient_of(f->layers.W_key.weight,
                                    matmul(transpose(flat(keys_grad), 0, 1),
                                           flat(f->embedded)));
    STEP(W_key_grad, "∂W_k = ∂Kᵀ X",
         "W_key_grad = keys_grad.flatten(0, 1).T @ embedded.flatten(0, 1)");
    tensor W_key_bias_grad =
        gradient_of(f->layers.W_key.bias, sum(flat(keys_grad), 0, false));
    STEP(W_key_bias_grad, "∂b_k = sum of rows of ∂K = 0",
         "W_key_bias_grad = keys_grad.flatten(0, 1).sum(0)");

    // The gradients of three paths add up. A token's row was used as a query,
    // as a key and as a value. If it changes, the loss changes through all
    // three at once, so the three gradients are added, not averaged. This is
    // why programs write += for a gradient. It is also why the order matters: a
    // tensor's gradient is complete only after all of its uses.
    tensor through_values = matmul(values_grad, f->layers.W_value.weight);
    tensor through_keys = matmul(keys_grad, f->layers.W_key.weight);
    tensor through_queries = matmul(queries_grad, f->layers.W_query.weight);
    tensor embedded_grad =
        gradient_of(f->embedded, add(add(through_values, through_keys),
                                     through_queries));
    STEP(embedded_grad, "∂X = ∂V W_v + ∂K W_k + ∂Q W_q",
         "through_values = values_grad @ W_value.weight\n"
         "through_keys = keys_grad @ W_key.weight\n"
         "through_queries = queries_grad @ W_query.weight\n"
         "embedded_grad = through_values + through_keys + through_queries");

    // The end of the way: the rows of the embedding. A lookup copied rows, so
    // each gradient goes back to the row that was copied; a word read twice
    // gets the sum of both. A word that was not read has a gradient of exactly
    // 0, because the loss does not depend on its row. At the course's
    // parameters that is "step", which occurs only as the last target.
    tensor embedding_grad =
        gradient_of(f->embedding, index_add(f->embedding.shape[0], f->read,
                                            embedded_grad));
    STEP(embedding_grad, "∂E[id] = sum of ∂xᵢ where idᵢ = id",
         "embedding_grad = torch.zeros_like(embedding.weight).index_add(\n"
         "    0, ids[:, :-1].flatten(), embedded_grad.flatten(0, 1))");

    note(f, "W_query", f->layers.W_query.weight, W_query_grad);
    note(f, "W_query_bias", f->layers.W_query.bias, W_query_bias_grad);
    note(f, "W_key", f->layers.W_key.weight, W_key_grad);
    note(f, "W_key_bias", f->layers.W_key.bias, W_key_bias_grad);
    note(f, "W_value", f->layers.W_value.weight, W_value_grad);
    note(f, "W_value_bias", f->layers.W_value.bias, W_value_bias_grad);
    note(f, "embedding", f->embedding, embedding_grad);
}

void go_back(struct run *run, struct forward *f) {
    tensor attention_grad = back_to_attention(run, f);
    tensor context_grad = back_to_context(run, f, attention_grad);
    struct paths paths = back_through_heads(run, f, context_grad);
    back_to_embedding(run, f, &paths);
}
