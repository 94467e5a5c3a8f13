// Your turn: what is asked before a step shows its numbers, and what becomes of an answer. Numbers and messages are PyTorch's.

#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "lessons.h"
#include "show/table.h"
#include "trace/run/exercise.h"
#include "trace/run/step.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

// Walks with n to the question of a step, and passes over those before it.
static void walk_to(const char *lesson, const char *step) {
    start_in(lesson, NULL);
    walker.state.asks_nothing = false;
    for (int i = 0; i < MAX_STEPS; i++) {
        press('n');
        const struct step *here = &walker.trial.run.steps[walker.state.step];
        const bool is_asked = view_on_top() == VIEW_CHALLENGE;
        if (is_asked && strcmp(step_label(&frame, here), step) == 0) return;
        if (is_asked) press('n');
        ck_assert_msg(view_on_top() != VIEW_SUMMARY, "%s asks nothing at %s", lesson, step);
    }
    ck_abort_msg("nothing is asked at %s", step);
}

static void answer(const char *text) {
    press(PRESS_ENTER);
    type(text);
    press(PRESS_ENTER);
}

static uint64_t answered(void) {
    return walker.state.visits[walker.state.lesson].answered;
}

START_TEST(hides_the_numbers_and_the_line) {
    walk_to("simplified", "query_scores");
    expect("Your turn. Write the line that computes a score for each token.");
    expect("query_scores[journey] = ?");
    expect(">>> query_scores =");
    expect_none("1.4950");
    expect_none("inputs @ query");
    press(PRESS_ENTER);
    expect_none("1.4950");
    expect_none("inputs @ query");
    press(PRESS_ESCAPE);
    press('n'); // shows it, and the walk goes on
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
    expect("1.4950");
    press('n');
    press('b');
    ck_assert_int_eq(view_on_top(), VIEW_STEP); // it is asked once
    press('Y');
    ck_assert_int_eq(view_on_top(), VIEW_CHALLENGE); // and at its key
}
END_TEST

START_TEST(gives_hints_one_by_one) {
    walk_to("simplified", "query_scores");
    press('h');
    expect_words("Hint 1: Each token gets one score");
    expect_none("Hint 2");
    press('h');
    press('h');
    expect_words("Hint 3: inputs @ ..., followed by the query.");
    press('h');
    expect_words("There is no other hint.");
}
END_TEST

START_TEST(takes_a_right_line_and_takes_it_back) {
    walk_to("simplified", "query_scores");
    answer("(inputs * query).sum(dim=-1)");
    expect_words("Right: it computes query_scores. The lesson's line is below. (1 of 6 questions)");
    expect("PyTorch  query_scores = inputs @ query");
    ck_assert(!is_touched(&walker.trial));
    ck_assert_uint_eq(answered(), 1);
}
END_TEST

START_TEST(shows_what_a_wrong_line_computes) {
    walk_to("simplified", "query_scores");
    answer("inputs * query");
    expect_words("Not yet: its shape is (6, 3), asked for is (6,).");
    expect("≠ yours  query_scores = inputs * query");
    expect("0.7569"); // 0.87 · 0.87
    expect_none("inputs @ query");
    press('Y');
    expect("query_scores[journey] = ?");
    answer("torch.softmax(inputs @ quer, dim=0)");
    expect_words("NameError: name 'quer' is not defined");
    ck_assert_uint_eq(answered(), 0);
    press('n'); // goes on with the lesson's line
    ck_assert(!is_touched(&walker.trial));
}
END_TEST

// -inf and 0 are not the same but for rounding.
START_TEST(a_score_that_is_not_masked_is_wrong) {
    walk_to("causal", "masked_scores");
    answer("scores.masked_fill(mask_bool, 0)");
    expect_words("Not yet:");
    press('Y');
    answer("torch.where(mask_bool, -1e9, scores)");
    expect_words("Not yet:");
    press('Y');
    answer("scores.masked_fill(mask_bool, float('-inf'))");
    expect_words("Right: it computes masked_scores.");
}
END_TEST

// Of a statement of several lines the one is asked for that makes the step's tensor; the others stand above it.
START_TEST(asks_for_the_line_that_makes_the_tensor) {
    walk_to("trainable", "rand: query_scores");
    expect(">>> query = queries[query_index]");
    expect(">>> query_scores =");
    answer("queries @ query");
    expect_words("Not yet:");
    press('Y');
    answer("(keys * query).sum(dim=1)");
    expect_words("Right: it computes query_scores.");
    walk_to("llama", "weights");
    expect(">>> weights =");
}
END_TEST

// How many numbers are hidden, and the heading over them, would tell a shape.
START_TEST(a_shape_is_not_given_away) {
    walk_to("simplified", "query_context");
    expect_none("(3,)");
    walk_to("llama", "keys_by_group");
    expect_none("(1, 2, 6, 4)");
}
END_TEST

// Lines, and the mistake that PyTorch's numbers show: made in that line, in one before it, or in other words.
static const struct {
    const char *lesson, *step, *line, *mistake;
} mistaken[] = {
    {"causal", "causal_weights", "torch.softmax(scaled, dim=0)", "softmax-columns"},
    {"causal", "causal_weights", "torch.softmax(masked_scores, dim=-1)", "no-scale"},
    {"causal", "causal_weights", "torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)", "no-mask"},
    {"causal", "masked_scores", "scores.masked_fill(~mask_bool, -torch.inf)", "mask-inverted"},
    {"rotary", "scores", "queries_rotated @ keys.T", "keys-not-rotated"},
    {"sampling", "is_below", "logits < top_logits[0]", "top-k-threshold"},
    {"training", "sgd: W_query_after", "W_query.weight + W_query_grad * lr", "ascent"},
};

START_TEST(names_the_mistake_of_a_wrong_line) {
    walk_to(mistaken[_i].lesson, mistaken[_i].step);
    answer(mistaken[_i].line);
    char words[100];
    snprintf(words, sizeof words, "Not yet: this is the mistake %s:", mistaken[_i].mistake);
    expect_words(words);
}
END_TEST

// Nobody waits seconds for a name: of a training no line runs with a mistake, the words of the line are compared.
START_TEST(no_mistake_is_searched_by_training) {
    walk_to("training", "sgd: W_query_after");
    struct interpreter interpreter = *walker.interpreter;
    interpreter.compute = NULL; // a call of it ends the test
    walker.interpreter = &interpreter;
    answer("W_query.weight - W_query_grad");
    expect_words("Not yet: the numbers with a mark differ.");
    press('n');
}
END_TEST

// Where the later tile has no larger score, the sum of this mistake is right.
START_TEST(names_a_mistake_whose_numbers_are_right_here) {
    walk_to("online_softmax", "tile 2: running_sum");
    answer("running_sum + numerators.sum(dim=-1)");
    expect_words("Not yet: the numbers are right here, but this is the mistake sum-not-rescaled:");
    ck_assert_uint_eq(answered(), 0);
    press('Y');
    answer("numerators.sum(dim=-1) + running_sum * rescale");
    expect_words("Right: it computes running_sum.");
}
END_TEST

// At the course's sizes two of them are equal. PyTorch's numbers differ, or it cannot run the line, with the other size.
static const struct {
    const char *lesson, *step, *line, *but_not_with;
} right_here[] = {
    {"wrapper", "mask", "mask_buffer", "context_length 12"},
    {"split_head", "scores", "queries_by_head @ keys_by_head.view(2, 2, 1, 6)", "d_out 4"},
    {"grouped_query", "keys_by_group", "split(keys, group_size)", "heads 8"},
    {"llama", "keys_repeated", "keys_turned.repeat_interleave(num_groups, dim=1)", "heads 8"},
    {"causal", "causal_weights", "torch.softmax(masked_scores / 2**0.5, dim=-1)", "d_out 4"},
};

START_TEST(says_with_which_size_a_line_is_not_right) {
    walk_to(right_here[_i].lesson, right_here[_i].step);
    answer(right_here[_i].line);
    char words[100];
    snprintf(words, sizeof words, "Right: it computes %s here, but not with %s.",
             right_here[_i].step, right_here[_i].but_not_with);
    expect_words(words);
    ck_assert(!is_touched(&walker.trial));
}
END_TEST

START_TEST(a_steps_name_that_pytorch_lacks_is_explained) {
    walk_to("split_head", "output");
    answer("W_out(context)");
    expect_words("NameError: name 'W_out' is not defined");
    expect_words("W_out is out_proj.weight here. Y: once more.");
}
END_TEST

// PyTorch runs these, or something else is in the way.
START_TEST(says_why_a_line_has_no_numbers) {
    static const char *const lines[][2] = {
        {"scores[mask_bool] = -torch.inf", "This line does not assign masked_scores a tensor."},
        {"3 * num_tokens", "This line does not assign masked_scores a tensor."},
        {"scores.masked_fill(mask, 0)", "PyTorch cannot run this line."},
        {"scores[:0]", "This tensor has no numbers."},
        {"torch.ones(num_tokens * 20000, 20000)", "This line takes too much memory for onestep."},
        {"[scores for i in range(10**12) if i < 0]", "This line takes too long for onestep."},
    };
    walk_to("causal", "masked_scores");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        answer(lines[i][0]);
        expect_words(lines[i][1]);
        press('Y');
    }
}
END_TEST

// With the name before it or without it.
START_TEST(a_line_with_keywords_is_no_number) {
    walk_to("causal", "causal_weights");
    press(PRESS_ENTER);
    press('U' - '@');
    type("scaled.softmax(dim=-1)");
    press(PRESS_ENTER);
    expect_words("Right: it computes causal_weights.");
}
END_TEST

START_TEST(copied_numbers_are_no_line) {
    walk_to("simplified", "query_scores");
    answer("torch.tensor([0.9544, 1.4950, 1.4754, 8.434e-01, 0.7070, 1.0865])");
    expect_words("These are numbers only. Write the line that computes them.");
    expect_none("1.4950");
    ck_assert(answered() == 0);
    answer("inputs @ query");
    expect_words("Right: this is the lesson's line.");
}
END_TEST

START_TEST(judges_what_is_chosen_or_typed) {
    walk_to("simplified", "weights"); // of "with": 0.1435 0.2074 0.2046 0.1462 0.1263 0.1720
    expect_words("Which token gets the largest weight of \"with\"?");
    press(PRESS_ENTER);
    expect_words("No: the largest is journey, 0.2074. Y asks again");
    press('Y');
    press(PRESS_RIGHT);
    press(PRESS_ENTER);
    expect_words("Right: the largest is journey, 0.2074.");
    walk_to("sampling", "kept_probabilities");
    answer("tensor(1.)");
    expect_words("Right: it prints tensor(1.).");
    press('Y');
    answer("1");
    expect_words("Right: it prints tensor(1.).");
    walk_to("simplified", "query_context");
    type("3 1");
    press(PRESS_ENTER);
    expect_words("No: it is (3,)");
    press('Y');
    type("3");
    press(PRESS_ENTER);
    expect_words("Right: (3,)");
    walk_to("causal", "masked_weights");
    type("0");
    press(PRESS_ENTER);
    expect_words("Right: it is 0.0000.");
    walk_to("online_softmax", "running_max");
    type("-inf");
    press(PRESS_ENTER);
    expect_words("Right: it is -inf.");
    walk_to("dropout", "mt19937: ones_dropped");
    answer("tensor(2.)");
    expect_words("Right: it prints tensor(2.).");
    walk_to("padding", "left: W_query_grad");
    answer("tensor(False)");
    expect_words("Right: it prints tensor(False).");
}
END_TEST

START_TEST(a_sign_is_a_key) { // GELU of -3 is -0.0036
    walk_to("block", "gelu_curve");
    press('+');
    expect_words("No: it is -0.0036.");
    press('Y');
    press('-');
    expect_words("Right: it is -0.0036.");
}
END_TEST

START_TEST(can_be_switched_off) {
    walk_to("simplified", "query_scores");
    press('Q');
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
    for (int i = 0; i < 8; i++) {
        press('n');
        ck_assert_int_eq(view_on_top(), VIEW_STEP);
    }
    press('Y');
    ck_assert_int_eq(view_on_top(), VIEW_CHALLENGE);
}
END_TEST

START_TEST(a_changed_lesson_asks_nothing) {
    start_in("simplified", "query");
    walker.state.asks_nothing = false;
    struct what_ifs what_ifs = {0};
    what_ifs.made[mistake_number(find_mistake("softmax-columns"))] = true;
    ck_assert(run_again(&walker, &walker.chosen, &what_ifs));
    press('n');
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
    press('Y');
    expect_words("The lesson is changed. u undoes that");
}
END_TEST

// What the lesson's own line, tensor and numbers answer.
static void answer_rightly(const struct challenge *challenge) {
    const struct step *step = &walker.trial.run.steps[walker.state.step];
    const int64_t columns = table_of(&step->tensor).columns;
    const struct cell here = current_cell(&walker.state, &walker.trial.run);
    switch (challenge->kind) {
    case CHALLENGE_LINE:
        answer(strchr(line_of_exercise(step), '=') + 2);
        break;
    case CHALLENGE_SHAPE:
        type(shape_text(&frame, shape_of(&step->tensor)));
        press(PRESS_ENTER);
        break;
    case CHALLENGE_NUMBER:
        answer(cell_number(&frame, &here, 4));
        break;
    case CHALLENGE_SIGN:
        press(cell_value(&here) < 0 ? '-' : '+');
        break;
    case CHALLENGE_LARGEST:
        for (int64_t i = 0; i < columns; i++) {
            press(PRESS_ENTER);
            if (strncmp(walker.state.message, "Right", 5) == 0) return;
            press('Y');
            for (int64_t k = 0; k <= i; k++) press(PRESS_RIGHT);
        }
        break;
    case CHALLENGE_PRINTS: // those that have a test each
        press('n');
        tell(&walker.state, "Right: ");
    }
}

START_TEST(every_question_is_asked_and_can_be_answered) {
    const struct recap *recap = lesson_table[_i]->source->recap;
    for (int i = 0; i < recap->challenge_count; i++) {
        const struct challenge *challenge = &recap->challenges[i];
        walk_to(lesson_table[_i]->name, challenge->step);
        ck_assert_ptr_eq(asked_challenge(&walker), challenge);
        answer_rightly(challenge);
        ck_assert_msg(strncmp(walker.state.message, "Right: ", 7) == 0, "%s, %s: %s",
                      lesson_table[_i]->name, challenge->step, walker.state.message);
    }
}
END_TEST

// Not more than five screens in a row without one, and three lines or more; none before the first lesson, which is for those
// who have not written any.
START_TEST(something_is_asked_every_few_screens) {
    enum { MOST_IN_A_ROW = 5, FEWEST_LINES = 3 };
    start(_i);
    walker.state.asks_nothing = false;
    const struct recap *recap = lesson_table[_i]->source->recap;
    int lines = 0;
    for (int i = 0; i < recap->challenge_count; i++)
        lines += recap->challenges[i].kind == CHALLENGE_LINE;
    ck_assert_msg(lines >= FEWEST_LINES || lesson_table[_i]->is_before_first,
                  "%s asks for %d lines", lesson_table[_i]->name, lines);
    for (int in_a_row = 1; in_a_row <= MOST_IN_A_ROW + 1; in_a_row++) {
        press('n');
        if (view_on_top() == VIEW_SUMMARY) return;
        if (view_on_top() == VIEW_CHALLENGE) in_a_row = 0, press('n');
        ck_assert_msg(in_a_row <= MOST_IN_A_ROW, "%s, step %d: %d screens without a question",
                      lesson_table[_i]->name, walker.state.step + 1, in_a_row);
    }
}
END_TEST

Suite *challenge_suite(void) {
    Suite *suite = suite_create("challenge");
    TCase *tests = add_case(suite, "challenge", walk_set_up, walk_tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, hides_the_numbers_and_the_line);
    tcase_add_test(tests, gives_hints_one_by_one);
    tcase_add_test(tests, takes_a_right_line_and_takes_it_back);
    tcase_add_test(tests, shows_what_a_wrong_line_computes);
    tcase_add_test(tests, a_score_that_is_not_masked_is_wrong);
    tcase_add_test(tests, asks_for_the_line_that_makes_the_tensor);
    tcase_add_test(tests, a_shape_is_not_given_away);
    tcase_add_loop_test(tests, names_the_mistake_of_a_wrong_line, 0,
                        sizeof mistaken / sizeof *mistaken);
    tcase_add_test(tests, no_mistake_is_searched_by_training);
    tcase_add_test(tests, names_a_mistake_whose_numbers_are_right_here);
    tcase_add_loop_test(tests, says_with_which_size_a_line_is_not_right, 0,
                        sizeof right_here / sizeof *right_here);
    tcase_add_test(tests, a_steps_name_that_pytorch_lacks_is_explained);
    tcase_add_test(tests, says_why_a_line_has_no_numbers);
    tcase_add_test(tests, a_line_with_keywords_is_no_number);
    tcase_add_test(tests, copied_numbers_are_no_line);
    tcase_add_test(tests, judges_what_is_chosen_or_typed);
    tcase_add_test(tests, a_sign_is_a_key);
    tcase_add_test(tests, can_be_switched_off);
    tcase_add_test(tests, a_changed_lesson_asks_nothing);
    tcase_add_loop_test(tests, every_question_is_asked_and_can_be_answered, 0, lesson_count);
    tcase_add_loop_test(tests, something_is_asked_every_few_screens, 0, lesson_count);
    return suite;
}
