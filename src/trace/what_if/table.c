// The table of the classic mistakes: what each is called, what it does, and by which rule.

#include "trace/what_if/mistake.h"
#include "trace/what_if/reason.h"
#include "trace/what_if/rule.h"

#define SCALING "the division by √d_k"
#define SAME_SCALE .alike = "d_k is 1, and √1 is 1", .is_alike = has_keys_of_one_number
#define ONE_TOKEN "one token has all the weight, whatever its score"
#define NO_UPDATE .alike = "there is no update", .is_alike = makes_no_update
#define POSITIONS "the sum of tokens and positions"
#define LAYOUT "the shape of a weight"
#define NO_LARGER_SCORE "no later tile has a larger score than the first"
#define PADS_NOTHING .alike = "all sentences are of the same length", .is_alike = pads_nothing
#define HALVES "the halves of a block"

// clang-format off
const struct mistake mistake_table[WAY_COUNT] = {
    {
        .name = "no-scale",
        .title = "Scores not divided by √d_k",
        .place = SCALING,
        .wrong = "Scores grow with the width of the keys. With wide keys the softmax gives nearly "
                 "all of the weight to one of them, and learning slows down.",
        .pytorch = "torch.softmax(scores, dim=-1), without / keys.shape[-1]**0.5.",
        SAME_SCALE,
        .alone = ONE_TOKEN,
        .showing = {.given = USES_D_OUT, .d_out = 6},
        .change = no_scale,
    }, {
        .name = "scale-twice",
        .title = "Scores divided by √d_k twice",
        .place = SCALING,
        .wrong = "Dividing by √d_k twice is dividing by d_k, which makes the weights too even.",
        .pytorch = "One / keys.shape[-1]**0.5 where scores is made, a second one in the softmax; "
                   "or a scaled query and scaled scores.",
        SAME_SCALE,
        .alone = ONE_TOKEN,
        .showing = {.given = USES_D_OUT, .d_out = 6},
        .change = scale_twice,
    }, {
        .name = "scale-by-dk",
        .title = "Scores divided by d_k, not by its root",
        .place = SCALING,
        .wrong = "The variance of a score is d_k, so its typical size is √d_k. Dividing by d_k "
                 "makes the weights too even, and more so the wider the keys are.",
        .pytorch = "scores / keys.shape[-1], without **0.5.",
        SAME_SCALE,
        .alone = ONE_TOKEN,
        .showing = {.given = USES_D_OUT, .d_out = 6},
        .change = scale_by_dk,
    }, {
        .name = "scale-by-d-out",
        .title = "Scores divided by √d_out, not by √head_dim",
        .place = SCALING,
        .wrong = "A score is a sum of head_dim products, not of d_out. d_out is the width of all "
                 "heads together, so its root is too large.",
        .pytorch = "scores / self.d_out**0.5, or keys.shape[-1]**0.5 taken before the keys are "
                   "split into heads.",
        .alike = "keys are as wide as d_out here: there is one head, or each has layers of its own",
        .alone = ONE_TOKEN,
        .change = scale_by_d_out,
    }, {
        .name = "softmax-columns",
        .title = "Softmax down the columns",
        .wrong = "Columns add up to 1, rows do not. Each key distributes a weight of 1 over the "
                 "queries, but each query should distribute it over the keys.",
        .pytorch = "torch.softmax(scores, dim=-2) instead of dim=-1. That is dim=0 of a matrix, "
                   "dim=1 with a batch, dim=2 with a batch and heads (there, dim=1 is the heads).",
        .alike = "rows and columns of these scores give the same weights",
        .change = softmax_columns,
    }, {
        .name = "mask-zero",
        .title = "Masked scores set to 0 instead of -∞",
        .wrong = "e^0 is 1, so later tokens get weights like any other token, and larger ones than "
                 "tokens with a negative score.",
        .pytorch = "scores.masked_fill(mask, 0), or scores * mask, where it should be -torch.inf.",
        .alone = "one token has no future to hide",
        .change = mask_zero,
    }, {
        .name = "mask-diagonal",
        .title = "The mask hides the token itself",
        .wrong = "The diagonal is hidden too, so no token sees itself. The first token sees "
                 "nothing, and its row is nan.",
        .pytorch = "torch.triu(ones) without diagonal=1, or torch.tril(ones, diagonal=-1).",
        .change = mask_diagonal,
    }, {
        .name = "mask-upside-down",
        .title = "The mask hides the past instead of the future",
        .wrong = "Every token sees itself and what comes after it, so the model can look up the "
                 "word that it should predict.",
        .pytorch = "mask.T; or torch.tril(ones, diagonal=-1) for torch.triu(ones, diagonal=1), and "
                   "torch.triu(ones) for torch.tril(ones).",
        .alone = "one token has neither past nor future",
        .change = mask_upside_down,
    }, {
        .name = "mask-after-softmax",
        .title = "Weights masked after the softmax, and not renormalized",
        .wrong = "The softmax has already given weight to the future. Setting that weight to 0 "
                 "afterwards leaves rows that add up to less than 1.",
        .pytorch = "torch.softmax(scores, dim=-1).masked_fill(mask, 0), and no division by the "
                   "row's sum after it.",
        .alone = "one token has no future to hide",
        .change = mask_after_softmax,
    }, {
        .name = "dropout-before-softmax",
        .title = "Dropout on the scores instead of the weights",
        .wrong = "A dropped score is 0, and the softmax still gives it a weight. A dropped -∞ "
                 "becomes nan, and with it the whole row.",
        .pytorch = "torch.softmax(dropout(masked_scores / root), dim=-1) instead of "
                   "dropout(torch.softmax(...)).",
        .lever = USES_DROPOUT,
        .showing = {.given = USES_DROPOUT, .dropout = 0.5},
        .change = dropout_before_softmax,
        .is_early = true,
    }, {
        .name = "dropout-scale-p",
        .title = "Kept weights scaled by 1/p instead of 1/(1-p)",
        .wrong = "The mean of many draws is no longer the weight. Only p = 0.5 hides the mistake.",
        .pytorch = "weights * keep / p, with keep drawn by hand, instead of / (1 - p).",
        .lever = USES_DROPOUT,
        .alike = "p is 0.5, so 1/p and 1/(1-p) are the same; or nothing is kept",
        .showing = {.given = USES_DROPOUT, .dropout = 0.1},
        .change = dropout_scale_p,
    }, {
        .name = "dropout-no-scale",
        .title = "Kept weights not scaled",
        .wrong = "Some weights are set to 0 and the others stay as they are, so in training the "
                 "weights are smaller on average than in evaluation, by a factor of 1-p.",
        .pytorch = "weights * keep, with keep drawn by hand, without / (1 - p).",
        .lever = USES_DROPOUT,
        .alike = "nothing is kept that could be scaled",
        .showing = {.given = USES_DROPOUT, .dropout = 0.5},
        .change = dropout_no_scale,
    }, {
        .name = "other-bernoulli",
        .title = "Masks of the other Bernoulli stream",
        .wrong = "The program is correct. Until about PyTorch 2.6, builds with MKL on an Intel "
                 "processor draw dropout masks in another way, so one seed gives two masks.",
        .pytorch = "torch.manual_seed(123); F.dropout(torch.ones(6), 0.5) has zeros at places 3 "
                   "and 6 with mt19937, and none with mcg31m1.",
        .lever = USES_DROPOUT,
        .alike = "both streams draw the same mask here",
        .showing = {.given = USES_DROPOUT, .dropout = 0.5},
        .change = other_bernoulli,
    }, {
        .name = "heads-by-view",
        .title = "Heads split by view alone, without transpose",
        .wrong = "Numbers are stored token by token, so view alone takes all heads of the first "
                 "tokens for head 1. Heads and tokens are mixed up, and no error is raised.",
        .pytorch = "queries.view(b, num_heads, num_tokens, head_dim) instead of view(b, "
                   "num_tokens, num_heads, head_dim).transpose(1, 2).",
        .lever = USES_HEADS,
        .alike = "with one head or one token both ways read the numbers alike",
        .reread = heads_by_view,
    }, {
        .name = "merge-without-transpose",
        .title = "Heads merged by view alone, without transpose",
        .wrong = "Numbers are stored head by head, so a row of the result mixes several tokens of "
                 "one head instead of all heads of one token.",
        .pytorch = "context.view(b, num_tokens, d_out) without .transpose(1, 2).contiguous() "
                   "before it.",
        .lever = USES_HEADS,
        .alike = "with one head or one token both ways read the numbers alike",
        .reread = merge_without_transpose,
    }, {
        .name = "weight-untransposed",
        .title = "A layer's weight read as [in, out]",
        .place = LAYOUT,
        .wrong = "A linear layer draws its weight as [out, in], row by row. Read as [in, out], the "
                 "same draws stand in other places.",
        .pytorch = "x @ W, with W made as torch.empty(d_in, d_out).uniform_(-bound, bound), "
                   "instead of x @ layer.weight.T.",
        .alike = "weights of one row or one column read the same both ways",
        .reread = weight_untransposed,
    }, {
        .name = "layer-sizes-swapped",
        .title = "A layer's sizes in the wrong order",
        .place = LAYOUT,
        .wrong = "Linear(d_out, d_in) makes a weight [d_in, d_out]. Its numbers lie within ±1/√d_out "
                 "instead of ±1/√d_in, and x @ weight fits without a transpose, so no error is "
                 "raised.",
        .pytorch = "x @ W_query.weight with W_query = torch.nn.Linear(d_out, d_in), where it should "
                   "be W_query(x) with torch.nn.Linear(d_in, d_out).",
        .alike = "each layer makes as many numbers as it reads, or has a bias, whose size would not "
                 "fit",
        .change = layer_sizes_swapped,
        .reread = sizes_read_swapped,
    }, {
        .name = "no-out-proj",
        .title = "No output projection",
        .wrong = "The heads' results stay side by side, and no head's numbers are combined with "
                 "another's.",
        .pytorch = "return context where forward should end with return self.out_proj(context); "
                   "the layer is made, but never called.",
        .lever = USES_HEADS,
        .change = no_out_proj,
    }, {
        .name = "no-bias",
        .title = "Linear layers without a bias",
        .wrong = "No bias is added, and none is drawn, so every weight drawn after it differs as "
                 "well.",
        .pytorch = "torch.nn.Linear(d_in, d_out, bias=False) where the bias belongs.",
        .lever = USES_BIAS,
        .showing = {.given = USES_BIAS, .bias = true},
        .change = no_bias,
    }, {
        .name = "wrong-seed",
        .title = "The course's other seed",
        .wrong = "Everything that is drawn differs. The course uses seed 123 in some chapters and "
                 "789 in others.",
        .pytorch = "torch.manual_seed(123) where it should be 789, or the reverse.",
        .change = wrong_seed,
    }, {
        .name = "swapped-qk",
        .title = "Keys drawn before queries",
        .wrong = "The query layer has the numbers of the key layer, and the key layer those of the "
                 "query layer, so the scores are transposed.",
        .pytorch = "self.W_key = torch.nn.Linear(...) stands above self.W_query; or keys, queries, "
                   "values = qkv.chunk(3, dim=-1).",
        .change = swapped_qk,
    }, {
        .name = "no-zero-grad",
        .title = "Gradients not set to 0 before backward",
        .wrong = "backward adds to the gradients that are there, so every update also contains the "
                 "gradients of all earlier updates and soon goes too far.",
        .pytorch = "loss.backward() and optimizer.step() in a loop, without optimizer.zero_grad().",
        .lever = USES_UPDATES,
        .alike = "before the first update the gradients are 0 already",
        .is_alike = makes_one_update,
        .change = no_zero_grad,
    }, {
        .name = "no-mask",
        .title = "No mask at all",
        .wrong = "Every token sees what a mask hides: the tokens after it, which tell the word that "
                 "the model should predict, and padding.",
        .pytorch = "scores go into the softmax as they are; masked_fill is missing, or its result "
                   "is not kept: it needs scores = scores.masked_fill(...), or masked_fill_.",
        .alone = "one token has no future to hide",
        .change = no_mask,
    }, {
        .name = "mask-inverted",
        .title = "The mask marks what may be seen",
        .wrong = "True hides. A mask that is True on and below the diagonal hides the past and the "
                 "token itself. The last row sees nothing, and is nan.",
        .pytorch = "scores.masked_fill(torch.tril(ones).bool(), -torch.inf), without == 0 or ~.",
        .change = mask_inverted,
    }, {
        .name = "mask-diagonal-2",
        .title = "The mask leaves one later token visible",
        .wrong = "Each token sees the next one, which is the word that it should predict.",
        .pytorch = "torch.triu(ones, diagonal=2), where it should be diagonal=1.",
        .alone = "one token has no future to hide",
        .change = mask_diagonal_2,
    }, {
        .name = "keepdim-forgotten",
        .title = "Rows divided by the sums of other rows",
        .wrong = "Without keepdim the sums are a row. Broadcasting then divides each column, "
                 "instead of each row, by one of them.",
        .pytorch = "weights / weights.sum(dim=-1), without keepdim=True.",
        .change = keepdim_forgotten,
    }, {
        .name = "scale-by-tokens",
        .title = "Scores divided by the root of the number of tokens",
        .place = SCALING,
        .wrong = "Dimension 1 of keys is their width only without a batch. With a batch it is the "
                 "number of tokens.",
        .pytorch =
            "keys.shape[1]**0.5 with keys (batch, tokens, width), instead of keys.shape[-1]**0.5.",
        .lever = USES_BATCH,
        .alike = "there are as many tokens as numbers in a key",
        .alone = ONE_TOKEN,
        .change = scale_by_tokens,
    }, {
        .name = "scale-after-softmax",
        .title = "Weights divided by √d_k, not scores",
        .place = SCALING,
        .wrong = "The softmax gets the unscaled scores, so its weights are as uneven as without a "
                 "division. Divided afterwards, rows add up to 1/√d_k, not to 1.",
        .pytorch = "torch.softmax(scores, dim=-1) / keys.shape[-1]**0.5, where it should be "
                   "torch.softmax(scores / keys.shape[-1]**0.5, dim=-1).",
        SAME_SCALE,
        .showing = {.given = USES_D_OUT, .d_out = 6},
        .change = scale_after_softmax,
    }, {
        .name = "softmax-heads",
        .title = "Softmax over the heads",
        .wrong = "The softmax runs over the heads instead of the keys, so rows do not add up to 1.",
        .pytorch = "torch.softmax(scores, dim=1) with scores (batch, heads, queries, keys); "
                   "nn.Softmax() without a dim does so, too.",
        .change = softmax_heads,
    }, {
        .name = "softmax-batch",
        .title = "Softmax over the batch",
        .wrong = "The softmax runs over the sentences instead of the keys, so rows do not add up "
                 "to 1, and unrelated sentences change each other's weights.",
        .pytorch = "torch.softmax(scores, dim=0) with a batch.",
        .lever = USES_BATCH,
        .change = softmax_batch,
    }, {
        .name = "softmax-twice",
        .title = "Softmax of the softmax",
        .wrong = "A second softmax makes all weights nearly equal, and gives hidden tokens a "
                 "weight again.",
        .pytorch =
            "weights = torch.softmax(...) followed by another softmax, or by a layer that has one.",
        .alone = ONE_TOKEN,
        .change = softmax_twice,
    }, {
        .name = "no-softmax",
        .title = "No softmax",
        .wrong = "Scores are not weights: they may be negative, and rows do not add up to 1.",
        .pytorch = "context = scores @ values.",
        .change = no_softmax,
    }, {
        .name = "weights-transposed",
        .title = "Values mixed by the transposed weights",
        .wrong = "Row i of the context must use row i of the weights. Transposed, it uses the "
                 "weights that other queries give to token i.",
        .pytorch = "weights.T @ values, where it should be weights @ values.",
        .alike = "the weights are symmetric here",
        .change = weights_transposed,
    }, {
        .name = "scores-transposed",
        .title = "Queries and keys exchanged in the scores",
        .wrong = "Row i holds the scores of key i with all queries, so the softmax runs over the "
                 "queries instead of the keys.",
        .pytorch = "keys @ queries.T, where it should be queries @ keys.T.",
        .alike = "the scores are symmetric here",
        .change = scores_transposed,
    }, {
        .name = "keys-for-values",
        .title = "Keys mixed in place of values",
        .wrong = "The weights are right, but they mix the wrong rows. Keys are only compared with "
                 "queries; values are what the tokens contribute.",
        .pytorch = "weights @ keys, where it should be weights @ values.",
        .alike = "keys and values are the same rows here",
        .change = keys_for_values,
    }, {
        .name = "keys-reshaped",
        .title = "Keys reshaped instead of transposed",
        .wrong = "view and reshape leave the numbers in their order and only count them off in "
                 "another shape. So a column holds pieces of several keys, and not one key.",
        .pytorch = "keys.view(d_out, num_tokens) or keys.reshape(...), where it should be keys.T or "
                   "keys.transpose(-2, -1).",
        .alike = "keys of one number read the same both ways",
        .is_alike = has_keys_of_one_number,
        .alone = "a single key reads the same both ways",
        .showing = {.given = USES_D_OUT, .d_out = 6},
        .change = keys_reshaped,
    }, {
        .name = "no-dropout",
        .title = "Dropout forgotten",
        .wrong = "The weights stay as they are, in training as in evaluation.",
        .pytorch = "self.dropout is made but never called, or the model is in eval mode.",
        .lever = USES_DROPOUT,
        .showing = {.given = USES_DROPOUT, .dropout = 0.5},
        .change = no_dropout,
    }, {
        .name = "dropout-twice",
        .title = "Dropout twice",
        .wrong = "More weights are dropped than p says, and the others are scaled twice.",
        .pytorch =
            "self.dropout(self.dropout(weights)), or a dropout in the class and one around it.",
        .lever = USES_DROPOUT,
        .showing = {.given = USES_DROPOUT, .dropout = 0.5},
        .change = dropout_twice,
    }, {
        .name = "dropout-on-context",
        .title = "Dropout on the context instead of the weights",
        .wrong = "Numbers of the result are dropped, instead of whole tokens from the mix.",
        .pytorch =
            "self.dropout(weights @ values), where it should be self.dropout(weights) @ values.",
        .lever = USES_DROPOUT,
        .showing = {.given = USES_DROPOUT, .dropout = 0.5},
        .change = dropout_on_context,
    }, {
        .name = "dropout-on-output",
        .title = "Dropout on the output instead of the weights",
        .wrong = "The weights stay as they are. Numbers of the result are dropped instead of whole "
                 "tokens from the mix, and behind the output projection each of them holds all heads.",
        .pytorch = "return self.dropout(self.out_proj(context)), where dropout should be on the "
                   "weights.",
        .lever = USES_DROPOUT | USES_HEADS,
        .showing = {.given = USES_DROPOUT, .dropout = 0.5},
        .change = dropout_on_output,
    }, {
        .name = "dropout-on-values",
        .title = "Dropout on the values instead of the weights",
        .wrong = "Numbers of the values are dropped before they are mixed, so each token lacks the "
                 "same numbers in every row. The weights add up to 1 as if there were no dropout.",
        .pytorch =
            "weights @ self.dropout(values), where it should be self.dropout(weights) @ values.",
        .lever = USES_DROPOUT,
        .showing = {.given = USES_DROPOUT, .dropout = 0.5},
        .change = dropout_on_values,
    }, {
        .name = "dropout-by-rand",
        .title = "The mask drawn by torch.rand",
        .wrong = "torch.rand takes one draw of the generator for each number, dropout takes two. "
                 "So the same seed drops other weights, though about as many.",
        .pytorch = "weights * (torch.rand(weights.shape) > p) / (1 - p), in place of dropout.",
        .lever = USES_DROPOUT,
        .showing = {.given = USES_DROPOUT, .dropout = 0.5},
        .change = dropout_by_rand,
    }, {
        .name = "heads-interleaved",
        .title = "Heads take every other number",
        .wrong = "With num_heads last, view gives each head every num_heads-th number of a "
                 "projection, where each head should get a block.",
        .pytorch = "queries.view(b, num_tokens, head_dim, num_heads), where it should be (b, "
                   "num_tokens, num_heads, head_dim).",
        .lever = USES_HEADS,
        .alike = "with one head, or head_dim 1, both ways read the numbers alike",
        .reread = heads_interleaved,
    }, {
        .name = "heads-shared",
        .title = "All heads have the same weights",
        .wrong = "Every head computes the same, so several heads are no better than one.",
        .pytorch = "[CausalAttention(...)] * num_heads, which is one object several times, or a "
                   "manual_seed inside the class.",
        .lever = USES_HEADS,
        .alike = "there is one head",
        .change = heads_shared,
    }, {
        .name = "heads-reversed",
        .title = "Heads side by side in the wrong order",
        .wrong = "The result has the right columns in the wrong order.",
        .pytorch = "torch.cat([head(x) for head in reversed(self.heads)], dim=-1); or "
                   "context_by_head.flip(1) before the heads are put together.",
        .lever = USES_HEADS,
        .change = heads_reversed,
    }, {
        .name = "heads-stacked",
        .title = "Heads stacked and viewed, not joined",
        .wrong = "stack puts the heads one behind the other in memory, and view only counts these "
                 "numbers off in another shape. Rows hold numbers of several tokens.",
        .pytorch = "torch.stack(contexts).view(b, num_tokens, -1), where it should be "
                   "torch.cat(contexts, dim=-1).",
        .lever = USES_HEADS,
        .alike = "there is one head",
        .change = heads_stacked,
    }, {
        .name = "out-proj-first",
        .title = "The output projection drawn first",
        .wrong = "The generator's draws go to the layers in the order in which the layers are "
                 "made, so every weight differs.",
        .pytorch = "self.out_proj = torch.nn.Linear(...) stands above self.W_query.",
        .lever = USES_HEADS,
        .change = out_proj_first,
    }, {
        .name = "values-first",
        .title = "Values drawn first",
        .wrong = "The draws go to the layers in the order in which the layers are made, so each "
                 "layer has the numbers of another one.",
        .pytorch = "self.W_value = torch.nn.Linear(...) stands above self.W_query and self.W_key; or "
                   "values, queries, keys = qkv.chunk(3, dim=-1).",
        .change = values_first,
    }, {
        .name = "queries-first",
        .title = "Queries drawn before keys",
        .wrong = "The draws go to the layers in the order in which the layers are made. The "
                 "course's class for grouped queries makes keys and values first.",
        .pytorch = "self.W_query = torch.nn.Linear(...) stands above self.W_key.",
        .change = queries_first,
    }, {
        .name = "padding-inverted",
        .is_of_one_lesson = true,
        .title = "The padding mask marks the tokens",
        .wrong = "True hides. A mask that is True at the tokens hides them and leaves only the "
                 "padding. A sentence without padding sees nothing, and its rows are nan.",
        .pytorch = "places < lengths, where it should be places >= lengths; or the mask of a "
                   "tokenizer, whose 1 means that a token is there.",
        .change = padding_inverted,
    }, {
        .name = "padding-over-queries",
        .is_of_one_lesson = true,
        .title = "The padding mask over queries instead of keys",
        .wrong = "Rows of padding are hidden, and are nan. The tokens still give weight to the "
                 "padding, as without a mask.",
        .pytorch = "key_padding_mask.unsqueeze(2), where it should be key_padding_mask.unsqueeze(1).",
        PADS_NOTHING,
        .change = padding_over_queries,
    }, {
        .name = "repaired-before-softmax",
        .is_of_one_lesson = true,
        .title = "Hidden rows set to 0 before the softmax",
        .wrong = "Equal scores have equal weights, be they 0. So a row that should see nothing mixes "
                 "all values, hidden ones included.",
        .pytorch = "torch.softmax(masked_scores.masked_fill(hidden_rows, 0), dim=-1), where it should "
                   "be torch.softmax(masked_scores, dim=-1).masked_fill(hidden_rows, 0).",
        PADS_NOTHING,
        .change = repaired_before_softmax,
    }, {
        .name = "cross-from-target",
        .is_of_one_lesson = true,
        .title = "Keys and values of the sentence that asks",
        .wrong = "The target attends to itself, and nothing of the source reaches it.",
        .pytorch = "keys, values = W_key(target), W_value(target), copied from self-attention.",
        .lever = USES_TARGET,
        .change = cross_from_target,
        .showing = {.given = USES_TARGET, .target = "one,step,with,Your,journey,starts"},
    }, {
        .name = "cross-causal-mask",
        .is_of_one_lesson = true,
        .title = "A causal mask between two sentences",
        .wrong = "The source is there as a whole, but its later tokens are hidden from the target's first ones.",
        .pytorch = "scores.masked_fill(mask, -torch.inf), copied from self-attention.",
        .alone = "the source is this one token",
        .change = cross_causal_mask,
    }, {
        .name = "cache-square-mask",
        .is_of_one_lesson = true,
        .title = "A square mask after a cache",
        .wrong = "The first new token is taken for the first of the sentence, so the mask hides most "
                 "of the cache.",
        .pytorch = "mask[:num_new, :num_keys] of the large mask, or triu(..., diagonal=1), where the "
                   "diagonal is past + 1.",
        .lever = USES_PREFILL,
        .change = square_mask_after_cache,
    }, {
        .name = "prefill-no-mask",
        .is_of_one_lesson = true,
        .title = "No causal mask in the prefill",
        .wrong = "The tokens of the prompt see each other's future, as they never did in training.",
        .pytorch = "The mask was left out because a single new token needs none.",
        .alike = "the prompt is one token, which has no future to hide",
        .is_alike = has_prompt_of_one,
        .change = no_mask_in_prefill,
    }, {
        .name = "cache-not-cleared",
        .is_of_one_lesson = true,
        .title = "The cache is not cleared before the next sentence",
        .wrong = "The next sentence also sees all tokens of the sentence before it.",
        .pytorch = "torch.cat([key_cache, ...]), where the cache should begin empty.",
        .alone = "the sentence before is this one token",
        .change = cache_not_cleared,
        .is_early = true,
    }, {
        .name = "chunks-exchanged",
        .title = "Keys and values exchanged",
        .wrong = "The numbers that were drawn for the keys make the values, and those for the values "
                 "make the keys. All shapes fit, so no error is raised.",
        .pytorch = "queries, values, keys = qkv.chunk(3, dim=-1) behind a fused layer; or self.W_value "
                   "is made above self.W_key.",
        .change = chunks_exchanged,
    }, {
        .name = "seed-each-layer",
        .title = "The seed set again before each layer",
        .wrong = "Every layer draws the same numbers from the start, so W_query, W_key and W_value are "
                 "equal, and queries, keys and values are too.",
        .pytorch = "torch.manual_seed(123) above each torch.nn.Linear, or in a function that makes "
                   "one; it belongs once above all of them.",
        .change = seed_each_layer,
    }, {
        .name = "drawn-twice",
        .title = "The layers made twice after one seed",
        .wrong = "The second layers draw the numbers that follow those of the first. They are as good, "
                 "but they are not the numbers of this seed.",
        .pytorch = "A notebook's cell that makes the layers, run once more without the cell that sets "
                   "the seed; or two models made after one torch.manual_seed.",
        .change = layers_drawn_twice,
    }, {
        .name = "repeat-for-interleave",
        .is_of_one_lesson = true,
        .title = "Groups repeated in turn, not side by side",
        .wrong = "repeat gives the heads the groups 1, 2, 1, 2, where repeat_interleave gives them "
                 "1, 1, 2, 2. The shape is the same, but heads read the keys of other groups.",
        .pytorch = "keys.repeat(1, group_size, 1, 1), where it should be "
                   "keys.repeat_interleave(group_size, dim=1).",
        .alike = "there is one group, or as many as heads",
        .change = repeat_for_interleave,
    }, {
        .name = "groups-reversed",
        .is_of_one_lesson = true,
        .title = "Groups in reverse order",
        .wrong = "The first heads read the keys and values of the last group.",
        .pytorch = "keys.flip(1), or groups that are joined in reverse order, before they are "
                   "repeated.",
        .alike = "there is one group",
        .change = groups_reversed,
    }, {
        .name = "rotary-pairs",
        .is_of_one_lesson = true,
        .title = "Weights of one rotary convention used with the other",
        .wrong = "Features are paired with other features than in training. No shape differs and no "
                 "error is raised, but all scores between different positions are wrong.",
        .pytorch = "x[:, 0::2] and x[:, 1::2], where it should be x[:, :half] and x[:, half:].",
        .alike = "two features are one pair in both conventions",
        .is_alike = has_one_pair,
        .alone = "position 0 is not turned",
        .change = rotary_in_pairs,
    }, {
        .name = "values-rotated",
        .is_of_one_lesson = true,
        .title = "Values rotated as well",
        .wrong = "Positions should decide how much a token gives. Here what it gives also turns with "
                 "its position.",
        .pytorch = "values = turn(W_value(inputs)), where it should be W_value(inputs).",
        .alone = "position 0 is not turned",
        .change = values_rotated,
    }, {
        .name = "rotary-restart",
        .is_of_one_lesson = true,
        .title = "Queries count positions from 0, keys go on",
        .wrong = "All distances are wrong by the shift, and scores are those of tokens that far apart.",
        .pytorch = "positions of the queries without + shift, as after a cache whose length is "
                   "forgotten.",
        .alike = "the shift is 0",
        .is_alike = shifts_nothing,
        .change = queries_from_0,
    }, {
        .name = "keys-not-rotated",
        .is_of_one_lesson = true,
        .title = "Keys not rotated",
        .wrong = "A score depends on the position of its query, and not on the distance from the key.",
        .pytorch = "queries_rotated @ keys.T, where it should be queries_rotated @ keys_rotated.T.",
        .alone = "position 0 is not turned",
        .change = keys_not_rotated,
    }, {
        .name = "window-plus-one",
        .is_of_one_lesson = true,
        .title = "The window shows one token too many",
        .wrong = "A window of 3 shows the distances 0, 1 and 2. Here it shows a distance of 3 as "
                 "well, so each row has one weight more.",
        .pytorch = "distance > window, where it should be distance >= window.",
        .alike = "no token lies so far back that the window hides it",
        .change = window_plus_one,
    }, {
        .name = "window-sees-future",
        .is_of_one_lesson = true,
        .title = "The window without the causal side",
        .wrong = "The distance of a later token is negative and never too far, so every token sees "
                 "its whole future.",
        .pytorch = "mask = distance >= window, without | (distance < 0).",
        .alone = "one token has no future to hide",
        .change = window_sees_future,
    }, {
        .name = "scale-by-latent",
        .is_of_one_lesson = true,
        .title = "Scores divided by the root of the latent's width",
        .place = SCALING,
        .wrong = "A score is a sum of head_dim products, however few numbers the key was made from.",
        .pytorch = "scores / latent.shape[-1]**0.5, where it should be / head_dim**0.5.",
        .alike = "the latent is as wide as a key of one head",
        .alone = ONE_TOKEN,
        .showing = {.given = USES_LATENT, .latent = 3},
        .change = scale_by_latent,
    }, {
        .name = "up-exchanged",
        .is_of_one_lesson = true,
        .title = "The layers of keys and of values exchanged",
        .wrong = "Keys are made by the layer of values, and values by that of keys. Both have the "
                 "same shape, so no error is raised.",
        .pytorch = "keys = W_up_value(latent); values = W_up_key(latent).",
        .change = up_exchanged,
    }, {
        .name = "absorbed-on-wrong-side",
        .is_of_one_lesson = true,
        .title = "The up-projection absorbed on the wrong side",
        .wrong = "The query is multiplied as if it were a latent. Where a head is as wide as the "
                 "latent no error is raised, but the scores without keys are others than those with.",
        .pytorch = "queries @ W.transpose(-2, -1), where it should be queries @ W, with W (heads, "
                   "head_dim, latent_dim).",
        .alike = "a head is not as wide as the latent, and PyTorch raises an error; or both are one "
                 "number wide",
        .change = absorbed_on_wrong_side,
    }, {
        .name = "result-not-rescaled",
        .is_of_one_lesson = true,
        .title = "The running result not rescaled",
        .wrong = "Values of earlier tiles were mixed by powers of e that are too large, because the "
                 "largest score was smaller then. So these tokens count too much.",
        .pytorch = "result = result + numerators @ values[tile], where it should be result * rescale + "
                   "numerators @ values[tile].",
        .alike = NO_LARGER_SCORE,
        .showing = {.given = USES_SEED, .seed = 3},
        .change = result_not_rescaled,
    }, {
        .name = "sum-not-rescaled",
        .is_of_one_lesson = true,
        .title = "The running sum not rescaled",
        .wrong = "Where a later tile has a larger score, the powers of e in the sum stand for different "
                 "largest scores, so the sum is too large and what is divided by it too small.",
        .pytorch = "running_sum = running_sum + numerators.sum(-1), where it should be running_sum * "
                   "rescale + numerators.sum(-1).",
        .alike = NO_LARGER_SCORE,
        .showing = {.given = USES_SEED, .seed = 3},
        .change = sum_not_rescaled,
    }, {
        .name = "tile-maximum",
        .is_of_one_lesson = true,
        .title = "The largest score of the tile alone",
        .wrong = "Where a whole tile is hidden its largest score is -∞, and -∞ - -∞ is nan. Elsewhere "
                 "the rescaling makes up for it, until a power of e is too large for a float.",
        .pytorch = "running_max = scores.amax(-1), where it should be torch.maximum(running_max, "
                   "scores.amax(-1)).",
        .alike = "each tile has the largest score so far",
        .change = tile_maximum,
    }, {
        .name = "divided-in-every-tile",
        .is_of_one_lesson = true,
        .title = "Divided by the sum in every tile",
        .wrong = "What earlier tiles added is divided once in each tile that follows, so the last "
                 "tiles count too much.",
        .pytorch = "result = (result * rescale + numerators @ values[tile]) / running_sum inside the "
                   "loop, where one division after the loop is right.",
        .alike = "there is one tile",
        .change = divided_in_every_tile,
    }, {
        .name = "softmax-before-loss",
        .title = "Softmax before cross-entropy",
        .wrong = "cross_entropy expects logits and applies a softmax of its own. Probabilities lie "
                 "between 0 and 1, so that softmax makes them nearly equal, and the loss cannot "
                 "come near 0.",
        .pytorch = "cross_entropy(torch.softmax(logits, dim=-1), targets), or a softmax as the "
                   "model's last "
                   "layer.",
        .change = softmax_before_loss,
    }, {
        .name = "logits-transposed",
        .title = "Logits transposed before they are flattened",
        .wrong = "Each row that the loss reads mixes the logits of several positions. The shapes fit, "
                 "so no error is raised, and the model is trained on nonsense.",
        .pytorch = "cross_entropy(logits.transpose(1, 2).reshape(-1, vocabulary), targets.flatten()), "
                   "where it should be logits.flatten(0, 1).",
        .change = logits_transposed,
    }, {
        .name = "tied-weights",
        .title = "The layer of logits shares the table of tokens",
        .wrong = "One matrix has two tasks. Here it is drawn for the first: its numbers are larger than "
                 "a layer's, so the logits are, too. GPT-2 does share them, but draws them smaller.",
        .pytorch = "to_logits.weight = embedding.weight, before the first call.",
        .change = tied_weights,
    }, {
        .name = "no-mean-grad",
        .title = "The loss's gradient not divided by n",
        .wrong = "The loss is a mean over n positions, so the gradient of each is divided by n. "
                 "Without the division all gradients are n times too large.",
        .pytorch = "logits_grad = P - one_hot, without / n; or reduction=\"sum\" in cross_entropy.",
        .alike = "there is one position, and n is 1",
        .change = no_mean_grad,
    }, {
        .name = "bias-grad-mean",
        .title = "A bias's gradient is a mean, not a sum",
        .wrong = "The same bias is added at every position, so its gradient is the sum over all "
                 "positions. The mean is n times too small.",
        .pytorch = "bias_grad = grad.mean(0), where it should be grad.sum(0).",
        .alike = "there is one position, and sum and mean are the same",
        .change = bias_grad_mean,
    }, {
        .name = "grad-overwritten",
        .title = "A gradient overwritten instead of added to",
        .wrong = "A row is used as query, key and value, and the loss changes through all three. "
                 "The gradient written last replaces the other two.",
        .pytorch = "x_grad = ... three times, where the second and third should be x_grad += ....",
        .change = grad_overwritten,
    }, {
        .name = "softmax-grad-elementwise",
        .title = "The softmax's gradient taken element by element",
        .wrong = "Raising one score lowers all other weights of its row. W (1 - W) leaves them "
                 "out, so rows no longer add up to 0.",
        .pytorch = "scores_grad = weights_grad * weights * (1 - weights), the rule of the sigmoid.",
        .alone = ONE_TOKEN,
        .change = softmax_grad_elementwise,
    }, {
        .name = "relu-gate-by-grad",
        .title = "ReLU passes back only positive gradients",
        .wrong = "ReLU passes a gradient back where its input was positive. The sign of the "
                 "gradient says nothing about that.",
        .pytorch = "grad * (grad > 0), where it should be grad * (x > 0).",
        .change = relu_gate_by_grad,
    }, {
        .name = "no-scale-grad",
        .title = "√d_k forgotten on the way back",
        .wrong = "The way forward multiplied by 1/√d_k, so the way back must, too. Without it the "
                 "gradients of queries and keys are too large.",
        .pytorch = "queries_grad = scores_grad @ keys, without * keys.shape[-1]**-0.5.",
        SAME_SCALE,
        .alone = ONE_TOKEN,
        .change = no_scale_grad,
    }, {
        .name = "scores-grad-transposed",
        .title = "The scores' gradient transposed for the queries",
        .wrong = "Row i of the scores belongs to query i. Transposed, a query's gradient is summed "
                 "over the queries that attend to its token instead of over the keys that it "
                 "attends to.",
        .pytorch = "queries_grad = scores_grad.T @ keys, where it should be scores_grad @ keys.",
        .change = scores_grad_transposed,
    }, {
        .name = "ascent",
        .title = "A step along the gradient",
        .wrong = "The gradient points to where the loss grows, so a step along it raises the loss "
                 "instead of lowering it.",
        .pytorch = "weight += lr * weight.grad, where it should be -=; or maximize=True.",
        .lever = USES_UPDATES,
        NO_UPDATE,
        .change = ascent,
    }, {
        .name = "lr-ten-times",
        .title = "A learning rate ten times as large",
        .wrong = "A gradient says how the loss changes near the current point. A step ten times as "
                 "long can go past the minimum, and the loss rises.",
        .pytorch = "lr=0.1 where 0.01 was meant.",
        .lever = USES_UPDATES,
        NO_UPDATE,
        .change = lr_ten_times,
    }, {
        .name = "no-bias-correction",
        .title = "AdamW's means not corrected",
        .wrong = "Both means start at 0. After one update the first is a tenth of the gradient, "
                 "and the root of the second a thirtieth, so the first step is three times too "
                 "long, and the next ones are even longer.",
        .pytorch = "m / (v.sqrt() + eps), without m / (1 - 0.9**t) and v / (1 - 0.999**t).",
        .lever = USES_UPDATES | USES_OPTIMIZER,
        NO_UPDATE,
        .change = no_bias_correction,
    }, {
        .name = "decay-in-grad",
        .title = "The decay inside the gradient",
        .wrong = "This is Adam with L2: the decay enters both means, and the root divides it as "
                 "well, so weights with large gradients hardly decay.",
        .pytorch = "torch.optim.Adam(..., weight_decay=0.01), where it should be AdamW.",
        .lever = USES_UPDATES | USES_OPTIMIZER | USES_WEIGHT_DECAY,
        NO_UPDATE,
        .change = decay_in_grad,
    }, {
        .name = "other-betas",
        .title = "AdamW with other betas, 0.9 and 0.95",
        .wrong = "The mean of squares keeps 0.95 of its past, not 0.999. It remembers some 20 "
                 "updates, where PyTorch's own remembers 1,000, so steps vary more.",
        .pytorch = "torch.optim.AdamW(..., betas=(0.9, 0.95)), where PyTorch's own are (0.9, 0.999).",
        .lever = USES_UPDATES | USES_OPTIMIZER,
        NO_UPDATE,
        .change = other_betas,
    }, {
        .name = "zero-grad-late",
        .title = "zero_grad between backward and step",
        .wrong = "The gradients are gone before the step reads them. No parameter moves, but for "
                 "AdamW's decay where gradients are 0 (since PyTorch 2 they are None).",
        .pytorch = "loss.backward(), optimizer.zero_grad(), optimizer.step(), in this order; "
                   "zero_grad belongs before backward or after step.",
        .lever = USES_UPDATES,
        NO_UPDATE,
        .change = zero_grad_late,
    }, {
        .name = "graph-cut",
        .title = "The graph cut behind W_query",
        .wrong = "No gradient reaches W_query, so it never learns. No error is raised, because the "
                 "way forward is the same.",
        .pytorch =
            "queries = W_query(x).detach(), .data, .numpy() or torch.tensor(...) on the way to the "
            "loss; W_query.weight.grad is None.",
        .lever = USES_UPDATES,
        NO_UPDATE,
        .change = graph_cut,
    }, {
        .name = "keys-detached",
        .title = "The graph cut behind W_key",
        .wrong = "No gradient reaches W_key, so it never learns. No error is raised, because the "
                 "way forward is the same.",
        .pytorch = "keys = W_key(x).detach(), as one keeps keys in a cache; W_key.weight.grad is "
                   "None.",
        .lever = USES_UPDATES,
        NO_UPDATE,
        .change = keys_detached,
    }, {
        .name = "mask-not-in-training",
        .title = "No mask in training",
        .wrong = "The model learns to use words that it will not see when it speaks. With the mask "
                 "it was never trained.",
        .pytorch =
            "The mask is made in generate(), but the training loop calls attention without it.",
        .lever = USES_UPDATES,
        NO_UPDATE,
        .change = mask_not_in_training,
    }, {
        .name = "no-positions",
        .title = "Positions not added",
        .place = POSITIONS,
        .wrong = "A word has the same row at every place, so only the mask tells attention in which "
                 "order the words stand.",
        .pytorch = "x = token_table(ids), without + position_table(torch.arange(num_tokens)).",
        .change = no_positions,
    }, {
        .name = "positions-twice",
        .title = "Positions added twice",
        .place = POSITIONS,
        .wrong = "The place of a word counts twice as much as intended beside the word itself.",
        .pytorch = "position_table(...) is added in the embedding, and once more in forward.",
        .change = positions_twice,
    }, {
        .name = "unbiased-variance",
        .title = "LayerNorm with the unbiased variance",
        .wrong = "torch.var divides by n - 1 unless it is told otherwise, and LayerNorm divides by n. "
                 "All normalized numbers are too small, the more so the narrower the rows are.",
        .pytorch = "x.var(dim=-1, keepdim=True), without unbiased=False.",
        .change = unbiased_variance,
    }, {
        .name = "norm-after",
        .title = "LayerNorm behind each half of the block, not before it",
        .place = HALVES,
        .wrong = "That is post-norm, as in the first transformer. GPT-2 normalizes what a half reads. "
                 "Post-norm normalizes the sum too, so the shortcut no longer passes it unchanged.",
        .pytorch = "x = norm(x + attention(x)), where it should be x = x + attention(norm(x)).",
        .change = norm_after,
    }, {
        .name = "no-shortcut",
        .title = "No shortcut",
        .place = HALVES,
        .wrong = "Only what the half of a block made goes on, and what entered it is lost. In deep "
                 "models the first layers hardly get a gradient.",
        .pytorch = "x = attention(norm(x)), without x + before it.",
        .change = no_shortcut,
    }, {
        .name = "shortcut-after-norm",
        .title = "The shortcut begins behind the LayerNorm",
        .place = HALVES,
        .wrong = "The normalized rows are added, not the rows as they entered the block. So every "
                 "block normalizes what the blocks before it have added up.",
        .pytorch = "x = norm(x); x = x + attention(x), where it should be x = x + attention(norm(x)).",
        .change = shortcut_after_norm,
    }, {
        .name = "no-gelu",
        .title = "GELU left out",
        .wrong = "Two layers without a function between them are one layer, so the block can make "
                 "nothing that a single layer could not.",
        .pytorch = "torch.nn.Sequential(Linear(d, 4 * d), Linear(4 * d, d)), without GELU() between "
                   "them.",
        .change = no_gelu,
    }, {
        .name = "no-relu",
        .title = "ReLU left out",
        .wrong = "Two layers without a function between them are one layer, so the block can make "
                 "nothing that a single layer could not.",
        .pytorch = "ffn2(ffn1(x)), where it should be ffn2(torch.relu(ffn1(x))).",
        .change = no_relu,
    }, {
        .name = "targets-not-shifted",
        .title = "Targets not shifted by one",
        .wrong = "The target of each position is the word that stands there. The model learns to "
                 "repeat what it has just read, and the loss falls to almost 0.",
        .pytorch = "targets = ids[:, :-1], where it should be ids[:, 1:]; or text[i:i + window] for "
                   "inputs and targets alike.",
        .alike = "each word is followed by itself",
        .change = windows_not_shifted,
        .reread = targets_not_shifted,
    }, {
        .name = "targets-before-inputs",
        .title = "Targets shifted the wrong way",
        .wrong = "The model reads all words but the first, and is asked for the word before each. "
                 "It learns the sentence backwards, and what it says begins with a word that it "
                 "never had to find.",
        .pytorch = "inputs = ids[:, 1:] and targets = ids[:, :-1], which are exchanged.",
        .reread = targets_before_inputs,
    }, {
        .name = "temperature-multiplied",
        .is_of_one_lesson = true,
        .title = "Logits multiplied by the temperature",
        .wrong = "A temperature above 1 should make words more alike, but here it does the reverse: "
                 "it pulls their probabilities apart.",
        .pytorch = "logits * temperature, where it should be logits / temperature.",
        .alike = "the temperature is 1, and dividing by 1 is multiplying by 1",
        .is_alike = has_temperature_one,
        .change = temperature_multiplied,
    }, {
        .name = "top-k-threshold",
        .is_of_one_lesson = true,
        .title = "Top-k compares with the largest logit, not with the k-th",
        .wrong = "All logits but the largest are below this threshold, so only one word is kept, and "
                 "drawing becomes greedy.",
        .pytorch = "logits < top_logits[0], where it should be logits < top_logits[-1].",
        .lever = USES_TOP_K,
        .change = threshold_of_largest,
    }, {
        .name = "wrong-position",
        .title = "Logits of the first position in place of the last",
        .wrong = "The logits of a position are about the word behind it. Those of the first position are "
                 "about the second word, which is known, and not about the next one.",
        .pytorch = "logits[:, 0, :], where it should be logits[:, -1, :].",
        .reread = first_position,
    }, {
        .name = "wrong-seed",
        .title = "The course's other seed before the weights",
        .wrong = "All weights differ, but the dropout masks are those of the course.",
        .pytorch =
            "torch.manual_seed(123) before the layers where it should be 789, or the reverse.",
        .change = wrong_seed_of_weights,
    }, {
        .name = "wrong-seed",
        .title = "The course's other seed before the dropout masks",
        .wrong = "The weights are those of the course, but others of them are dropped.",
        .pytorch = "torch.manual_seed(789) before dropout where it should be 123, or the reverse.",
        .change = wrong_seed_of_masks,
    }, {
        .name = "scale-by-tokens",
        .title = "Scores divided by the root of the number of heads",
        .place = SCALING,
        .wrong = "Dimension 1 of keys is their width only without heads. After the split it is the "
                 "number of heads.",
        .pytorch = "keys.shape[1]**0.5 with keys (batch, heads, tokens, head_dim), instead of "
                   "keys.shape[-1]**0.5.",
        .lever = USES_BATCH,
        .change = scale_by_heads,
    }, {
        .name = "scores-grad-transposed",
        .title = "The scores' gradient not transposed for the keys",
        .wrong = "Column j of the scores belongs to key j. Without the transpose, a key's gradient "
                 "is summed over what its own token attends to.",
        .pytorch = "keys_grad = scores_grad @ queries, where it should be scores_grad.T @ queries.",
        .change = scores_grad_unturned,
    }, {
        .name = "dropout-on-values",
        .title = "Dropout on the values instead of the weights",
        .wrong = "Numbers are dropped before they are mixed: each token gives all others the same "
                 "gaps, and the weights add up to 1 as if there were no dropout.",
        .pytorch =
            "weights @ self.dropout(values), where it should be self.dropout(weights) @ values.",
        .lever = USES_DROPOUT,
        .showing = {.given = USES_DROPOUT, .dropout = 0.5},
        .change = dropout_on_values_seen,
    }, {
        .name = "scale-by-d-out",
        .title = "Scores divided by the root of the width of all keys",
        .place = SCALING,
        .wrong = "A score is a sum of head_dim products. The width of all keys is head_dim times "
                 "the number of groups.",
        .pytorch = "keys.shape[-1]**0.5 taken before the keys are split into groups.",
        .alike = "there is one group of heads",
        .alone = ONE_TOKEN,
        .change = scale_by_all_keys,
    }, {
        .name = "scale-by-d-out",
        .title = "Scores divided by the root of the width of all heads together",
        .place = SCALING,
        .wrong = "A score is a sum of as many products as one head is wide. All heads together are "
                 "wider, so the root of their width is too large.",
        .pytorch = "scores / (d_out * num_heads)**0.5, where each head has layers d_out wide.",
        .alike = "there is one head",
        .alone = ONE_TOKEN,
        .change = scale_by_all_heads,
    }, {
        .name = "keepdim-forgotten",
        .title = "Softmax written out, and its row sums without keepdim",
        .wrong = "Row i is divided by the sums of all rows, one a column, and no row adds up to 1.",
        .pytorch = "torch.exp(scores) / torch.exp(scores).sum(dim=-1), without keepdim=True.",
        .change = keepdim_forgotten_in_softmax,
    }, {
        .name = "chunks-exchanged",
        .title = "Chunks of a fused layer read as key, value, query",
        .wrong = "Each of the three has the numbers of another one. All shapes fit, so no error is "
                 "raised.",
        .pytorch = "keys, values, queries = qkv.chunk(3, dim=-1); or the layers are made in this order.",
        .change = chunks_from_keys,
    }, {
        .name = "chunks-exchanged",
        .title = "Chunks of a fused layer read as value, key, query",
        .wrong = "Queries have the numbers of the values, and values those of the queries. All shapes "
                 "fit, so no error is raised.",
        .pytorch = "values, keys, queries = qkv.chunk(3, dim=-1); or the layers are made in this order.",
        .change = chunks_reversed,
    }, {
        .name = "heads-stacked",
        .title = "Heads stacked behind the batch and viewed, not joined",
        .wrong = "A sentence's heads lie one behind the other in memory, and view only counts these "
                 "numbers off in another shape. Rows hold numbers of several tokens.",
        .pytorch = "torch.stack(contexts, dim=1).view(b, num_tokens, -1), where it should be "
                   "torch.cat(contexts, dim=-1).",
        .lever = USES_HEADS,
        .alike = "there is one head",
        .change = heads_stacked_behind_batch,
    }, {
        .name = "heads-stacked",
        .title = "Heads stacked along a new last dimension, not joined",
        .wrong = "The numbers of the heads take turns in a row: the first of head 1, the first of head "
                 "2, the second of head 1.",
        .pytorch = "torch.stack(contexts, dim=-1).view(b, num_tokens, -1), where it should be "
                   "torch.cat(contexts, dim=-1).",
        .lever = USES_HEADS,
        .alike = "there is one head, or each head makes one number",
        .change = heads_stacked_last,
    }, {
        .name = "dropout-on-context",
        .title = "Dropout on the heads put together, instead of the weights",
        .wrong = "Numbers of the result are dropped, instead of whole tokens from the mix.",
        .pytorch = "self.dropout(context) behind torch.cat or view, where dropout should be on the "
                   "weights.",
        .lever = USES_DROPOUT | USES_HEADS,
        .showing = {.given = USES_DROPOUT, .dropout = 0.5},
        .change = dropout_on_merged_context,
    }, {
        .name = "top-k-threshold",
        .title = "Top-k leaves out the k-th logit as well",
        .wrong = "The k-th largest logit is not below itself, but it is as large as itself: one word "
                 "too few is kept.",
        .pytorch = "logits <= top_logits[-1], where it should be logits < top_logits[-1].",
        .lever = USES_TOP_K,
        .change = threshold_left_out,
    }, {
        .name = "wrong-position",
        .title = "Logits of the position before the last",
        .wrong = "These logits are about the last word that was read, so the model says it once more.",
        .pytorch = "logits[:, -2, :], where it should be logits[:, -1, :].",
        .reread = position_before_last,
    },
};
// clang-format on

const struct mistake gradients_by_autograd = {
    .name = "by-autograd",
    .title = "Gradients by autograd",
    .change = by_autograd,
};

const struct mistake rounded_as_1_13 = {
    .name = "rounded-as-1.13",
    .title = "Rounded as in PyTorch 1.13",
    .change = round_as_1_13,
};
