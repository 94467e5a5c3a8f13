// Terminals of every size, and what fits on them.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "screen.h"

// ---- Sizes --------------------------------------------------------------------------------------

static const char *const sized_steps[] = {"scores", "context"};

START_TEST(resizing_never_loses_the_place) {
    static const int sizes[][2] = {{1, 1}, {500, 2}, {60, 200}, {2, 500},
                                   {3, 3}, {11, 39}, {24, 80}};
    struct pty pty = OPEN(.arguments = WORDS("simplified", "--step", sized_steps[_i]));
    pty_press(&pty, VTERM_KEY_DOWN);
    pty_press(&pty, VTERM_KEY_RIGHT);
    struct picture before = pty_picture(&pty);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        pty_resize(&pty, sizes[i][0], sizes[i][1]);
    struct picture after = pty_picture(&pty);
    ck_assert(same_picture(&before, &after));
    free(before.cells);
    free(after.cells);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(q_quits_at_any_size) {
    static const int sizes[][2] = {{1, 1},   {1, 500}, {500, 1},  {5, 20},  {12, 40},
                                   {11, 40}, {12, 39}, {60, 200}, {40, 120}};
    struct pty pty = OPEN(.rows = sizes[_i][0], .columns = sizes[_i][1]);
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
    pty = OPEN(0);
    pty_resize(&pty, sizes[_i][0], sizes[_i][1]);
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
}
END_TEST

enum { LEAST_ROWS = 12, LEAST_COLUMNS = 40, MOST_ROWS = 40, MOST_COLUMNS = 120 };

static void assert_sized_screen(const struct pty *pty) {
    const VTermPos cursor = pty_cursor(pty);
    ck_assert(cursor.row >= 0 && cursor.row < pty->rows);
    ck_assert(cursor.col >= 0 && cursor.col < pty->columns);
    if (pty->rows >= LEAST_ROWS && pty->columns >= LEAST_COLUMNS) {
        assert_step_screen(pty);
        ck_assert(pty_shows(pty, "? help"));
    } else {
        ck_assert(pty->columns < 5 || pty_shows(pty, "40x12"));
        for (int row = 1; row < pty->rows; row++) ck_assert_str_eq(pty_text(pty, row, 0), "");
    }
}

// Row by row, alternately from left to right and back, so that most changes are small.
START_TEST(every_size_is_survived) {
    const int stride = is_slow() ? 1 : 11;
    struct pty pty = OPEN(.arguments = WORDS("trainable", "--step", "rand: scores"));
    struct picture before = pty_picture(&pty);
    int sizes = 0;
    for (int i = 0; i < MOST_ROWS * MOST_COLUMNS; i += stride, sizes++) {
        const int row = i / MOST_COLUMNS, column = i % MOST_COLUMNS;
        pty_resize(&pty, 1 + row, row % 2 == 0 ? 1 + column : MOST_COLUMNS - column);
        assert_sized_screen(&pty);
    }
    pty_resize(&pty, 24, 80);
    struct picture after = pty_picture(&pty);
    ck_assert(same_picture(&before, &after));
    printf("# %d sizes\n", sizes);
    free(before.cells);
    free(after.cells);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(the_smallest_terminal_shows_what_matters) {
    struct pty pty = OPEN(.rows = LEAST_ROWS, .columns = LEAST_COLUMNS);
    for_each_step(&pty, look_at_step);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(what_is_cut_is_marked) {
    struct pty pty = OPEN(.arguments = WORDS("simplified", "--step", "scores"), .rows = LEAST_ROWS,
                          .columns = LEAST_COLUMNS);
    for (int i = 0; i < 5; i++) {
        ck_assert(pty_shows(&pty, "…"));
        pty_press(&pty, i % 2 == 0 ? VTERM_KEY_RIGHT : VTERM_KEY_DOWN);
        assert_step_screen(&pty);
    }
    quit(&pty);
    pty_close(&pty);
}
END_TEST

// ---- Operands beside their result ---------------------------------------------------------------

static const struct {
    const char *lesson, *step;
    const char *operands[2]; // above the result, or at its left
} beside[] = {
    {"trainable", "linear: scores", {"queries (6, 2)", "keysᵀ (2, 6)"}},
    {"causal", "masked_scores", {" scores (6, 6)", "mask_bool (6, 6)"}},
    {"causal", "context", {"causal_weights (6, 6)", "values (6, 2)"}},
    {"simplified", "context", {"weights (6, 6)", "inputs (6, 3)"}},
};

START_TEST(operands_stand_beside_their_result) {
    struct pty pty = OPEN(.arguments = WORDS(beside[_i].lesson, "--step", beside[_i].step),
                          .rows = 60, .columns = 200);
    assert_step_screen(&pty);
    for (int i = 0; i < 2; i++) {
        const bool is_named = pty_shows(&pty, beside[_i].operands[i]);
        if (!is_named) pty_dump(&pty);
        ck_assert_msg(is_named, "%s does not stand beside", beside[_i].operands[i]);
    }
    quit(&pty);
    pty_close(&pty);
}
END_TEST

// ---- All ----------------------------------------------------------------------------------------

Suite *sizes_suite(void) {
    Suite *suite = suite_create("sizes");
    TCase *tcase = add_terminal_case(suite, "sizes");
    tcase_add_loop_test(tcase, resizing_never_loses_the_place, 0, 2);
    tcase_add_loop_test(tcase, q_quits_at_any_size, 0, 9);
    tcase_add_test(tcase, every_size_is_survived);
    tcase_add_test(tcase, the_smallest_terminal_shows_what_matters);
    tcase_add_test(tcase, what_is_cut_is_marked);
    tcase_add_loop_test(tcase, operands_stand_beside_their_result, 0, 4);
    return suite;
}
