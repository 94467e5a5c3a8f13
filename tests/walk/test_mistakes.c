// Mistakes made in the walker.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "lesson.h"
#include "lessons.h"
#include "sample.h"
#include "script/lesson/interpreter.h"
#include "trace/run/step.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

// The chosen line: a mistake by its number, or MOST_MISTAKES for the line behind which are those that change nothing.
static int chosen_mistake(void) {
    const struct open_view *top = top_view(&walker);
    ck_assert_int_eq(top->view->bit, VIEW_MISTAKES);
    return *(const int *)((const char *)top->view_state + top->view->chosen_at);
}

// Opens the list of mistakes and goes to one of them, with Enter where it is folded away.
static void choose_mistake(const char *name) {
    press('x');
    const int wanted = mistake_number(find_mistake(name));
    for (int i = 0; i < mistake_total; i++) press(PRESS_UP);
    for (int i = 0; i <= mistake_total && chosen_mistake() != wanted; i++) {
        if (chosen_mistake() == MOST_MISTAKES) press(PRESS_ENTER);
        press(PRESS_DOWN);
    }
    ck_assert_int_eq(chosen_mistake(), wanted);
}

// In every lesson, at every third step: those made at this step, then the others that change something, of both the
// lesson's own first, then a line that tells how many do not and opens their reasons.
START_TEST(lists_first_what_is_made_here) {
    start_briefly(_i, NULL, &(struct what_ifs){0});
    for (int step = 0; step < walker.trial.run.step_count; step += 3) {
        go_to_step(&walker.state, &walker.trial.run, step);
        press('x');
        int lines = 0, idle = 0;
        bool is_behind = false,
             is_general = false; // those that are made here, those of this lesson
        for (int i = 0; i < mistake_total; i++) idle += effect_in(&walker.trial, i)->why != NULL;
        for (; chosen_mistake() != MOST_MISTAKES; lines++) {
            const int mistake = chosen_mistake();
            ck_assert_ptr_null(effect_in(&walker.trial, mistake)->why);
            ck_assert(!is_made_at(&walker.trial, mistake, step) || !is_behind);
            if (is_behind != !is_made_at(&walker.trial, mistake, step)) is_general = false;
            is_behind = !is_made_at(&walker.trial, mistake, step);
            ck_assert(!mistake_table[mistake].is_of_one_lesson || !is_general);
            is_general = !mistake_table[mistake].is_of_one_lesson;
            press(PRESS_DOWN);
        }
        ck_assert_int_eq(lines + idle, mistake_total);
        press(PRESS_ESCAPE);
    }
    if (_i > 2) return;
    press('x');
    for (int i = 0; i < mistake_total; i++) press(PRESS_DOWN);
    expect(" more change nothing here (Enter shows why)");
    press(PRESS_ENTER);
    for (int i = 0; i < mistake_total; i++) {
        const int mistake = chosen_mistake();
        press(PRESS_DOWN);
        if (chosen_mistake() == mistake) break;
        const struct canvas canvas = draw(24, 80);
        const char *text = collapsed(all_text(&canvas));
        ck_assert_ptr_nonnull(strstr(text, effect_in(&walker.trial, chosen_mistake())->why));
        ck_assert_ptr_nonnull(strstr(text, " changes nothing here: "));
    }
}
END_TEST

// What it says of a mistake that would be made alone is what is so when it is made.
START_TEST(knows_where_a_mistake_would_be_made) {
    static const char *const names[] = {"no-scale", "mask-zero", "softmax-columns", "wrong-seed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int mistake = mistake_number(find_mistake(names[i]));
        struct what_ifs what_ifs = {0};
        what_ifs.made[mistake] = true;
        start_at(lesson_number("causal"), NULL, &what_ifs);
        for (int step = 0; step < walker.trial.run.step_count; step++)
            ck_assert(is_made_at(&walker.trial, mistake, step) == is_mistaken(&walker.trial, step));
    }
}
END_TEST

// A formula that no longer says what is computed is not left alone: the mistake stands behind it.
START_TEST(a_formula_says_what_is_computed) {
    struct what_ifs what_ifs = {0};
    what_ifs.made[mistake_number(find_mistake("no-scale"))] = true;
    start_at(lesson_number("causal"), NULL, &what_ifs);
    const struct run *run = &walker.trial.run;
    for (int i = 0; i < run->step_count; i++) {
        const char *behind = ". With the mistake: Scores not divided by √d_k";
        char wanted[160];
        snprintf(wanted, sizeof wanted, "%s%s", run->steps[i].formula,
                 walker.trial.touched[i] ? behind : "");
        ck_assert_str_eq(formula_text(&frame, &walker.trial, &run->steps[i]), wanted);
        go_to_step(&walker.state, run, i);
        if (strlen(wanted) < 76) expect(wanted);
    }
}
END_TEST

// Of two mistakes a step's formula names the one that changes it, and both where both do.
START_TEST(a_formula_names_the_mistakes_that_change_its_step) {
    struct what_ifs what_ifs = {0};
    what_ifs.made[mistake_number(find_mistake("no-scale"))] = true;
    what_ifs.made[mistake_number(find_mistake("mask-zero"))] = true;
    start_at(lesson_number("causal"), NULL, &what_ifs);
    const struct trial *trial = &walker.trial;
    static const char *const steps[] = {"weights", "masked_scores", "causal_weights"};
    static const char *const behind[] = {
        ". With the mistake: Scores not divided by √d_k",
        ". With the mistake: Masked scores set to 0 instead of -∞",
        ". With the mistakes: Scores not divided by √d_k; Masked scores set to 0 instead of -∞"};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct step *step = step_called(&trial->run, steps[i]);
        ck_assert_ptr_nonnull(step);
        ck_assert_str_eq(formula_text(&frame, trial, step),
                         arena_format(&frame, "%s%s", step->formula, behind[i]));
    }
}
END_TEST

START_TEST(makes_mistakes_where_it_stands) {
    start_in("causal", "causal_weights");
    to_first_cell();
    type("jj");
    choose_mistake("mask-zero");
    expect("[ ]   Masked scores set to 0 instead of -∞");
    expect("What goes wrong: e^0 is 1");
    expect("In PyTorch: scores.masked_fill(mask, 0)");
    expect("changes 5 of 19 steps, from step 15 (masked_scores) on.");
    press(PRESS_ENTER);
    expect("[x]   Masked scores set to 0 instead of -∞");
    expect("CHANGED: what if mask-zero.");
    press(PRESS_ESCAPE);
    ck_assert_str_eq(current_step(&walker.state, &walker.trial.run)->name, "causal_weights");
    ck_assert_int_eq(walker.state.row, 2);
    press('u');
    expect("Back to the course's numbers");
    expect_none("CHANGED");
    ck_assert_ptr_null(walker.trial.right);
}
END_TEST

// A larger screen shows more of the matrix, not more blank rows of the list.
START_TEST(a_tall_screen_has_all_rows_of_the_matrix) {
    start_in("causal", "scores");
    press('x');
    (void)draw(75, 160);
    ck_assert_int_eq(focused_page()->raster.rows, 6);
}
END_TEST

// Before the numbers of a mistake are in sight, one of them is asked for: at this step or at the first that is another one.
START_TEST(asks_what_a_mistake_will_do) {
    start_in("simplified", "weights");
    walker.state.asks_nothing = false;
    choose_mistake("softmax-columns");
    press(PRESS_ENTER);
    expect_words(
        "Made: Softmax down the columns. What is weights now? Without the mistake it is 0.2006.");
    expect("weights[Your, journey] = ?");
    type("0.1");
    press(PRESS_ENTER);
    expect("It is 0.1385: 0.0385 off.");
    press('r');
    expect("weights[Your, journey] = 0.1385, right 0.2006");
    press('u');
    go_to_step(&walker.state, &walker.trial.run, 0);
    choose_mistake("softmax-columns");
    press(PRESS_ENTER);
    expect_words("What is weights now?");
    press(PRESS_ESCAPE);
    expect("step 8/11");
    press('u');
    walker.state.asks_nothing = true;
    choose_mistake("softmax-columns");
    press(PRESS_ENTER);
    ck_assert_int_ne(chosen_mistake(), MOST_MISTAKES); // the list is still open
}
END_TEST

START_TEST(makes_several_mistakes) {
    start_in("causal", "causal_weights");
    choose_mistake("no-scale");
    press(' ');
    press(PRESS_ESCAPE);
    choose_mistake("mask-diagonal");
    press(' ');
    ck_assert_int_eq(walker.trial.mistake_count, 2);
    expect("what if no-scale, what if mask-diag");
    press(PRESS_ENTER);
    ck_assert_int_eq(walker.trial.mistake_count, 1);
    press('n');
    ck_assert_int_eq(view_on_top(), VIEW_MISTAKES);
    ck_assert_str_eq(current_step(&walker.state, &walker.trial.run)->name, "difference");
    press('u');
    ck_assert_int_eq(walker.trial.mistake_count, 0);
}
END_TEST

START_TEST(says_why_a_mistake_changes_nothing) {
    start_in("split_head", "weights");
    choose_mistake("no-scale");
    expect("[ ] = Scores not divided by √d_k");
    expect("no-scale changes nothing here: d_k is 1, and √1 is 1.");
    press(PRESS_ENTER);
    expect("[x] = Scores not divided by √d_k");
    expect("CHANGED: what if no-scale (changes nothing here)");
    expect_none("≠");
}
END_TEST

START_TEST(says_at_the_start_that_a_mistake_changes_nothing) {
    struct what_ifs what_ifs = {0};
    what_ifs.made[mistake_number(find_mistake("no-scale"))] = true;
    start_at(lesson_number("split_head"), "weights", &what_ifs);
    expect("no-scale changes nothing here: d_k is 1, and √1 is 1.");
    press('n');
    expect_none("changes nothing here: d_k");
}
END_TEST

START_TEST(shows_wrong_and_right) {
    start_in("causal", "causal_weights");
    to_first_cell();
    choose_mistake("no-scale");
    press(PRESS_ENTER);
    press(PRESS_ESCAPE);
    press(PRESS_DOWN);
    expect("≠0.5728");
    expect("causal_weights[journey, Your] = 0.5728, right 0.5517, difference 0.0211");
    expect_at(40, 120, " without the mistake");
    expect_at(40, 120, "≠0.5728 ≠0.4272");
    expect_at(40, 120, " 0.5517  0.4483");
    expect_at(40, 200, " difference");
    expect_at(40, 200, " 0.0211  -0.0211");
    const struct canvas canvas = draw(40, 200);
    check_cursor(&canvas);
}
END_TEST

START_TEST(marks_the_steps_that_a_mistake_changes) {
    start_in("causal", "masked_scores");
    choose_mistake("mask-zero");
    press(PRESS_ENTER);
    press(PRESS_ESCAPE);
    expect("│○○○○│○○◆≠≠≠≠");
    press(PRESS_TAB);
    expect("  ≠ ● 15 masked_scores");
    expect("    ○ 14 mask_bool");
}
END_TEST

// All pairs of a lesson and a mistake among the slow tests, every 61st among the quick ones.
static bool is_taken(int lesson, int mistake) {
    return (lesson * mistake_total + mistake) % one_in(61) == 0;
}

// Every mistake in every lesson: each step shows its numbers, marked where they are others.
// Where a mistake is made, its line stands beside the right one; where only its consequences show, it does
// not. The first step that a mistake changes is one where it is made.
START_TEST(the_wrong_line_stands_where_the_mistake_is_made) {
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        for (int mistake = 0; mistake < mistake_total; mistake++) {
            if (!is_taken(lesson, mistake)) continue;
            struct what_ifs what_ifs = {0};
            what_ifs.made[mistake] = true;
            start_briefly(lesson, NULL, &what_ifs);
            const bool *touched = walker.trial.touched;
            bool is_first = true;
            for (int i = 0; i < walker.trial.run.step_count; i++) {
                if (!touched[i]) continue;
                const bool is_made_here = is_mistaken(&walker.trial, i);
                ck_assert_msg(is_made_here || !is_first, "%s is not made at %s",
                              mistake_table[mistake].name, walker.trial.run.steps[i].name);
                is_first = false;
                go_to_step(&walker.state, &walker.trial.run, i);
                const struct canvas canvas = draw(24, 80);
                ck_assert((strstr(all_text(&canvas), "≠ wrong  ") != NULL) == is_made_here);
            }
            walker_free(&walker);
        }
    }
    start(lesson_number("simplified"));
}
END_TEST

START_TEST(every_mistake_shows_on_every_step) {
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        for (int mistake = 0; mistake < mistake_total; mistake++) {
            if (!is_taken(lesson, mistake)) continue;
            start_briefly(lesson, NULL, &(struct what_ifs){0});
            choose_mistake(mistake_table[mistake].name);
            press(PRESS_ENTER);
            press(PRESS_ESCAPE);
            const bool *touched = walker.trial.touched;
            for (int i = 0; i < walker.trial.run.step_count; i++) {
                go_to_step(&walker.state, &walker.trial.run, i);
                const struct canvas wide = draw(40, 120);
                const char *text = all_text(&wide);
                const bool stands_beside = strstr(text, " without the mistake") != NULL;
                ck_assert_msg(stands_beside == touched[i], "%s, %s, step %d",
                              lesson_table[lesson]->name, mistake_table[mistake].name, i + 1);
                check_cursor(&wide);
                check_cell_line();
            }
            walker_free(&walker);
        }
    }
    start(lesson_number("simplified"));
}
END_TEST

// The mistake adds rows to what the lesson recorded: no word says what they are, and all is drawn.
START_TEST(rows_that_a_mistake_adds_are_numbered) {
    struct what_ifs what_ifs = {0};
    what_ifs.made[mistake_number(find_mistake("cache-not-cleared"))] = true;
    start_at(lesson_number("cache"), NULL, &what_ifs);
    for (int step = 0; step < walker.trial.run.step_count; step++) {
        go_to_step(&walker.state, &walker.trial.run, step);
        (void)draw(24, 80);
    }
    go_to_step(&walker.state, &walker.trial.run, walker.trial.run.step_count - 2);
    press(PRESS_ENTER);
    expect("...[7, feature 1]");
    start(lesson_number("simplified"));
}
END_TEST

// The line of the lesson, and the one that runs in its place: in the list before the mistake is made, and at the step.
START_TEST(shows_the_line_that_runs) {
    start_in("causal", "weights");
    choose_mistake("no-scale");
    expect("- weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)");
    expect("+ weights = torch.softmax(scores, dim=-1)");
    press(PRESS_ENTER);
    press(PRESS_ESCAPE);
    ck_assert_ptr_nonnull(walker.trial.edited);
    expect("≠ wrong  weights = torch.softmax(scores, dim=-1)");
    expect("right    weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)");
    press('t');
    expect("In PyTorch, with the mistake");
    expect("  weights = torch.softmax(scores, dim=-1)");
}
END_TEST

// A layer without a bias has None where the lesson has a tensor.
START_TEST(what_is_absent_is_said_to_be) {
    struct what_ifs what_ifs = {.lines.interpreter = &python_interpreter};
    what_ifs.made[mistake_number(find_mistake("no-bias"))] = true;
    const struct parameters biased = {.given = USES_BIAS, .bias = true};
    struct trial trial;
    run_trial(&trial, &frame, lesson_table[lesson_number("causal")], &biased, &what_ifs);
    ck_assert_ptr_nonnull(trial.edited);
    for (int i = 0; i < trial.run.step_count; i++) {
        const struct step *step = &trial.run.steps[i];
        const bool is_bias = strstr(step->name, "_bias") != NULL;
        ck_assert(trial.is_absent[i] == is_bias);
        ck_assert((strstr(formula_text(&frame, &trial, step), "PyTorch has None here") != NULL) ==
                  is_bias);
        for (int64_t k = 0; is_bias && k < count_of(shape_of(&step->tensor)); k++)
            ck_assert_double_eq(element_at(&step->tensor, k), 0);
    }
}
END_TEST

START_TEST(mistakes_follow_the_settings) {
    start_in("split_head", "weights");
    choose_mistake("no-scale");
    press(PRESS_ENTER);
    press(PRESS_ESCAPE);
    press('s');
    press(PRESS_DOWN);
    press(PRESS_ENTER);
    type("6");
    press(PRESS_ENTER);
    press(PRESS_ESCAPE);
    press('x');
    expect("[x] * Scores not divided by √d_k");
    expect("no-scale changes ");
}
END_TEST

Suite *mistakes_suite(void) {
    Suite *suite = suite_create("mistakes");
    TCase *tests = add_case(suite, "mistakes", walk_set_up, walk_tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, lists_first_what_is_made_here, 0, lesson_count);
    tcase_add_test(tests, knows_where_a_mistake_would_be_made);
    tcase_add_test(tests, a_formula_says_what_is_computed);
    tcase_add_test(tests, a_formula_names_the_mistakes_that_change_its_step);
    tcase_add_test(tests, makes_mistakes_where_it_stands);
    tcase_add_test(tests, a_tall_screen_has_all_rows_of_the_matrix);
    tcase_add_test(tests, asks_what_a_mistake_will_do);
    tcase_add_test(tests, makes_several_mistakes);
    tcase_add_test(tests, says_why_a_mistake_changes_nothing);
    tcase_add_test(tests, says_at_the_start_that_a_mistake_changes_nothing);
    tcase_add_test(tests, shows_wrong_and_right);
    tcase_add_test(tests, marks_the_steps_that_a_mistake_changes);
    tcase_add_test(tests, rows_that_a_mistake_adds_are_numbered);
    tcase_add_test(tests, shows_the_line_that_runs);
    tcase_add_test(tests, what_is_absent_is_said_to_be);
    tcase_add_test(tests, mistakes_follow_the_settings);

    TCase *everywhere = add_case(suite, "mistakes everywhere", walk_set_up, walk_tear_down);
    tcase_set_timeout(everywhere, 1200);
    tcase_add_test(everywhere, the_wrong_line_stands_where_the_mistake_is_made);
    tcase_add_test(everywhere, every_mistake_shows_on_every_step);
    return suite;
}
