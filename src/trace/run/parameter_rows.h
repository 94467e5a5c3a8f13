// The table of parameters, a row each, in the order of help. A row and a field of struct parameters are all that a
// parameter needs. parameters.h includes this file for the bits, parameters.c for the table: there is no guard.
//
// ROW(bit, fields, ...): FIELD(name) is a field of struct parameters, FIELDS(first, last) are several side by side.

// clang-format off
ROW(INPUT, FIELDS(input, other_inputs), .name = "input", .option = "--input",
    .kind = &file_kind, .value = "FILE",
    .help = "token vectors as CSV, one a line; again: another sentence",
    .more = "They replace the lesson's own. The CSV has the header `token,...`, then one token and its numbers on each "
            "line. Numbers alone are taken, too (CSV, a print of a tensor, `.npy`), and their tokens are numbered; at most 64 tokens of at most 64 numbers. `-` is standard input. The option can be given up to four "
            "times: each file is a sentence of the batch (of lessons that take --batch). All files must have the "
            "same number of tokens.")
ROW(SEED, FIELD(seed), .name = "seed", .option = "--seed",
    .kind = &seed_kind, .value = "N", .unset = "the lesson's own",
    .help = "replaces every seed that the lesson sets")
ROW(DROPOUT_SEED, FIELDS(dropout_seed, no_dropout_seed), .name = "dropout_seed", .option = "--dropout-seed",
    .kind = &mask_seed_kind, .value = "N", .unset = "the lesson's own",
    .help = "seed before each mask; none: continue after the layers",
    .more = "The dropout lesson sets it. With `none` no seed is set: each mask continues the random stream after the "
            "layers, as in a class.")
ROW(D_OUT, FIELD(d_out), .name = "d_out", .option = "--d-out", .python = "d_out",
    .kind = &size_kind, .value = "N", .most = 1024, .walked = 64,
    .help = "width of queries, keys and values (wrapper: of one head)")
ROW(D_MODEL, FIELD(d_model), .name = "d_model", .option = "--d-model", .python = "d_model",
    .kind = &size_kind, .value = "N", .most = 1024, .walked = 64,
    .help = "width of the model's vectors")
ROW(HIDDEN, FIELD(hidden), .name = "hidden", .option = "--hidden", .python = "d_hidden",
    .kind = &size_kind, .value = "N", .most = 4096, .walked = 64,
    .help = "width of the model's feed-forward block")
ROW(VOCABULARY, FIELD(vocabulary), .name = "vocabulary", .option = "--vocabulary", .python = "vocabulary",
    .kind = &size_kind, .value = "N", .most = 65536, .walked = 64,
    .help = "number of words in the vocabulary, at least the text's",
    .more = "The text uses only its own words; the model never reads the others.")
ROW(HEADS, FIELD(heads), .name = "heads", .option = "--heads", .python = "num_heads",
    .kind = &size_kind, .value = "N", .most = MOST_HEADS, .walked = 64,
    .divides = WHOLE_WIDTH,
    .help = "number of heads",
    .more = "It must divide the width of all heads together.")
ROW(LENGTHS, FIELD(lengths), .name = "lengths", .option = "--lengths", .python = "lengths",
    .kind = &lengths_kind, .value = "LIST",
    .help = "tokens of each sentence of a padded batch, 6,2",
    .more = "Each sentence is as many of the last tokens of the input. Without it there are two: the whole input, and its "
            "last two tokens.")
ROW(TARGET, FIELD(target), .name = "target", .option = "--target", .python = "target_rows",
    .kind = &text_kind, .value = "TOKENS",
    .help = "the tokens that ask, blanks between: one step with Your",
    .more = "Each is a token of the input, or its row from 1; at most 64. Commas may stand between them, too. Without it they are the fifth, sixth, fourth and "
            "first token, as far as there are so many.")
ROW(PREFILL, FIELD(prefill), .name = "prefill", .option = "--prefill", .python = "prefill",
    .kind = &size_kind, .value = "N", .most = 64, .walked = 64,
    .most_is = WHOLE_TOKENS, .leaves = 1, .beyond = "the sentence has fewer than # tokens",
    .help = "tokens read at once before the others come one by one",
    .more = "At most the number of tokens. Without it there are 3; of 3 tokens or fewer, all but the last.")
ROW(GROUPS, FIELD(groups), .name = "groups", .option = "--groups", .python = "num_groups",
    .kind = &size_kind, .value = "N", .most = MOST_HEADS, .walked = 64,
    .divides = WHOLE_HEADS, .or_is_1 = true,
    .help = "groups of heads that share keys and values",
    .more = "It must divide the number of heads. Without it there are 2 groups, or 1 where 2 do not divide the heads.")
ROW(WINDOW, FIELD(window), .name = "window", .option = "--window", .python = "window",
    .kind = &size_kind, .value = "N", .most = 64, .walked = 64,
    .most_is = WHOLE_TOKENS, .beyond = "a window of # is wider than the sentence",
    .help = "tokens that a token sees, itself counted",
    .more = "At most the number of tokens. Without it there are 3, or all tokens where there are fewer.")
ROW(BASE, FIELD(base), .name = "base", .option = "--base", .python = "base",
    .kind = &base_kind, .value = "X",
    .help = "base of rotary angles: how much slower later pairs turn",
    .more = "From 1 to 1,000,000,000. Without it rotary has 10,000 and llama 500,000. Pair i, from 0, turns by "
            "base^(-2i/d) radians from one token to the next. d is d_out in rotary and head_dim in llama.")
ROW(QK_NORM, FIELD(qk_norm), .name = "qk_norm", .option = "--qk-norm",
    .kind = &switch_kind,
    .help = "RMSNorm of queries and keys before they turn, as in Qwen3",
    .more = "Each head's queries, and each group's keys, are divided by the root of the mean of their squares.")
ROW(SHIFT, FIELD(shift), .name = "shift", .option = "--shift", .python = "shift",
    .kind = &count_kind, .value = "N", .most = 1000000, .walked = 1000000,
    .help = "how many positions later the same tokens stand again",
    .more = "At most 1,000,000; without it 5. Their scores are compared with those from position 0 on.")
ROW(TILE, FIELD(tile), .name = "tile", .option = "--tile", .python = "tile_size",
    .kind = &size_kind, .value = "N", .most = 64, .walked = 64,
    .most_is = WHOLE_TOKENS, .beyond = "a tile of # keys is wider than the sentence",
    .help = "keys that are read at a time",
    .more = "At most the number of tokens. Without it there are 2, or 1 where there is one token.")
ROW(LATENT, FIELD(latent), .name = "latent", .option = "--latent", .python = "latent_dim",
    .kind = &size_kind, .value = "N", .most = 64, .walked = 64,
    .help = "width of what a cache keeps of each token")
ROW(DROPOUT, FIELD(dropout), .name = "dropout", .option = "--dropout", .python = "p",
    .kind = &probability_kind, .value = "P",
    .help = "probability that dropout zeroes a weight, 0 ... 1")
ROW(BERNOULLI, FIELD(stream), .name = "bernoulli", .option = "--bernoulli",
    .kind = &choice_kind, .value = "S", .choices = {"mt19937", "mcg31m1"}, .unset = "both",
    .help = "stream of dropout masks: mt19937 or mcg31m1",
    .more = "PyTorch built with MKL uses the second on Intel's processors, up to about version 2.6; all other builds "
            "use the first. After `torch.manual_seed(123)`, dropout of six ones with probability 0.5 has zeros with the "
            "first, none with the second.")
ROW(BIAS, FIELD(bias), .name = "bias", .option = "--bias", .python = "qkv_bias",
    .kind = &switch_kind,
    .help = "bias in the query, key and value projections")
ROW(QUERY, FIELD(query), .name = "query", .option = "--query", .python = "query_index",
    .kind = &token_kind, .value = "TOKEN",
    .help = "the query that a lesson follows: a token, or a row from 1")
ROW(CONTEXT_LENGTH, FIELD(context_length), .name = "context_length", .option = "--context-length",
    .python = "context_length", .kind = &size_kind, .value = "N", .most = 1024, .walked = 256,
    .help = "size of the causal mask, in tokens; rows of positions",
    .more = "In embeddings and block, the number of rows of the position table.")
ROW(BATCH, FIELD(batch), .name = "batch", .option = "--batch", .python = "batch_size",
    .kind = &size_kind, .value = "N", .most = MOST_SENTENCES, .walked = MOST_SENTENCES,
    .help = "copies of the input in the batch",
    .more = "In the trainable lesson it adds a section on a batch without a mask.")
ROW(EVAL, FIELD(eval), .name = "eval", .option = "--eval",
    .kind = &switch_kind,
    .help = "evaluation mode: dropout does nothing")
ROW(TEXT, FIELD(text), .name = "text", .option = "--text", .python = "text",
    .kind = &text_kind, .value = "WORDS",
    .help = "text that the model reads: 2 to 64 words, blanks between",
    .more = "Its different words are the vocabulary.")
ROW(SENTENCE, FIELD(sentence), .name = "sentence", .option = "--sentence", .python = "sentence",
    .kind = &text_kind, .value = "WORDS",
    .help = "why: a beginning of a sentence, of words that it knows",
    .more = "The model knows 35 words, and 12 of them fit. A word that it does not know is refused, with a list of them.")
ROW(UPDATES, FIELD(updates), .name = "updates", .option = "--updates", .python = "updates",
    .kind = &count_kind, .value = "N", .most = MOST_UPDATES, .walked = MOST_UPDATES,
    .help = "number of updates in training",
    .more = "Without it there are 200.")
ROW(OPTIMIZER, FIELD(optimizer), .name = "optimizer", .option = "--optimizer", .python = "optimizer",
    .kind = &choice_kind, .value = "O", .choices = {"adamw", "sgd", "adam", "momentum"},
    .help = "how parameters are updated: adamw, sgd, adam or momentum",
    .more = "momentum is SGD with momentum=0.9.")
ROW(LR, FIELD(lr), .name = "lr", .option = "--lr", .python = "lr",
    .kind = &rate_kind, .value = "X",
    .help = "learning rate: how far an update goes, above 0, at most 10",
    .more = "Without it the rate is 0.01.")
ROW(WEIGHT_DECAY, FIELD(weight_decay), .name = "weight_decay", .option = "--weight-decay", .python = "weight_decay",
    .kind = &decay_kind, .value = "X",
    .help = "how much of a parameter an update takes away, 0 ... 1",
    .more = "It is multiplied by the learning rate. Without it PyTorch's own values are taken: 0.01 for adamw, 0 for "
            "the others. The book takes 0.1. AdamW shrinks the parameter itself; SGD and Adam add it to the gradient.")
ROW(WARMUP, FIELD(warmup), .name = "warmup", .option = "--warmup", .python = "warmup",
    .kind = &count_kind, .value = "N", .most = MOST_UPDATES, .walked = MOST_UPDATES,
    .help = "updates in which the learning rate grows to its full size",
    .more = "The first update has a hundredth of the rate. Without it there are none.")
ROW(COSINE, FIELD(cosine), .name = "cosine", .option = "--cosine", .python = "cosine",
    .kind = &switch_kind,
    .help = "the learning rate falls like a cosine after the warmup",
    .more = "It falls towards a thousandth of the rate.")
ROW(CLIP, FIELD(clip), .name = "clip", .option = "--clip", .python = "clip",
    .kind = &clip_kind, .value = "X",
    .help = "largest norm of all gradients after the warmup; 0: any",
    .more = "Larger gradients are divided so that their norm is X, as `torch.nn.utils.clip_grad_norm_` does.")
ROW(LAYERS, FIELD(layers), .name = "layers", .option = "--layers", .python = "num_layers",
    .kind = &size_kind, .value = "N", .most = 48, .walked = 12,
    .help = "number of blocks, one behind the other")
ROW(IDS, FIELD(ids), .name = "ids", .option = "--ids", .python = "token_ids",
    .kind = &ids_kind, .value = "LIST",
    .help = "token ids, 2,3,5,1; again: another sentence",
    .more = "Each id is below the size of the vocabulary. The option can be given up to four times; all sentences must "
            "have the same number of ids. In one list, a semicolon separates sentences.")
ROW(NEW_TOKENS, FIELD(new_tokens), .name = "new_tokens", .option = "--new-tokens", .python = "new_tokens",
    .kind = &count_kind, .value = "N", .most = 1024, .walked = 64,
    .help = "gpt: how many tokens are generated behind the ids",
    .more = "Each is the most likely next token. Without it there is one.")
ROW(OFF, FIELD(off), .name = "off", .option = "--off", .python = "off",
    .kind = &off_kind, .value = "LIST",
    .help = "gpt, why: switches off block 4, head 5 of block 3: 4,3.5",
    .more = "What is switched off adds nothing to the rows that pass it.")
ROW(LOGITS, FIELD(logits), .name = "logits", .option = "--logits", .python = "given_logits",
    .kind = &logits_kind, .value = "LIST",
    .help = "scores of the next words, 4.5,-1.9,6.7")
ROW(TEMPERATURE, FIELD(temperatures), .name = "temperature", .option = "--temperature",
    .kind = &temperatures_kind, .value = "X",
    .help = "what logits are divided by; up to three times")
ROW(TOP_K, FIELD(top_k), .name = "top_k", .option = "--top-k", .python = "top_k",
    .kind = &size_kind, .value = "N", .most = 64, .walked = 64,
    .help = "how many of the largest logits are kept")
ROW(SAMPLES, FIELD(samples), .name = "samples", .option = "--samples", .python = "samples",
    .kind = &size_kind, .value = "N", .most = 100000, .walked = 10000,
    .help = "how many words are drawn")
ROW(TURN, FIELD(turn), .name = "turn", .option = "--turn",
    .kind = &count_kind, .value = "N", .most = 1000000000, .walked = 1000000000,
    .help = "a program: the turn of loops that is shown, too",
    .more = "Loops show their first two and last two turns. This one stands between them.")
// clang-format on
