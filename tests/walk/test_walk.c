// The walker as a whole, without a screen: keys in, canvases out.

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "lesson.h"
#include "lessons.h"
#include "trace/run/step.h"
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
    for (int i = 0; i < mistake_total; i++) {
        if (effect_in(&walker.trial, i)->why == NULL) check_found(mistake_table[i].title);
    }
    check_found("Set d_out");
    const struct run *course = course_runs(&walker);
    for (int i = 0; i < lesson_count; i++) {
        for (int step = 0; step < course[i].step_count; step += 5) {
            char label[64];
            snprintf(label, sizeof label, "%s", step_label(&frame, &course[i].steps[step]));
            check_found(label);
        }
    }
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

// By its name or by a word of its text, with Enter. With other settings, the lesson may lack it.
START_TEST(the_palette_goes_to_steps_of_other_lessons) {
    start_in("training", "losses");
    type(":contiguous");
    expect(" 6.28 context_contiguous");
    press(PRESS_ENTER);
    expect("6 Multi-head attention with split heads");
    expect("step 28/35  context_contiguous");
    type(":divide each row by its sum");
    press(PRESS_ENTER);
    expect("step 12/19  renormalized");
    run_again(&walker, &(struct parameters){.given = USES_HEADS, .heads = 1}, &walker.what_ifs);
    type(":head 2: scores");
    press(PRESS_ENTER);
    expect("With what you changed, this lesson has no step head 2: scores.");
}
END_TEST

START_TEST(a_key_that_does_nothing_says_what_would) {
    start_in("causal", "scores");
    type("R");
    expect("R does nothing. ? lists the keys, : finds anything.");
    type("o");
    expect("o does nothing here; elsewhere: out again");
    type("p");
    expect("The lesson's lines in C. p shows PyTorch again.");
    type("xc"); // compares among the mistakes, too
    expect("Nothing to compare: these are the course's numbers.");
}
END_TEST

START_TEST(runs_again_at_the_same_place) {
    start_in("causal", "queries");
    to_first_cell();
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
    ck_assert_int_eq(walker.state.visits[lesson_number("simplified")].guesses, 2);
    ck_assert_int_eq(walker.state.visits[lesson_number("simplified")].good_guesses, 1);
    press('r');
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
}
END_TEST

// At 80x24 the operands that the step shows stay in sight while its numbers are hidden, and the two lines that say what to do.
START_TEST(estimating_keeps_its_operands) {
    start(_i);
    for (int step = 0; step < walker.trial.run.step_count; step++) {
        go_to_step(&walker.state, &walker.trial.run, step);
        draw(24, 80);
        const int shown_before = walker.shown.count;
        press('e');
        const struct canvas canvas = draw(24, 80);
        const char *text = collapsed(all_text(&canvas));
        const bool had_difference = walker.trial.run.steps[step].beside != NULL; // it would tell
        ck_assert_msg(walker.shown.count >= shown_before - had_difference, "%s", text);
        ck_assert_msg(strstr(text, "r shows all.") != NULL, "%s", text);
        press(PRESS_ESCAPE);
    }
}
END_TEST

static void estimate_as(const char *text, const char *verdict) {
    type(text);
    press(PRESS_ENTER);
    expect(verdict);
}

// What agrees in all digits on screen is right; what a generator draws can only be shown.
START_TEST(judges_an_estimate_by_the_digits_on_screen) {
    start_in("simplified", "query_scores");
    press(PRESS_HOME);
    press('e');
    estimate_as("0.9544", "Right, it is 0.9544. (1 of 1 close in this lesson)"); // 0.9544 and more
    press(PRESS_RIGHT);
    estimate_as("1.5", "It is 1.4950: 0.0050 off, that is close. (2 of 2 close in this lesson)");
    start_in("causal", "W_query");
    press('e');
    expect_words("These numbers are drawn at random, so no one can estimate them.");
}
END_TEST

// True and False are answered in words and judged so; -inf has to be met.
START_TEST(booleans_and_masked_scores_are_estimated) {
    start_in("causal", "mask_bool");
    press(PRESS_HOME);
    for (int i = 0; i < 6; i++) press(PRESS_UP);
    press('e');
    expect("Is this cell True or False? Type t or f");
    estimate_as("t", "No, it is False. (0 of 1 right in this lesson)");
    press(PRESS_RIGHT);
    estimate_as("True", "Yes, it is True. (1 of 2 right in this lesson)");
    press(PRESS_RIGHT);
    estimate_as("0.5", "This cell is True or False. Type t or f.");
    press(' ');
    expect("These cells are True or False. Type t or f.");
    expect_none(" off");
    start_in("causal", "masked_scores");
    press(PRESS_HOME);
    for (int i = 0; i < 6; i++) press(PRESS_UP);
    type("e");
    expect("scores (6, 6) ");
    expect("mask_bool (6, 6)");
    estimate_as("-inf", "It is 0.2899: not masked. (0 of 1 close");
    press(PRESS_RIGHT);
    estimate_as("-inf", "Yes, it is -inf. (1 of 2 close");
    press(PRESS_RIGHT);
    estimate_as("0.1", "It is -inf: a masked score. (1 of 3 close");
}
END_TEST

// At the finest the number is there with its last term, and not before.
START_TEST(goes_term_by_term) {
    start_in("causal", "scores");
    type("iii");
    ck_assert_int_eq(walker.state.grain, GRAIN_TERM);
    expect("moment 1/36, term 1/2");
    expect("scores[Your, Your]: 0.6600·0.3147 = 0.2077, the sum so far");
    expect("Product and sum are rounded together, once a term");
    type("n");
    expect("term 2/2");
    expect("scores[Your, Your]: 0.2077 + (-0.2047)·(-0.4016) = 0.2899");
    type("n");
    expect("moment 2/36, term 1/2");
    type("b");
    expect("moment 1/36, term 2/2");
    type("bn");
    press(PRESS_RIGHT);
    expect("This cell is not computed yet.");
    type("no");
    ck_assert_int_eq(walker.state.grain, GRAIN_CELL);
    type("oo");
    ck_assert_int_eq(walker.state.grain, GRAIN_STEP);
}
END_TEST

// From the first term of a lesson to its last: each brings a frame whose running sum is the cell's number where
// the cell is done, and where it is not, the cell is a dot.
START_TEST(walks_all_terms_of_a_lesson) {
    start_in("causal", "queries");
    type("iii");
    int terms = 0, cells = 0;
    for (int step = 0; step < walker.trial.run.step_count;) {
        const struct cell cell = current_cell(&walker.state, &walker.trial.run);
        const struct canvas canvas = draw(24, 80);
        const char *text = all_text(&canvas), *line = strstr(text, ", term ");
        const char *number = number_in_arithmetic(&frame, cell_value(&cell), 4);
        int term = 0, count = 0;
        ck_assert_msg(line != NULL && sscanf(line, ", term %d/%d", &term, &count) == 2, "%s", text);
        const char *sum = strstr(collapsed(text), arena_format(&frame, " = %s ", number));
        if (count > 1 && term == count) ck_assert_msg(sum != NULL, "%s", text);
        const char *there = row_text(&canvas, canvas.cursor_row, canvas.cursor_column);
        if (count > 1)
            ck_assert_msg((strncmp(there, "·", strlen("·")) == 0) == (term < count), "%s", text);
        terms += count > 1;
        cells += count > 1 && term == count;
        const struct state before = walker.state;
        press('n');
        step = walker.state.step;
        if (memcmp(&before, &walker.state, sizeof before) == 0) break;
    }
    ck_assert_int_eq(cells, 3 * 12 + 36 + 12);
    ck_assert_int_eq(terms, 3 * 12 * 3 + 36 * 2 + 12 * 6);
}
END_TEST

// "2 2 6 1".
static const char *sizes_typed(const struct tensor *tensor) {
    struct text text = text_new(&frame);
    text_add(&text, tensor->ndim == 0 ? "()" : "");
    for (int dim = 0; dim < tensor->ndim; dim++)
        text_add_format(&text, "%s%d", dim > 0 ? " " : "", (int)tensor->shape[dim]);
    return text.bytes;
}

// Says the sizes of the step that is asked for, from where nothing tells them; or wrong ones.
static void answer_sizes(bool is_right) {
    const struct step *step = current_step(&walker.state, &walker.trial.run);
    const struct tensor *tensor = &step->tensor;
    const struct canvas canvas = draw(60, 200);
    const char *text = all_text(&canvas),
               *name = arena_format(&frame, "Which sizes will %s have?", step->name);
    ck_assert_msg(strstr(text, name) != NULL, "%s", text);
    ck_assert(strstr(text, arena_format(&frame, "%s %s", shape_text(&frame, shape_of(tensor)),
                                        axes_text(&frame, tensor))) == NULL);
    ck_assert(strstr(text, "▼") == NULL); // nor does a map
    type(is_right ? sizes_typed(tensor) : "7 7 7 7");
    press(PRESS_ENTER);
    const char *start = walker.state.message;
    const char *wanted = arena_format(&frame, "%s %s", is_right ? "Yes," : "No, it is",
                                      shape_text(&frame, shape_of(tensor)));
    ck_assert_msg(strncmp(start, wanted, strlen(wanted)) == 0, "%s: %s", step->name, start);
    ck_assert_msg(start[strlen(start) - 1] == '.' && strstr(start, "from ") != NULL, "%s", start);
}

// In every lesson: on each screen but the first the sizes are asked for once, and never where they are in sight.
START_TEST(asks_for_the_sizes_of_every_step) {
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        for (int is_right = 0; is_right < 2; is_right++) {
            walker_free(&walker);
            start(lesson);
            press('e');
            expect("Estimate, then look");
            const struct run *run = &walker.trial.run;
            int asked = 1;
            for (;; asked++) {
                const int step = walker.state.step;
                press('n');
                if (walker.state.step == step) break;
                answer_sizes(is_right);
                expect("Estimate, then look");
            }
            press('b');
            expect("Estimate, then look");
            int stops = 0;
            for (int step = 0; step < run->step_count; stops++) {
                const struct stop stop = stop_at(run, step);
                step = stop.first + stop.count;
            }
            ck_assert_int_eq(asked, stops);
        }
    }
}
END_TEST

START_TEST(sizes_can_be_told_and_left) {
    start_in("causal", "queries");
    type("en");
    type("x");
    expect("Type the sizes first, or press r to see them.");
    press(PRESS_ENTER);
    type("six");
    press(PRESS_ENTER);
    expect("These are not sizes. Type them like 6 2 or (6, 2), or () for one number.");
    type("r");
    expect("It is (6, 6), from matmul of (6, 2) and (2, 6): (..., n, k) and (..., k, m)");
    ck_assert_int_eq(walker.state.visits[2].guesses, 0);
    type("n(");
    expect("weights: (");
    press(PRESS_ESCAPE);
    press(PRESS_ESCAPE);
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
}
END_TEST

// What was looked at once is hidden no more.
START_TEST(what_was_revealed_stays_open) {
    start_in("simplified", "weights");
    type("e0.2");
    press(PRESS_ENTER);
    press(PRESS_RIGHT);
    type("0.2");
    press(PRESS_ENTER);
    type("nb");
    const struct canvas canvas = draw(24, 80);
    const char *text = all_text(&canvas);
    ck_assert_msg(strstr(text, "0.2098") != NULL && strstr(text, "0.2006") != NULL, "%s", text);
}
END_TEST

START_TEST(finds_steps_by_their_words) {
    start(lesson_number("simplified"));
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

// The first page of the help has these words, and not those of the second.
static void check_first_page(int rows, int columns, const char *const *words, size_t count) {
    const struct canvas canvas = draw(rows, columns);
    const char *text = collapsed(all_text(&canvas));
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(strstr(text, words[i]) != NULL, "'%s' is not in %s", words[i], text);
    ck_assert_ptr_nonnull(strstr(text, "page 1 of "));
    ck_assert_ptr_null(strstr(text, "From step to step"));
}

// The first page has the keys that matter, at 80x24 all of them, and says how it is left.
START_TEST(the_help_begins_with_one_page) {
    static const char *const words[] = {"n Space next step",
                                        "b Backspace previous step",
                                        "← ↑ ↓ → to another number",
                                        "Enter w where did this number come from?",
                                        "i + into the step",
                                        "x make one of the classic mistakes",
                                        "L Tab list of lessons and steps",
                                        "q leave onestep",
                                        "Esc or ? leaves this help.",
                                        "Space or n turns the page, b turns back."};
    start_in("causal", "scores");
    press('?');
    check_first_page(24, 80, words, sizeof words / sizeof *words);
}
END_TEST

// The smallest screen, too, has the keys that matter most on the first page, a row each.
START_TEST(the_help_of_a_small_screen_begins_with_the_keys) {
    static const char *const words[] = {
        "n Space next",       "b Backspace back", "← ↑ ↓ → another number",
        "Enter w where from", "i + into",         "x mistakes",
        "L Tab list",         "q quit",           "Esc leaves this help, Space turns pages."};
    start_in("causal", "scores");
    press('?');
    check_first_page(LEAST_ROWS, LEAST_COLUMNS, words, sizeof words / sizeof *words);
    check_first_page(23, 80, words, sizeof words / sizeof *words);
}
END_TEST

// Space and n turn its pages, b turns back.
START_TEST(the_help_is_turned_page_by_page) {
    start_in("causal", "scores");
    press('?');
    for (int page = 1; page < 12; page++) {
        expect(arena_format(&walker.words, " page %d of ", page));
        press(page % 2 ? 'n' : ' ');
    }
    for (int page = 12; page > 1; page--) {
        expect(arena_format(&walker.words, " page %d of ", page));
        press('b');
    }
    for (int i = 0; i < 100; i++) press('n');
    const struct canvas last = draw(24, 80);
    int number = 0, count = 1;
    const char *place = strstr(row_text(&last, 0, 0), "page ");
    ck_assert(place != NULL && sscanf(place, "page %d of %d", &number, &count) == 2);
    ck_assert_int_eq(number, count);
    press('?');
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
    type("tn");
    ck_assert_int_eq(view_on_top(), VIEW_READ);
}
END_TEST

// All that the table of keys explains stands in it, whatever view it is asked in.
START_TEST(the_help_explains_every_key) {
    static const char *const ways[] = {"", "x", "v", "i"};
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        start_in("causal", "scores");
        type(ways[way]);
        press('?');
        struct arena kept = arena_new(&failure);
        struct text pages = text_new(&kept);
        for (int page = 0; page < 30; page++) {
            const struct canvas canvas = draw(24, 80);
            for (int row = 1; row < 23; row++)
                text_add_format(&pages, "%s\n", row_text(&canvas, row, 0));
            press('n');
        }
        const char *text = collapsed(pages.bytes);
        for (int i = 0; i < binding_count; i++) {
            const char *help = collapsed(bindings[i].help);
            ck_assert_msg(strstr(text, help) != NULL, "'%s' is not in the help", help);
        }
        arena_free(&kept);
    }
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
    TCase *tests = add_case(suite, "walk", walk_set_up, walk_tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, the_palette_finds_everything);
    tcase_add_test(tests, the_palette_goes_to_steps_of_other_lessons);
    tcase_add_test(tests, a_key_that_does_nothing_says_what_would);
    tcase_add_test(tests, runs_again_at_the_same_place);
    tcase_add_test(tests, refuses_what_cannot_be_in_place);
    tcase_add_test(tests, edits_the_input);
    tcase_add_test(tests, hides_numbers_to_be_guessed);
    tcase_add_loop_test(tests, estimating_keeps_its_operands, 0, lesson_count);
    tcase_add_test(tests, judges_an_estimate_by_the_digits_on_screen);
    tcase_add_test(tests, booleans_and_masked_scores_are_estimated);
    tcase_add_test(tests, goes_term_by_term);
    tcase_add_test(tests, walks_all_terms_of_a_lesson);
    tcase_add_test(tests, asks_for_the_sizes_of_every_step);
    tcase_add_test(tests, sizes_can_be_told_and_left);
    tcase_add_test(tests, what_was_revealed_stays_open);
    tcase_add_test(tests, finds_steps_by_their_words);
    tcase_add_test(tests, the_help_begins_with_one_page);
    tcase_add_test(tests, the_help_of_a_small_screen_begins_with_the_keys);
    tcase_add_test(tests, the_help_is_turned_page_by_page);
    tcase_add_test(tests, the_help_explains_every_key);
    tcase_add_test(tests, the_help_has_a_cheat_sheet);
    return suite;
}
