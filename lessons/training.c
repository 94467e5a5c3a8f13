#include <math.h>

#include "training_model.h"
#include "variants.h"

// A paragraph that is shown three times.
static void show_parameters(struct run *run, tensor *p,
                            const char *statement) {
    tensor embedding = p[EMBEDDING], W_query = p[W_QUERY];

    // All parameters: as drawn, after one update, after all updates. They are shown
    // three times. One update moves each number once. A number whose gradient is 0,
    // as at hidden features that ReLU set to 0 everywhere, hardly moves. The
    // gradient of the key's bias is only rounding: its value does not change the
    // loss.
    tensor W_query_bias = p[W_QUERY_BIAS];
    STEP(embedding, "E", statement, "embedding.weight");
    STEP(W_query, "W_q", "", "W_query.weight");
    STEP(W_query_bias, "b_q", "", "W_query.bias");
    tensor W_key = p[W_KEY], W_key_bias = p[W_KEY_BIAS];
    STEP(W_key, "W_k", "", "W_key.weight");
    STEP(W_key_bias, "b_k", "", "W_key.bias");
    tensor W_value = p[W_VALUE], W_value_bias = p[W_VALUE_BIAS];
    STEP(W_value, "W_v", "", "W_value.weight");
    STEP(W_value_bias, "b_v", "", "W_value.bias");
    tensor W_out = p[W_OUT], W_out_bias = p[W_OUT_BIAS];
    STEP(W_out, "W_o", "", "out_proj.weight");
    STEP(W_out_bias, "b_o", "", "out_proj.bias");
    tensor W_ffn1 = p[W_FFN1], W_ffn1_bias = p[W_FFN1_BIAS];
    STEP(W_ffn1, "W₁", "", "ffn1.weight");
    STEP(W_ffn1_bias, "b₁", "", "ffn1.bias");
    tensor W_ffn2 = p[W_FFN2], W_ffn2_bias = p[W_FFN2_BIAS];
    STEP(W_ffn2, "W₂", "", "ffn2.weight");
    STEP(W_ffn2_bias, "b₂", "", "ffn2.bias");
    tensor W_logits = p[W_LOGITS], W_logits_bias = p[W_LOGITS_BIAS];
    STEP(W_logits, "W_l", "", "to_logits.weight");
    STEP(W_logits_bias, "b_l", "", "to_logits.bias");
}

static struct task before_training(struct run *run, struct tensor *p) {
    struct sentence sentence = read_sentence(run);

    SECTION("What the model will learn");

    // A sentence in which looking back helps. It is "Your journey starts with one
    // step one step starts Your journey". Five of its words occur twice, and two of
    // these, "starts" and "step", are followed by different words. A model that
    // reads only the current word cannot tell which word follows; one that looks
    // back can. The model of lesson 7 learns only this one sentence here.
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
                    "W_query, W_key, W_value = (torch.nn.Linear(d_model, d_model)\n"
                    "                           for _ in range(3))\n"
                    "out_proj = torch.nn.Identity()\n"
                    "if num_heads > 1:\n"
                    "    out_proj = torch.nn.Linear(d_model, d_model)\n"
                    "ffn1 = torch.nn.Linear(d_model, d_hidden)\n"
                    "ffn2 = torch.nn.Linear(d_hidden, d_model)\n"
                    "to_logits = torch.nn.Linear(d_model, vocabulary)\n"
                    "layers = torch.nn.ModuleList([embedding, W_query, W_key, W_value, out_proj,\n"
                    "                              ffn1, ffn2, to_logits])");
    END_GROUP;

    // Before training, no weight is even twice an equal share. An equal share is 1
    // over the number of tokens that the row may see. The parameters are still
    // random.
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
         "    return to_logits(ffn2(torch.relu(ffn1(out_proj(context)))))\n"
         "def logits_of(ids, mask):\n"
         "    embedded = embedding(ids)\n"
         "    return conclude(embedded, weigh(embedded, mask))\n"
         "read, targets, t = ids[:, :-1], ids[:, 1:], num_tokens - 1\n"
         "mask = torch.triu(torch.ones(t, t), diagonal=1).bool()\n"
         "weights_before = weigh(embedding(read), mask)");

    // The predictions before training: all rows are alike. An untrained model's
    // predictions hardly depend on the words that it reads.
    tensor logits = conclude(&task, p, embedded, weights_before);
    tensor probabilities_before = softmax(logits, -1);
    STEP(probabilities_before, "P = softmax(L)",
         "probabilities_before = torch.softmax(logits_of(read, mask), dim=-1)");

    // The loss before training is about that of guessing. Guessing among six words
    // costs log 6 = 1.7918. The perplexity, e^loss, is about six: the model is as
    // uncertain as if it guessed among six words. Training lowers both.
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
    // number raises the loss, so the update goes the other way. Lesson 8 computed
    // it by hand; here loss.backward() does. backward() walks the list of
    // operations, which PyTorch calls the graph.
    tensor W_query = p[W_QUERY];
    STEP(W_query, "W_q", "", "W_query.weight");
    tensor W_query_grad = gradient(loss_of(task, p), W_query);
    STEP(W_query_grad, "∂W_q",
         "import copy\n"
         "start = copy.deepcopy(layers.state_dict())\n"
         "loss_before.backward()\n"
         "W_query_grad = W_query.weight.grad.clone()");

    GROUP("sgd");

    // Stochastic gradient descent: a small step against the gradient. The learning
    // rate lr sets how small the step is. The minus sign lowers the loss; a plus
    // sign would raise it. The gradient's numbers are far below 1 here, so a step
    // of SGD is tiny. (It is called stochastic because real training draws some
    // texts at random for each step.)
    tensor W_query_after = subtract(W_query, multiply_by(W_query_grad, lr));
    STEP(W_query_after, "W_q - lr · ∂W_q",
         "W_query_after = W_query.weight - W_query_grad * lr");

    // The loss after the SGD step, when only W_query has changed. It should fall by
    // 0.00000007: lr times the sum of the squares of the gradient's numbers. A
    // float32 near 1.8 cannot show so small a change, so rounding decides whether
    // the loss rises or falls. That is how slow SGD is here.
    tensor loss_after = loss_with(task, p, W_query_after);
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

    // AdamW keeps two running means for each number. The first is the mean of the
    // number's gradients, the second the mean of their squares. A new gradient
    // counts for a tenth of the first mean, its square for a thousandth of the
    // second; the old mean counts for the rest. Such means are called moments. Both
    // start at 0.
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

    // The moments are corrected, because they started at 0. After one gradient the
    // first mean is only a tenth of it; the other nine tenths are the 0 from the
    // start. Dividing by 1 - 0.9ᵗ after t updates (t = 1 now) gives the mean of the
    // real gradients, now the gradient itself. The second mean is corrected
    // likewise and gives the gradient's square. Without this the first step would
    // be three times too long, and the next ones even longer.
    tensor first_moment_corrected =
        divide_by(first_moment, adamw_correction(0.9, 1));
    STEP(first_moment_corrected, "m' = m / (1 - 0.9ᵗ), t = 1",
         "first_moment_corrected = first_moment / (1 - 0.9**1)");
    tensor second_moment_corrected =
        divide_by(second_moment, adamw_correction(0.999, 1));
    STEP(second_moment_corrected, "v' = v / (1 - 0.999ᵗ), t = 1",
         "second_moment_corrected = second_moment / (1 - 0.999**1)");

    // The step is as long as the learning rate, however small the gradient. The
    // first mean, divided by the root of the second, is about 1 or -1 if the
    // gradients agree, and small if they contradict each other. 10⁻⁸ prevents a
    // division by 0. Also, every number loses lr · 0.01 of itself: this weight
    // decay is the W of AdamW. (Adam with L2, a penalty on large numbers, adds the
    // decay to the gradient, so the root divides it as well.)
    tensor length = divide(first_moment_corrected,
                           add(square_root(second_moment_corrected),
                               number(run, ADAMW_EPS)));
    tensor decayed = multiply_by(W_query, 1 - lr * weight_decay);
    tensor W_query_after = subtract(decayed, multiply_by(length, lr));
    STEP(W_query_after,
         arena_format(run->memory,
                      "W_q (1 - lr · %g) - lr · m' / (√v' + 10⁻⁸)",
                      weight_decay),
         arena_format(run->memory,
                      "length = first_moment_corrected / (second_moment_corrected.sqrt() + 1e-8)\n"
                      "W_query_after = W_query.weight * (1 - lr * %g) - length * lr",
                      weight_decay));

    // The loss after the AdamW step, when only W_query has changed. Every number
    // moved by about the learning rate, so the loss falls far more than after the
    // SGD step. A gradient that is only rounding would also give a full step, in a
    // meaningless direction, if it were well above 10⁻⁸. The gradient of the key's
    // bias is below that.
    tensor loss_after = loss_with(task, p, W_query_after);
    STEP(loss_after, "loss with the new W_q",
         "loss_after = loss_with(W_query_after)");

    END_GROUP;
}

// In PyTorch; stands before the first step that trains.
#define TRAIN                                                                  \
    "def train(mask, updates):\n"                                              \
    "    layers.load_state_dict(start)\n"                                      \
    "    kinds = {\"adamw\": torch.optim.AdamW, \"adam\": torch.optim.Adam,\n" \
    "             \"sgd\": torch.optim.SGD}\n"                                 \
    "    optimize = kinds[optimizer](layers.parameters(), lr=lr,\n"            \
    "                                weight_decay=weight_decay)\n"             \
    "    losses = [loss_of(mask).item()]\n"                                    \
    "    for update in range(updates):\n"                                      \
    "        optimize.zero_grad()\n"                                           \
    "        loss_of(mask).backward()\n"                                       \
    "        optimize.step()\n"                                                \
    "        losses.append(loss_of(mask).item())\n"                            \
    "    return torch.tensor(losses)\n"
#define LOSSES "losses = train(mask, updates)"

static struct trained train_all(struct run *run, const struct task *task,
                                tensor *p) {
    struct training training = {run, COUNT, loss_of, task};
    struct trained trained;
    train(&training, p, &trained);

    SECTION("All updates");

    GROUP("after 1");
    if (run->parameters.updates > 0)
        show_parameters(run, trained.after_one, TRAIN "train(mask, 1)");
    END_GROUP;

    // The loss, update by update, before the first one and after each. An update
    // calls three functions of PyTorch: zero_grad, backward, step. zero_grad comes
    // first, because backward adds to the gradients that are there; without it all
    // earlier gradients would count again. step comes last, because it needs the
    // gradients of this update. It changes the parameters, so the next update
    // computes the loss anew.
    tensor losses = trained.losses;
    STEP(losses,
         arena_format(run->memory,
                      "before each of %lld updates, and after all",
                      (long long)run->parameters.updates),
         run->parameters.updates > 0 ? LOSSES : TRAIN LOSSES);

    GROUP("trained");
    show_parameters(run, trained.parameters, "");
    END_GROUP;

    return trained;
}

// The last word that was read before with another one behind it; -1 if none.
static int64_t ambiguous(tensor ids) {
    int64_t last = ids.shape[1] - 1;
    for (int64_t i = last - 1; i > 0; i--) {
        for (int64_t j = 0; j < i; j++) {
            bool is_same = element_at(&ids, i) == element_at(&ids, j);
            if (is_same &&
                element_at(&ids, i + 1) != element_at(&ids, j + 1))
                return i;
        }
    }
    return -1;
}

static const char *const sharing_labels[] = {"as trained", "shared evenly"};

// An aside: what becomes of a prediction without its weights.
static void share_evenly(struct run *run, const struct task *task,
                         tensor *p, tensor embedded, tensor weights,
                         tensor probabilities, int64_t place) {
    int64_t tokens = task->read.shape[1], heads = run->parameters.heads;

    // Does "starts" need to look back at "with"? The second "starts" is followed by
    // another word than the first. Let it distribute its attention evenly in head
    // 2, with all else unchanged. The probability of the right word, "Your", falls
    // from 0.9999 to 0.0000. The prediction becomes "one", which never follows
    // "starts". So the weight of "starts" on "with" in head 2 decides.
    tensor token =
        one_hot(narrow(numbers_from_0(run, tokens), 0, place, 1), tokens);
    tensor head =
        one_hot(narrow(numbers_from_0(run, heads), 0, heads - 1, 1), heads);
    tensor row =
        multiply(view(token, 1, 1, tokens, 1), view(head, 1, heads, 1, 1));
    tensor visible =
        view(tril(ones(run, tokens, tokens), 0), 1, 1, tokens, tokens);
    tensor even = divide(visible, sum(visible, -1, true));
    tensor others = masked_fill(weights, to_bool(row), 0);
    tensor shared_weights = add(others, multiply(row, even));
    tensor shared_logits = conclude(task, p, embedded, shared_weights);
    tensor shared = softmax(shared_logits, -1);
    tensor both[] = {select_index(select_index(probabilities, 0, 0), 0,
                                  place),
                     select_index(select_index(shared, 0, 0), 0, place)};
    tensor shared_evenly =
        named(label_rows(stack(2, both, 0), sharing_labels), "case");
    STEP(shared_evenly, "P, with one row of W shared evenly",
         "def followed(i):\n"
         "    places = [j for j in range(i + 1) if ids[0, j] == ids[0, i]]\n"
         "    return {int(ids[0, j + 1]) for j in places}\n"
         "place = max(i for i in range(1, t) if len(followed(i)) > 1)\n"
         "shared_weights = weights.detach().clone()\n"
         "shared_weights[0, -1, place, :place + 1] = 1 / (place + 1)\n"
         "shared = torch.softmax(conclude(embedding(read), shared_weights), dim=-1)\n"
         "shared_evenly = torch.stack([probabilities[0, place], shared[0, place]])");
}

static void what_it_learned(struct run *run, const struct task *task,
                            tensor *p, tensor ids) {
    SECTION("What the model has learned");
    BESIDE("weights_before");

    // After training, some tokens attend almost only to one other. In head 2 the
    // second "starts" gives 0.94 to "with", which the first "starts" cannot see:
    // this tells the two apart. In head 1 the first "step" gives 0.38 to "one"; the
    // second "step" sees "one" twice and gives 0.26 to each. In head 2 both "one"
    // attend to "with" (0.99 and 0.98), although "step" always follows: the model
    // also looks back where it need not.
    tensor embedded = embed(task->read, p[EMBEDDING]);
    tensor weights = weigh(task, p, embedded);
    STEP(weights, "W = softmax(masked Q Kᵀ/√head_dim)",
         "weights = weigh(embedding(read), mask)");

    // The predictions after training. Each row gives nearly all of its probability
    // to one word, and it is the right one. The two rows of "starts" differ, and so
    // do those of "step", because the model looks back.
    tensor logits = conclude(task, p, embedded, weights);
    tensor probabilities = softmax(logits, -1);
    STEP(probabilities, "P = softmax(L)",
         "probabilities = torch.softmax(logits_of(read, mask), dim=-1)");

    // The loss after training is far below that of guessing. More updates would on
    // the whole lower it further, because no probability ever reaches 1, except by
    // rounding.
    tensor loss = cross_entropy(logits, task->targets);
    STEP(loss, "mean of -log P[i, idᵢ₊₁]", "loss = loss_of(mask)");

    // The model says the sentence. It starts from the first word, takes the most
    // probable next word, reads it in turn, and so on. It says nothing new: it has
    // memorized one sentence, and after other words it would say nonsense.
    tensor said = speak(task, p, ids, 1, ids.shape[1], NULL);
    STEP(said, "idᵢ₊₁ = argmax of P[i]",
         "said = ids[0, :1]\n"
         "for n in range(1, num_tokens):\n"
         "    logits = logits_of(said.unsqueeze(0), mask[:n, :n])\n"
         "    said = torch.cat([said, logits[0, -1:].argmax(dim=-1)])");

    int64_t place = ambiguous(ids);
    if (place >= 0)
        share_evenly(run, task, p, embedded, weights, probabilities, place);
}

static void what_attention_is_for(struct run *run, const struct task *task,
                                  tensor *p, tensor ids,
                                  int64_t vocabulary) {
    int64_t tokens = task->read.shape[1];
    struct training training = {run, COUNT, loss_of, NULL};

    SECTION("What attention was for");

    // The same training, but each token sees only itself. The mask hides the past
    // as well, so each weight on the diagonal is 1 and all others are 0. Everything
    // else is as before, with the same drawn parameters. The last loss is far
    // higher than that of the model that may look back.
    struct task alone = *task;
    tensor past = tril(ones(run, tokens, tokens), -1);
    tensor future = triu(ones(run, tokens, tokens), 1);
    alone.mask = to_bool(add(past, future));
    training.model = &alone;
    struct trained without_attention;
    train(&training, p, &without_attention);
    tensor losses_without_attention = without_attention.losses;
    STEP(losses_without_attention, "each token sees itself",
         "only_itself = ~torch.eye(t, dtype=torch.bool)\n"
         "losses_without_attention = train(only_itself, updates)");

    // The price of not looking back. For each word, count how often each other word
    // follows it. A model that knows only the current word can do no better than to
    // predict these shares, however long it trains. Two words have two successors
    // each, so at four of ten places the cost is -log ½ = 0.6931, and the mean over
    // all places is 0.4 · 0.6931 = 0.2773. The loss of the step before ends a
    // little above that.
    tensor read_hot = multiply_by(one_hot(task->read, vocabulary), 1);
    tensor next_hot = multiply_by(one_hot(task->targets, vocabulary), 1);
    tensor same_word = matmul(read_hot, transpose(read_hot, 1, 2));
    tensor counted = matmul(same_word, next_hot);
    tensor of_all = sum(counted, -1, false);
    tensor of_next = sum(multiply(counted, next_hot), -1, false);
    tensor surprise = multiply_by(natural_log(divide(of_next, of_all)), -1);
    tensor price_of_not_looking_back =
        mean(view(surprise, tokens), 0, false);
    STEP(price_of_not_looking_back, "mean of -log(pair count / word count)",
         "read_hot = torch.nn.functional.one_hot(read, vocabulary).float()\n"
         "next_hot = torch.nn.functional.one_hot(targets, vocabulary).float()\n"
         "same_word = read_hot @ read_hot.transpose(1, 2)\n"
         "counted = same_word @ next_hot\n"
         "share = (counted * next_hot).sum(-1) / counted.sum(-1)\n"
         "price_of_not_looking_back = (-share.log()).mean()");

    // The same training, but without a mask: every token sees all. The loss does
    // not fall below the price of not looking back either. The model has no
    // positions, so a row sees the same set of words at every place. The next word
    // is among them, but the row cannot tell which it is.
    struct task open = *task;
    open.mask = to_bool(full(run->memory, SHAPE(tokens, tokens), 0));
    training.model = &open;
    struct trained without_mask;
    train(&training, p, &without_mask);
    tensor losses_without_mask = without_mask.losses;
    STEP(losses_without_mask, "every token sees all",
         "no_mask = torch.zeros(t, t, dtype=torch.bool)\n"
         "losses_without_mask = train(no_mask, updates)");

    // Without a mask, rows of the same word are equal. Both "starts" have the same
    // query and see the same keys, so they get the same prediction, and one of the
    // two is wrong. In this model only the mask tells places apart. (A model that
    // knows each token's position could look up the next word and would learn to
    // copy it. There the mask forbids that.)
    tensor open_logits = logits_of(&open, without_mask.parameters);
    tensor probabilities_without_mask = softmax(open_logits, -1);
    STEP(probabilities_without_mask, "P = softmax(L)",
         "logits_without_mask = logits_of(read, no_mask)\n"
         "probabilities_without_mask = torch.softmax(logits_without_mask, dim=-1)");

    // What the model says without a mask. In training it saw the whole sentence;
    // now it sees only what it has said so far. So its first prediction is wrong
    // already, and it repeats itself. With attention, a mask and some training, the
    // journey starts with one step.
    tensor said_without_mask =
        speak(&open, without_mask.parameters, ids, 1, ids.shape[1], NULL);
    STEP(said_without_mask, "idᵢ₊₁ = argmax of P[i]",
         "said_without_mask = ids[0, :1]\n"
         "for n in range(1, num_tokens):\n"
         "    logits = logits_of(said_without_mask.unsqueeze(0), no_mask[:n, :n])\n"
         "    following = logits[0, -1:].argmax(dim=-1)\n"
         "    said_without_mask = torch.cat([said_without_mask, following])");
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
            USES_LR | USES_WEIGHT_DECAY,
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
    EXERCISES(
        {"sgd: W_query_after",
         {"Go against the gradient, not along it.",
          "The learning rate lr sets how far the step goes.",
          "It is the weight minus its gradient times a number."}},
        {"adamw: first_moment_corrected",
         {"The mean started at 0. What part of the gradient is in it by now?",
          "It is a tenth after one update. By what must a tenth be divided to give 1?",
          "Divide by 1 minus beta to the power of t."}},
        {"price_of_not_looking_back",
         {"A share of 1 costs nothing, a share of ½ costs log 2.",
          "The loss is the mean of minus the logarithm of each share.",
          "share has one number for each position."}}),
    .teach = teach_training,
    .source = &training_source,
};
