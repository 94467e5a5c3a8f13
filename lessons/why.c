#include "agreement.h"
#include "variants.h"

// In PyTorch: what the model says.
// clang-format off
#define LEARNED \
        READ_LEARNED \
        "def layer(name, x):\n" \
        "    return torch.nn.functional.linear(x, parameters[name + \".weight\"], parameters.get(name + \".bias\"))\n" \
        "def norm(name, x):\n" \
        "    distance = x - x.mean(dim=-1, keepdim=True)\n" \
        "    variance = x.var(dim=-1, keepdim=True, unbiased=False)\n" \
        "    normalized = distance / torch.sqrt(variance + 1e-5)\n" \
        "    return parameters[name + \".scale\"] * normalized + parameters[name + \".shift\"]\n" \
        "def gelu(x):\n" \
        "    bent = torch.sqrt(torch.tensor(2 / torch.pi)) * (x + 0.044715 * x**3)\n" \
        "    return 0.5 * x * (1 + torch.tanh(bent))\n" \
        "def split(x):\n" \
        "    return x.view(len(x), 2, 8).transpose(0, 1)\n" \
        "def look(block, x):\n" \
        "    y = norm(f\"block{block}.norm1\", x)\n" \
        "    queries = split(layer(f\"block{block}.W_query\", y))\n" \
        "    keys = split(layer(f\"block{block}.W_key\", y))\n" \
        "    mask = torch.triu(torch.ones(len(x), len(x)), diagonal=1).bool()\n" \
        "    scores = (queries @ keys.transpose(1, 2)).masked_fill(mask, -torch.inf)\n" \
        "    return torch.softmax(scores / 8**0.5, dim=-1)\n" \
        "def through(block, x, off=\"\"):\n" \
        "    if str(block) in off.split(\",\"):\n" \
        "        return x\n" \
        "    values = split(layer(f\"block{block}.W_value\", norm(f\"block{block}.norm1\", x)))\n" \
        "    on = torch.tensor([[[f\"{block}.{head}\" not in off.split(\",\")]] for head in (1, 2)])\n" \
        "    context = look(block, x) @ values * on\n" \
        "    x = layer(f\"block{block}.out_proj\", context.transpose(0, 1).contiguous().view(-1, 16)) + x\n" \
        "    hidden = layer(f\"block{block}.ffn1\", norm(f\"block{block}.norm2\", x))\n" \
        "    return layer(f\"block{block}.ffn2\", gelu(hidden)) + x\n" \
        "def gpt(ids, off=\"\"):\n" \
        "    x = parameters[\"token_table.weight\"][ids] + parameters[\"position_table.weight\"][:len(ids)]\n" \
        "    for block in (1, 2):\n" \
        "        x = through(block, x, off)\n" \
        "    return layer(\"head\", norm(\"norm\", x))"
// clang-format on

// Probabilities of the model's verbs, [verbs, 2].
static struct tensor of_verbs(const struct agreement *model,
                              tensor probabilities) {
    tensor verbs = model->verbs;
    tensor places = view(verbs, verbs.shape[0] * 2);
    tensor found = gather(probabilities, places);
    return with_axes_of(view(found, verbs.shape[0], 2), &verbs);
}

// What the model says of the word behind the last one, [words].
static struct tensor next_word(struct run *run,
                               const struct agreement *model, tensor ids,
                               const char *off) {
    tensor logits = agreement_logits(run, &model->gpt, ids, off);
    return softmax(select_index(logits, 0, ids.shape[0] - 1), -1);
}

static struct tensor read_rows(struct run *run,
                               const struct agreement *model) {
    SECTION("A sentence that goes on");

    // A model reads numbers, so each word has one. It is the word's place,
    // counted from 0, among the 35 words of this model. The model is tiny, but
    // it has read many sentences of these words, such as "the cats near the
    // dog sleep .". At the course's parameters (s shows and changes them) the
    // sentence stops before its verb. Which verb comes next, sleep or sleeps?
    tensor ids = ids_of_sentence(run, model);
    STEP(ids, "id₀, id₁, ...",
         "ids = torch.tensor([words.index(word) for word in sentence.split()])");

    // Each word has a row of 16 numbers. Before training they were random.
    // Training has changed them, as it has changed all 5,792 numbers of the
    // model. Nobody told the model what a noun is, or a plural. It has learned
    // from the sentences alone.
    tensor token_table = model->gpt.token_table;
    STEP(token_table, "E, learned",
         "token_table = parameters[\"token_table.weight\"]");

    // The rows of the sentence. The model adds a row for its position to the
    // row of each word. So a word has other numbers at another place.
    tensor embedded =
        embed_tokens(run, ids, token_table, model->gpt.position_table);
    STEP(embedded, "xᵢ = E[idᵢ] + P[i]",
         "position_table = parameters[\"position_table.weight\"]\n"
         "embedded = token_table[ids] + position_table[:len(ids)]");

    return embedded;
}

static void read_last_word(struct run *run, const struct agreement *model,
                           tensor ids) {
    SECTION("Only the last word");

    // What comes next, if the model sees only the last word? The same model
    // gets this word alone. Each row is a verb, first in the singular, then in
    // the plural. At the course's parameters the word is "dogs", so each plural
    // is more likely than its singular. Other words may follow, too, so these
    // numbers do not add up to 1.
    tensor last_id = narrow(ids, 0, ids.shape[0] - 1, 1);
    tensor last_verbs = of_verbs(model, next_word(run, model, last_id, ""));
    STEP(last_verbs, "p of each verb, last word alone",
         "last_probabilities = torch.softmax(gpt(ids[-1:])[-1], dim=-1)\n"
         "last_verbs = last_probabilities[verbs]");

    // All singulars together, and all plurals together. At the course's
    // parameters the singulars have 0.0001, the plurals 0.4786. So of the
    // verbs the model would choose a plural, such as "sleep". That is wrong:
    // in the sentence the cat sleeps, not the dogs. The last word alone is not
    // enough.
    tensor last_together = sum(last_verbs, 0, false);
    STEP(last_together, "sum of each column",
         "last_together = last_verbs.sum(dim=0)");
}

static void read_all_words(struct run *run, const struct agreement *model,
                           tensor ids, tensor embedded) {
    const struct small_gpt *gpt = &model->gpt;

    SECTION("All words");

    // The rows after the first block of the model. A block changes the row of
    // each word, and it reads the rows of the words before it. The model has
    // two blocks. What a block computes is a later lesson. Here it is one step.
    tensor after_block1 = pass_block(run, gpt, 1, embedded, "");
    STEP(after_block1, "X after block 1",
         "after_block1 = through(1, embedded)");

    // The weights of attention in the second block, for its two heads. A row
    // says how much a word takes from each word up to itself. A row adds up to
    // 1. At the course's parameters the last row is that of "dogs": in head 1
    // it gives 0.96 to "cat", the subject, and 0.04 to "dogs". So attention
    // reads what stands further back.
    tensor weights = look(run, gpt, 2, after_block1);
    AT(0, ids.shape[0] - 1, ids.shape[0] > 1);
    STEP(weights, "W of block 2, for each head",
         "weights = look(2, after_block1)");

    // What comes next, if the model sees all words? The model gives a number to
    // each word that it knows: the logit. Softmax turns the logits into
    // probabilities, and these add up to 1. At the course's parameters
    // "follows" has the largest, "sleeps" has 0.1245 and "sleep" 0.0002.
    tensor probabilities = next_word(run, model, ids, "");
    AT(0, *(const int64_t *)model->verbs.storage->data);
    STEP(probabilities, "p = softmax(logits behind the last word)",
         "probabilities = torch.softmax(gpt(ids)[-1], dim=-1)");

    // The verbs among them. At the course's parameters each singular is more
    // likely than its plural, though the word before the verb is "dogs".
    tensor verb_probabilities = of_verbs(model, probabilities);
    STEP(verb_probabilities, "p of each verb",
         "verb_probabilities = probabilities[verbs]");

    // All singulars together, and all plurals, after all words. At the course's
    // parameters the singulars have 0.9969, the plurals 0.0008. The verb agrees
    // with "cat". Try a sentence of your own: --sentence takes the words that
    // the model knows.
    tensor together = sum(verb_probabilities, 0, false);
    STEP(together, "sum of each column",
         "together = verb_probabilities.sum(dim=0)");
}

static void read_without_a_head(struct run *run,
                                const struct agreement *model, tensor ids) {
    const char *off = run->parameters.off;

    SECTION("Without one head");

    // The same model with a head switched off. What the head found is
    // multiplied with 0. All else is as it was. Off is {off}: the number of the
    // block, then that of the head. At the course's parameters it is the head
    // that gave most of its weight to "cat".
    tensor off_verbs = of_verbs(model, next_word(run, model, ids, off));
    BESIDE("verb_probabilities");
    STEP(off_verbs, "p of each verb, a head off",
         "off_probabilities = torch.softmax(gpt(ids, off)[-1], dim=-1)\n"
         "off_verbs = off_probabilities[verbs]");

    // All singulars together, and all plurals, without the head. At the
    // course's parameters the singulars have 0.0109, the plurals 0.9865: the
    // model says a plural again. For this sentence it needs this head. How
    // such a weight comes about is lesson 1.
    tensor off_together = sum(off_verbs, 0, false);
    BESIDE("together");
    STEP(off_together, "sum of each column",
         "off_together = off_verbs.sum(dim=0)");
}

static void why(struct run *run) {
    const struct agreement model = read_agreement(run);
    check_off(run, model.gpt.sizes.blocks, model.gpt.sizes.heads);
    tensor embedded = read_rows(run, &model);
    tensor ids = run->steps[0].tensor;
    read_last_word(run, &model, ids);
    read_all_words(run, &model, ids, embedded);
    read_without_a_head(run, &model, ids);
}

// The logits of a GPT that has learned, [tokens, words].
struct tensor agreement_logits(struct run *run, const struct small_gpt *gpt,
                               tensor ids, const char *off) {
    struct tensor x =
        embed_tokens(run, ids, gpt->token_table, gpt->position_table);
    for (int number = 1; number <= gpt->sizes.blocks; number++)
        x = pass_block(run, gpt, number, x, off);
    return to_words(gpt, x); // [tokens, words]
}

LESSON(why) = {
    .name = "why",
    .part = PART_OF_COURSE,
    .is_before_first = true,
    .title = "Why attention",
    .summary =
        "A tiny GPT that has learned how a verb agrees with its subject, and the one part of it, an attention head, that finds the subject.",
    .uses = USES_SENTENCE | USES_OFF,
    .defaults = {.sentence = "the cat near the dogs", .off = "2.1"},
    .learned = data_agreement,
    .setup = LEARNED,
    .teach = why,
    .source = &why_source,
};
