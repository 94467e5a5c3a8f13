// Forward and backward of one operation, side by side.

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "trace/run/step.h"
#include "trace/tape/both_ways.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

// Read off the model: what goes into each operation, and what comes out. An operation with three operands is here three
// times.
static const struct {
    const char *in, *out[3];
} operations[] = {
    {"embedding", {"embedded"}},
    {"W_query", {"queries"}},
    {"W_query_bias", {"queries"}},
    {"W_key", {"keys"}},
    {"W_key_bias", {"keys"}},
    {"W_value", {"values"}},
    {"W_value_bias", {"values"}},
    {"embedded", {"queries", "keys", "values"}},
    {"queries", {"queries_by_head"}},
    {"keys", {"keys_by_head"}},
    {"values", {"values_by_head"}},
    {"queries_by_head", {"dot_products"}},
    {"keys_by_head", {"dot_products"}},
    {"dot_products", {"scores"}},
    {"scores", {"masked_scores"}},
    {"masked_scores", {"weights"}},
    {"weights", {"context_by_head"}},
    {"values_by_head", {"context_by_head"}},
    {"context_by_head", {"context"}},
    {"context", {"attention"}},
    {"W_out", {"attention"}},
    {"W_out_bias", {"attention"}},
    {"attention", {"ffn1"}},
    {"W_ffn1", {"ffn1"}},
    {"W_ffn1_bias", {"ffn1"}},
    {"ffn1", {"hidden"}},
    {"hidden", {"feed_forward"}},
    {"W_ffn2", {"feed_forward"}},
    {"W_ffn2_bias", {"feed_forward"}},
    {"feed_forward", {"logits"}},
    {"W_logits", {"logits"}},
    {"W_logits_bias", {"logits"}},
    {"logits", {"loss"}},
};

enum { COUNT = sizeof operations / sizeof *operations };

enum { LONGEST = 40 };

// NAME_grad, in memory that no frame takes.
static void add_grad(const char *name, char buffer[static LONGEST]) {
    snprintf(buffer, LONGEST, "%s_grad", name);
}

static const struct step *step_named(const char *name) {
    const struct run *run = &walker.trial.run;
    for (int i = 0; i < run->step_count; i++) {
        if (strcmp(run->steps[i].name, name) == 0) return &run->steps[i];
    }
    return NULL;
}

static void expect_way(const char *in, const char *out) {
    char in_grad[LONGEST], out_grad[LONGEST];
    add_grad(in, in_grad), add_grad(out, out_grad);
    const char *formulas[] = {step_named(out)->formula, step_named(in_grad)->formula};
    const struct canvas canvas = draw_with(24, 80, (struct look){.has_heat = true});
    const char *screen = all_text(&canvas);
    const char *words[] = {in,          out,
                           in_grad,     strcmp(out, "loss") == 0 ? "the loss itself: 1" : out_grad,
                           formulas[0], formulas[1]};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ck_assert_msg(strstr(screen, words[i]) != NULL, "%s to %s: no %s in\n%s", in, out, words[i],
                      screen);
}

// From a step as from its gradient, both ways stand on one screen; and for each use of a number there is one.
START_TEST(each_operation_goes_both_ways) {
    const char *in = operations[_i].in;
    char grad[LONGEST];
    add_grad(in, grad);
    const char *const from[] = {in, grad};
    for (int i = 0; i < 2; i++) {
        start_in("gradients", from[i]);
        press('B');
        ck_assert_int_eq(view_on_top(), VIEW_BOTH_WAYS);
        for (int use = 0; use < 3 && operations[_i].out[use] != NULL; use++) {
            expect_way(in, operations[_i].out[use]);
            press(';');
        }
        expect_way(in, operations[_i].out[0]); // after the last the first
        press(PRESS_ESCAPE);
        ck_assert_int_eq(view_on_top(), VIEW_STEP);
    }
}
END_TEST

// And nothing is left out: every gradient by hand is on the list above.
START_TEST(every_gradient_is_listed) {
    start_in("gradients", "loss");
    const struct run *run = &walker.trial.run;
    int count = 0;
    for (int i = 0; i < run->step_count; i++) {
        struct both_ways *ways;
        if (both_ways_of(&frame, run, &run->steps[i], &ways) == 0) continue;
        count++;
        if (ways[0].in_grad != &run->steps[i]) continue;
        int known = 0;
        while (known < COUNT && strcmp(operations[known].in, ways[0].in->name) != 0) known++;
        ck_assert_msg(known < COUNT, "%s", run->steps[i].name);
    }
    ck_assert_int_eq(count, 2 * COUNT);
}
END_TEST

START_TEST(walks_the_way_back) {
    start_in("gradients", "weights_grad");
    to_first_cell();
    type("Bn");
    expect("Both ways: masked_scores_grad");
    type("nb");
    expect("Both ways: masked_scores_grad");
    press(PRESS_DOWN);
    press(PRESS_DOWN);
    press(PRESS_RIGHT);
    expect("masked_scores_grad[b1, h1, starts, journey] =");
    for (int i = 0; i < 100; i++) press('n');
    expect("Both ways: embedding_grad");
}
END_TEST

// Of a word that was never drawn: there is nothing to follow.
START_TEST(asks_of_a_count_of_none) {
    start_at_cell("sampling", "temperature 1: counts", 0, 1);
    press(PRESS_ENTER);
    expect("No other number went into this one.");
}
END_TEST

START_TEST(says_where_there_is_none) {
    start_in("causal", "scores");
    press('B');
    expect("does not show the gradient of scores");
}
END_TEST

START_TEST(fits_any_screen) {
    static const int sizes[][2] = {{12, 40}, {24, 80}, {40, 120}, {60, 200}};
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        start_in("gradients", operations[_i].in);
        press('B');
        const struct canvas canvas =
            draw_with(sizes[size][0], sizes[size][1], (struct look){.is_ascii = true});
        for (int i = 0; i < canvas.rows * canvas.columns; i++)
            ck_assert_uint_lt(canvas.glyphs[i].character, 128);
        ck_assert_ptr_nonnull(strstr(all_text(&canvas), "Back:"));
    }
}
END_TEST

Suite *both_ways_suite(void) {
    Suite *suite = suite_create("both ways");
    TCase *ways = add_case(suite, "ways", walk_set_up, walk_tear_down);
    tcase_add_loop_test(ways, each_operation_goes_both_ways, 0, COUNT);
    tcase_add_test(ways, every_gradient_is_listed);
    tcase_add_test(ways, walks_the_way_back);
    tcase_add_test(ways, says_where_there_is_none);
    tcase_add_test(ways, asks_of_a_count_of_none);
    tcase_add_loop_test(ways, fits_any_screen, 0, COUNT);
    return suite;
}
