// Where keys lead, on a lesson small enough to count by hand.

#include <string.h>

#include "attempts.h"
#include "fixture.h"
#include "tensor/ops/ops.h"
#include "trace/lesson.h"
#include "walk/walker.h"

#include <check.h> // last: defines a macro fail

static const struct excerpt excerpts[] = {
    {1, 1, 1, 1, "inputs\n"},  {2, 2, 2, 2, "scores\n"}, {3, 3, 3, 3, "turned\n"},
    {4, 4, 4, 4, "weights\n"}, {5, 5, 5, 5, "pages\n"},
};
static const struct paragraph paragraphs[] = {
    {"lessons/small.c", "Given", "Given numbers.", 1, &excerpts[1 - 1], false, NULL},
    {"lessons/small.c", "Scores", "Products.", 1, &excerpts[2 - 1], false, NULL},
    {"lessons/small.c", "Turned", "A view.", 1, &excerpts[3 - 1], false, NULL},
    {"lessons/small.c", "Weights", "A softmax.", 1, &excerpts[4 - 1], false, NULL},
    {"lessons/small.c", "Pages", "Two of them.", 1, &excerpts[5 - 1], false, NULL},
};
static const struct source source = {5, paragraphs, NULL, NULL};

static void teach(struct run *r) {
    const struct tensor inputs = narrow(narrow(r->inputs, 0, 0, 3), 1, 0, 2);
    const struct tensor scores = matmul(inputs, transpose(inputs, 0, 1));
    const struct tensor both[] = {scores, scores};
    record_step(r, inputs, "inputs", "X", (const char *[]){"inputs", NULL}, "lessons/small.c", 1);
    record_step(r, scores, "scores", "X Xᵀ", (const char *[]){"inputs @ inputs.T", NULL},
                "lessons/small.c", 2);
    record_step(r, transpose(scores, 0, 1), "turned", "Sᵀ", (const char *[]){"scores.T", NULL},
                "lessons/small.c", 3);
    record_step(r, softmax(scores, -1), "weights", "softmax(S)",
                (const char *[]){"scores.softmax(-1)", NULL}, "lessons/small.c", 4);
    record_step(r, stack(2, both, 0), "pages", "[S, S]",
                (const char *[]){"torch.stack([scores, scores])", NULL}, "lessons/small.c", 5);
}

static const struct lesson lesson = {
    .name = "small",
    .title = "Small",
    .summary = "A lesson for tests.",
    .teach = teach,
    .source = &source,
};

enum { INPUTS, SCORES, TURNED, WEIGHTS, PAGES, STEPS };

static const struct lesson *const lessons[] = {&lesson, &lesson};

static struct walker walker;
static const struct run *const run = &walker.trial.run;
static struct state *const state = &walker.state;

static void set_up(void) {
    const struct walk_start start = {
        .lessons = lessons,
        .lesson_count = 2,
        .chosen = &(struct parameters){0},
        .what_ifs = &(struct what_ifs){.made = {false}},
        .digits = 4,
    };
    walker_start(&walker, &start, &failure);
}

static void tear_down(void) {
    walker_free(&walker);
}

static enum view_bit view_on_top(void) {
    if (walker.open_count > 1) return top_view(&walker)->view->bit;
    return state->grain == GRAIN_STEP ? VIEW_STEP : VIEW_INSIDE;
}

// Presses the key that does this in the view that is open.
static void act(enum action action) {
    for (int i = 0; i < binding_count; i++) {
        if (bindings[i].action != action || !(bindings[i].views & (unsigned)view_on_top()))
            continue;
        walker_press(&walker, (struct press){.key = bindings[i].keys[0]}, 14);
        return;
    }
    ck_abort_msg("no key does %d here", action);
}

static void act_times(enum action action, int times) {
    for (int i = 0; i < times; i++) act(action);
}

static int64_t moments(int step) {
    return order_of(run, &run->steps[step]).moment_count;
}

START_TEST(walks_and_stops_at_both_ends) {
    act(ACT_BACK);
    ck_assert_int_eq(state->step, 0);
    ck_assert_str_ne(state->message, "");
    for (int i = 0; i < 20 && view_on_top() == VIEW_STEP; i++) act(ACT_NEXT);
    ck_assert_int_eq(view_on_top(), VIEW_SUMMARY);
    act(ACT_CLOSE);
    ck_assert_int_eq(state->step, STEPS - 1);
    act(ACT_FIRST);
    ck_assert_int_eq(state->step, 0);
    act(ACT_LAST);
    ck_assert_int_eq(state->step, STEPS - 1);
}
END_TEST

START_TEST(remembers_the_steps_seen) {
    act(ACT_NEXT);
    ck_assert(is_seen(state, 0, 0) && is_seen(state, 0, 1));
    ck_assert(!is_seen(state, 0, 2));
    ck_assert_int_eq(state->visits[0].step, 1);
}
END_TEST

START_TEST(keeps_the_cell_inside_the_tensor) {
    act(ACT_NEXT);
    act(ACT_ROW_END);
    act(ACT_SCROLL_DOWN);
    ck_assert_int_eq(state->row, 2);
    ck_assert_int_eq(state->column, 2);
    act(ACT_BACK);
    ck_assert_int_lt(state->column, 2);
    act_times(ACT_LEFT, 5);
    act_times(ACT_UP, 5);
    ck_assert_int_eq(state->row, 0);
    ck_assert_int_eq(state->column, 0);
}
END_TEST

START_TEST(turns_pages_in_a_circle) {
    go_to_step(state, run, PAGES);
    act(ACT_NEXT_PAGE);
    ck_assert_int_eq(state->page, 1);
    act(ACT_NEXT_PAGE);
    ck_assert_int_eq(state->page, 0);
    act(ACT_PREVIOUS_PAGE);
    ck_assert_int_eq(state->page, 1);
    go_to_step(state, run, SCORES);
    ck_assert_int_eq(state->page, 0);
}
END_TEST

START_TEST(goes_row_by_row_and_cell_by_cell) {
    act(ACT_NEXT);
    act(ACT_INTO);
    ck_assert_int_eq(state->grain, GRAIN_ROW);
    ck_assert_int_eq(state->moment, 2);
    act(ACT_NEXT);
    ck_assert_int_eq(state->moment, 5);
    ck_assert_int_eq(state->row, 1);
    act(ACT_INTO);
    ck_assert_int_eq(state->grain, GRAIN_CELL);
    ck_assert_int_eq(state->moment, 3);
    act(ACT_BACK);
    ck_assert_int_eq(state->moment, 2);
    ck_assert_int_eq(state->column, 2);
    act(ACT_OUT);
    ck_assert_int_eq(state->grain, GRAIN_ROW);
    act(ACT_OUT);
    ck_assert_int_eq(state->grain, GRAIN_STEP);
}
END_TEST

START_TEST(has_nothing_inside_a_view) {
    go_to_step(state, run, TURNED);
    act(ACT_INTO);
    ck_assert_int_eq(state->grain, GRAIN_STEP);
    ck_assert_str_ne(state->message, "");
}
END_TEST

// Forwards through all moments of all steps and back again meets the same places in reverse.
START_TEST(goes_back_the_way_it_came) {
    enum { MOST = 200 };
    static struct state passed[MOST];
    int count = 0;
    act(ACT_NEXT);
    act(ACT_INTO);
    act(ACT_INTO);
    for (; count < MOST; count++) {
        passed[count] = *state;
        act(ACT_NEXT);
        if (view_on_top() == VIEW_SUMMARY) break;
    }
    act(ACT_CLOSE);
    ck_assert_int_eq(count + 1, moments(SCORES) + 1 + moments(WEIGHTS) + moments(PAGES));
    for (int i = count; i > 0; i--) {
        ck_assert_int_eq(state->step, passed[i].step);
        ck_assert_int_eq(state->moment, passed[i].moment);
        if (state->moment >= 0) { // a view moves no cursor
            ck_assert_int_eq(state->row, passed[i].row);
            ck_assert_int_eq(state->column, passed[i].column);
        }
        act(ACT_BACK);
    }
}
END_TEST

START_TEST(takes_a_softmax_apart) {
    go_to_step(state, run, WEIGHTS);
    ck_assert_int_eq(moments(WEIGHTS), 3 * (3 + 3));
    act(ACT_INTO);
    ck_assert_int_eq(state->moment, 5);
}
END_TEST

START_TEST(changes_lessons_within_bounds) {
    act(ACT_PREVIOUS_LESSON);
    ck_assert_int_eq(state->lesson, 0);
    ck_assert_str_ne(state->message, "");
    act(ACT_NEXT);
    act(ACT_NEXT_LESSON);
    ck_assert_int_eq(state->lesson, 1);
    ck_assert_int_eq(state->step, 0);
    act(ACT_PREVIOUS_LESSON);
    ck_assert_int_eq(state->lesson, 0);
    ck_assert_int_eq(state->step, 0);
}
END_TEST

START_TEST(help_returns_where_it_was_opened) {
    act(ACT_LIST);
    act(ACT_HELP);
    ck_assert_int_eq(view_on_top(), VIEW_HELP);
    act(ACT_CLOSE);
    ck_assert_int_eq(view_on_top(), VIEW_LIST);
    act(ACT_CLOSE);
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
}
END_TEST

START_TEST(the_cheat_sheet_is_a_page_of_the_help) {
    act(ACT_LIST);
    act(ACT_HELP);
    act(ACT_SHEET);
    ck_assert_int_eq(view_on_top(), VIEW_SHEET);
    act(ACT_CLOSE);
    ck_assert_int_eq(view_on_top(), VIEW_HELP);
    act(ACT_SHEET);
    act(ACT_HELP);
    ck_assert_int_eq(view_on_top(), VIEW_HELP);
    act(ACT_CLOSE);
    ck_assert_int_eq(view_on_top(), VIEW_LIST);
}
END_TEST

// One key, one meaning: within a view no key is bound twice.
START_TEST(no_key_means_two_things) {
    for (int v = 0; v < view_count; v++) {
        const enum view_bit view = view_table[v]->bit;
        for (int i = 0; i < binding_count; i++) {
            for (int k = 0; k < KEYS_PER_ACTION && bindings[i].keys[k] != 0; k++) {
                if (!(bindings[i].views & (unsigned)view)) continue;
                ck_assert_msg(action_of(view, bindings[i].keys[k]) == bindings[i].action,
                              "%s: '%s'", view_table[v]->name, bindings[i].help);
            }
        }
    }
}
END_TEST

START_TEST(every_view_can_be_left_and_named) {
    unsigned all = 0;
    for (int i = 0; i < view_count; i++) {
        const enum view_bit view = view_table[i]->bit;
        const bool is_walking = view == VIEW_STEP || view == VIEW_INSIDE;
        const enum action leave =
            action_of(view, is_walking ? (uint32_t)'q' : (uint32_t)PRESS_ESCAPE);
        ck_assert_int_eq(leave, is_walking ? ACT_QUIT : ACT_CLOSE);
        ck_assert_str_ne(view_table[i]->name, "");
        ck_assert_uint_eq(all & (unsigned)view, 0);
        all |= (unsigned)view;
    }
    ck_assert_uint_eq(all & (all + 1), 0); // every bit is taken
    for (int i = 0; i < binding_count; i++) ck_assert_uint_eq(bindings[i].views & ~all, 0);
}
END_TEST

// Keys that terminals and tmux keep for themselves are not used.
START_TEST(no_key_is_a_chord) {
    for (int i = 0; i < binding_count; i++) {
        for (int k = 0; k < KEYS_PER_ACTION && bindings[i].keys[k] != 0; k++)
            ck_assert_uint_ge(bindings[i].keys[k], ' ');
    }
}
END_TEST

Suite *state_suite(void) {
    Suite *suite = suite_create("state");
    TCase *tests = add_case(suite, "state", set_up, tear_down);
    tcase_add_test(tests, walks_and_stops_at_both_ends);
    tcase_add_test(tests, remembers_the_steps_seen);
    tcase_add_test(tests, keeps_the_cell_inside_the_tensor);
    tcase_add_test(tests, turns_pages_in_a_circle);
    tcase_add_test(tests, goes_row_by_row_and_cell_by_cell);
    tcase_add_test(tests, has_nothing_inside_a_view);
    tcase_add_test(tests, goes_back_the_way_it_came);
    tcase_add_test(tests, takes_a_softmax_apart);
    tcase_add_test(tests, changes_lessons_within_bounds);
    tcase_add_test(tests, help_returns_where_it_was_opened);
    tcase_add_test(tests, the_cheat_sheet_is_a_page_of_the_help);
    tcase_add_test(tests, no_key_means_two_things);
    tcase_add_test(tests, every_view_can_be_left_and_named);
    tcase_add_test(tests, no_key_is_a_chord);
    return suite;
}
