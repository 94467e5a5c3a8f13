#include "agreement.h"
#include "variants.h"
#include "whole_gpt.h"

// In PyTorch: a layer, a table and a LayerNorm with numbers that were learned.
// clang-format off
#define LEARNED \
        READ_LEARNED \
        "class Learned:\n" \
        "    def __init__(self, name):\n" \
        "        for part in (\"weight\", \"bias\", \"scale\", \"shift\"):\n" \
        "            setattr(self, part, parameters.get(name + \".\" + part))\n" \
        "    def __call__(self, x):\n" \
        "        return torch.nn.functional.linear(x, self.weight, self.bias)\n" \
        "d_model, num_heads, num_layers = 16, 2, 2"
// clang-format on

// ---- What was learned -----------------------------------------------------

static void show_tables(struct run *run, const struct agreement *model) {
    SECTION("What was learned");

    // The two tables. The token table has a row of 16 features for each of the
    // 35 words, the position table a row for each of 12 positions. The program
    // contains these numbers, and all others of this model. A training of
    // 2,000 updates made them out of random ones.
    tensor token_table = model->gpt.token_table;
    STEP(token_table, "E, learned",
         "token_table = torch.nn.Embedding.from_pretrained(parameters[\"token_table.weight\"])",
         "token_table.weight");
    tensor position_table = model->gpt.position_table;
    STEP(position_table, "P, learned",
         "position_table = torch.nn.Embedding.from_pretrained(parameters[\"position_table.weight\"])",
         "position_table.weight");
}

static void show_attention(struct run *run, const struct block *block,
                           int number) {
    GROUP("block %d", number);

    // The LayerNorm before attention. A new one has the scale 1 and the shift
    // 0 for every feature. Training has changed both.
    tensor norm1_scale = block->norm1.scale;
    STEP(norm1_scale, "γ, learned",
         "norm1_{h} = Learned(\"block{h}.norm1\")", "norm1_{h}.scale");
    tensor norm1_shift = block->norm1.shift;
    STEP(norm1_shift, "β, learned", "", "norm1_{h}.shift");

    // The layers of queries, keys and values of this block. Each reads 16
    // features and makes 16, which its two heads share. These layers have a
    // bias, as in OpenAI's GPT-2.
    tensor W_query = block->W_query.weight;
    STEP(W_query, "W_q, learned",
         "W_query_{h} = Learned(\"block{h}.W_query\")",
         "W_query_{h}.weight");
    tensor W_query_bias = block->W_query.bias;
    STEP(W_query_bias, "b_q, learned", "", "W_query_{h}.bias");
    tensor W_key = block->W_key.weight;
    STEP(W_key, "W_k, learned", "W_key_{h} = Learned(\"block{h}.W_key\")",
         "W_key_{h}.weight");
    tensor W_key_bias = block->W_key.bias;
    STEP(W_key_bias, "b_k, learned", "", "W_key_{h}.bias");
    tensor W_value = block->W_value.weight;
    STEP(W_value, "W_v, learned",
         "W_value_{h} = Learned(\"block{h}.W_value\")",
         "W_value_{h}.weight");
    tensor W_value_bias = block->W_value.bias;
    STEP(W_value_bias, "b_v, learned", "", "W_value_{h}.bias");

    // The output projection of attention. It mixes what the two heads of this
    // block found.
    tensor W_out = block->W_out.weight;
    STEP(W_out, "W_o, learned",
         "out_proj_{h} = Learned(\"block{h}.out_proj\")",
         "out_proj_{h}.weight");
    tensor W_out_bias = block->W_out.bias;
    STEP(W_out_bias, "b_o, learned", "", "out_proj_{h}.bias");
}

static void show_feed_forward(struct run *run, const struct block *block) {
    const struct norm *norm2 = &block->norm2;

    // The LayerNorm before the feed-forward module. It has a scale and a shift
    // of its own.
    tensor norm2_scale = norm2->scale;
    STEP(norm2_scale, "γ, learned",
         "norm2_{h} = Learned(\"block{h}.norm2\")", "norm2_{h}.scale");
    tensor norm2_shift = norm2->shift;
    STEP(norm2_shift, "β, learned", "", "norm2_{h}.shift");

    // The two layers of the feed-forward module. The first makes 32 features
    // of 16, the second 16 of 32.
    tensor W_ffn1 = block->W_ffn1.weight;
    STEP(W_ffn1, "W₁, learned", "ffn1_{h} = Learned(\"block{h}.ffn1\")",
         "ffn1_{h}.weight");
    tensor W_ffn1_bias = block->W_ffn1.bias;
    STEP(W_ffn1_bias, "b₁, learned", "", "ffn1_{h}.bias");
    tensor W_ffn2 = block->W_ffn2.weight;
    STEP(W_ffn2, "W₂, learned", "ffn2_{h} = Learned(\"block{h}.ffn2\")",
         "ffn2_{h}.weight");
    tensor W_ffn2_bias = block->W_ffn2.bias;
    STEP(W_ffn2_bias, "b₂, learned", "", "ffn2_{h}.bias");

    END_GROUP;
}

static void show_head(struct run *run, const struct small_gpt *gpt) {
    SECTION("Behind the blocks");

    // The last LayerNorm, behind the blocks. It has learned a scale and a
    // shift, too.
    tensor norm_scale = gpt->norm.scale;
    STEP(norm_scale, "γ, learned", "norm = Learned(\"norm\")",
         "norm.scale");
    tensor norm_shift = gpt->norm.shift;
    STEP(norm_shift, "β, learned", "", "norm.shift");

    // The head, from features to words. It has a row for each word, and no
    // bias.
    tensor W_head = gpt->W_head.weight;
    STEP(W_head, "W_h, learned", "head = Learned(\"head\")", "head.weight");
}

// ---- What it says ---------------------------------------------------------

static void predict(struct run *run, const struct small_gpt *gpt,
                    tensor x) {
    int64_t last = x.shape[1] - 1;

    SECTION("From rows to words");

    // A last LayerNorm after the blocks, with its scale and shift. The rows
    // themselves went past all other LayerNorms by the shortcuts.
    tensor final = scale_and_shift(&gpt->norm, layer_norm(x));
    STEP(final, "γ (X - μ) / √(σ² + ε) + β",
         "distance = x - x.mean(dim=-1, keepdim=True)\n"
         "variance = x.var(dim=-1, keepdim=True, unbiased=False)\n"
         "final = norm.scale * (distance / torch.sqrt(variance + 1e-5)) + norm.shift");

    // Logits: a score for each of the 35 words, at every position. A row says
    // what may follow the word at its position.
    tensor logits = apply(gpt->W_head, final);
    STEP(logits, "L = N W_hᵀ", "logits = head(final)");

    // The probabilities of the word that comes next. They are the softmax of
    // the last row of logits. The lesson `why` has these numbers, too.
    tensor last_logits = select_index(select_index(logits, 0, 0), 0, last);
    tensor probabilities = softmax(last_logits, -1);
    STEP(probabilities, "p = softmax(last row of L)",
         "probabilities = torch.softmax(logits[0, -1], dim=-1)");
}

// The ids with the most likely word behind them.
static struct tensor append_next(struct run *run,
                                 const struct small_gpt *gpt, tensor said) {
    int64_t count = said.shape[0], most = gpt->sizes.context_length;
    int64_t first = count > most ? count - most : 0;
    tensor read = narrow(said, 0, first, count - first);
    tensor logits = agreement_logits(run, gpt, read, run->parameters.off);
    tensor last = narrow(logits, 0, count - first - 1, 1);
    tensor next = view(topk(last, 1).positions, 1);
    return cat(2, (const tensor[]){said, next}, 0);
}

static void write_on(struct run *run, const struct agreement *model,
                     tensor sentence) {
    const struct small_gpt *gpt = &model->gpt;

    SECTION("What it says");

    // The sentence, and the words that the model puts behind it. Each time the
    // most likely word is appended, and the model reads all words again. A
    // sentence ends with the word ".". --new-tokens says how many words are
    // appended. The model has 12 positions, so it reads the last 12 words.
    struct tensor said = sentence;
    for (int64_t i = 0; i < run->parameters.new_tokens; i++)
        said = append_next(run, gpt, said);
    said = set_axis(said, 0, AXIS_TOKEN);
    said.storage->words = model->words;
    said.storage->word_count = gpt->sizes.vocabulary;
    STEP(said, "idₙ₊₁ = argmax of the last row of L",
         "def normalized_by(norm, x):\n"
         "    variance = x.var(dim=-1, keepdim=True, unbiased=False)\n"
         "    distance = x - x.mean(dim=-1, keepdim=True)\n"
         "    return norm.scale * (distance / torch.sqrt(variance + 1e-5)) + norm.shift\n"
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
         "        x = attended(normalized_by(layer('norm1'), x), layer, heads_off) + x\n"
         "        x = layer('ffn2')(gelu(layer('ffn1')(normalized_by(layer('norm2'), x)))) + x\n"
         "    return head(normalized_by(norm, x))\n"
         "said = ids\n"
         "for _ in range(new_tokens):\n"
         "    next_ids = read(said[:, -12:])[:, -1].argmax(dim=-1, keepdim=True)\n"
         "    said = torch.cat([said, next_ids], dim=1)\n"
         "said = said[0]");
}

static void learned_gpt(struct run *run) {
    const struct agreement model = read_agreement(run);
    const struct small_gpt *gpt = &model.gpt;
    check_off(run, gpt->sizes.blocks, gpt->sizes.heads);

    SECTION("What it reads");

    // The ids of the sentence. This model reads whole words, so an id is the
    // place of a word among its 35 words, counted from 0. --sentence takes
    // other words.
    tensor sentence = ids_of_sentence(run, &model);
    tensor ids =
        axes(view(sentence, 1, sentence.shape[0]), AXIS_BATCH, AXIS_TOKEN);
    STEP(ids, "id₀, id₁, ...",
         "ids = torch.tensor([[words.index(word) for word in sentence.split()]])");

    show_tables(run, &model);
    for (int i = 0; i < gpt->sizes.blocks; i++) {
        show_attention(run, &gpt->blocks[i], i + 1);
        show_feed_forward(run, &gpt->blocks[i]);
    }
    show_head(run, gpt);
    predict(run, gpt, pass_blocks(run, gpt, ids));
    write_on(run, &model, sentence);
}

LESSON(whole_gpt_learned) = {
    .name = "agreement",
    .part = PART_OF_GPT,
    .title = "A GPT that has learned, whole",
    .summary =
        "The model of the lesson why, step by step: 5,792 learned parameters, two blocks of two heads, words in the place of ids.",
    .uses = USES_SENTENCE | USES_NEW_TOKENS | USES_OFF,
    .defaults = {.vocabulary = 35,
                 .context_length = 12,
                 .d_model = 16,
                 .heads = 2,
                 .layers = 2,
                 .sentence = "the cat near the dogs",
                 .new_tokens = 4},
    .learned = data_agreement,
    .setup = LEARNED,
    .teach = learned_gpt,
    .source = &whole_gpt_learned_source,
};
