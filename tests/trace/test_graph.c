// The graph of a run: what each step was made of.

#include <string.h>

#include "attempts.h"
#include "base/text.h"
#include "fixture.h"
#include "lesson.h"
#include "tensor/origin.h"
#include "trace/run/step.h"
#include "trace/tape/graph.h"
#include "trace/tape/tape.h"

#include <check.h> // last: defines a macro fail

static void run_it(struct run *run, const struct lesson *lesson, const struct parameters *chosen) {
    ck_assert_msg(try_lesson(run, &arena, lesson, chosen), "%s", failure.message);
}

// "scores: queries (6, 2), keys (2, 6)\n", a line for each node with edges into it.
static const char *edges_text(const struct graph *graph) {
    struct text text = text_new(&arena);
    text_add(&text, "");
    for (int i = 0; i < graph->edge_count; i++) {
        const struct edge *edge = &graph->edges[i];
        const bool is_first = i == 0 || graph->edges[i - 1].to != edge->to;
        if (is_first)
            text_add_format(&text, "%s%s:", i > 0 ? "\n" : "", node_label(&arena, graph, edge->to));
        text_add_format(&text, "%s %s %s", is_first ? "" : ",",
                        node_label(&arena, graph, edge->from),
                        shape_text(&arena, shape_of(&edge->tensor)));
    }
    text_add(&text, "\n");
    return text.bytes;
}

// Read off the lessons' statements in PyTorch, by hand. (split_head has a dropout of 0, so that `dropped` is
// the very tensor `weights`, and what reads one reads the other.)
static const struct {
    const char *lesson, *edges;
} expected[] = {
    {"simplified", "query: inputs (6, 3)\n"
                   "query_scores: inputs (6, 3), query (3,)\n"
                   "query_weights_by_sum: query_scores (6,)\n"
                   "query_weights: query_scores (6,)\n"
                   "query_context: query_weights (6,), inputs (6, 3)\n"
                   "scores: inputs (6, 3), inputs (3, 6)\n"
                   "weights: scores (6, 6)\n"
                   "row_sums: weights (6, 6)\n"
                   "column_sums: weights (6, 6)\n"
                   "context: weights (6, 6), inputs (6, 3)\n"},
    {"causal", "queries: inputs (6, 3), W_query (2, 3)\n"
               "keys: inputs (6, 3), W_key (2, 3)\n"
               "values: inputs (6, 3), W_value (2, 3)\n"
               "scores: queries (6, 2), keys (2, 6)\n"
               "weights: scores (6, 6)\n"
               "masked_weights: weights (6, 6), mask_tril (6, 6)\n"
               "row_sums: masked_weights (6, 6)\n"
               "renormalized: masked_weights (6, 6), row_sums (6, 1)\n"
               "mask_bool: mask_triu (6, 6)\n"
               "masked_scores: scores (6, 6), mask_bool (6, 6)\n"
               "scaled: masked_scores (6, 6)\n"
               "causal_weights: scaled (6, 6)\n"
               "difference: renormalized (6, 6), causal_weights (6, 6)\n"
               "context: causal_weights (6, 6), values (6, 2)\n"},
    {"split_head",
     "batch: inputs (6, 3)\n"
     "queries: batch (2, 6, 3), W_query (2, 3)\n"
     "keys: batch (2, 6, 3), W_key (2, 3)\n"
     "values: batch (2, 6, 3), W_value (2, 3)\n"
     "queries_viewed: queries (2, 6, 2)\n"
     "queries_by_head: queries_viewed (2, 6, 2, 1)\n"
     "queries_scrambled: queries (2, 6, 2)\n"
     "places_by_head: places (1, 3, 4)\n"
     "places_scrambled: places (1, 3, 4)\n"
     "keys_by_head: keys (2, 6, 2)\n"
     "values_by_head: values (2, 6, 2)\n"
     "a_products: a (1, 2, 3, 4), a (1, 2, 4, 3)\n"
     "scores: queries_by_head (2, 2, 6, 1), keys_by_head (2, 2, 1, 6)\n"
     "masked_scores: scores (2, 2, 6, 6), mask (6, 6)\n"
     "weights: masked_scores (2, 2, 6, 6)\n"
     "dropped: weights (2, 2, 6, 6)\n"
     "context_by_head: dropped (2, 2, 6, 6), values_by_head (2, 2, 6, 1)\n"
     "context_transposed: context_by_head (2, 2, 6, 1)\n"
     "in_memory: context_by_head (2, 2, 6, 1)\n"
     "context_contiguous: context_transposed (2, 6, 2, 1)\n"
     "in_memory_now: context_contiguous (2, 6, 2, 1)\n"
     "context: context_contiguous (2, 6, 2, 1)\n"
     "places_in_heads: places_by_head (1, 2, 3, 2)\n"
     "places_merged: places_in_heads (1, 3, 2, 2)\n"
     "output: context (2, 6, 2), W_out (2, 2), W_out_bias (2,)\n"
     "wrapper_context: batch (2, 6, 3), W_query (1, 3), W_key (1, 3), mask (6, 6), W_value (1, 3)\n"
     "difference: dropped (2, 2, 6, 6), values_by_head (2, 2, 6, 1), wrapper_context (2, 6, 2)\n"},
};

START_TEST(test_expected) {
    struct run run;
    run_it(&run, lesson_called(expected[_i].lesson), &(struct parameters){0});
    const struct graph graph = graph_of(&arena, &run);
    ck_assert_str_eq(edges_text(&graph), expected[_i].edges);
}
END_TEST

// Every step of every lesson is a node, and each of its edges an operand recorded, or a view; and no
// operand is without an edge.
static bool is_shown(const struct run *run, const struct storage *storage) {
    const struct tensor tensor = {.storage = (struct storage *)storage};
    return step_showing(run, &tensor, run->step_count + 1) != NULL ||
           storage == run->inputs.storage;
}

// Counts the operands behind a storage that are shown, up to the first one on each way, and how many of
// them are `edge`'s; no further than it takes to know that there are some.
static int count_ways(const struct run *run, const struct storage *storage,
                      const struct edge *edge) {
    enum { SOME = 1000 };
    int operand_count, count = 0;
    const struct tensor *operands = made_of(storage, &operand_count);
    for (int i = 0; i < operand_count && count < SOME; i++) {
        const struct tensor *operand = &operands[i];
        if (!is_shown(run, operand->storage))
            count += count_ways(run, operand->storage, edge);
        else if (edge == NULL || (operand->storage == edge->tensor.storage &&
                                  shapes_equal(shape_of(operand), shape_of(&edge->tensor))))
            count++;
    }
    return count;
}

static void check_edge(const struct run *run, const struct graph *graph, const struct edge *edge) {
    const struct step *from = graph->nodes[edge->from], *to = graph->nodes[edge->to];
    const struct tensor *source = from != NULL ? &from->tensor : &run->inputs;
    ck_assert_ptr_eq(source->storage, edge->tensor.storage);
    if (edge->tensor.storage == to->tensor.storage)
        ck_assert_int_lt(edge->from, edge->to);
    else
        ck_assert_int_gt(count_ways(run, to->tensor.storage, edge), 0);
}

static bool has_edge(const struct graph *graph, int to) {
    for (int i = 0; i < graph->edge_count; i++) {
        if (graph->edges[i].to == to) return true;
    }
    return false;
}

static const struct parameters sets[] = {
    {.given = 0},
    {.given = USES_BIAS | USES_DROPOUT, .bias = true, .dropout = 0.5},
    {.given = USES_HEADS | USES_D_OUT | USES_BATCH, .heads = 1, .d_out = 6, .batch = 1},
};

START_TEST(test_every_step) {
    const struct lesson *lesson = lesson_table[_i];
    for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
        struct run run;
        run_it(&run, lesson, &sets[set]);
        const struct graph graph = graph_of(&arena, &run);
        for (int i = 0; i < run.step_count; i++) {
            const struct step *step = &run.steps[i];
            const int node = node_of(&graph, step);
            ck_assert_int_ge(node, 0);
            const bool is_made =
                shows_view(&run, step) || count_ways(&run, step->tensor.storage, NULL) > 0;
            ck_assert_msg(has_edge(&graph, node) == is_made, "%s: %s", lesson->name,
                          step_label(&arena, step));
        }
        for (int i = 0; i < graph.edge_count; i++) check_edge(&run, &graph, &graph.edges[i]);
    }
}
END_TEST

// Does the name stand in the text, as a whole word?
static bool has_word(const char *text, const char *name) {
    static const char of_words[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t length = strlen(name);
    for (const char *place = strstr(text, name); place != NULL; place = strstr(place + 1, name)) {
        const bool begins = place == text || strchr(of_words, place[-1]) == NULL;
        if (begins && (place[length] == '\0' || strchr(of_words, place[length]) == NULL))
            return true;
    }
    return false;
}

// Where a step is a view that PyTorch makes in one statement of one name, the name is that of the step
// that the edge comes from.
START_TEST(test_views_by_statement) {
    struct run run;
    const struct parameters chosen = {.given = USES_D_OUT | USES_HEADS, .d_out = 4, .heads = 2};
    run_it(&run, lesson_called("split_head"), &chosen);
    const struct graph graph = graph_of(&arena, &run);
    int count = 0;
    for (int i = 0; i < graph.edge_count; i++) {
        const struct step *from = graph.nodes[graph.edges[i].from];
        const struct step *to = graph.nodes[graph.edges[i].to];
        if (from == NULL || !shows_view(&run, to)) continue;
        ck_assert_msg(has_word(to->statement, from->name), "%s from %s", to->name, from->name);
        count++;
    }
    ck_assert_int_eq(count, 12);
}
END_TEST

Suite *graph_suite(void) {
    Suite *suite = suite_create("graph");
    TCase *graph = add_case(suite, "graph", set_up_arena, tear_down_arena);
    tcase_add_loop_test(graph, test_expected, 0, sizeof expected / sizeof *expected);
    tcase_add_loop_test(graph, test_every_step, 0, lesson_count);
    tcase_add_test(graph, test_views_by_statement);
    return suite;
}
