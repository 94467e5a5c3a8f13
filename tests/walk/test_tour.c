// The tour: done with the keys that it asks for, left at any point, and in nobody's way.

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "lesson.h"
#include "lessons.h"
#include "trace/run/step.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

enum { STAGES = 19 };

static const int sizes[][2] = {{24, 80}, {12, 40}, {60, 200}};

static const char *row_of(int row, int rows, int columns) {
    const struct canvas canvas = draw(rows, columns);
    return row_text(&canvas, row < 0 ? rows + row : row, 0);
}

static bool is_touring(void) {
    return strstr(row_of(-1, 24, 80), "T ends the tour") != NULL;
}

// The key that the last row asks for.
static uint32_t asked_key(int rows, int columns) {
    const char *words = row_of(-1, rows, columns);
    const char *ask = strstr(words, "Press ");
    ck_assert_msg(ask != NULL, "no key is asked for: %s", words);
    ask += strlen("Press ");
    if (strncmp(ask, "an arrow key", 12) == 0) return PRESS_RIGHT;
    if (strncmp(ask, "Enter", 5) == 0) return PRESS_ENTER;
    if (strncmp(ask, "Esc", 3) == 0) return PRESS_ESCAPE;
    ck_assert_msg(ask[1] == ' ', "no key: %s", ask);
    return (uint32_t)(unsigned char)*ask;
}

// Begins the tour and does so many stages of it.
static void tour_to(int stage) {
    press('T');
    for (int i = 1; i < stage; i++) press(asked_key(24, 80));
}

// As if it had never been: the step, the cell, what was seen.
static void check_back(const struct state *before) {
    ck_assert(!is_touring());
    ck_assert_int_eq(walker.open_count, 1);
    ck_assert_int_eq(walker.state.lesson, before->lesson);
    ck_assert_int_eq(walker.state.step, before->step);
    ck_assert_int_eq(walker.state.row, before->row);
    ck_assert_int_eq(walker.state.column, before->column);
    for (int i = 0; i < lesson_count; i++)
        ck_assert(same_visit(&walker.state.visits[i], &before->visits[i]));
}

START_TEST(is_done_with_the_keys_that_it_asks_for) {
    const int rows = sizes[_i][0], columns = sizes[_i][1];
    start(lesson_number("simplified"));
    const struct state before = walker.state;
    bool asked[128] = {false};
    press('T');
    for (int stage = 1; stage <= STAGES; stage++) {
        const char *head = row_of(0, rows, columns);
        char number[16];
        snprintf(number, sizeof number, "Tour %d/%d  ", stage, STAGES);
        ck_assert_msg(strstr(head, number) != NULL, "%s", head);
        ck_assert_msg(strstr(head, "…") == NULL, "%s", head);
        ck_assert_ptr_nonnull(strstr(row_of(-1, rows, columns), "T ends the tour"));
        const uint32_t key = asked_key(rows, columns);
        if (key < 128) asked[key] = true;
        walker_press(&walker, (struct press){.key = key}, rows);
    }
    ck_assert(asked['n'] && asked['i'] && asked['x'] && asked['=']);
    expect("That was the tour.");
    check_back(&before);
}
END_TEST

// It stands in the first and the last row; all others are as without it.
START_TEST(hides_no_number) {
    const int rows = sizes[_i][0], columns = sizes[_i][1];
    start(lesson_number("simplified"));
    for (int stage = 1; stage <= STAGES; stage++) {
        tour_to(stage);
        struct arena kept = arena_new(&failure);
        struct canvas touring = canvas_new(&kept, rows, columns, (struct look){.has_heat = true});
        walker_draw(&walker, &touring);
        walker.tour.stage = 0;
        struct canvas plain = canvas_new(&kept, rows, columns, (struct look){.has_heat = true});
        walker_draw(&walker, &plain);
        walker.tour.stage = stage;
        for (int row = 1; row < rows - 1; row++)
            ck_assert_str_eq(row_text(&touring, row, 0), row_text(&plain, row, 0));
        ck_assert_int_eq(touring.cursor_row, plain.cursor_row);
        ck_assert_int_eq(touring.cursor_column, plain.cursor_column);
        arena_free(&kept);
        press('T');
    }
}
END_TEST

// From another lesson, too, and from a place inside a step or in the help.
START_TEST(is_left_at_any_point) {
    start_in("causal", "scores");
    type("jl");
    const struct state before = walker.state;
    for (int stage = 1; stage <= STAGES; stage++) {
        tour_to(stage);
        ck_assert(is_touring());
        press('T');
        expect("The tour is over.");
        check_back(&before);
        tour_to(stage);
        for (int i = 0; i < 3 && is_touring(); i++) press(PRESS_ESCAPE);
        check_back(&before);
    }
    press('?');
    press('T');
    ck_assert(is_touring());
    press('T');
    check_back(&before);
    type(":minute");
    press(PRESS_ENTER);
    ck_assert(is_touring());
}
END_TEST

static double sum_of_inputs(void) {
    const struct tensor *inputs = &walker.trial.run.inputs;
    double sum = 0;
    for (int64_t i = 0; i < inputs->storage->count; i++) sum += element_at(inputs, i);
    return sum;
}

// In the lesson that it was begun in, the tour has the course's numbers, and leads back to the reader's own.
START_TEST(is_with_the_course_s_numbers) {
    start_in("simplified", "scores");
    const double course = sum_of_inputs();
    press('=');
    type("0.9");
    press(PRESS_ENTER);
    press(PRESS_ESCAPE);
    const double own = sum_of_inputs();
    ck_assert_double_ne(own, course);
    for (int i = 0; i < 2; i++) {
        press('T');
        ck_assert_double_eq(sum_of_inputs(), course);
        press('T');
        ck_assert_double_eq(sum_of_inputs(), own);
    }
}
END_TEST

// Each stage starts where the one before has led: at the first step, then at the next ones; no other key leads away.
START_TEST(other_keys_do_not_lead_away) {
    start(lesson_number("simplified"));
    press('n');
    press('T');
    ck_assert_int_eq(walker.state.step, 0);
    for (int stage = 1; stage <= STAGES; stage++) {
        static const uint32_t others[] = {' ', 'n', 'b', 'N',         'G',        ']', 'e',
                                          '?', ':', '/', 's',         '=',        'L', 'g',
                                          'm', 'u', 'S', PRESS_ENTER, PRESS_CLICK};
        const uint32_t asked = asked_key(24, 80);
        const bool asks_next = asked == 'n';
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            const bool closes =
                asked == PRESS_ESCAPE && others[i] == '='; // the input, as it opened it
            if (others[i] == asked || (asks_next && others[i] == ' ') || closes) continue;
            const int step = walker.state.step, open = walker.open_count;
            press(others[i]);
            ck_assert_msg(walker.tour.stage == stage && walker.state.step == step &&
                              walker.open_count == open,
                          "stage %d: key %u", stage, others[i]);
            ck_assert_ptr_nonnull(strstr(row_of(-1, 24, 80), " now: the tour waits for it."));
        }
        press(asked);
    }
    ck_assert_int_eq(walker.tour.stage, 0);
    press('T');
    press('q');
    ck_assert(walker.state.has_quit);
}
END_TEST

// A click or a tap on what the last row asks for is as good as the key.
START_TEST(is_done_by_clicks) {
    start(lesson_number("simplified"));
    press('T');
    for (int stage = 1; stage <= STAGES; stage++) {
        ck_assert_int_eq(walker.tour.stage, stage);
        draw(24, 80);
        walker_press(&walker, (struct press){PRESS_CLICK, 23, 3}, 24);
    }
    expect("That was the tour.");
    press('T');
    draw(24, 80);
    walker_press(&walker, (struct press){PRESS_CLICK, 0, 3}, 24);
    walker_press(&walker, (struct press){PRESS_CLICK, 23, 70}, 24);
    ck_assert_int_eq(walker.tour.stage, 1);
    draw(24, 80);
    walker_press(&walker, (struct press){PRESS_CLICK, 23, 70}, 24);
    expect("The tour is over.");
}
END_TEST

// Whoever starts the walker offers it. Any key ends the offer, and does what it always does.
START_TEST(is_offered_until_the_first_key) {
    static const char offer[] = "T: a tour";
    start(lesson_number("simplified"));
    expect_none(offer);
    walker.tour.is_offered = true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        expect_at(sizes[i][0], sizes[i][1], offer);
    press('n');
    expect_none(offer);
    expect("step 2/11");
    walker.tour.is_offered = true;
    press('T');
    expect_none(offer);
    ck_assert(is_touring());
}
END_TEST

// At the first step there is no way back: the tour is named in its place, also where nothing is remembered.
START_TEST(is_named_where_everyone_begins) {
    start(0);
    expect("T tour");
    expect_none("b back");
    expect_at(12, 40, "T tour");
    press('n');
    expect("b back");
    expect_none("T tour");
}
END_TEST

Suite *tour_suite(void) {
    Suite *suite = suite_create("tour");
    TCase *tests = add_case(suite, "tour", walk_set_up, walk_tear_down);
    tcase_add_loop_test(tests, is_done_with_the_keys_that_it_asks_for, 0, 3);
    tcase_add_loop_test(tests, hides_no_number, 0, 3);
    tcase_add_test(tests, is_left_at_any_point);
    tcase_add_test(tests, is_with_the_course_s_numbers);
    tcase_add_test(tests, other_keys_do_not_lead_away);
    tcase_add_test(tests, is_done_by_clicks);
    tcase_add_test(tests, is_offered_until_the_first_key);
    tcase_add_test(tests, is_named_where_everyone_begins);
    return suite;
}
