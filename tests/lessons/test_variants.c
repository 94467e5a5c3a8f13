// The function that a lesson ends with gives the bits of the lesson's steps.

#include <math.h>
#include <string.h>

#include "agreement.h"
#include "attempts.h"
#include "base/text.h"
#include "fixture.h"
#include "gpt.h"
#include "lesson.h"
#include "small_gpt.h"
#include "trace/run/sentence.h"
#include "trace/run/step.h"
#include "training_model.h"
#include "variants.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

// ---- A run, and the same layers once more ---------------------------------------------------------

enum { MOST_OPTIONS = 9 };

// A lesson with options and their values, to NULL.
struct given {
    const char *options[MOST_OPTIONS];
};

static struct run run_given(const char *lesson, const struct given *given) {
    struct parameters parameters = {0};
    for (int i = 0; given->options[i] != NULL; i += 2)
        ck_assert(set_parameter(&parameters, parameter_by_option(given->options[i]),
                                given->options[i + 1]));
    return must_run(&arena, lesson_called(lesson), &parameters);
}

// A layer of queries, keys or values, as a lesson draws it.
static struct layer drawn(struct run *run, enum role makes) {
    const struct parameters *p = &run->parameters;
    return draw_layer(run, makes, run->inputs.shape[1], p->d_out, p->bias);
}

static struct head drawn_head(struct run *run) {
    struct head head;
    head.W_query = drawn(run, ROLE_QUERIES);
    head.W_key = drawn(run, ROLE_KEYS);
    head.W_value = drawn(run, ROLE_VALUES);
    return head;
}

static struct tensor batch_of(const struct run *run) {
    return stack(run->batch_size, run->sentences, 0);
}

static struct tensor step_of(const struct run *run, const char *label) {
    return find_step(run, label, &failure)->tensor;
}

static void check_same(const struct run *run, const char *label, struct tensor given) {
    const struct tensor expected = step_of(run, label);
    ck_assert_msg(shapes_equal(shape_of(&given), shape_of(&expected)), "%s: another shape", label);
    for (int64_t i = 0; i < count_of(shape_of(&expected)); i++) {
        const float a = (float)element_at(&given, i), b = (float)element_at(&expected, i);
        expect(memcmp(&a, &b, sizeof a) == 0, "%s, %s: %.9g, not %.9g", run->lesson->name, label,
               (double)a, (double)b);
    }
}

// ---- One head -----------------------------------------------------------------------------------

static const struct given of_a_head[] = {
    {{NULL}},
    {{"--seed", "5", "--d-out", "7", "--bias", "on"}},
    {{"--d-out", "64"}},
    {{"--seed", "-1", "--d-out", "1", "--bias", "on"}},
};
enum { OF_A_HEAD = sizeof of_a_head / sizeof *of_a_head };

START_TEST(why_is_its_steps) {
    const struct run run =
        run_given("why", _i == 0 ? &(struct given){{NULL}}
                                 : &(struct given){{"--sentence", "the birds", "--off", "1.2"}});
    struct run again = run;
    const struct agreement model = read_agreement(&again);
    const struct tensor ids = step_of(&run, "ids");
    const struct tensor logits = agreement_logits(&again, &model.gpt, ids, "");
    check_same(&run, "probabilities", softmax(select_index(logits, 0, ids.shape[0] - 1), -1));
}
END_TEST

START_TEST(simplified_is_its_steps) {
    const struct run run = run_given("simplified", &(struct given){{NULL}});
    check_same(&run, "context", simplified_attention(run.inputs));
}
END_TEST

// Attention with the layers of one head.
static void check_head(const char *lesson, const char *label,
                       struct tensor (*attention)(struct tensor, layer, layer, layer), int i) {
    const struct run run = run_given(lesson, &of_a_head[i]);
    struct run again = run;
    reseed(&again, 789);
    const struct head head = drawn_head(&again);
    check_same(&run, label, attention(run.inputs, head.W_query, head.W_key, head.W_value));
}

START_TEST(trainable_is_its_steps) {
    check_head("trainable", "linear: context", self_attention, _i);
}
END_TEST

START_TEST(causal_is_its_steps) {
    check_head("causal", "context", causal_attention, _i);
}
END_TEST

static const struct given of_dropout[] = {
    {{NULL}},
    {{"--seed", "5", "--dropout", "0.1", "--bias", "on"}},
    {{"--d-out", "5", "--dropout", "0.9", "--dropout-seed", "7"}},
    {{"--eval", "on"}},
    {{"--dropout", "1"}},
};
enum { OF_DROPOUT = sizeof of_dropout / sizeof *of_dropout };

START_TEST(dropout_is_its_steps) {
    static const char *const labels[] = {
        [MT19937] = "mt19937: context", [MCG31M1] = "mcg31m1: context"};
    const struct run run = run_given("dropout", &of_dropout[_i / 2]);
    const enum bernoulli stream = _i % 2 == 0 ? MT19937 : MCG31M1;
    struct run again = run;
    reseed(&again, 789);
    const struct head head = drawn_head(&again);
    choose_stream(&again, stream);
    reseed_dropout(&again, 123);
    check_same(&run, labels[stream],
               causal_attention_with_dropout(&again, run.inputs, head.W_query, head.W_key,
                                             head.W_value, run.parameters.dropout));
}
END_TEST

// ---- Several heads ------------------------------------------------------------------------------

static const struct given of_heads[] = {
    {{NULL}},
    {{"--heads", "1", "--d-out", "3"}},
    {{"--heads", "4", "--d-out", "8", "--batch", "3", "--bias", "on"}},
    {{"--heads", "2", "--d-out", "4", "--dropout", "0.5"}},
    {{"--heads", "2", "--d-out", "6", "--dropout", "0.2", "--seed", "5"}},
};
enum { OF_HEADS = sizeof of_heads / sizeof *of_heads };

START_TEST(wrapper_is_its_steps) {
    const struct run run = run_given("wrapper", &of_heads[_i]);
    struct run again = run;
    const int64_t heads = run.parameters.heads;
    struct head *head = arena_array(&arena, (size_t)heads, sizeof *head);
    reseed(&again, 123);
    for (int64_t h = 0; h < heads; h++) head[h] = drawn_head(&again);
    check_same(&run, "context",
               stacked_heads(&again, batch_of(&run), heads, head, run.parameters.dropout));
}
END_TEST

START_TEST(split_head_is_its_steps) {
    const struct run run = run_given("split_head", &of_heads[_i]);
    const struct parameters *p = &run.parameters;
    struct run again = run;
    reseed(&again, 123);
    const struct head all = drawn_head(&again);
    const struct layer W_out = draw_layer(&again, ROLE_OUTPUT, p->d_out, p->d_out, true);
    check_same(&run, "output",
               multi_head_attention(&again, batch_of(&run), all.W_query, all.W_key, all.W_value,
                                    W_out, p->heads, p->dropout));
}
END_TEST

// ---- Attention today ----------------------------------------------------------------------------

static const struct given of_lengths[] = {
    {{NULL}},
    {{"--lengths", "3,6,1,2", "--bias", "on"}},
    {{"--lengths", "4,5", "--d-out", "5", "--seed", "5"}},
    {{"--lengths", "3,3"}},
};
enum { OF_LENGTHS = sizeof of_lengths / sizeof *of_lengths };

static struct head layers_of_padding(const struct run *run) {
    struct run again = *run;
    reseed(&again, 789);
    return drawn_head(&again);
}

START_TEST(padding_is_its_steps) {
    const struct run run = run_given("padding", &of_lengths[_i]);
    const struct head head = layers_of_padding(&run);
    check_same(&run, "context",
               padded_attention(step_of(&run, "batch"), step_of(&run, "key_padding_mask"),
                                head.W_query, head.W_key, head.W_value));
}
END_TEST

// The lesson ends with it: the short sentence differs alone and padded, by 2^-29 at the defaults, as in PyTorch. One matrix is
// multiplied with fused steps, and a small batch is not: alone, but as a batch of one, it is the padded sentence to the bit.
START_TEST(padding_differs_since_a_small_batch_is_not_fused) {
    const struct run run = run_given("padding", &of_lengths[0]);
    const struct head head = layers_of_padding(&run);
    const struct tensor difference = step_of(&run, "difference");
    ck_assert_double_eq(element_at(&difference, 0), 0x1p-29);
    const struct tensor alone = narrow(run.inputs, 0, 4, 2);
    check_same(&run, "context_alone",
               self_attention(alone, head.W_query, head.W_key, head.W_value));
    const struct tensor nothing_hidden =
        narrow(narrow(step_of(&run, "key_padding_mask"), 0, 0, 1), 1, 0, 2);
    const struct tensor of_one = padded_attention(view(alone, 1, 2, 3), nothing_hidden,
                                                  head.W_query, head.W_key, head.W_value);
    const struct tensor padded = step_of(&run, "context");
    for (int64_t i = 0; i < 4; i++) // the second sentence begins after 6 rows of 2 numbers
        ck_assert_double_eq(element_at(&of_one, i), element_at(&padded, 12 + i));
}
END_TEST

// Of a row of weights with padding in front: what it is where all is hidden, and that it stays as it was elsewhere.
static void check_row(const struct run *run, int64_t row, int64_t tokens, bool is_hidden) {
    const struct tensor weights = step_of(run, "left: weights");
    const struct tensor finite = step_of(run, "left: weights_with_finite_min");
    const struct tensor repaired = step_of(run, "left: weights_repaired");
    for (int64_t i = row * tokens; i < (row + 1) * tokens; i++) {
        const double own = element_at(&weights, i);
        ck_assert_int_eq(isnan(own), is_hidden);
        ck_assert_double_eq(element_at(&repaired, i), is_hidden ? 0 : own);
        const float even = (float)(1 / (double)tokens);
        ck_assert_double_eq(element_at(&finite, i), is_hidden ? (double)even : own);
    }
}

// The lesson ends with it: rows of padding that see no token are nan, and both repairs leave the others as they are. The most
// negative float shares the weight equally, zeros behind the softmax leave none.
START_TEST(hidden_rows_are_nan_until_they_are_repaired) {
    const struct run run = run_given("padding", &of_lengths[_i]);
    const struct tensor weights = step_of(&run, "left: weights");
    const struct tensor hides = step_of(&run, "key_padding_mask");
    const int64_t sentences = weights.shape[0], tokens = weights.shape[1];
    for (int64_t sentence = 0; sentence < sentences; sentence++) {
        int64_t padding = 0; // as much stands behind the tokens there as before them here
        for (int64_t i = 0; i < tokens; i++)
            padding += element_at(&hides, sentence * tokens + i) != 0;
        for (int64_t row = 0; row < tokens; row++)
            check_row(&run, sentence * tokens + row, tokens, row < padding);
    }
    const struct tensor repaired = step_of(&run, "left: context_repaired");
    for (int64_t i = 0; i < count_of(shape_of(&repaired)); i++)
        ck_assert(isfinite(element_at(&repaired, i)));
}
END_TEST

static const struct given of_groups[] = {
    {{NULL}},
    {{"--groups", "4"}},
    {{"--groups", "1", "--batch", "2", "--bias", "on"}},
    {{"--heads", "6", "--d-out", "30", "--groups", "3", "--seed", "5"}},
    {{"--heads", "1", "--d-out", "5", "--groups", "1"}},
};
enum { OF_GROUPS = sizeof of_groups / sizeof *of_groups };

// The layers of grouped queries, in the order in which the lesson draws them.
static struct head drawn_grouped(struct run *run, struct layer *W_out) {
    const struct parameters *p = &run->parameters;
    const int64_t d_in = run->inputs.shape[1], d_group = p->d_out / p->heads * p->groups;
    struct head head;
    reseed(run, 123);
    head.W_key = draw_layer(run, ROLE_KEYS, d_in, d_group, p->bias);
    head.W_value = draw_layer(run, ROLE_VALUES, d_in, d_group, p->bias);
    head.W_query = draw_layer(run, ROLE_QUERIES, d_in, p->d_out, p->bias);
    *W_out = draw_layer(run, ROLE_OUTPUT, p->d_out, p->d_out, false);
    return head;
}

START_TEST(grouped_query_is_its_steps) {
    const struct run run = run_given("grouped_query", &of_groups[_i]);
    const struct parameters *p = &run.parameters;
    struct run again = run;
    struct layer W_out;
    const struct head all = drawn_grouped(&again, &W_out);
    check_same(&run, "output",
               grouped_query_attention(batch_of(&run), all.W_query, all.W_key, all.W_value, W_out,
                                       p->heads, p->groups));
}
END_TEST

// The lesson ends with it: whatever the groups, multi-head attention with wide layers gives the same; with as many groups as
// heads the layers need not be widened.
START_TEST(grouped_query_is_multi_head_attention) {
    const struct run run = run_given("grouped_query", &of_groups[_i]);
    const struct parameters *p = &run.parameters;
    const struct tensor difference = step_of(&run, "difference");
    ck_assert_double_eq(element_at(&difference, 0), 0);
    if (p->groups != p->heads) return;
    struct run again = run;
    struct layer W_out;
    const struct head all = drawn_grouped(&again, &W_out);
    check_same(&run, "output",
               multi_head_attention(&again, batch_of(&run), all.W_query, all.W_key, all.W_value,
                                    W_out, p->heads, 0));
}
END_TEST

// A view of group keys costs no memory: the heads of a group lie at one place.
START_TEST(expanded_keys_are_a_view) {
    const struct run run = run_given("grouped_query", &of_groups[0]);
    const struct tensor expanded = step_of(&run, "keys_expanded"),
                        repeated = step_of(&run, "keys_repeated");
    ck_assert_int_eq(expanded.ndim, 5);
    ck_assert_int_eq(expanded.stride[find_axis(&expanded, AXIS_HEAD)], 0);
    ck_assert_ptr_eq(expanded.storage, step_of(&run, "keys").storage);
    ck_assert_ptr_ne(repeated.storage, expanded.storage);
}
END_TEST

// A cache keeps keys and values of each group: 2 · 6 tokens · 2 numbers for each, so 24, 48 and 96 at the defaults.
START_TEST(a_cache_grows_with_the_groups) {
    const struct run run = run_given("grouped_query", &of_groups[0]);
    const struct tensor sizes = step_of(&run, "cache_sizes");
    for (int i = 0; i < 3; i++) ck_assert_double_eq(element_at(&sizes, i), 24 << i);
}
END_TEST

static const struct given of_caches[] = {
    {{NULL}},
    {{"--prefill", "1", "--bias", "on"}},
    {{"--prefill", "5", "--d-out", "4", "--seed", "5"}},
    {{"--prefill", "6"}},
};
enum { OF_CACHES = sizeof of_caches / sizeof *of_caches };

static struct tensor rows_read(const struct run *run, const struct head *head, struct cache *kept,
                               int64_t first, int64_t count) {
    return cached_attention(kept, narrow(run->inputs, 0, first, count), head->W_query, head->W_key,
                            head->W_value);
}

START_TEST(cache_is_its_steps) {
    const struct run run = run_given("cache", &of_caches[_i]);
    struct run again = run;
    reseed(&again, 789);
    const struct head head = drawn_head(&again);
    const int64_t tokens = run.inputs.shape[0], prefill = run.parameters.prefill;
    struct cache kept = {NO_TENSOR, NO_TENSOR};
    check_same(&run, "prefill: context", rows_read(&run, &head, &kept, 0, prefill));
    struct cache also = kept;
    for (int64_t i = prefill; i < tokens; i++) {
        const char *label = arena_format(&arena, "token %d: context", (int)i + 1);
        check_same(&run, label, rows_read(&run, &head, &kept, i, 1));
    }
    if (prefill < tokens)
        check_same(&run, "chunk: context",
                   rows_read(&run, &head, &also, prefill, tokens - prefill));
}
END_TEST

// The lesson ends with it: rows that come one by one, or in one chunk after the prompt, are those of the whole at once,
// and a cleared cache begins anew, with no difference.
START_TEST(cache_is_causal_attention) {
    const struct run run = run_given("cache", &of_caches[_i]);
    struct run again = run;
    reseed(&again, 789);
    const struct head head = drawn_head(&again);
    check_same(&run, "context",
               causal_attention(run.inputs, head.W_query, head.W_key, head.W_value));
    const bool has_chunk = run.parameters.prefill < run.inputs.shape[0];
    static const char *const labels[] = {"difference", "next sentence: difference",
                                         "chunk: difference"};
    for (int i = 0; i < (has_chunk ? 3 : 2); i++) {
        const struct tensor difference = step_of(&run, labels[i]);
        ck_assert_double_eq(element_at(&difference, 0), 0);
    }
}
END_TEST

// Without a cache, the n-th token takes n times as many products as with it: those of the whole sentence so far.
START_TEST(cache_saves_products) {
    const struct run run = run_given("cache", &of_caches[0]);
    const struct tensor with = step_of(&run, "products_with_cache");
    const struct tensor without = step_of(&run, "products_without_cache");
    for (int64_t i = 0; i < 3; i++) {
        const int64_t n = i + 4, d_in = 3, d_out = 2;
        const int64_t row = 3 * d_in * d_out + 2 * n * d_out;
        ck_assert_int_eq((int64_t)element_at(&with, i), row);
        ck_assert_int_eq((int64_t)element_at(&without, i), n * row);
    }
}
END_TEST

static const struct given of_rotary[] = {
    {{NULL}},
    {{"--d-out", "2", "--bias", "on"}},
    {{"--d-out", "8", "--base", "100", "--shift", "40"}},
    {{"--seed", "5", "--shift", "0"}},
};
enum { OF_ROTARY = sizeof of_rotary / sizeof *of_rotary };

START_TEST(rotary_is_its_steps) {
    const struct run run = run_given("rotary", &of_rotary[_i]);
    struct run again = run;
    reseed(&again, 123);
    const struct head head = drawn_head(&again);
    check_same(&run, "context",
               rotary_attention(&again, run.inputs, head.W_query, head.W_key, head.W_value,
                                step_of(&run, "inverse_frequencies")));
}
END_TEST

static double largest_difference(struct tensor a, struct tensor b) {
    const struct tensor difference = amax(absolute(subtract(a, b)));
    return element_at(&difference, 0);
}

// A turn changes no length, position 0 turns nothing, and a score depends on the distance alone: the same tokens, some
// positions later, have the same scores, but for rounding.
START_TEST(a_turn_keeps_lengths_and_distances) {
    const struct run run = run_given("rotary", &of_rotary[_i]);
    const struct tensor before = step_of(&run, "lengths_before"),
                        after = step_of(&run, "lengths_after");
    ck_assert_double_lt(largest_difference(before, after), 1e-6);
    const struct tensor queries = step_of(&run, "queries"),
                        turned = step_of(&run, "queries_rotated");
    ck_assert_double_eq(largest_difference(narrow(queries, 0, 0, 1), narrow(turned, 0, 0, 1)), 0);
    ck_assert_double_gt(largest_difference(queries, turned), 0.1);
    const struct tensor difference = step_of(&run, "difference");
    ck_assert_double_lt(element_at(&difference, 0), run.parameters.shift == 0 ? 1e-30 : 5e-6);
    const struct tensor scores = step_of(&run, "scores"), without = step_of(&run, "scores_without");
    ck_assert_double_gt(largest_difference(scores, without), 0.1);
}
END_TEST

// Layers whose rows are put in the other convention's order give its scores. A single pair is one in both.
START_TEST(reordered_layers_move_between_conventions) {
    const struct run run = run_given("rotary", &of_rotary[_i]);
    const struct tensor difference = step_of(&run, "pairs: difference");
    ck_assert_double_lt(element_at(&difference, 0), 1e-6);
    const struct tensor halves = step_of(&run, "scores"), pairs = step_of(&run, "pairs: scores");
    const double apart = largest_difference(halves, pairs);
    if (run.parameters.d_out == 2)
        ck_assert_double_eq(apart, 0);
    else
        ck_assert_double_gt(apart, 0.1);
}
END_TEST

static const struct given of_two_sentences[] = {
    {{NULL}},
    {{"--target", "2"}},
    {{"--target", "6 5 4 3 2 1 1", "--d-out", "5", "--bias", "on"}},
};
enum { OF_TWO_SENTENCES = sizeof of_two_sentences / sizeof *of_two_sentences };

// The lesson ends with it: with the same sentence twice it is self-attention, with no difference.
START_TEST(cross_is_its_steps) {
    const struct run run = run_given("cross", &of_two_sentences[_i]);
    struct run again = run;
    reseed(&again, 123);
    const struct head head = drawn_head(&again);
    const struct layer query = head.W_query, key = head.W_key, value = head.W_value;
    const struct tensor target = step_of(&run, "target");
    check_same(&run, "context", cross_attention(target, run.inputs, query, key, value));
    check_same(&run, "itself: context", self_attention(run.inputs, query, key, value));
    const struct tensor difference = step_of(&run, "difference");
    ck_assert_double_eq(element_at(&difference, 0), 0);
}
END_TEST

static const struct given of_windows[] = {
    {{NULL}},
    {{"--window", "1"}},
    {{"--window", "6", "--d-out", "5", "--bias", "on"}},
    {{"--window", "2", "--seed", "5"}},
};
enum { OF_WINDOWS = sizeof of_windows / sizeof *of_windows };

START_TEST(window_is_its_steps) {
    const struct run run = run_given("window", &of_windows[_i]);
    struct run again = run;
    reseed(&again, 789);
    const struct head head = drawn_head(&again);
    check_same(&run, "context",
               sliding_window_attention(&again, run.inputs, head.W_query, head.W_key, head.W_value,
                                        run.parameters.window));
}
END_TEST

// The lesson ends with it: a window as wide as the sentence is causal attention, with no difference.
START_TEST(widest_window_is_causal) {
    const struct run run = run_given("window", &of_windows[_i]);
    const struct tensor difference = step_of(&run, "difference");
    ck_assert_double_eq(element_at(&difference, 0), 0);
    struct run again = run;
    reseed(&again, 789);
    const struct head head = drawn_head(&again);
    check_same(&run, "wide: context",
               causal_attention(run.inputs, head.W_query, head.W_key, head.W_value));
}
END_TEST

// Two layers reach 2 (window - 1) tokens back, and no later token.
START_TEST(two_layers_reach_twice_as_far) {
    const struct run run = run_given("window", &of_windows[_i]);
    const struct tensor reach = step_of(&run, "reach_of_two_layers");
    const int64_t tokens = reach.shape[0], most = 2 * (run.parameters.window - 1);
    for (int64_t i = 0; i < tokens * tokens; i++) {
        const int64_t back = i / tokens - i % tokens;
        ck_assert_int_eq(element_at(&reach, i) > 0, back >= 0 && back <= most);
    }
}
END_TEST

static const struct given of_tiles[] = {
    {{NULL}},
    {{"--tile", "1"}},
    {{"--tile", "6", "--d-out", "5", "--bias", "on"}},
    {{"--tile", "4", "--seed", "3"}},
};
enum { OF_TILES = sizeof of_tiles / sizeof *of_tiles };

START_TEST(online_softmax_is_its_steps) {
    const struct run run = run_given("online_softmax", &of_tiles[_i]);
    struct run again = run;
    check_same(&run, "context",
               attention_by_tiles(&again, step_of(&run, "queries"), step_of(&run, "keys"),
                                  step_of(&run, "values"), step_of(&run, "mask"),
                                  run.parameters.tile));
}
END_TEST

// The lesson ends with it: plain softmax is causal attention, and differs from tiles in last digits, since the order of
// operations is another one. 2^-27 and 2^-21 at the defaults, as in PyTorch.
START_TEST(tiles_differ_from_plain_softmax_in_last_digits) {
    const struct run run = run_given("online_softmax", &of_tiles[_i]);
    struct run again = run;
    reseed(&again, 789);
    const struct head head = drawn_head(&again);
    check_same(&run, "context_at_once",
               causal_attention(run.inputs, head.W_query, head.W_key, head.W_value));
    const struct tensor difference = step_of(&run, "difference");
    const struct tensor of_sums = step_of(&run, "difference_of_sums");
    ck_assert_double_le(element_at(&difference, 0), 3e-7);
    ck_assert_double_le(element_at(&of_sums, 0), 1e-6);
    if (_i > 0) return;
    ck_assert_double_eq(element_at(&difference, 0), 0x1p-27);
    ck_assert_double_eq(element_at(&of_sums, 0), 0x1p-21);
}
END_TEST

static const struct given of_latents[] = {
    {{NULL}},
    {{"--latent", "1", "--batch", "2"}},
    {{"--latent", "3", "--heads", "4", "--d-out", "8"}},
    {{"--latent", "64", "--seed", "3"}},
};
enum { OF_LATENTS = sizeof of_latents / sizeof *of_latents };

START_TEST(latent_is_its_steps) {
    const struct run run = run_given("latent", &of_latents[_i]);
    const struct parameters *p = &run.parameters;
    const int64_t d_in = run.inputs.shape[1];
    struct run again = run;
    reseed(&again, 123);
    layer W_query = draw_layer(&again, ROLE_QUERIES, d_in, p->d_out, false);
    layer W_down = draw_layer(&again, ROLE_LATENT, d_in, p->latent, false);
    layer W_up_key = draw_layer(&again, ROLE_KEYS, p->latent, p->d_out, false);
    layer W_up_value = draw_layer(&again, ROLE_VALUES, p->latent, p->d_out, false);
    layer W_out = draw_layer(&again, ROLE_OUTPUT, p->d_out, p->d_out, true);
    check_same(&run, "output",
               latent_attention(step_of(&run, "batch"), W_query, W_down, W_up_key, W_up_value,
                                W_out, p->heads));
}
END_TEST

// The lesson ends with it: scores from the latent alone are those from keys but for last digits, since sums are added in
// another order. 2^-25 at the defaults, as in PyTorch. The latent's cache is the smallest of four there.
START_TEST(the_latent_alone_gives_the_scores) {
    const struct run run = run_given("latent", &of_latents[_i]);
    const struct tensor difference = step_of(&run, "difference");
    ck_assert_double_le(element_at(&difference, 0), 5e-7);
    const struct tensor sizes = step_of(&run, "cache_sizes");
    const struct tensor latent = step_of(&run, "latent");
    ck_assert_double_eq(element_at(&sizes, 3), (double)(latent.shape[1] * latent.shape[2]));
    if (_i > 0) return;
    ck_assert_double_eq(element_at(&difference, 0), 0x1p-25);
    static const double at_defaults[] = {48, 24, 24, 12};
    for (int i = 0; i < 4; i++) ck_assert_double_eq(element_at(&sizes, i), at_defaults[i]);
}
END_TEST

static const struct given of_llamas[] = {
    {{NULL}},
    {{"--groups", "1", "--batch", "2"}},
    {{"--heads", "3", "--groups", "3", "--d-out", "6"}},
    {{"--hidden", "5", "--base", "100", "--seed", "3"}},
    {{"--qk-norm", "on", "--groups", "1"}},
};
enum { OF_LLAMAS = sizeof of_llamas / sizeof *of_llamas };

START_TEST(llama_is_its_steps) {
    const struct run run = run_given("llama", &of_llamas[_i]);
    const struct parameters *p = &run.parameters;
    const int64_t d_in = run.inputs.shape[1], d_group = p->d_out / p->heads * p->groups;
    struct run again = run;
    reseed(&again, 123);
    struct llama layers = {.heads = p->heads, .groups = p->groups};
    layers.head_dim = p->d_out / p->heads;
    layers.W_query = draw_layer(&again, ROLE_QUERIES, d_in, p->d_out, false);
    layers.W_key = draw_layer(&again, ROLE_KEYS, d_in, d_group, false);
    layers.W_value = draw_layer(&again, ROLE_VALUES, d_in, d_group, false);
    layers.W_out = draw_layer(&again, ROLE_OUTPUT, p->d_out, d_in, false);
    layers.W_gate = draw_layer(&again, ROLE_NONE, d_in, p->hidden, false);
    layers.W_up = draw_layer(&again, ROLE_NONE, d_in, p->hidden, false);
    layers.W_down = draw_layer(&again, ROLE_NONE, p->hidden, d_in, false);
    check_same(&run, "output", llama_layer(&again, step_of(&run, "batch"), &layers));
    const struct tensor difference = step_of(&run, "cache: difference");
    ck_assert_double_le(element_at(&difference, 0), _i == 0 ? 0 : 1e-6);
}
END_TEST

// ---- The small GPT ------------------------------------------------------------------------------

static const struct given of_models[] = {
    {{NULL}},
    {{"--heads", "1"}},
    {{"--heads", "4", "--seed", "5"}},
    {{"--d-model", "6", "--heads", "3", "--hidden", "10", "--vocabulary", "9"}},
    {{"--text", "a b a c"}},
};
enum { OF_MODELS = sizeof of_models / sizeof *of_models };

static struct layer at(const struct tensor *p, enum parameter_place place) {
    return (struct layer){p[place], p[place + 1]};
}

static struct layers layers_of(const struct tensor *p) {
    return (struct layers){.W_query = at(p, W_QUERY),
                           .W_key = at(p, W_KEY),
                           .W_value = at(p, W_VALUE),
                           .W_out = at(p, W_OUT),
                           .W_ffn1 = at(p, W_FFN1),
                           .W_ffn2 = at(p, W_FFN2),
                           .W_logits = at(p, W_LOGITS)};
}

// All but the last id of a sentence, or all but the first.
static struct tensor part_of(const struct sentence *sentence, int64_t first) {
    return narrow(sentence->ids, 1, first, sentence->ids.shape[1] - 1);
}

static void check_model(const struct given *given) {
    const struct run run = run_given("model", given);
    struct run again = run;
    const struct sentence sentence = read_sentence(&again);
    struct tensor p[COUNT];
    draw_parameters(&again, &sentence, p);
    const struct layers layers = layers_of(p);
    check_same(&run, "loss",
               gpt_loss(&again, part_of(&sentence, 0), part_of(&sentence, 1), p[EMBEDDING], &layers,
                        run.parameters.heads, run.parameters.dropout));
}

START_TEST(model_is_its_steps) {
    check_model(&of_models[_i]);
}
END_TEST

START_TEST(model_drops_as_its_steps) {
    check_model(&(struct given){{"--dropout", "0.3"}});
    check_model(&(struct given){{"--dropout", "0.3", "--eval", "on"}});
}
END_TEST

START_TEST(gradients_are_its_steps) {
    const struct run run = run_given("gradients", &of_models[_i]);
    const struct attention_gradients back =
        attention_backward(step_of(&run, "queries_by_head"), step_of(&run, "keys_by_head"),
                           step_of(&run, "values_by_head"), step_of(&run, "weights"),
                           step_of(&run, "context_by_head_grad"));
    check_same(&run, "queries_by_head_grad", back.queries);
    check_same(&run, "keys_by_head_grad", back.keys);
    check_same(&run, "values_by_head_grad", back.values);
}
END_TEST

static const struct given of_trainings[] = {
    {{NULL}},
    {{"--updates", "0"}},
    {{"--updates", "1", "--heads", "1"}},
    {{"--updates", "30", "--lr", "0.003", "--seed", "5", "--vocabulary", "9"}},
};
enum { OF_TRAININGS = sizeof of_trainings / sizeof *of_trainings };

START_TEST(training_is_its_steps) {
    static const char *const names[] = {"embedding", "W_query", "W_key_bias", "W_ffn1", "W_logits"};
    static const enum parameter_place places[] = {EMBEDDING, W_QUERY, W_KEY_BIAS, W_FFN1, W_LOGITS};
    const struct run run = run_given("training", &of_trainings[_i]);
    struct run again = run;
    const struct sentence sentence = read_sentence(&again);
    const int64_t tokens = sentence.ids.shape[1] - 1;
    const struct task task = {.run = &again,
                              .read = part_of(&sentence, 0),
                              .targets = part_of(&sentence, 1),
                              .mask = to_bool(triu(ones(&again, tokens, tokens), 1))};
    struct tensor p[COUNT];
    draw_parameters(&again, &sentence, p);
    check_same(&run, "loss", train_model(&task, p, run.parameters.updates, run.parameters.lr));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_same(&run, arena_format(&arena, "trained: %s", names[i]), p[places[i]]);
}
END_TEST

// ---- A whole GPT --------------------------------------------------------------------------------

static const struct given of_embeddings[] = {
    {{NULL}},
    {{"--ids", "0,0,5;1,2,3"}},
    {{"--ids", "7", "--vocabulary", "8", "--d-model", "5", "--context-length", "1"}},
};
enum { OF_EMBEDDINGS = sizeof of_embeddings / sizeof *of_embeddings };

START_TEST(embeddings_are_their_steps) {
    const struct run run = run_given("embeddings", &of_embeddings[_i]);
    struct run again = run;
    check_same(&run, "input_embeddings",
               embed_tokens(&again, step_of(&run, "input_ids"), step_of(&run, "token_table"),
                            step_of(&run, "position_table")));
}
END_TEST

static const struct given of_blocks[] = {
    {{NULL}},
    {{"--ids", "0,0,5;1,2,3", "--seed", "5", "--layers", "3"}},
    {{"--vocabulary", "8", "--d-model", "6", "--heads", "3", "--layers", "1"}},
    {{"--bias", ""}},
};
enum { OF_BLOCKS = sizeof of_blocks / sizeof *of_blocks };

static struct gpt_sizes sizes_of(const struct parameters *p) {
    return (struct gpt_sizes){p->vocabulary, p->context_length, p->d_model,
                              p->heads,      p->layers,         p->bias};
}

START_TEST(block_is_its_steps) {
    const struct run run = run_given("block", &of_blocks[_i]);
    struct run again = run;
    const struct sentence sentence = read_sentence(&again);
    reseed(&again, 123);
    const struct small_gpt gpt =
        draw_small_gpt(&again, sizes_of(&run.parameters), sentence.vocabulary_words);
    check_same(&run, "W_head", gpt.W_head.weight);
    check_same(
        &run, "block 1: after_feed_forward",
        gpt_block_of(&again, step_of(&run, "embedded"), &gpt.blocks[0], run.parameters.heads));
    check_same(&run, "logits", small_gpt_logits(&again, &gpt, step_of(&run, "ids")));
}
END_TEST

static const struct given of_sampling[] = {
    {{NULL}},
    {{"--top-k", "1", "--samples", "7"}},
    {{"--top-k", "64", "--seed", "5"}},
    {{"--logits", "0.5,-1,0.5,2,2,-3", "--top-k", "4"}},
};
enum { OF_SAMPLING = sizeof of_sampling / sizeof *of_sampling };

START_TEST(sampling_is_its_steps) {
    const struct run run = run_given("sampling", &of_sampling[_i]);
    const struct parameters *p = &run.parameters;
    const struct tensor logits = step_of(&run, "logits");
    const int64_t words = logits.shape[0], top_k = p->top_k < words ? p->top_k : words;
    struct run again = run;
    reseed(&again, 123);
    const struct tensor drawn = draw_words(&again, logits, 1, top_k, p->samples);
    check_same(&run, "kept_counts", bincount(drawn, words));
}
END_TEST

// ---- All lessons --------------------------------------------------------------------------------

enum { MOST_LINES = 20, MOST_COLUMNS = 76 };

// How many lines a text has. Each of them fits a screen of 80 columns.
static int count_of_lines(const char *text) {
    int count = 0;
    for (; *text != '\0'; text += strcspn(text, "\n") + 1, count++) {
        const char *line = arena_copy_bytes(&arena, text, strcspn(text, "\n"));
        ck_assert_msg(text_width(line) <= MOST_COLUMNS, "too wide: %s", line);
    }
    return count;
}

START_TEST(each_lesson_ends_with_a_short_function) {
    const char *function = lesson_table[_i]->source->function;
    const char *name = lesson_table[_i]->name;
    ck_assert_msg(function != NULL, "%s: no function stands before LESSON(%s)", name, name);
    const int lines = count_of_lines(function);
    ck_assert_msg(lines <= MOST_LINES,
                  "%s: the function before LESSON(%s) has %d lines, and may have %d", name, name,
                  lines, MOST_LINES);
    ck_assert_msg(strstr(function, "STEP") == NULL, "%s: the function before LESSON(%s) has a STEP",
                  name, name);
}
END_TEST

Suite *variants_suite(void) {
    Suite *suite = suite_create("variants");
    TCase *variants = add_case(suite, "variants", set_up_arena, tear_down_arena);
    tcase_add_loop_test(variants, why_is_its_steps, 0, 2);
    tcase_add_test(variants, simplified_is_its_steps);
    tcase_add_loop_test(variants, trainable_is_its_steps, 0, OF_A_HEAD);
    tcase_add_loop_test(variants, causal_is_its_steps, 0, OF_A_HEAD);
    tcase_add_loop_test(variants, dropout_is_its_steps, 0, 2 * OF_DROPOUT);
    tcase_add_loop_test(variants, wrapper_is_its_steps, 0, OF_HEADS);
    tcase_add_loop_test(variants, split_head_is_its_steps, 0, OF_HEADS);
    tcase_add_loop_test(variants, padding_is_its_steps, 0, OF_LENGTHS);
    tcase_add_test(variants, padding_differs_since_a_small_batch_is_not_fused);
    tcase_add_loop_test(variants, hidden_rows_are_nan_until_they_are_repaired, 0, OF_LENGTHS);
    tcase_add_loop_test(variants, cache_is_its_steps, 0, OF_CACHES);
    tcase_add_loop_test(variants, cache_is_causal_attention, 0, OF_CACHES);
    tcase_add_test(variants, cache_saves_products);
    tcase_add_loop_test(variants, grouped_query_is_its_steps, 0, OF_GROUPS);
    tcase_add_loop_test(variants, grouped_query_is_multi_head_attention, 0, OF_GROUPS);
    tcase_add_loop_test(variants, rotary_is_its_steps, 0, OF_ROTARY);
    tcase_add_loop_test(variants, a_turn_keeps_lengths_and_distances, 0, OF_ROTARY);
    tcase_add_loop_test(variants, reordered_layers_move_between_conventions, 0, OF_ROTARY);
    tcase_add_loop_test(variants, cross_is_its_steps, 0, OF_TWO_SENTENCES);
    tcase_add_loop_test(variants, window_is_its_steps, 0, OF_WINDOWS);
    tcase_add_loop_test(variants, widest_window_is_causal, 0, OF_WINDOWS);
    tcase_add_loop_test(variants, two_layers_reach_twice_as_far, 0, OF_WINDOWS);
    tcase_add_test(variants, expanded_keys_are_a_view);
    tcase_add_test(variants, a_cache_grows_with_the_groups);
    tcase_add_loop_test(variants, latent_is_its_steps, 0, OF_LATENTS);
    tcase_add_loop_test(variants, the_latent_alone_gives_the_scores, 0, OF_LATENTS);
    tcase_add_loop_test(variants, llama_is_its_steps, 0, OF_LLAMAS);
    tcase_add_loop_test(variants, online_softmax_is_its_steps, 0, OF_TILES);
    tcase_add_loop_test(variants, tiles_differ_from_plain_softmax_in_last_digits, 0, OF_TILES);
    tcase_add_loop_test(variants, model_is_its_steps, 0, OF_MODELS);
    tcase_add_test(variants, model_drops_as_its_steps);
    tcase_add_loop_test(variants, gradients_are_its_steps, 0, OF_MODELS);
    tcase_add_loop_test(variants, training_is_its_steps, 0, OF_TRAININGS);
    tcase_add_loop_test(variants, embeddings_are_their_steps, 0, OF_EMBEDDINGS);
    tcase_add_loop_test(variants, block_is_its_steps, 0, OF_BLOCKS);
    tcase_add_loop_test(variants, sampling_is_its_steps, 0, OF_SAMPLING);
    tcase_add_loop_test(variants, each_lesson_ends_with_a_short_function, 0, lesson_count);
    return suite;
}
