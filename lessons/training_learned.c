#include "training_model.h"

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
                         tensor probabilities, int64_t position) {
    int64_t tokens = task->read.shape[1], heads = run->parameters.heads;

    // Does a repeated word need to look back? Let the last word with two
    // successors distribute its attention evenly in the last head, with all
    // else unchanged. At the course's parameters that is the second
    // "starts" in head 2: the probability of the right word, "Your", falls
    // from 0.9999 to 0.0000, and the prediction becomes "one", which never
    // follows "starts"; so the weight of "starts" on "with" decides.
    tensor token =
        one_hot(narrow(numbers_from_0(run, tokens), 0, position, 1),
                tokens);
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
                                  position),
                     select_index(select_index(shared, 0, 0), 0, position)};
    tensor shared_evenly =
        named(label_rows(stack(2, both, 0), sharing_labels), "case");
    STEP(shared_evenly, "P, with one row of W shared evenly",
         "def followed(i):\n"
         "    places = [j for j in range(i + 1) if ids[0, j] == ids[0, i]]\n"
         "    return {int(ids[0, j + 1]) for j in places}\n"
         "place = max(i for i in range(1, t) if len(followed(i)) > 1)\n"
         "shared_weights = weights.detach().clone()\n"
         "shared_weights[0, -1, place] = 0\n"
         "shared_weights[0, -1, place, :place + 1] = 1 / (place + 1)\n"
         "shared = torch.softmax(conclude(embedding(read), shared_weights), dim=-1)\n"
         "shared_evenly = torch.stack([probabilities[0, place], shared[0, place]])");
}

void what_it_learned(struct run *run, const struct task *task, tensor *p,
                     tensor ids) {
    SECTION("What the model has learned");
    BESIDE("weights_before");

    // After training, some tokens attend almost only to one other. At the
    // course's parameters the second "starts" gives 0.94 to "with" in head
    // 2, which the first "starts" cannot see, so the model can tell the two
    // apart; both "one" give nearly all of their weight to "with", too,
    // although "step" always follows "one". So a model also looks back
    // where it need not.
    tensor embedded = embed(task->read, p[EMBEDDING]);
    tensor weights = weigh(task, p, embedded);
    AT(1, 8, 3);
    STEP(weights, "W = softmax(masked Q Kᵀ/√head_dim)",
         "weights = weigh(embedding(read), mask)");

    // The predictions after training. At the course's parameters each row gives
    // nearly all of its probability to one word, and it is the right one: the
    // two rows of "starts" differ, and so do those of "step", because the model
    // looks back.
    tensor logits = conclude(task, p, embedded, weights);
    tensor probabilities = softmax(logits, -1);
    STEP(probabilities, "P = softmax(L)",
         "probabilities = torch.softmax(logits_of(read, mask), dim=-1)");

    // The loss after training is far below that of guessing. More updates
    // would on the whole lower it further, because no probability ever reaches
    // 1, except by rounding.
    tensor loss = cross_entropy(logits, task->targets);
    STEP(loss, "mean of -log P[i, idᵢ₊₁]", "loss = loss_of(mask)");

    // The model says the sentence. It starts from the first word, takes the
    // most probable next word, reads it in turn, and so on. A model that was
    // trained long enough says nothing new: it has memorized one sentence, and
    // after other words it would say nonsense.
    tensor said = speak(task, p, ids, 1, ids.shape[1], NULL);
    STEP(said, "idᵢ₊₁ = argmax of P[i]",
         "said = ids[0, :1]\n"
         "for n in range(1, num_tokens):\n"
         "    logits = logits_of(said.unsqueeze(0), mask[:n, :n])\n"
         "    said = torch.cat([said, logits[0, -1:].argmax(dim=-1)])");

    int64_t position = ambiguous(ids);
    if (position >= 0)
        share_evenly(run, task, p, embedded, weights, probabilities,
                     position);
}

void what_attention_is_for(struct run *run, const struct task *task,
                           tensor *p, tensor ids, int64_t vocabulary) {
    int64_t tokens = task->read.shape[1];
    struct training training = {run, COUNT, loss_of, NULL};

    SECTION("What attention was for");

    // The same training, but each token sees only itself. The mask hides the
    // past as well, so each weight on the diagonal is 1 and all others are 0.
    // Everything else is as before, with the same drawn parameters. At the
    // course's parameters the last loss is far higher than that of the model
    // that may look back.
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

    // The price of not looking back. For each word, count how often each other
    // word follows it. A model that knows only the current word can do no
    // better than to predict these shares, however long it trains. At the
    // course's parameters two words have two successors each, so at four of ten
    // places the cost is -log ½ = 0.6931, and the mean over all places is 0.4 ·
    // 0.6931 = 0.2773; the loss of the step before ends a little above that.
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

    // The same training, but without a mask: every token sees all. At the
    // course's parameters the loss does not fall below the price of not looking
    // back either. The model has no positions, so a row sees the same set of
    // words at every place. The next word is among them, but the row cannot
    // tell which it is.
    struct task open = *task;
    open.mask = to_bool(full(run->memory, SHAPE(tokens, tokens), 0));
    training.model = &open;
    struct trained without_mask;
    train(&training, p, &without_mask);
    tensor losses_without_mask = without_mask.losses;
    STEP(losses_without_mask, "every token sees all",
         "no_mask = torch.zeros(t, t, dtype=torch.bool)\n"
         "losses_without_mask = train(no_mask, updates)");

    // Without a mask, rows of the same word are equal. Equal words have the
    // same query and see the same keys, so they get the same prediction. At the
    // course's parameters the two "starts" do, and one of the two is wrong. In
    // this model only the mask tells places apart. (A model that knows each
    // token's position could look up the next word and would learn to copy it.
    // There the mask forbids that.)
    tensor open_logits = logits_of(&open, without_mask.parameters);
    tensor probabilities_without_mask = softmax(open_logits, -1);
    STEP(probabilities_without_mask, "P = softmax(L)",
         "logits_without_mask = logits_of(read, no_mask)\n"
         "probabilities_without_mask = torch.softmax(logits_without_mask, dim=-1)");

    // What the model says without a mask. In training it saw the whole
    // sentence; now it sees only what it has said so far. At the course's
    // parameters its first prediction is wrong already, and it repeats itself.
    // With attention, a mask and some training, the journey starts with one
    // step.
    tensor said_without_mask =
        speak(&open, without_mask.parameters, ids, 1, ids.shape[1], NULL);
    STEP(said_without_mask, "idᵢ₊₁ = argmax of P[i]",
         "said_without_mask = ids[0, :1]\n"
         "for n in range(1, num_tokens):\n"
         "    logits = logits_of(said_without_mask.unsqueeze(0), no_mask[:n, :n])\n"
         "    following = logits[0, -1:].argmax(dim=-1)\n"
         "    said_without_mask = torch.cat([said_without_mask, following])");
}
