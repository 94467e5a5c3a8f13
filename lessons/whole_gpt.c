#include "whole_gpt.h"

struct gpt_ways gpt_ways;

enum {
    VOCABULARY = 50257,
    D_MODEL = 768,
    BLOCKS = 12,
    ATTENTION_HEADS = 12
};

// ---- What is drawn --------------------------------------------------------

// Parameters of all, of all but the head, of the attention of a block, and of
// its feed-forward module. The scales and shifts of LayerNorm are counted.
static struct tensor count_parameters(struct run *run,
                                      int64_t context_length) {
    static const char *const labels[] = {"all", "without head", "attention",
                                         "feed-forward"};
    int64_t d = D_MODEL, attention = 4 * d * d + d;
    int64_t feed_forward = 8 * d * d + 5 * d, norm = 2 * d;
    int64_t tables = (VOCABULARY + context_length) * d;
    int64_t block = attention + feed_forward + 2 * norm;
    int64_t without_head = tables + BLOCKS * block + norm;
    int64_t all = without_head + VOCABULARY * d;
    tensor counts = tensor_given(run->memory, INT64, SHAPE(4));
    int64_t *count = counts.storage->data;
    count[0] = all;
    count[1] = without_head;
    count[2] = attention;
    count[3] = feed_forward;
    return label_columns(named(counts, "part"), labels);
}

static struct block make_block(struct run *run, int number) {
    int64_t d_model = D_MODEL;

    GROUP("block %d", number);

    // The layers of attention. Each reads 768 features and makes 768. Queries,
    // keys and values have no bias here, as in the course. OpenAI's GPT-2 has
    // these biases.
    LAYER(W_query, ROLE_QUERIES, d_model, d_model, false, "W_q",
          "W_query_{h} = torch.nn.Linear(d_model, d_model, bias=False)");
    LAYER(W_key, ROLE_KEYS, d_model, d_model, false, "W_k",
          "W_key_{h} = torch.nn.Linear(d_model, d_model, bias=False)");
    LAYER(W_value, ROLE_VALUES, d_model, d_model, false, "W_v",
          "W_value_{h} = torch.nn.Linear(d_model, d_model, bias=False)");
    LAYER(W_out, ROLE_OUTPUT, d_model, d_model, true, "W_o",
          "out_proj_{h} = torch.nn.Linear(d_model, d_model)");

    // The two layers of the feed-forward module. The first makes 3,072
    // features of 768, the second 768 of 3,072. The attention of a block has
    // 2,360,064 parameters, its feed-forward module 4,722,432: twice as many.
    LAYER(W_ffn1, ROLE_NONE, d_model, 4 * d_model, true, "W₁",
          "ffn1_{h} = torch.nn.Linear(d_model, 4 * d_model)");
    LAYER(W_ffn2, ROLE_NONE, 4 * d_model, d_model, true, "W₂",
          "ffn2_{h} = torch.nn.Linear(4 * d_model, d_model)");

    END_GROUP;
    return (struct block){.W_query = W_query,
                          .W_key = W_key,
                          .W_value = W_value,
                          .W_out = W_out,
                          .W_ffn1 = W_ffn1,
                          .W_ffn2 = W_ffn2};
}

static struct small_gpt make_gpt(struct run *run,
                                 const char *const *words) {
    int64_t context_length = run->parameters.context_length;
    int64_t d_model = D_MODEL;
    struct small_gpt gpt = {.sizes = {.vocabulary = VOCABULARY,
                                      .context_length = context_length,
                                      .d_model = D_MODEL,
                                      .heads = ATTENTION_HEADS,
                                      .blocks = BLOCKS}};

    SECTION("What is drawn");

    // How many parameters the model has. With 1,024 positions there are
    // 163,009,536, in float32 621.83 MiB. GPT-2 small is known as the model
    // with 124 million parameters, because its head is the token table again;
    // without the head there are 124,412,160. The course's model draws a head
    // of its own.
    tensor parameter_counts = count_parameters(run, context_length);
    STEP(parameter_counts, "numbers in all layers and tables",
         "attention_count = 4 * d_model**2 + d_model\n"
         "feed_forward_count = 8 * d_model**2 + 5 * d_model\n"
         "block_count = attention_count + feed_forward_count + 4 * d_model\n"
         "table_count = (vocabulary + context_length) * d_model\n"
         "without_head = table_count + num_layers * block_count + 2 * d_model\n"
         "parameter_counts = torch.tensor([without_head + vocabulary * d_model,\n"
         "    without_head, attention_count, feed_forward_count])");

    // The two tables. The token table has a row of 768 features for each of
    // the 50,257 tokens that GPT-2 knows, the position table a row for each
    // position. They are drawn first, so a shorter position table changes
    // every number that is drawn after it.
    reseed(run, 123);
    tensor token_table =
        label_rows(draw_embedding(run, ROLE_TOKENS, VOCABULARY, d_model),
                   words);
    STEP(token_table, "E ~ normal(0, 1)",
         "token_table = torch.nn.Embedding(vocabulary, d_model)",
         "token_table.weight");
    tensor position_table =
        label_rows(draw_embedding(run, ROLE_POSITIONS, context_length,
                                  d_model),
                   position_names(run, context_length));
    STEP(position_table, "P ~ normal(0, 1)",
         "position_table = torch.nn.Embedding(context_length, d_model)",
         "position_table.weight");

    gpt.token_table = token_table;
    gpt.position_table = position_table;
    gpt.blocks =
        arena_array(run->memory, (size_t)BLOCKS, sizeof *gpt.blocks);
    for (int i = 0; i < BLOCKS; i++) gpt.blocks[i] = make_block(run, i + 1);

    // The head, from features to tokens. It is the last layer of the model,
    // not a head of attention. Its weight is as large as the token table.
    LAYER(W_head, ROLE_LOGITS, d_model, VOCABULARY, false, "W_h",
          "head = torch.nn.Linear(d_model, vocabulary, bias=False)", words);

    gpt.W_head = W_head;
    return gpt;
}

// ---- What it predicts -----------------------------------------------------

struct prediction {
    tensor logits, most_likely;
};

static struct prediction predict(struct run *run,
                                 const struct small_gpt *gpt, tensor x,
                                 tensor ids) {
    int64_t sentences = ids.shape[0], tokens = ids.shape[1];

    SECTION("From rows to tokens");

    // A last LayerNorm after the blocks. Each half of a block normalizes a
    // copy of the rows. The rows themselves go past it by the shortcut, so
    // they have never been normalized.
    tensor final = layer_norm(x);
    STEP(final, "N = (X - μ) / √(σ² + ε)",
         "distance = x - x.mean(dim=-1, keepdim=True)\n"
         "variance = x.var(dim=-1, keepdim=True, unbiased=False)\n"
         "final = distance / torch.sqrt(variance + 1e-5)");

    // Logits: a score for each of the 50,257 tokens, at every position. Row i
    // says which token would follow after the tokens up to i. The largest
    // logit belongs to the most likely token. The book's logits come with
    // --ids 6109,3626,6100,345 --ids 6109,1110,6622,257 --dropout 0.1: its
    // model was in training mode.
    tensor logits = apply(gpt->W_head, final);
    STEP(logits, "L = N W_hᵀ", "logits = head(final)");

    // The most likely next token at every position. It is the place of the
    // largest logit of a row, counted from 0. The model is untrained, so its
    // choice says nothing about language.
    tensor best = topk(logits, 1).positions;
    tensor most_likely = with_axes_of(view(best, sentences, tokens), &ids);
    STEP(most_likely, "argmax of each row of L",
         "most_likely = logits.argmax(dim=-1)");

    return (struct prediction){logits, most_likely};
}

// Logits without the last row of each sentence, and the ids that follow.
static void measure(struct run *run, tensor logits, tensor ids) {
    int64_t sentences = ids.shape[0], rest = ids.shape[1] - 1;
    tensor followed = narrow(logits, 1, 0, rest);
    tensor targets = as(ROLE_TARGETS, contiguous(narrow(ids, 1, 1, rest)));

    SECTION("How well it predicts");

    // The probability of the token that really follows, at each position. The
    // targets are the ids, one place later. The last id is only a target: no
    // logits of the last position are used. A model that guesses evenly gives
    // each of the 50,257 tokens 0.00002.
    tensor places = view(targets, sentences, rest, 1);
    tensor found = gather(softmax(followed, -1), places);
    tensor target_probabilities =
        axes(view(found, sentences, rest), AXIS_BATCH, AXIS_TOKEN);
    STEP(target_probabilities, "P[i, idᵢ₊₁]",
         "targets = ids[:, 1:]\n"
         "probabilities = torch.softmax(logits[:, :-1], dim=-1)\n"
         "target_probabilities = probabilities.gather(-1, targets[..., None])[..., 0]");

    // The loss: the mean of the negative logarithms of these probabilities. An
    // untrained model should be near log 50,257 = 10.82. A few tenths more are
    // chance. A loss of 20 would mean that the model or the targets are wrong.
    tensor loss = cross_entropy(followed, targets);
    STEP(loss, "mean of -log P[i, idᵢ₊₁]",
         "loss = torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten())");

    // Perplexity is e to the power of the loss. The model is as uncertain as
    // one that guesses evenly among so many tokens. An untrained model may
    // have more than the 50,257 of the vocabulary: then it is worse than such
    // a guess.
    tensor perplexity = exponential(loss);
    STEP(perplexity, "exp(loss)", "perplexity = torch.exp(loss)");
}

// The ids with the new ones behind them. In evaluation mode, the most likely
// token behind the last position is the first new one.
static struct tensor go_on(struct run *run, const struct small_gpt *gpt,
                           tensor ids, tensor most_likely) {
    int64_t new_tokens = run->parameters.new_tokens;
    if (new_tokens != 1 || run->parameters.dropout > 0)
        return gpt_ways.go_on(run, gpt, ids, new_tokens);
    tensor next = narrow(most_likely, 1, ids.shape[1] - 1, 1);
    return cat(2, (const tensor[]){ids, next}, 1);
}

static void write_on(struct run *run, const struct small_gpt *gpt,
                     tensor ids, tensor most_likely) {

    SECTION("What it says");

    // The given ids, then the new ones. The model reads all ids so far, the
    // most likely next one is appended, and so on. A cache keeps the keys and
    // values of the tokens that were read, so each new token goes through the
    // model alone. A text longer than --context-length has no positions left:
    // the model reads only its last ids. Generating is done in evaluation
    // mode. --new-tokens says how many there are.
    tensor said = go_on(run, gpt, ids, most_likely);
    STEP(said, "idₙ₊₁ = argmax of the last row of L",
         "def normalized(x):\n"
         "    variance = x.var(dim=-1, keepdim=True, unbiased=False)\n"
         "    return (x - x.mean(dim=-1, keepdim=True)) / torch.sqrt(variance + 1e-5)\n"
         "def attended(x, layer, heads_off):\n"
         "    q, k, v = (split(layer(name)(x)) for name in ('W_query', 'W_key', 'W_value'))\n"
         "    mask = torch.triu(torch.ones(x.shape[1], x.shape[1]), diagonal=1).bool()\n"
         "    scores = (q @ k.transpose(2, 3)).masked_fill(mask, -torch.inf)\n"
         "    context = torch.softmax(scores / head_dim**0.5, dim=-1) @ v\n"
         "    context[:, heads_off] = 0\n"
         "    return layer('out_proj')(context.transpose(1, 2).contiguous().flatten(2))\n"
         "def read(ids):\n"
         "    x = token_table(ids) + position_table(torch.arange(ids.shape[1]))\n"
         "    for i in range(1, num_layers + 1):\n"
         "        layer = lambda name: globals()[name + '_' + str(i)]\n"
         "        if str(i) in off.split(','):\n"
         "            continue\n"
         "        places = [place.split('.') for place in off.split(',') if '.' in place]\n"
         "        heads_off = [int(head) - 1 for block, head in places if block == str(i)]\n"
         "        x = attended(normalized(x), layer, heads_off) + x\n"
         "        x = layer('ffn2')(gelu(layer('ffn1')(normalized(x)))) + x\n"
         "    return head(normalized(x))\n"
         "said = ids\n"
         "for _ in range(new_tokens):\n"
         "    next_ids = read(said[:, -context_length:])[:, -1].argmax(dim=-1, keepdim=True)\n"
         "    said = torch.cat([said, next_ids], dim=1)");
}

static void check_room(struct run *run) {
    double numbers =
        2.0 * D_MODEL * VOCABULARY + 12.0 * BLOCKS * D_MODEL * D_MODEL;
    check_off(run, BLOCKS, ATTENTION_HEADS);
    gpt_ways.make_room(run, sizeof(float) * numbers);
}

static void whole_gpt(struct run *run) {
    const char *const *words = counted_from_0(run, VOCABULARY);

    SECTION("What it reads");

    // The ids that the model reads. GPT-2's tokenizer makes them of a text:
    // "Hello, I am" is 15496, 11, 314, 716. Without the vocabulary of the
    // tokenizer, tokens are called by their ids here.
    tensor ids = ids_given(run, words);
    STEP(ids, "id₀, id₁, ...",
         "ids = torch.atleast_2d(torch.tensor(token_ids))");

    check_room(run);
    const struct small_gpt gpt = make_gpt(run, words);
    struct prediction made =
        predict(run, &gpt, pass_blocks(run, &gpt, ids), ids);
    if (ids.shape[1] > 1) measure(run, made.logits, ids);
    write_on(run, &gpt, ids, made.most_likely);
}

LESSON(whole_gpt) = {
    .name = "gpt",
    .part = PART_OF_GPT,
    .title = "GPT-2 small, drawn from its seed",
    .summary =
        "The course's GPTModel at full size: 163,009,536 parameters, twelve blocks of twelve heads, token by token.",
    .book = "chapters 4 and 5, from Implementing a GPT model to Pretraining",
    .uses = USES_SEED | USES_CONTEXT_LENGTH | USES_IDS | USES_DROPOUT |
            USES_BERNOULLI | USES_NEW_TOKENS | USES_OFF,
    .defaults = {.vocabulary = VOCABULARY,
                 .context_length = 1024,
                 .d_model = D_MODEL,
                 .heads = ATTENTION_HEADS,
                 .layers = BLOCKS,
                 .ids = "15496,11,314,716",
                 .new_tokens = 1},
    .within = 1e-5,
    .setup =
        "vocabulary, d_model, num_heads, num_layers = 50257, 768, 12, 12",
    .teach = whole_gpt,
    .source = &whole_gpt_source,
};
