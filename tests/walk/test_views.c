// What all views have in common: a click goes where it is seen, and every view is closed by Esc and by its own key.

#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "lessons.h"
#include "trace/run/step.h"
#include "walk/walker.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

// ---- Clicks ---------------------------------------------------------------------------------------

// Each view that is a list, and how it is opened.
static const struct {
    const char *keys;
    enum view_bit view;
    bool is_whole; // all rows between title and keys are lines of the list
} lists[] = {
    {"\t", VIEW_LIST, true},     {":", VIEW_PALETTE, true},   {"/", VIEW_SEARCH, true},
    {"s", VIEW_SETTINGS, false}, {"x", VIEW_MISTAKES, false}, {"w", VIEW_WHERE_FROM, false},
};
enum { LISTS = sizeof lists / sizeof *lists };

static void open_list(int i) {
    close_views(&walker);
    for (const char *key = lists[i].keys; *key != '\0'; key++)
        press(*key == '\t' ? PRESS_TAB : (uint32_t)(unsigned char)*key);
    ck_assert_int_eq(view_on_top(), lists[i].view);
}

// A row but for its edges, which say whether there is more.
static const char *line_at(const struct canvas *canvas, int row) {
    const char *line = row_text(canvas, row, 2);
    enum { MOST = 30 }; // beside where-from's list stands a matrix
    return arena_format(canvas->arena, "%.*s", MOST, line);
}

// While text is typed the cursor is there, but the chosen line is always reversed.
static int chosen_row(const struct canvas *canvas) {
    int row = 1;
    while (row < canvas->rows - 1 && !glyph_at(canvas, row, 4)->style.reverse) row++;
    return row;
}

static bool is_line(int row) {
    const struct spot *spot = spot_at(&walker.spots, row, 4);
    return spot != NULL && (spot->kind == SPOT_LINE || spot->number == (int)PRESS_ENTER);
}

// Scrolled so far, a click on each line in sight chooses this line, be it a heading or not.
static int click_every_line(int list, int down, int rows, int columns) {
    int count = 0;
    for (int row = 1; row < rows - 1; row++) {
        open_list(list);
        for (int i = 0; i < down; i++)
            walker_press(&walker, (struct press){PRESS_DOWN, 0, 0}, rows);
        const struct canvas canvas = draw(rows, columns);
        struct arena kept = arena_new(&failure);
        const char *wanted = arena_copy(&kept, line_at(&canvas, row));
        const bool has_words = strspn(wanted, " ") < strlen(wanted);
        ck_assert_msg(!lists[list].is_whole || !has_words || is_line(row), "%s", wanted);
        if (is_line(row)) {
            const bool is_chosen = chosen_row(&canvas) == row;
            if (!is_chosen) walker_press(&walker, (struct press){PRESS_CLICK, row, 4}, rows);
            ck_assert_int_eq(view_on_top(), lists[list].view);
            const struct canvas after = draw(rows, columns);
            ck_assert_str_eq(line_at(&after, chosen_row(&after)), wanted);
            count++;
        }
        arena_free(&kept);
    }
    return count;
}

START_TEST(a_click_chooses_the_line_clicked) {
    start_in("causal", "context");
    for (int down = 0; down < 24; down += 6) {
        ck_assert_int_ge(click_every_line(_i, down, 24, 80), 2);
        ck_assert_int_ge(click_every_line(_i, down, 12, 40), 1);
    }
}
END_TEST

// The second click on a line is Enter: a section's heading stands for its first step.
START_TEST(the_chosen_line_is_entered) {
    start_in("causal", "W_query");
    press(PRESS_TAB);
    for (int clicks = 0; clicks < 2; clicks++) {
        const struct canvas canvas = draw(40, 80);
        int row = 1;
        while (row < 40 && strstr(row_text(&canvas, row, 0), "First way") == NULL) row++;
        ck_assert_int_lt(row, 40);
        walker_press(&walker, (struct press){PRESS_CLICK, row, 8}, 40);
    }
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
    const struct run *run = &walker.trial.run;
    const int step = walker.state.step;
    ck_assert(step > 0 && run->steps[step].section != run->steps[step - 1].section);
}
END_TEST

// Up and down go over the headings of parts and sections; the first line is one.
START_TEST(keys_choose_no_heading) {
    start_in("simplified", "inputs");
    press(PRESS_TAB);
    for (int i = 0; i < 60; i++) {
        const struct canvas canvas = draw(24, 80);
        const char *line = line_at(&canvas, chosen_row(&canvas));
        ck_assert_msg(strpbrk(line, "0123456789") != NULL, "%s", line);
        ck_assert_ptr_null(strstr(line, "Part "));
        press(i < 30 ? PRESS_UP : PRESS_DOWN);
    }
    expect("Part 2: learning");
}
END_TEST

// A lesson that shows the masks of both streams has no stream of its own; every other lesson with dropout has one.
START_TEST(settings_name_the_stream_of_the_lesson) {
    start_in("dropout", "1");
    press('s');
    expect("bernoulli       both                  as in the course");
    start_in("model", "1");
    press('s');
    expect("bernoulli       mt19937               as in the course");
}
END_TEST

// While a value is typed, a click on another setting ends that and chooses it.
START_TEST(a_click_ends_typing) {
    start_in("causal", "scores");
    press('s');
    press(PRESS_ENTER);
    ck_assert_int_eq(view_on_top(), VIEW_TYPING);
    const struct canvas canvas = draw(24, 80);
    walker_press(&walker, (struct press){PRESS_CLICK, canvas.cursor_row + 1, 6}, 24);
    ck_assert_int_eq(view_on_top(), VIEW_SETTINGS);
    const struct canvas after = draw(24, 80);
    ck_assert_int_eq(after.cursor_row, canvas.cursor_row + 1);
}
END_TEST

START_TEST(a_click_on_a_question_answers_it) {
    start_in("causal", "scores");
    press('E');
    const struct canvas canvas = draw(40, 80);
    for (int row = 1; row < 40; row++) {
        if (strstr(row_text(&canvas, row, 0), " [3: ") == NULL) continue;
        walker_press(&walker, (struct press){PRESS_CLICK, row, 10}, 40);
        break;
    }
    if (view_on_top() == VIEW_ESTIMATE) press(PRESS_ESCAPE);
    const struct canvas after = draw(60, 80);
    ck_assert_ptr_null(strstr(all_text(&after), "[3: "));
    ck_assert_ptr_nonnull(strstr(all_text(&after), "[2: "));
}
END_TEST

// ---- Closing --------------------------------------------------------------------------------------

// Where text is typed, the key is text; and Enter takes the chosen line.
static bool closes_by_its_key(const struct walk_view *view, uint32_t key) {
    return view != &palette_view && view != &search_view && key != PRESS_ENTER;
}

// From the table of keys: each key that opens a view, in each view where it does.
START_TEST(esc_and_its_own_key_close_a_view) {
    int opened = 0;
    for (int i = 0; i < binding_count; i++) {
        const struct binding *binding = &bindings[i];
        for (int k = 0; k < KEYS_PER_ACTION && binding->keys[k] != KEY_NOTHING; k++) {
            for (int by_key = 0; by_key < 2; by_key++) {
                start_in("causal", "scores");
                if (!(binding->views & VIEW_STEP)) press('?'); // the cheat sheet is opened there
                const int before = walker.open_count;
                press(binding->keys[k]);
                if (walker.open_count <= before || walker.state.has_quit) break;
                const struct open_view *top = top_view(&walker);
                if (top->view->opened_by != binding->action && top->view != &input_view) break;
                opened++;
                press(by_key && closes_by_its_key(top->view, binding->keys[k]) ? binding->keys[k]
                                                                               : PRESS_ESCAPE);
                ck_assert_msg(walker.open_count == before, "%s, opened for: %s", top->view->name,
                              binding->help);
            }
        }
    }
    ck_assert_int_ge(opened, 2 * 16);
}
END_TEST

// What is added to a step is no view, but Esc ends it as well, one after the other, the step from inside last.
START_TEST(esc_closes_what_was_added_to_a_step) {
    start_in("causal", "scores");
    type("s");
    press(PRESS_RIGHT);
    press(PRESS_ESCAPE);
    type("iicfm");
    ck_assert(walker.state.shows_memory && walker.is_following && walker.state.compares);
    ck_assert_int_eq(walker.state.grain, GRAIN_CELL);
    press(PRESS_ESCAPE);
    ck_assert(!walker.state.shows_memory && walker.is_following);
    press(PRESS_ESCAPE);
    ck_assert(!walker.is_following && walker.state.compares);
    press(PRESS_ESCAPE);
    ck_assert(!walker.state.compares);
    ck_assert_int_eq(walker.state.grain, GRAIN_CELL);
    press(PRESS_ESCAPE);
    ck_assert_int_eq(walker.state.grain, GRAIN_STEP);
    press(PRESS_ESCAPE);
    expect("Nothing is open over this step. q leaves onestep.");
    type("mm");
    ck_assert(!walker.state.shows_memory);
}
END_TEST

Suite *views_suite(void) {
    Suite *suite = suite_create("views");
    TCase *tests = add_case(suite, "views", walk_set_up, walk_tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, a_click_chooses_the_line_clicked, 0, LISTS);
    tcase_add_test(tests, the_chosen_line_is_entered);
    tcase_add_test(tests, keys_choose_no_heading);
    tcase_add_test(tests, settings_name_the_stream_of_the_lesson);
    tcase_add_test(tests, a_click_ends_typing);
    tcase_add_test(tests, a_click_on_a_question_answers_it);
    tcase_add_test(tests, esc_and_its_own_key_close_a_view);
    tcase_add_test(tests, esc_closes_what_was_added_to_a_step);
    return suite;
}
