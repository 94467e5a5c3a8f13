#include "gpt.h"
#include "variants.h"

// The ids of one sentence stand in a row; those of several are a matrix.
static struct tensor ids_in_a_row(tensor ids) {
    return ids.shape[0] == 1 ? select_index(ids, 0, 0) : ids;
}

static struct tensor look_up(struct run *run, tensor input_ids,
                             const struct sentence *sentence) {
    int64_t vocabulary = sentence->vocabulary;
    int64_t d_model = run->parameters.d_model;

    SECTION("A table turns ids into rows");

    // A table with one row for each word of the vocabulary. This layer is
    // called an embedding. Its rows are drawn from the normal distribution
    // around 0, and training changes them like every other parameter. In GPT-2
    // the table has 50,257 rows of 768 numbers.
    reseed(run, 123);
    tensor token_table =
        label_rows(draw_embedding(run, ROLE_TOKENS, vocabulary, d_model),
                   sentence->vocabulary_words);
    STEP(token_table, "E ~ normal(0, 1)",
         "token_table = torch.nn.Embedding(vocabulary, d_model)",
         "token_table.weight");

    // Look up the row of each id. A lookup computes nothing: it copies rows.
    // Row 2 of the table is the third one, because ids begin at 0. A row has
    // no meaning yet. Training moves the rows until words that are used alike
    // have rows that are alike.
    tensor token_embeddings = embed(input_ids, token_table);
    STEP(token_embeddings, "xᵢ = E[idᵢ]",
         "token_embeddings = token_table(input_ids)");

    // The same ids as rows of zeros with a single 1. Such a row is called
    // one-hot: the 1 stands in the column of its id. A row is as wide as
    // the vocabulary. one_hot makes whole numbers; float() turns them into
    // floats, because the next step multiplies them.
    tensor hot = set_axis(one_hot(input_ids, vocabulary), -1, AXIS_WORD);
    tensor one_hot_rows =
        to_float(label_columns(hot, sentence->vocabulary_words));
    STEP(one_hot_rows, "H[i, idᵢ] = 1, all others 0",
         "one_hot_rows = torch.nn.functional.one_hot(input_ids, vocabulary).float()");

    // One-hot rows times the table give the same numbers. In each sum one
    // product is with 1 and all others are with 0, so one row of the table
    // remains. So an embedding gives what a linear layer would give, without
    // the products with 0. Its gradient is that of such a layer, too: it is 0
    // except in the rows that were looked up.
    tensor by_product = matmul(one_hot_rows, token_table);
    STEP(by_product, "X = H E",
         "by_product = one_hot_rows @ token_table.weight");

    // The largest difference between the two ways is 0. Adding products with 0
    // changes no number. PyTorch looks rows up because that is faster: a
    // one-hot row of GPT-2 would have 50,257 numbers, and all but one would be
    // 0.
    tensor difference =
        amax(absolute(subtract(by_product, token_embeddings)));
    STEP(difference, "max |H E - E[id]|",
         "difference = (by_product - token_embeddings).abs().max()");

    return token_embeddings;
}

static void add_positions(struct run *run, tensor token_embeddings) {
    int64_t context_length = run->parameters.context_length;
    int64_t d_model = run->parameters.d_model;
    int token = token_embeddings.ndim - 2;
    int64_t tokens = token_embeddings.shape[token];

    SECTION("Positions");

    // A second table, with one row for each position. So far a word has the
    // same row wherever it stands, so the rows do not tell its place. Attention
    // compares rows, and it does not know in which order they stand. The table
    // has context_length rows, so the model can read no longer text than that.
    tensor position_table =
        label_rows(draw_embedding(run, ROLE_POSITIONS, context_length,
                                  d_model),
                   position_names(run, context_length));
    STEP(position_table, "P ~ normal(0, 1)",
         "position_table = torch.nn.Embedding(context_length, d_model)",
         "position_table.weight");

    // Look up the rows of the positions, from 0 on. The ids of the words
    // play no part here: every text of this length gets the same rows. In a
    // batch, too, all sentences share them. At the course's parameters the
    // text is as long as the table, so the result has all rows of the
    // table.
    tensor positions = label_columns(numbers_from_0(run, tokens),
                                     counted_from_0(run, tokens));
    tensor position_rows = label_rows(embed(positions, position_table),
                                      position_names(run, tokens));
    tensor position_embeddings = rows(position_rows, AXIS_TOKEN);
    STEP(position_embeddings, "pᵢ = P[i]",
         "position_embeddings = position_table(torch.arange(input_ids.shape[-1]))");

    // Add the two rows of each token. The sum is as wide as before, and it
    // depends on the word and on its position. This is what the first block of
    // a GPT reads. One may fear that adding mixes up word and position.
    // Training prevents it: both tables are trained, and with 768 features
    // there is room for both.
    tensor input_embeddings = add(token_embeddings, position_embeddings);
    STEP(input_embeddings, "xᵢ = E[idᵢ] + P[i]",
         "input_embeddings = token_embeddings + position_embeddings");

    // One word at every position. The row of the first token is added to the
    // row of each position in turn. The word is always the same, but no two
    // sums are. So attention can tell a word at one position from the same word
    // at another.
    tensor first_token = narrow(token_embeddings, token, 0, 1);
    tensor one_word_everywhere =
        rows(add(first_token, position_rows), AXIS_POSITION);
    STEP(one_word_everywhere, "E[id₀] + P[i]",
         "one_word_everywhere = token_embeddings[..., :1, :] + position_embeddings");
}

static void slide(struct run *run, const struct sentence *sentence) {
    int64_t words = sentence->ids.shape[1];
    int64_t longest = run->parameters.context_length;
    int64_t window = longest < words ? longest : words - 1;
    int64_t count = words - window;

    SECTION("Inputs and targets");

    // A window slides over the text, and its targets follow one word later.
    // Each row of the windows begins one word later than the row above. So one
    // text becomes many examples, and no one has to label them. In the place of
    // each id a target has the id that follows it. The causal mask hides what
    // follows an id, so each id of a row is one example. If the targets were
    // not shifted, the model would learn to repeat a word.
    tensor text_ids = select_index(sentence->ids, 0, 0);
    struct tensor *parts =
        arena_array(run->memory, (size_t)count, sizeof *parts);
    for (int64_t i = 0; i < count; i++)
        parts[i] = narrow(text_ids, 0, i, window);
    tensor window_inputs =
        label_columns(axes(stack(count, parts, 0), AXIS_BATCH, AXIS_TOKEN),
                      NULL);
    STEP(window_inputs, "A[i,j] = text[i + j]",
         "window = min(context_length, len(words) - 1)\n"
         "starts = range(len(words) - window)\n"
         "window_inputs = torch.stack([text_ids[i:i + window] for i in starts])");
    for (int64_t i = 0; i < count; i++)
        parts[i] = narrow(text_ids, 0, i + 1, window);
    tensor later_windows =
        label_columns(axes(stack(count, parts, 0), AXIS_BATCH, AXIS_TOKEN),
                      NULL);
    tensor window_targets = as(ROLE_TARGETS, later_windows);
    STEP(window_targets, "B[i,j] = text[i + j + 1]",
         "window_targets = torch.stack([text_ids[i + 1:i + window + 1] for i in starts])");

    // Windows that do not overlap. The distance from one window to the next
    // is called stride. (A stride in memory is something else.) With a
    // stride of 1 the model reads the same words again and again, and it
    // may learn them by heart. Here the stride is as long as the window, so
    // no place of the text is read twice. What is left at the end of the
    // text, too short for a window, is not read.
    tensor apart_inputs = slice(window_inputs, 0, 0, window);
    AT(1, 0);
    STEP(apart_inputs, "rows 1, 1 + window, 1 + 2 · window, ... of A",
         "apart_inputs = window_inputs[::window]");
    tensor apart_targets = slice(window_targets, 0, 0, window);
    AT(1, 0);
    STEP(apart_targets, "rows 1, 1 + window, 1 + 2 · window, ... of B",
         "apart_targets = window_targets[::window]");
}

static void embeddings(struct run *run) {
    struct sentence sentence = read_sentence(run);

    SECTION("From words to ids");

    // A model reads numbers, so each word gets one. Here words are numbered in
    // the order in which they first appear. GPT-2 cuts text into tokens, which
    // are words or pieces of words, and has a fixed list of 50,257 of them; so
    // it can read words that it has never seen. An id is a name, not a
    // quantity: word 4 is not twice word 2.
    tensor text_ids = select_index(sentence.ids, 0, 0);
    STEP(text_ids, "words numbered as they first appear",
         "words = text.split()\n"
         "vocabulary_words = list(dict.fromkeys(words))\n"
         "text_ids = torch.tensor([vocabulary_words.index(word) for word in words])");

    // The ids that the lesson follows. At the course's parameters they are 2,
    // 3, 5 and 1, that is "starts with step journey" in this vocabulary. Ids
    // must be whole numbers, because they are places in a table.
    tensor given = ids_given(run, sentence.vocabulary_words);
    tensor input_ids = ids_in_a_row(given);
    bool has_more_words = run->parameters.given & USES_VOCABULARY;
    STEP(input_ids, "id₀, id₁, ...",
         has_more_words
             ? "for i in range(len(vocabulary_words), vocabulary):\n"
               "    vocabulary_words.append(f\"[{i}]\")\n"
               "input_ids = torch.tensor(token_ids)"
             : "input_ids = torch.tensor(token_ids)");

    tensor token_embeddings = look_up(run, input_ids, &sentence);
    add_positions(run, token_embeddings);
    slide(run, &sentence);
}

// A row for each word, and a row for its position: [tokens, d_model].
struct tensor embed_tokens(struct run *run, tensor ids, tensor token_table,
                           tensor position_table) {
    tensor positions = numbers_from_0(run, ids.shape[ids.ndim - 1]);
    tensor token_embeddings = embed(ids, token_table);
    tensor position_embeddings = embed(positions, position_table);
    return add(token_embeddings, position_embeddings);
}

LESSON(embeddings) = {
    .name = "embeddings",
    .part = PART_OF_GPT,
    .title = "Embeddings: words, positions, windows",
    .summary =
        "What a GPT reads: ids of words, their rows in a table, positions added to them, and windows of a text with the words that follow.",
    .book = "chapter 2, Working with text data",
    .uses = USES_SEED | USES_D_MODEL | USES_VOCABULARY | USES_TEXT |
            USES_CONTEXT_LENGTH | USES_IDS,
    .most_numbers = 100000000,
    .defaults =
        {.d_model = 3,
         .context_length = 4,
         .ids = "2,3,5,1",
         .text =
             "Your journey starts with one step one step starts Your journey"},
    .teach = embeddings,
    .source = &embeddings_source,
};
