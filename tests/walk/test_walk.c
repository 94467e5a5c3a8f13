// The walker as a whole, without a screen: keys in, canvases out.

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "lessons.h"
#include "trace/step.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

// Each action, step, lesson, mistake and setting is found by its name.
static void check_found(const char *name) {
    type(":");
    for (const char *next = name; *next != '\0';) press(utf8_next(&next));
    const struct canvas canvas = draw(60, 200);
    const char *text = all_text(&canvas);
    ck_assert_msg(strstr(text, " 0 found") == NULL, "%s", text);
    ck_assert_ptr_nonnull(strstr(text + 200, name));
    press(PRESS_ESCAPE);
}

START_TEST(the_palette_finds_everything) {
    start_in("causal", "scores");
    const struct run *run = &walker.trial.run;
    for (int i = 0; i < binding_count; i++) {
        if (bindings[i].views & VIEW_STEP && bindings[i].keys[0] < PRESS_CLICK &&
            bindings[i].action != ACT_PALETTE && strlen(bindings[i].help) < 60)
            check_found(bindings[i].help);
    }
    for (int i = 0; i < run->step_count; i++) check_found(run->steps[i].name);
    for (int i = 0; i < lesson_count; i++) check_found(lesson_table[i]->title);
    for (int i = 0; i < MISTAKE_COUNT; i++) {
        if (effect_in(&walker.trial, i)->why == NULL) check_found(mistake_table[i].title);
    }
    check_found("Set d_out");
    type(":causal_weights");
    press(PRESS_ENTER);
    expect("step 17/19");
    type(":mask-zero");
    press(PRESS_ENTER);
    expect("CHANGED: what if mask-zero");
    type(":undo");
    press(PRESS_ENTER);
    expect("Back to the course's numbers.");
    type(":d_out set");
    press(PRESS_ENTER);
    ck_assert_int_eq(view_on_top(), VIEW_SETTINGS);
}
END_TEST

START_TEST(a_key_that_does_nothing_says_what_would) {
    start_in("causal", "scores");
    type("Q");
    expect("Q does nothing. ? lists the keys, : finds anything.");
    type("o");
    expect("o does nothing here; elsewhere: out again");
}
END_TEST

START_TEST(runs_again_at_the_same_place) {
    start_in("causal", "queries");
    type("jl");
    press('s');
    press(PRESS_RIGHT);
    expect("CHANGED: seed 790");
    press(PRESS_ESCAPE);
    ck_assert_str_eq(current_step(&walker.state, &walker.trial.run)->name, "queries");
    ck_assert_int_eq(walker.state.row, 1);
    ck_assert_int_eq(walker.state.column, 1);
    press('c');
    expect("in the course");
    press('u');
    expect("Back to the course's numbers");
    ck_assert_uint_eq(walker.trial.run.parameters.given, 0);
}
END_TEST

START_TEST(refuses_what_cannot_be_in_place) {
    start_in("causal", "queries");
    press('s');
    press(PRESS_DOWN);
    press(PRESS_ENTER);
    type("0");
    press(PRESS_ENTER);
    expect("d_out takes a whole number, 1 ... 64, not '0'");
    ck_assert_uint_eq(walker.trial.run.parameters.given, 0);
}
END_TEST

START_TEST(edits_the_input) {
    start_in("simplified", "inputs");
    press('=');
    type("0.5");
    press(PRESS_ENTER);
    press('0');
    expect("inputs[Your, d1] = 0.5000");
    press('u');
    press('0');
    expect("inputs[Your, d1] = 0.4300");
    type("nn=");
    ck_assert_int_eq(view_on_top(), VIEW_INPUT);
}
END_TEST

START_TEST(hides_numbers_to_be_guessed) {
    start_in("simplified", "weights");
    press('e');
    expect("weights[Your, Your] = ?");
    type("0.2");
    press(PRESS_ENTER);
    expect("It is 0.2098: 0.0098 off");
    press(PRESS_RIGHT);
    press(' ');
    expect("No: the largest is Your, 0.2098");
    ck_assert_int_eq(walker.state.visits[0].guesses, 2);
    ck_assert_int_eq(walker.state.visits[0].good_guesses, 1);
    press('r');
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
}
END_TEST

START_TEST(finds_steps_by_their_words) {
    start(0);
    press('/');
    type("NORMALIZ");
    press(PRESS_ENTER);
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
    const struct step *found = current_step(&walker.state, &walker.trial.run);
    const char *text = arena_format(&frame, "%s %s %s", found->paragraph->title,
                                    found->paragraph->explanation, found->excerpt->text);
    ck_assert_msg(strstr(text, "ormaliz") != NULL, "%s", text);
}
END_TEST

START_TEST(the_help_has_a_cheat_sheet) {
    start_in("split_head", "scores");
    press('?');
    expect("f formulas");
    press('f');
    expect("softmax(Q Kᵀ / √d_k) V");
    const char *const later[] = {"Shapes: split_head", "queries_by_head", "(2, 2, 6, 1)",
                                 "masked_fill", "view size is not compatible"};
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) expect_at(300, 80, later[i]);
    press(PRESS_ESCAPE);
    expect("f formulas");
}
END_TEST

Suite *walk_suite(void) {
    Suite *suite = suite_create("walk");
    TCase *tests = tcase_create("walk");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, walk_set_up, walk_tear_down);
    tcase_add_test(tests, the_palette_finds_everything);
    tcase_add_test(tests, a_key_that_does_nothing_says_what_would);
    tcase_add_test(tests, runs_again_at_the_same_place);
    tcase_add_test(tests, refuses_what_cannot_be_in_place);
    tcase_add_test(tests, edits_the_input);
    tcase_add_test(tests, hides_numbers_to_be_guessed);
    tcase_add_test(tests, finds_steps_by_their_words);
    tcase_add_test(tests, the_help_has_a_cheat_sheet);
    suite_add_tcase(suite, tests);
    return suite;
}
