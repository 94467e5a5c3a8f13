// The overview: all heads of all layers, the words that may follow, and where each place leads.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensor/ops/ops.h"
#include "trace/run/step.h"
#include "trace/what_if/mistake.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

static const struct step *named(const char *label) {
    return find_step(&walker.trial.run, label, &failure);
}

static const char *here(void) {
    return step_label(&frame, current_step(&walker.state, &walker.trial.run));
}

static void expect_format(const char *format, const char *word, double number) {
    char text[120]; // not in the frame's memory, which drawing frees
    (void)snprintf(text, sizeof text, format, word, number);
    expect(text);
}

START_TEST(shows_every_layer_and_head) {
    start_in("block", "logits");
    type("W");
    ck_assert_int_eq(view_on_top(), VIEW_OVERVIEW);
    expect("Overview: attention in 2 steps, heads 2, tokens 6");
    expect("block 1");
    expect("block 2");
    const struct tensor *weights = &named("block 1: weights")->tensor;
    press(PRESS_RIGHT);
    expect("block 1, head 2: step attends to");
    double most = 0; // the largest weight comes first
    for (int64_t key = 0; key < 6; key++)
        most = fmax(most, element(weights, (int64_t[]){0, 1, 5, key}));
    expect_format("%s %.4f", "", most);
}
END_TEST

START_TEST(says_what_may_follow) {
    start_in("block", "logits");
    type("W");
    const struct tensor *p = &named("probabilities")->tensor;
    for (int back = 0; back < 2; back++, type("b")) {
        double most = 0;
        for (int64_t word = 0; word < 6; word++)
            most = fmax(most, element(p, (int64_t[]){0, 5 - back, word}));
        expect_format("%s%.7f", "", most);
    }
}
END_TEST

START_TEST(enter_leads_to_what_is_chosen) {
    start_in("block", "logits");
    type("WW");
    ck_assert_int_eq(view_on_top(), VIEW_STEP); // the same key closes it
    type("W");
    press(PRESS_DOWN), press(PRESS_RIGHT), press(PRESS_ENTER);
    ck_assert_str_eq(here(), "block 2: weights");
    ck_assert_int_eq(walker.state.page, 1); // head 2
    ck_assert_int_eq(walker.state.row, 5);
    type("W"), press(PRESS_LEFT), press(PRESS_ENTER);
    ck_assert_str_eq(here(), "block 1: norm1_mean");
    type("W"), press(PRESS_UP), press(PRESS_LEFT), press(PRESS_ENTER);
    ck_assert_str_eq(here(), "token_embeddings");
    ck_assert_int_eq(walker.state.row, 4);
    type("Wjj"), press(PRESS_ENTER);
    ck_assert_str_eq(here(), "logits");
    const struct tensor *logits = &named("logits")->tensor;
    const struct tensor row = select_index(select_index(*logits, 0, 0), 0, 5);
    const struct tensor largest = argmax(row);
    ck_assert_int_eq(walker.state.column, (int64_t)element_at(&largest, 0));
}
END_TEST

// What a change did to the next words stands below them.
START_TEST(a_mistake_stands_beside_the_right_probabilities) {
    struct what_ifs what_ifs = {0};
    what_ifs.made[mistake_number(find_mistake("no-mask"))] = true;
    start_in("block", "logits");
    type("W");
    expect_none("(right)");
    walker_free(&walker);
    start_in("block", "logits");
    ck_assert(run_again(&walker, &walker.chosen, &what_ifs));
    type("W");
    expect("(right)");
    double most = 0;
    int64_t best = 0;
    for (int64_t word = 0; word < 6; word++) {
        const double now = element(&named("probabilities")->tensor, (int64_t[]){0, 5, word});
        if (now > most) most = now, best = word;
    }
    const struct tensor *right =
        &walker.trial.right->steps[named("probabilities")->number - 1].tensor;
    expect_format("%s(%.7f)", "", element(right, (int64_t[]){0, 5, best}));
}
END_TEST

static void click(int row, int column) {
    (void)draw(24, 80);
    walker_press(&walker, (struct press){PRESS_CLICK, row, column}, 24);
}

START_TEST(a_click_chooses_and_a_second_one_goes_there) {
    start_in("block", "logits");
    type("W");
    const struct canvas canvas = draw(24, 80);
    const char *heads = row_text(&canvas, 2, 0);
    const int second = (int)(strstr(heads, " 2") + 1 - heads);
    const char *tokens = row_text(&canvas, 1, 0);
    const int starts = (int)(strstr(tokens, "starts") - tokens);
    int row = 3;
    while (row < 24 && strstr(row_text(&canvas, row, 0), "block 2") == NULL) row++;
    ck_assert_int_lt(row, 24);
    click(1, starts);
    expect("Enter: this token's row of the embedding.");
    click(row, 2);
    expect("Enter: the steps of block 2.");
    click(row + 1, second);
    ck_assert_int_eq(view_on_top(), VIEW_OVERVIEW);
    expect("block 2, head 2: starts attends to");
    press(PRESS_LEFT);
    expect("block 2, head 1: starts attends to");
    click(row + 1, second);
    click(row + 1, second);
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
    ck_assert_str_eq(here(), "block 2: weights");
    ck_assert_int_eq(walker.state.page, 1);
    ck_assert_int_eq(walker.state.row, 2);
}
END_TEST

static void expect_weight(const char *key, const struct tensor *weights, int64_t row,
                          int64_t column) {
    expect_format("%s %.4f", key, element(weights, (int64_t[]){row, column}));
}

// Without a mask a token attends to those behind it, too; in cross-attention keys are other tokens than queries.
START_TEST(what_no_mask_hides_is_shown) {
    start_in("causal", "weights");
    type("Wbbbbb");
    expect("weights, head 1: Your attends to");
    expect_weight("one", &named("weights")->tensor, 0, 4);
    start_in("cross", "weights");
    type("W");
    expect("weights, head 1: Your attends to journey");
    expect_weight("starts", &named("weights")->tensor, 3, 2);
}
END_TEST

// Those of a cache are of the token that is added.
START_TEST(all_weights_are_of_the_same_tokens) {
    start_in("cache", "W_query");
    type("W");
    expect("Overview: attention in 1 step, heads 1, tokens 3");
    start_in("llama", "weights");
    type("W");
    expect("Overview: attention in 1 step, heads 4, tokens 6");
}
END_TEST

START_TEST(says_so_where_there_is_no_attention) {
    start_in("embeddings", "input_ids");
    type("Wjk");
    expect("no attention weights");
}
END_TEST

Suite *overview_suite(void) {
    Suite *suite = suite_create("overview");
    TCase *views = add_case(suite, "overview", walk_set_up, walk_tear_down);
    tcase_add_test(views, shows_every_layer_and_head);
    tcase_add_test(views, says_what_may_follow);
    tcase_add_test(views, enter_leads_to_what_is_chosen);
    tcase_add_test(views, a_click_chooses_and_a_second_one_goes_there);
    tcase_add_test(views, a_mistake_stands_beside_the_right_probabilities);
    tcase_add_test(views, what_no_mask_hides_is_shown);
    tcase_add_test(views, all_weights_are_of_the_same_tokens);
    tcase_add_test(views, says_so_where_there_is_no_attention);
    return suite;
}
