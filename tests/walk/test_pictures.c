// The walker's map and pictures, without a screen: keys in, canvases out.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "lesson.h"
#include "sample.h"
#include "show/map/map.h"
#include "trace/run/step.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

static void start_on(int lesson, const char *step) {
    static const struct what_ifs none = {0};
    start_at(lesson, step, &none);
}

// Unlike draw() of walking.h, keeps what was drawn before.
static struct canvas draw_as(int rows, int columns, bool ascii) {
    struct canvas canvas =
        canvas_new(&frame, rows, columns, (struct look){.has_heat = true, .is_ascii = ascii});
    walker_draw(&walker, &canvas);
    return canvas;
}

static struct canvas drawn(void) {
    return draw_as(24, 80, false);
}

// All that is on a canvas, row by row.
static const char *words_on(const struct canvas *canvas) {
    struct text text = text_new(&frame);
    for (int i = 0; i < canvas->rows * canvas->columns; i++) {
        char bytes[5];
        if (i > 0 && i % canvas->columns == 0) text_add(&text, "\n");
        if (canvas->glyphs[i].character == 0) continue;
        text_add_bytes(&text, bytes, utf8_encode(canvas->glyphs[i].character, bytes));
    }
    return text.bytes;
}

static bool shows(const struct canvas *canvas, const char *words) {
    return strstr(words_on(canvas), words) != NULL;
}

// Steps are many in the last lessons.
static int every(void) {
    return one_in(6);
}

// ---- The map ---------------------------------------------------------------------------------------

// From each step: the map opens on it; and Enter on each node arrives.
START_TEST(enter_on_each_node_arrives) {
    start_on(_i, "1");
    const int count = walker.trial.run.step_count;
    for (int i = 0; i < count; i += every()) {
        press('v');
        ck_assert_int_eq(view_on_top(), VIEW_MAP);
        for (int back = 0; back <= count; back++) press('b'); // the first node
        const bool has_inputs = map_of(&frame, &walker.trial.run).graph.nodes[0] == NULL;
        for (int on = 0; on < i + has_inputs; on++) press('n');
        const struct step *step = &walker.trial.run.steps[i];
        const struct canvas canvas = drawn();
        const char *label = arena_format(&frame, "%d %s", step->number, step_label(&frame, step));
        ck_assert_msg(shows(&canvas, label), "%s is out of placed", label);
        ck_assert(glyph_at(&canvas, canvas.cursor_row, canvas.cursor_column)->style.reverse);
        press(PRESS_ENTER);
        ck_assert_int_eq(walker.state.step, i);
        ck_assert_int_eq(view_on_top(), VIEW_STEP);
        arena_free(&frame);
    }
}
END_TEST

START_TEST(the_map_marks_what_was_seen) {
    start_in("causal", "scores");
    press('n'); // weights
    press('v');
    const struct canvas canvas = drawn();
    ck_assert(shows(&canvas, "◆8 weights"));
    ck_assert(shows(&canvas, "●7 scores"));
    ck_assert(shows(&canvas, "○9 mask_tril"));
    ck_assert(shows(&canvas, "8 weights (6, 6), where you are"));
    press(PRESS_DOWN);
    const struct canvas below = drawn();
    ck_assert(shows(&below, "10 masked_weights (6, 6), not seen yet"));
    press(PRESS_ESCAPE);
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
    ck_assert_int_eq(walker.state.step, 7);
}
END_TEST

START_TEST(the_map_goes_nowhere_from_the_inputs) {
    start_in("causal", "W_query");
    press('v');
    press('b');
    const struct canvas canvas = drawn();
    ck_assert(shows(&canvas, "inputs (6, 3): The rows that the lesson starts from"));
    press(PRESS_ENTER);
    ck_assert_int_eq(view_on_top(), VIEW_MAP);
}
END_TEST

// ---- Pictures --------------------------------------------------------------------------------------

static const struct {
    const char *step, *title, *words;
} kinds[] = {
    {"context", "Plane: context", "● context   ○ values, with their hull"},
    {"scores", "Plane: scores", "● queries   ○ keys"},
    {"causal_weights", "Strips: causal_weights", "a full bar is 1.0000"},
    {"row_sums", "Bars: row_sums", "[Your, 1] = 0.1921"},
    {"mask_bool", "Strips: mask_bool", "a full bar is 1.0000"},
    {"difference", "Picture: difference", "difference has no picture"},
    {"W_query", "Picture: W_query", "its rows have 3 numbers"},
};

START_TEST(each_kind_has_its_picture) {
    start_in("causal", kinds[_i].step);
    press('P');
    const struct canvas canvas = drawn();
    ck_assert_msg(shows(&canvas, kinds[_i].title), "%s", words_on(&canvas));
    ck_assert_msg(shows(&canvas, kinds[_i].words), "%s", words_on(&canvas));
    press('q');
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
}
END_TEST

// At every step there is a picture, or a sentence says why there is none, and n goes to a step that has one.
START_TEST(every_step_has_a_picture_or_a_reason) {
    start(_i);
    const int steps = walker.trial.run.step_count;
    for (int step = 0; step < steps; step++) {
        go_to_step(&walker.state, &walker.trial.run, step);
        press('P');
        const struct canvas canvas = drawn();
        const char *label = step_label(&frame, &walker.trial.run.steps[step]);
        int inked = 0; // of the rows between title and keys
        for (int i = 2 * 80; i < 22 * 80; i++) inked += canvas.glyphs[i].character != ' ';
        ck_assert_int_gt(inked, 20);
        if (shows(&canvas, "Picture: ")) {
            const char *words = collapsed(words_on(&canvas));
            const char *reason = arena_format(&frame, "%s has no picture: ", label);
            ck_assert_msg(strstr(words, reason) != NULL, "%s", words);
            ck_assert_ptr_nonnull(strstr(words, "steps of this lesson have a picture: n goes to"));
            press('n');
            if (walker.state.step == step) press('b');
            const struct canvas next = drawn();
            ck_assert(walker.state.step != step && !shows(&next, "Picture: "));
        }
        press(PRESS_ESCAPE);
        arena_free(&frame);
    }
}
END_TEST

// A page of nan has none: the first page is shown instead, and a page with numbers after it is shown again.
START_TEST(a_page_of_nan_has_no_picture) {
    start_in("padding", "left: context");
    press('P');
    expect("Plane: left: context, batch 1");
    press('.');
    expect("it has numbers that are not finite");
    press('.');
    expect("Plane: left: context, batch 1");
}
END_TEST

// The text of a row of the canvas from a column on.
static const char *words_from(const struct canvas *canvas, int row, int column) {
    const struct canvas part = {
        .rows = 1, .columns = canvas->columns - column, .glyphs = glyph_at(canvas, row, column)};
    return words_on(&part);
}

// "Your     ██ 0.1921": the number of a row of the weights beside the plane.
static double weight_of(const char *token) {
    enum { LEFT = 51 };
    const struct canvas canvas = drawn();
    ck_assert_int_eq(strncmp(words_from(&canvas, 2, LEFT), "weights of ", 11), 0);
    for (int row = 3; row < 9; row++) {
        const char *words = words_from(&canvas, row, LEFT);
        if (strncmp(words, token, strlen(token)) == 0) return strtod(strstr(words, "0."), NULL);
    }
    ck_abort_msg("no weight of %s", token);
}

static double element_of(const char *name, int64_t row, int64_t column) {
    const struct step *step = find_step(&walker.trial.run, name, &failure);
    return element(&step->tensor, (int64_t[]){row, column});
}

// The weights beside the plane are softmax(q · K / √d_k) of the point that is shown, wherever it is.
static double expected_weight(double x, double y, int64_t column) {
    double sum = 0, own = 0;
    for (int64_t key = 0; key < 6; key++) {
        const double score = x * element_of("keys", key, 0) + y * element_of("keys", key, 1);
        sum += exp(score / sqrt(2));
        if (key == column) own = exp(score / sqrt(2));
    }
    return own / sum;
}

START_TEST(a_query_can_be_moved) {
    start_in("causal", "scores");
    to_first_cell();
    press('P');
    press('n'); // journey
    ck_assert_double_eq_tol(weight_of("starts"), element_of("weights", 1, 2), 5.1e-5);
    for (int i = 0; i < 12; i++) press(PRESS_LEFT);
    for (int i = 0; i < 30; i++) press(PRESS_UP);
    const struct canvas canvas = drawn();
    const char *place = strstr(words_on(&canvas), "queries journey, moved: feature 1 ");
    ck_assert_msg(place != NULL, "%s", words_on(&canvas));
    double x, y;
    ck_assert_int_eq(sscanf(place, "queries journey, moved: feature 1 %lf, feature 2 %lf", &x, &y),
                     2);
    ck_assert_double_eq_tol(weight_of("one"), expected_weight(x, y, 4), 1e-4);
    ck_assert_double_eq_tol(weight_of("step"), expected_weight(x, y, 5), 1e-4);
    ck_assert_double_gt(fabs(weight_of("one") - element_of("weights", 1, 4)), 0.01);
    press('r');
    ck_assert_double_eq_tol(weight_of("starts"), element_of("weights", 1, 2), 5.1e-5);
}
END_TEST

// Only a point of the first set moves; the run on screen stays as it was.
START_TEST(nothing_else_moves) {
    start_in("causal", "scores");
    to_first_cell();
    const double before = element_of("weights", 0, 0);
    press('P');
    for (int i = 0; i < 6; i++) press('n'); // the first key
    press(PRESS_LEFT);
    const struct canvas canvas = drawn();
    ck_assert(shows(&canvas, "keys Your: feature 1"));
    ck_assert(!shows(&canvas, "moved"));
    ck_assert(element_of("weights", 0, 0) == before);
}
END_TEST

// Losses open as their curve, the numbers below it; not inside a step, nor while they are to be guessed.
START_TEST(a_long_list_opens_as_its_curve) {
    start_in("training", "losses");
    for (int i = 0; i < 2; i++) {
        expect_at(24 + 16 * i, 80 + 40 * i, "⠒⠢");
        expect_at(24 + 16 * i, 80 + 40 * i, "1.8249  1.8127");
    }
    press('i');
    expect_none("⠒⠢");
    press('o');
    expect("⠒⠢");
}
END_TEST

START_TEST(pages_turn) {
    start_on(lesson_number("split_head"), "weights");
    press('P');
    press('.');
    const struct canvas second = drawn();
    ck_assert(shows(&second, "Strips: weights, batch 1, head 2"));
    press(',');
    press(',');
    const struct canvas last = drawn();
    ck_assert(shows(&last, "batch 2, head 2"));
}
END_TEST

// Every step of every lesson, at any size, with every key.
// z, A and a train, and the curve grows under the eye; a number that was not kept is had by training again.
START_TEST(training_is_live) {
    start_in("training", "losses");
    press('P');
    press('z');
    const struct canvas first = drawn();
    ck_assert(shows(&first, "[update 1] = 1.8249"));
    press('A');
    press('a');
    const struct canvas canvas = drawn();
    ck_assert(shows(&canvas, "[update 12] = 1.7195"));
    press(PRESS_ESCAPE);
    press('A');
    const struct canvas step = drawn();
    ck_assert(shows(&step, "CHANGED: updates 21"));
    ck_assert(shows(&step, "After 21 updates the loss is 1.5022. a makes one more, A ten"));
    for (int i = 0; i < 5; i++) press(PRESS_RIGHT);
    press('w');
    press(PRESS_ENTER);
    const struct canvas asked = drawn();
    ck_assert(shows(&asked, "is what it was after update 5; its operands were not kept"));
    press('a');
    const struct canvas kept = drawn();
    ck_assert(shows(&kept, "CHANGED: updates 5."));
    ck_assert(shows(&kept, "(6,) update"));
}
END_TEST

// On every step: what it shows is of the run that was trained on, not of the one before.
// Nine given logits are nothing that an update changes, though the lesson trains.
START_TEST(only_a_curve_of_updates_offers_one_more) {
    start_in("sampling", "losses");
    press('P');
    expect("a one more update");
    start_in("sampling", "temperature 5: probabilities");
    press('P');
    const struct canvas canvas = drawn();
    ck_assert_msg(shows(&canvas, "Bars: "), "%s", words_on(&canvas));
    ck_assert(!shows(&canvas, "one more update"));
}
END_TEST

START_TEST(any_step_trains) {
    start_in("training", "ids");
    for (int i = 0; i < walker.trial.run.step_count; i++) {
        go_to_step(&walker.state, &walker.trial.run, i);
        press(i % 2 == 0 ? 'a' : 'A');
        const struct canvas canvas = drawn();
        ck_assert(shows(&canvas, "a makes one more"));
        press('n');
        drawn();
    }
}
END_TEST

// Elsewhere these keys say why they do nothing; and there is an end to updates.
START_TEST(training_has_its_bounds) {
    start_in("causal", "scores");
    press('a');
    const struct canvas canvas = drawn();
    ck_assert(shows(&canvas, "Nothing is trained in this lesson."));
    walker_free(&walker);
    start_in("training", "losses");
    for (int i = 0; i < 180; i++) press('A');
    const struct canvas most = drawn();
    ck_assert(shows(&most, "After 2000 updates the loss is"));
    press('a');
    const struct canvas beyond = drawn();
    ck_assert(shows(&beyond, "2000 updates are the most."));
}
END_TEST

START_TEST(any_step_any_size) {
    static const uint32_t keys[] = {PRESS_LEFT, PRESS_RIGHT, PRESS_UP, PRESS_DOWN, 'n',
                                    '.',        'b',         ',',      'r',        PRESS_TAB};
    static const int sizes[][2] = {{12, 40}, {24, 80}, {40, 120}};
    start_on(_i, "1");
    for (int step = 0; step < walker.trial.run.step_count; step += every()) {
        go_to_step(&walker.state, &walker.trial.run, step);
        for (int view = 0; view < 2; view++) {
            press(view == 0 ? 'P' : 'v');
            for (size_t key = 0; key < sizeof keys / sizeof *keys; key++) {
                press(keys[key]);
                const int *size = sizes[key % 3];
                const struct canvas canvas = draw_as(size[0], size[1], key % 2 == 0);
                for (int i = 0; key % 2 == 0 && i < size[0] * size[1]; i++)
                    ck_assert_uint_lt(canvas.glyphs[i].character, 128);
                arena_free(&frame);
            }
            press(PRESS_ESCAPE);
        }
    }
}
END_TEST

Suite *pictures_suite(void) {
    Suite *suite = suite_create("pictures");
    TCase *map = add_case(suite, "map", walk_set_up, walk_tear_down),
          *pictures = add_case(suite, "pictures", walk_set_up, walk_tear_down);
    tcase_add_loop_test(map, enter_on_each_node_arrives, 0, lesson_count);
    tcase_add_test(map, the_map_marks_what_was_seen);
    tcase_add_test(map, the_map_goes_nowhere_from_the_inputs);
    tcase_add_loop_test(pictures, each_kind_has_its_picture, 0, sizeof kinds / sizeof *kinds);
    tcase_add_loop_test(pictures, every_step_has_a_picture_or_a_reason, 0, lesson_count);
    tcase_add_test(pictures, a_query_can_be_moved);
    tcase_add_test(pictures, nothing_else_moves);
    tcase_add_test(pictures, a_long_list_opens_as_its_curve);
    tcase_add_test(pictures, pages_turn);
    tcase_add_test(pictures, a_page_of_nan_has_no_picture);
    tcase_add_test(pictures, training_is_live);
    tcase_add_test(pictures, any_step_trains);
    tcase_add_test(pictures, only_a_curve_of_updates_offers_one_more);
    tcase_add_test(pictures, training_has_its_bounds);
    tcase_add_loop_test(pictures, any_step_any_size, 0, lesson_count);
    return suite;
}
