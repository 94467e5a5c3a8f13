#include <math.h>

#include "training_model.h"
#include "variants.h"

// What one update makes of a parameter, behind its symbol.
static const char *update_in_symbols(struct run *run) {
    double decay = decay_of_adamw(&run->parameters);
    const char *lr = has_rates(&run->parameters) ? "lr₁" : "lr";
    switch (run->parameters.optimizer) {
    case ADAMW:
        return arena_format(run->memory,
                            " (1 - %s · %g) - %s · m' / (√v' + 10⁻⁸)", lr,
                            decay, lr);
    case ADAM:
        return arena_format(run->memory, " - %s · m' / (√v' + 10⁻⁸)", lr);
    default:
        return arena_format(run->memory, " - %s · gradient", lr);
    }
}

static const char *joined(struct run *run, const char *symbol,
                          const char *done) {
    return arena_format(run->memory, "%s%s", symbol, done);
}

// A paragraph that is shown three times. What was done with the parameters
// stands behind the symbol of each.
static void show_parameters(struct run *run, tensor *p,
                            const char *statement, const char *done) {
    tensor embedding = p[EMBEDDING], W_query = p[W_QUERY];

    // All parameters: as drawn, after one update, after all updates. At the
    // course's parameters AdamW makes the updates. A number whose gradient
    // is 0, as at hidden features that ReLU set to 0 everywhere, moves only
    // by the weight decay. The key's bias does not change the loss, so its
    // gradient is only rounding.
    tensor W_query_bias = p[W_QUERY_BIAS];
    STEP(embedding, joined(run, "E", done), statement, "embedding.weight");
    STEP(W_query, joined(run, "W_q", done), "", "W_query.weight");
    STEP(W_query_bias, joined(run, "b_q", done), "", "W_query.bias");
    tensor W_key = p[W_KEY], W_key_bias = p[W_KEY_BIAS];
    STEP(W_key, joined(run, "W_k", done), "", "W_key.weight");
    STEP(W_key_bias, joined(run, "b_k", done), "", "W_key.bias");
    tensor W_value = p[W_VALUE], W_value_bias = p[W_VALUE_BIAS];
    STEP(W_value, joined(run, "W_v", done), "", "W_value.weight");
    STEP(W_value_bias, joined(run, "b_v", done), "", "W_value.bias");
    tensor W_out = p[W_OUT], W_out_bias = p[W_OUT_BIAS];
    STEP(W_out, joined(run, "W_o", done), "", "out_proj.weight");
    STEP(W_out_bias, joined(run, "b_o", done), "", "out_proj.bias");
    tensor W_ffn1 = p[W_FFN1], W_ffn1_bias = p[W_FFN1_BIAS];
    STEP(W_ffn1, joined(run, "W₁", done), "", "ffn1.weight");
    STEP(W_ffn1_bias, joined(run, "b₁", done), "", "ffn1.bias");
    tensor W_ffn2 = p[W_FFN2], W_ffn2_bias = p[W_FFN2_BIAS];
    STEP(W_ffn2, joined(run, "W₂", done), "", "ffn2.weight");
    STEP(W_ffn2_bias, joined(run, "b₂", done), "", "ffn2.bias");
    tensor W_logits = p[W_LOGITS], W_logits_bias = p[W_LOGITS_BIAS];
    STEP(W_logits, joined(run, "W_l", done), "", "to_logits.weight");
    STEP(W_logits_bias, joined(run, "b_l", done), "", "to_logits.bias");
}

static struct task before_training(struct run *run, struct tensor *p) {
    struct sentence sentence = read_sentence(run);

    SECTION("What the model will learn");

    // The sentence that the model learns. At the course's parameters it is
    // "Your journey starts with one step one step starts Your journey": five of
    // its words occur twice, and two of these, "starts" and "step", are
    // followed by different words. A model that reads only such a word cannot
    // tell which word follows; one that looks back can. The model of lesson 7
    // learns only this one sentence here.
    tensor ids = sentence.ids;
    int64_t tokens = ids.shape[1] - 1;
    STEP(ids, "words numbered as they first appear",
         "words = text.split()\n"
         "vocabulary_words = list(dict.fromkeys(words))\n"
         "num_tokens = len(words)\n"
         "ids = torch.tensor([[vocabulary_words.index(word) for word in words]])");

    draw_parameters(run, &sentence, p);
    GROUP("drawn");
    show_parameters(run, p,
                    "embedding = torch.nn.Embedding(vocabulary, d_model)\n"
                    "W_query = torch.nn.Linear(d_model, d_model)\n"
                    "W_key = torch.nn.Linear(d_model, d_model)\n"
                    "W_value = torch.nn.Linear(d_model, d_model)\n"
                    "out_proj = (torch.nn.Linear(d_model, d_model) if num_heads > 1\n"
                    "            else torch.nn.Identity())\n"
                    "ffn1 = torch.nn.Linear(d_model, d_hidden)\n"
                    "ffn2 = torch.nn.Linear(d_hidden, d_model)\n"
                    "to_logits = torch.nn.Linear(d_model, vocabulary)\n"
                    "layers = torch.nn.ModuleList([embedding, W_query, W_key, W_value, out_proj,\n"
                    "                              ffn1, ffn2, to_logits])",
                    ", as drawn");
    END_GROUP;

    // The weights before training. The parameters are still random. An equal
    // share is 1 over the number of tokens that the row may see. At the
    // course's parameters no weight is even twice that.
    struct task task = {.run = run};
    task.read = narrow(ids, 1, 0, tokens);
    task.targets = narrow(ids, 1, 1, tokens);
    task.mask = to_bool(triu(ones(run, tokens, tokens), 1));
    tensor embedded = embed(task.read, p[EMBEDDING]);
    tensor weights_before = weigh(&task, p, embedded);
    STEP(weights_before, "W = softmax(masked Q Kᵀ/√head_dim)",
         "def split(x):\n"
         "    return x.view(1, -1, num_heads, d_model // num_heads).transpose(1, 2)\n"
         "def weigh(x, mask):\n"
         "    dot_products = split(W_query(x)) @ split(W_key(x)).transpose(2, 3)\n"
         "    scores = dot_products * (d_model // num_heads)**-0.5\n"
         "    return torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)\n"
         "def conclude(x, weights):\n"
         "    mixed = weights @ split(W_value(x))\n"
         "    context = mixed.transpose(1, 2).contiguous().view(1, -1, d_model)\n"
         "    attention = out_proj(context)\n"
         "    hidden = torch.relu(ffn1(attention))\n"
         "    feed_forward = ffn2(hidden)\n"
         "    return to_logits(feed_forward)\n"
         "def logits_of(ids, mask):\n"
         "    embedded = embedding(ids)\n"
         "    return conclude(embedded, weigh(embedded, mask))\n"
         "read, targets, t = ids[:, :-1], ids[:, 1:], num_tokens - 1\n"
         "mask = torch.triu(torch.ones(t, t), diagonal=1).bool()\n"
         "weights_before = weigh(embedding(read), mask)");

    // The predictions before training: all rows are nearly alike. An untrained
    // model's predictions hardly depend on the words that it reads.
    tensor logits = conclude(&task, p, embedded, weights_before);
    tensor probabilities_before = softmax(logits, -1);
    STEP(probabilities_before, "P = softmax(L)",
         "probabilities_before = torch.softmax(logits_of(read, mask), dim=-1)");

    // The loss before training is about that of guessing. Row i predicts
    // the next word, and costs -log of the probability of this word. The
    // loss is the mean of these costs. At the course's parameters e^loss,
    // the perplexity, is 6.2: the model is as uncertain as if it guessed
    // among six words, which costs log 6 = 1.7918.
    tensor loss_before = cross_entropy(logits, task.targets);
    STEP(loss_before, "mean of -log P[i, idᵢ₊₁]",
         "def loss_of(mask):\n"
         "    logits = logits_of(read, mask).flatten(0, 1)\n"
         "    return torch.nn.functional.cross_entropy(logits, targets.flatten())\n"
         "loss_before = loss_of(mask)");

    return task;
}

// The loss when W_query alone has moved.
static struct tensor loss_with(const struct task *task, tensor *p,
                               tensor W_query) {
    struct tensor moved[COUNT];
    for (int i = 0; i < COUNT; i++) moved[i] = p[i];
    moved[W_QUERY] = W_query;
    return loss_of(task, moved);
}

// Returns the gradient of W_query.
static struct tensor update_by_hand(struct run *run,
                                    const struct task *task, tensor *p) {
    double lr = run->parameters.lr;

    SECTION("One update by hand");

    // A parameter and its gradient. The gradient says in which direction each
    // number raises the loss, so the update goes the other way. Lesson 8
    // computed it by hand; here loss.backward() does. backward() walks the
    // list of operations, which PyTorch calls the graph.
    tensor W_query = p[W_QUERY];
    STEP(W_query, "W_q", "", "W_query.weight");
    tensor W_query_grad = gradient(loss_of(task, p), W_query);
    STEP(W_query_grad, "∂W_q",
         "import copy\n"
         "start = copy.deepcopy(layers.state_dict())\n"
         "loss_before.backward()\n"
         "W_query_grad = W_query.weight.grad.clone()");

    GROUP("sgd");

    // Stochastic gradient descent: a small step against the gradient. The
    // learning rate lr sets how small the step is. The minus sign lowers the
    // loss; a plus sign would raise it. At the course's parameters the
    // gradient's numbers are far below 1, so a step of SGD is tiny. (It is
    // called stochastic because real training draws some texts at random for
    // each step.)
    tensor W_query_after = subtract(W_query, multiply_by(W_query_grad, lr));
    STEP(W_query_after, "W_q - lr · ∂W_q",
         "W_query_after = W_query.weight - W_query_grad * lr");

    // The loss after the SGD step, when only W_query has changed. It should
    // fall by lr times the sum of the squares of the gradient's numbers. At the
    // course's parameters that is 0.00000007: a float32 near 1.8 cannot show so
    // small a change, so rounding decides whether the loss rises or falls. That
    // is how slow SGD can be.
    tensor loss_after = loss_with(task, p, W_query_after);
    BESIDE("loss_before");
    STEP(loss_after, "loss with the new W_q",
         "def loss_with(weight):\n"
         "    with torch.no_grad():\n"
         "        old = W_query.weight.clone()\n"
         "        W_query.weight.copy_(weight)\n"
         "        loss = loss_of(mask)\n"
         "        W_query.weight.copy_(old)\n"
         "    return loss\n"
         "loss_after = loss_with(W_query_after)");

    return W_query_grad;
}

static void adamw_by_hand(struct run *run, const struct task *task,
                          tensor *p, tensor W_query_grad) {
    double lr = run->parameters.lr;
    double weight_decay = decay_of_adamw(&run->parameters);
    tensor W_query = p[W_QUERY];

    GROUP("adamw");

    // AdamW keeps two running means for each number. The first is the mean of
    // the number's gradients, the second the mean of their squares. A new
    // gradient counts for a tenth of the first mean, its square for a
    // thousandth of the second; the old mean counts for the rest. Such means
    // are called moments. Both start at 0.
    tensor zeros = full(run->memory, shape_of(&W_query), 0);
    tensor first_moment =
        state_of(W_query, add(multiply_by(zeros, 0.9),
                              multiply_by(W_query_grad, 1 - 0.9)));
    STEP(first_moment, "m = 0.9 · 0 + 0.1 · ∂W_q",
         "first_moment = 0.9 * torch.zeros(d_model, d_model) + (1 - 0.9) * W_query_grad");
    tensor squares = multiply(W_query_grad, W_query_grad);
    tensor second_moment =
        state_of(W_query, add(multiply_by(zeros, 0.999),
                              multiply_by(squares, 1 - 0.999)));
    STEP(second_moment, "v = 0.999 · 0 + 0.001 · ∂W_q²",
         "second_moment = (1 - 0.999) * W_query_grad**2");

    // The moments are corrected, because they started at 0. After one gradient
    // the first mean is only a tenth of it; the other nine tenths are the 0
    // from the start. Dividing by 1 - 0.9ᵗ after t updates (t = 1 now) gives
    // the mean of the gradients so far: here of one, so the gradient itself.
    // The second mean is corrected likewise and gives the gradient's square.
    // Without this the first step would be three times too long, and the next
    // ones even longer.
    tensor first_moment_corrected =
        divide_by(first_moment, adamw_correction(0.9, 1));
    STEP(first_moment_corrected, "m' = m / (1 - 0.9ᵗ), t = 1",
         "first_moment_corrected = first_moment / (1 - 0.9**1)");
    tensor second_moment_corrected =
        divide_by(second_moment, adamw_correction(0.999, 1));
    STEP(second_moment_corrected, "v' = v / (1 - 0.999ᵗ), t = 1",
         "second_moment_corrected = second_moment / (1 - 0.999**1)");

    // The first step moves each number by about the learning rate, unless its
    // gradient is nearly 0. The first mean, divided by the root of the second,
    // is about 1 or -1 if the gradients agree, and small if they contradict
    // each other. 10⁻⁸ prevents a division by 0. Also, every number loses lr ·
    // weight_decay of itself: this is the W of AdamW, and PyTorch sets it to
    // 0.01. (Adam with L2, a penalty on large numbers, adds the decay to the
    // gradient, so the root divides it as well.)
    tensor length = divide(first_moment_corrected,
                           add(square_root(second_moment_corrected),
                               number(run, ADAMW_EPS)));
    tensor decayed = multiply_by(W_query, 1 - lr * weight_decay);
    tensor W_query_after = subtract(decayed, multiply_by(length, lr));
    AT(1, 1);
    STEP(W_query_after,
         arena_format(run->memory,
                      "W_q (1 - lr · %g) - lr · m' / (√v' + 10⁻⁸)",
                      weight_decay),
         arena_format(run->memory,
                      "length = first_moment_corrected / (second_moment_corrected.sqrt() + 1e-8)\n"
                      "W_query_after = W_query.weight * (1 - lr * %g) - length * lr",
                      weight_decay));

    // The loss after the AdamW step, when only W_query has changed. Every
    // number moved by about the learning rate. A gradient that is only
    // rounding would give a full step, too, if it were well above 10⁻⁸. At
    // the course's parameters the loss falls far more than after the SGD
    // step, and the gradient of the key's bias, which is rounding, stays
    // below 10⁻⁸.
    tensor loss_after = loss_with(task, p, W_query_after);
    BESIDE("loss_before");
    STEP(loss_after, "loss with the new W_q",
         "loss_after = loss_with(W_query_after)");

    END_GROUP;
}

// In PyTorch; stands before the first step that trains.
#define TRAIN                                                                           \
    "def train(mask, updates):\n"                                                       \
    "    layers.load_state_dict(start)\n"                                               \
    "    kinds = {\"adamw\": torch.optim.AdamW, \"adam\": torch.optim.Adam,\n"          \
    "             \"sgd\": torch.optim.SGD,\n"                                          \
    "             \"momentum\": lambda p, **how:\n"                                     \
    "                 torch.optim.SGD(p, momentum=0.9, **how)}\n"                       \
    "    optimize = kinds[optimizer](layers.parameters(), lr=lr,\n"                     \
    "                                weight_decay=weight_decay)\n"                      \
    "    losses = [loss_of(mask).item()]\n"                                             \
    "    for update in range(updates):\n"                                               \
    "        for group in optimize.param_groups:  # {rates}\n"                          \
    "            group[\"lr\"] = lr_of(update)  # {rates}\n"                            \
    "        optimize.zero_grad()\n"                                                    \
    "        loss_of(mask).backward()\n"                                                \
    "        if update >= warmup:  # {clip}\n"                                          \
    "            torch.nn.utils.clip_grad_norm_(layers.parameters(), clip)  # {clip}\n" \
    "        optimize.step()\n"                                                         \
    "        losses.append(loss_of(mask).item())\n"                                     \
    "    return torch.tensor(losses)\n"
#define LOSSES "losses = train(mask, updates)"

static struct trained train_all(struct run *run, const struct task *task,
                                tensor *p) {
    struct training training = {run, COUNT, loss_of, task};
    struct trained trained;
    train(&training, p, &trained);

    SECTION("All updates");

    rates_and_clipping(run, task, p);

    GROUP("after 1");
    if (run->parameters.updates > 0)
        show_parameters(run, trained.after_one, TRAIN "train(mask, 1)",
                        update_in_symbols(run));
    END_GROUP;

    // The loss, update by update, before the first one and after each. An
    // update calls three functions of PyTorch: zero_grad, backward, step.
    // zero_grad comes first, because backward adds to the gradients that are
    // there; without it all earlier gradients would count again. step comes
    // last, because it needs the gradients of this update. It changes the
    // parameters, so the next update computes the loss anew.
    tensor losses = trained.losses;
    STEP(losses,
         arena_format(run->memory,
                      "before each of %lld updates, and after all",
                      (long long)run->parameters.updates),
         run->parameters.updates > 0 ? LOSSES : TRAIN LOSSES);

    GROUP("trained");
    show_parameters(run, trained.parameters, "",
                    arena_format(run->memory, ", after %lld updates",
                                 (long long)run->parameters.updates));
    END_GROUP;

    return trained;
}

static void teach_training(struct run *run) {
    struct tensor *p = arena_array(run->memory, COUNT, sizeof *p);
    struct task task = before_training(run, p);
    tensor W_query_grad = update_by_hand(run, &task, p);
    adamw_by_hand(run, &task, p, W_query_grad);
    struct trained trained = train_all(run, &task, p);
    tensor ids = run->steps[0].tensor;
    what_it_learned(run, &task, trained.parameters, ids);
    what_attention_is_for(run, &task, p, ids, p[W_LOGITS].shape[0]);
}

// Changes the parameters p. Returns the loss after the last update.
struct tensor train_model(const struct task *task, struct tensor *p,
                          int64_t updates, double lr) {
    struct tensor grads[COUNT];
    struct adamw_state state[COUNT];
    for (int i = 0; i < COUNT; i++) {
        tensor zeros = is_tensor(&p[i]) ? zeros_like(p[i]) : NO_TENSOR;
        state[i] = (struct adamw_state){p[i], zeros, zeros};
    }
    for (int64_t update = 1; update <= updates; update++) {
        gradients(loss_of(task, p), COUNT, p, grads); // zero_grad, backward
        for (int i = 0; i < COUNT; i++) {             // step
            if (is_tensor(&grads[i]))
                state[i] =
                    adamw(state[i], grads[i], lr, ADAMW_DECAY, update);
            p[i] = state[i].parameter;
        }
    }
    return loss_of(task, p);
}

LESSON(training) = {
    .name = "training",
    .part = PART_OF_LEARNING,
    .title = "Training: zero_grad, backward, step",
    .summary =
        "From random numbers to a trained model: one update by hand, then all of them, until the small GPT says its sentence; and what attention was for.",
    .book = "chapter 5, Pretraining on unlabeled data",
    .uses = USES_SEED | USES_HEADS | USES_TEXT | USES_D_MODEL |
            USES_HIDDEN | USES_VOCABULARY | USES_UPDATES | USES_OPTIMIZER |
            USES_LR | USES_WEIGHT_DECAY | USES_WARMUP | USES_COSINE |
            USES_CLIP,
    .splits_heads = true,
    .most_numbers = 40000000,
    .trains = true,
    .defaults =
        {.d_model = 4,
         .hidden = 8,
         .heads = 2,
         .text =
             "Your journey starts with one step one step starts Your journey",
         .updates = 200,
         .optimizer = ADAMW,
         .lr = 0.01},
    .teach = teach_training,
    .source = &training_source,
};
