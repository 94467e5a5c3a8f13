// The input changed where it stands, and what changes with it.

#include <math.h>
#include <string.h>

#include "fixture.h"
#include "lesson.h"
#include "lessons.h"
#include "tensor/ops/ops.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

// The numbers of a step in row-major order.
enum { MOST_NUMBERS = 10000 };
struct numbers {
    int64_t count;
    double numbers[MOST_NUMBERS];
};

static struct numbers numbers_now(int step) {
    const struct tensor *tensor = &walker.trial.run.steps[step].tensor;
    struct numbers result = {.count = count_of(shape_of(tensor))};
    ck_assert_int_le(result.count, MOST_NUMBERS);
    for (int64_t i = 0; i < result.count; i++) result.numbers[i] = element_at(tensor, i);
    return result;
}

static bool is_same(const struct numbers *a, const struct numbers *b, int64_t first,
                    int64_t count) {
    for (int64_t i = first; i < first + count; i++) {
        if (is_other_number(a->numbers[i], b->numbers[i])) return false;
    }
    return true;
}

// Goes to a cell of the input that is open, types a number and takes it.
static void edit(int row, int column, const char *number) {
    for (int i = 0; i < 20; i++) press(PRESS_UP);
    press(PRESS_HOME);
    for (int i = 0; i < row; i++) press(PRESS_DOWN);
    for (int i = 0; i < column; i++) press(PRESS_RIGHT);
    type(number);
    press(PRESS_ENTER);
}

// "Change a later token and no earlier row changes": for every token, bit for bit.
START_TEST(a_later_token_changes_no_earlier_row) {
    enum { TOKENS = 6, WIDTH = 2, CONTEXT = 18 };
    start_in("causal", "context");
    const struct numbers before = numbers_now(CONTEXT);
    ck_assert_int_eq(before.count, TOKENS * WIDTH);
    for (int token = 0; token < TOKENS; token++) {
        press('=');
        ck_assert_int_eq(view_on_top(), VIEW_INPUT);
        edit(token, token % 3, "-3.25");
        const struct numbers after = numbers_now(CONTEXT);
        ck_assert_msg(is_same(&before, &after, 0, (int64_t)WIDTH * token), "token %d", token);
        for (int row = token; row < TOKENS; row++)
            ck_assert_msg(!is_same(&before, &after, (int64_t)WIDTH * row, WIDTH),
                          "token %d, row %d", token, row);
        press('u');
        press(PRESS_ESCAPE);
        const struct numbers again = numbers_now(CONTEXT);
        ck_assert(is_same(&before, &again, 0, before.count));
        ck_assert_uint_eq(walker.trial.run.parameters.given, 0);
    }
}
END_TEST

START_TEST(says_what_changed_and_how_to_get_back) {
    start_in("causal", "context");
    press('=');
    edit(4, 0, "5");
    expect_words("CHANGED: input edited");
    expect_words("inputs[one, d1] = 5.0000, before 0.7700. u undoes it.");
    expect_words("4 of 12 numbers changed in rows one and step.");
    expect_words("≠5.0000");
    press(PRESS_DOWN); // says it again without being asked
    expect_words("inputs[step, d1] = 0.0500. Of context, 4 of 12 numbers changed");
    type("bb");
    expect_words("Of causal_weights, 11 of 36 numbers changed in rows one and step.");
    press(PRESS_ESCAPE);
    expect_words("≠0.1690"); // and marks it on the step's own screen
    to_first_cell();
    type("jjjj");
    expect_words("[one, Your] = 0.1690, before 0.2175, difference -0.0485");
    expect_words("≠");
    press('u');
    expect_words("Back to the course's numbers.");
    expect_none("≠");
    ck_assert(!walker.edits.are_made);
}
END_TEST

START_TEST(the_same_number_changes_nothing) {
    start_in("causal", "context");
    press('=');
    edit(4, 0, "5");
    edit(4, 0, "0.77");
    expect_words("The input is as it was.");
    ck_assert_uint_eq(walker.trial.run.parameters.given, 0);
}
END_TEST

START_TEST(typing_can_be_left) {
    start_in("causal", "context");
    to_first_cell();
    press('=');
    type("12");
    expect_words("inputs[Your, d1] = 12");
    press(PRESS_ESCAPE);
    ck_assert_int_eq(view_on_top(), VIEW_INPUT);
    ck_assert_uint_eq(walker.trial.run.parameters.given, 0);
    type("1e");
    press(PRESS_ENTER);
    expect_words("That is not a number. Type one like 0.5 or -2.");
    press(PRESS_ESCAPE);
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
}
END_TEST

// The user's own tokens come back before the course's do.
START_TEST(a_file_comes_back_first) {
    set_up_arena();
    const float own[] = {1, 2, 3, 4, 5, 6};
    const char *const names[] = {"a", "b", "c"};
    struct tensor inputs = tensor_of(&arena, (struct shape){2, {3, 2}}, own);
    inputs = label_axis(set_axis(inputs, 0, AXIS_TOKEN), 0, names);
    inputs = label_axis(set_axis(inputs, 1, AXIS_FEATURE), 1, names);
    const struct parameters chosen = {
        .given = USES_INPUT | USES_SEED, .input = "own.csv", .inputs = inputs, .seed = 5};
    const struct what_ifs none = {.made = {false}};
    const struct walk_start begin = {
        .lessons = lesson_table,
        .lesson_count = lesson_count,
        .lesson = lesson_number("causal"),
        .step = "context",
        .chosen = &chosen,
        .what_ifs = &none,
        .digits = 4,
    };
    walker_start(&walker, &begin, &failure);
    const struct numbers before = numbers_now(walker.state.step);
    press('=');
    edit(2, 1, "9");
    expect_words("CHANGED: input own.csv, edited, seed 5");
    expect_words("2 of 6 numbers changed in row c.");
    press('u');
    expect_words("The input is as it was. u again: back to the course's numbers.");
    const struct numbers after = numbers_now(walker.state.step);
    ck_assert(is_same(&before, &after, 0, before.count));
    ck_assert_str_eq(walker.trial.run.parameters.input, "own.csv");
    press('u');
    expect_words("Back to the course's numbers.");
    ck_assert_uint_eq(walker.trial.run.parameters.given, 0);
    tear_down_arena();
}
END_TEST

// A mask that hides nothing lets the future through: what changes is marked against the same mistake.
START_TEST(an_edit_shows_what_a_mistake_lets_through) {
    struct what_ifs what_ifs = {0};
    what_ifs.made[mistake_number(find_mistake("mask-upside-down"))] = true;
    start_at(lesson_number("causal"), "context", &what_ifs);
    press('=');
    edit(5, 0, "5");
    expect_words("12 of 12 numbers changed.");
}
END_TEST

// An edit is compared with what was there before, or with the course: c changes between the two, and keeps the one that it
// has until it needs the other.
START_TEST(c_compares_with_the_course_instead) {
    start_in("causal", "context");
    press('=');
    edit(5, 0, "5");
    press(PRESS_ESCAPE);
    for (int i = 0; i < 2; i++) {
        expect_at(30, 120, "before the change");
        press('c');
        expect_at(30, 120, "in the course");
        press('c');
        ck_assert(walker.has_other && walker.other_is_course);
    }
    expect_at(30, 120, "before the change");
    ck_assert(!walker.other_is_course);
}
END_TEST

// In every lesson that reads an input, on each step, its number can be changed and comes back; those that read
// none say so.
START_TEST(every_lesson_takes_an_edit) {
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        walker_free(&walker);
        start(lesson);
        if (!has_input(&walker.trial.run)) {
            press('=');
            expect_words("This lesson reads words, not vectors. s changes its text.");
            continue;
        }
        const int steps = walker.trial.run.step_count;
        for (int step = 0; step < steps; step++) {
            go_to_step(&walker.state, &walker.trial.run, step);
            const struct numbers before = numbers_now(step);
            press('=');
            const bool is_over = view_on_top() == VIEW_INPUT;
            type("2.5");
            press(PRESS_ENTER);
            expect_words("CHANGED: input edited");
            expect_words("u undoes it.");
            ck_assert_int_eq(walker.state.step, step);
            const struct numbers after = numbers_now(step);
            if (is_over && is_same(&before, &after, 0, before.count)) expect(" changed.");
            if (is_over) expect_at(12, 40, "Enter");
            press('u');
            if (is_over) press(PRESS_ESCAPE);
            const struct numbers again = numbers_now(step);
            ck_assert(is_same(&before, &again, 0, before.count));
        }
    }
}
END_TEST

Suite *edit_suite(void) {
    Suite *suite = suite_create("edit");
    TCase *tests = add_case(suite, "edit", walk_set_up, walk_tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, a_later_token_changes_no_earlier_row);
    tcase_add_test(tests, says_what_changed_and_how_to_get_back);
    tcase_add_test(tests, the_same_number_changes_nothing);
    tcase_add_test(tests, typing_can_be_left);
    tcase_add_test(tests, a_file_comes_back_first);
    tcase_add_test(tests, an_edit_shows_what_a_mistake_lets_through);
    tcase_add_test(tests, c_compares_with_the_course_instead);
    tcase_add_test(tests, every_lesson_takes_an_edit);
    return suite;
}
