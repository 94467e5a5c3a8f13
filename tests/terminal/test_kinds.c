// Every kind of terminal: with colours or without, with UTF-8 or without.

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "screen.h"

// ---- Every kind of terminal ---------------------------------------------------------------------

static const char *const terminals[] = {"TERM=vt100", "TERM=xterm-mono", "TERM=linux",
                                        "TERM=screen-256color", "TERM=xterm-256color"};
enum { TERMINALS = sizeof terminals / sizeof *terminals, CONSOLE = 2, FIRST_WITH_HEAT = 3 };

START_TEST(every_step_is_reachable) {
    // The library that curses loads for the console's mouse loses memory.
    const char *options = _i == CONSOLE ? "ASAN_OPTIONS=detect_leaks=0" : NULL;
    struct pty pty = OPEN(.environment = WORDS(terminals[_i], options));
    for_each_step(&pty, look_at_step);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

// The shade before the number that ends in this column, 0 ... 4; -1 if none.
static int shade_before(const struct pty *pty, int row, int column) {
    static const uint32_t shades[] = {' ', 0x2591, 0x2592, 0x2593, 0x2588};
    const uint32_t character = pty_cell(pty, row, column).chars[0];
    for (int i = 0; i < 5; i++) {
        if (shades[i] == character) return i;
    }
    return -1;
}

START_TEST(magnitudes_are_readable_without_colour) {
    struct pty pty = OPEN(.arguments = WORDS("simplified", "--step", "scores"),
                          .environment = WORDS(terminals[_i]));
    if (_i >= FIRST_WITH_HEAT) ck_assert_int_gt(count_coloured_cells(&pty), 36);
    if (_i < FIRST_WITH_HEAT) {
        ck_assert_int_eq(count_coloured_cells(&pty), 0);
        struct number numbers[36];
        read_scores(&pty, numbers);
        int most = 0;
        for (int i = 0; i < 36; i++) {
            const int shade = shade_before(&pty, numbers[i].row, numbers[i].column - 1);
            if (shade > most) most = shade;
            ck_assert_int_ge(shade, 0);
            for (int j = 0; j < i; j++) {
                const int other = shade_before(&pty, numbers[j].row, numbers[j].column - 1);
                const double difference = numbers[i].value - numbers[j].value;
                ck_assert(difference * (shade - other) >= 0);
            }
        }
        ck_assert_int_eq(most, 4);
    }
    pty_close(&pty);
}
END_TEST

START_TEST(masks_are_readable_without_colour) {
    struct pty pty = OPEN(.arguments = WORDS("causal", "--step", "masked_scores"),
                          .environment = WORDS(terminals[_i]));
    ck_assert_int_ge(count_text(&pty, "-inf"), 15);
    ck_assert_int_ge(count_text(&pty, "¦"), 15);
    pty_close(&pty);
}
END_TEST

static const struct {
    const char *option;
    const char *environment[3];
    bool has_colour;
} colour_table[] = {
    {NULL, {"NO_COLOR=1"}, false},
    {NULL, {"NO_COLOR="}, true},
    {NULL, {"NO_COLOR=1", "CLICOLOR_FORCE=1"}, false},
    {NULL, {"CLICOLOR=0"}, false},
    {NULL, {"CLICOLOR=0", "CLICOLOR_FORCE=1"}, true},
    {"--color=never", {"CLICOLOR_FORCE=1"}, false},
    {"--color=always", {"NO_COLOR=1"}, true},
    {"--color=auto", {"NO_COLOR=1"}, false},
    {"--color=auto", {NULL}, true},
};
enum { COLOURS = sizeof colour_table / sizeof *colour_table };

START_TEST(colour_is_as_the_user_wants_it) {
    const char *arguments[] = {"simplified", colour_table[_i].option, NULL};
    struct pty pty = OPEN(.arguments = arguments, .environment = colour_table[_i].environment);
    if (colour_table[_i].has_colour) ck_assert_int_gt(count_coloured_cells(&pty), 18);
    if (!colour_table[_i].has_colour) ck_assert_int_eq(count_coloured_cells(&pty), 0);
    if (!colour_table[_i].has_colour) ck_assert_ptr_null(strstr(pty.written, "\033[38;5;"));
    pty_close(&pty);
}
END_TEST

// ---- Heat ---------------------------------------------------------------------------------------

static const char *const heated[][2] = {
    {"TERM=xterm-256color", NULL},
    {"TERM=xterm-256color", "COLORTERM=truecolor"},
    {"TERM=screen-256color", NULL},
};

START_TEST(every_heat_cell_is_readable) {
    struct pty pty = OPEN(.environment = WORDS(heated[_i / 2][0], heated[_i / 2][1]));
    if (_i % 2 == 1) pty_type(&pty, "D");
    for_each_step(&pty, look_at_contrast);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

// On a light screen it falls.
START_TEST(heat_rises_with_the_number) {
    struct pty pty = OPEN(.arguments = WORDS("simplified", "--step", "scores"),
                          .environment = WORDS(_i / 2 == 1 ? "COLORTERM=24bit" : NULL));
    struct number numbers[36];
    read_scores(&pty, numbers);
    const int direction = _i % 2 == 0 ? 1 : -1;
    if (direction < 0) pty_type(&pty, "D");
    look_at_contrast(&pty);
    for (int i = 0; i < 36; i++) {
        const VTermScreenCell cell = pty_cell(&pty, numbers[i].row, numbers[i].column);
        for (int j = 0; j < i; j++) {
            const VTermScreenCell other = pty_cell(&pty, numbers[j].row, numbers[j].column);
            const double rise = direction * (luminance(&cell.bg) - luminance(&other.bg));
            ck_assert(rise * (numbers[i].value - numbers[j].value) >= 0);
        }
    }
    pty_close(&pty);
}
END_TEST

static const struct {
    const char *environment[4];
    bool has_colour, has_rgb;
} rgb_table[] = {
    {{"COLORTERM=truecolor"}, true, true},
    {{"COLORTERM=24bit"}, true, true},
    {{"COLORTERM=truecolor", "TERM=tmux-256color"}, true, true},
    {{"COLORTERM=truecolor", "TERM=screen-256color"}, true, true},
    {{"COLORTERM=truecolor", "TERMINFO=/nowhere"}, true, true},
    {{"COLORTERM=truecolor", "TERM=screen-256color", "STY=1.tty"}, true, false},
    {{"COLORTERM=yes"}, true, false},
    {{"COLORTERM="}, true, false},
    {{NULL}, true, false},
    {{"COLORTERM=truecolor", "TERM=linux", "ASAN_OPTIONS=detect_leaks=0"}, false, false},
    {{"COLORTERM=truecolor", "TERM=xterm-mono"}, false, false},
    {{"COLORTERM=truecolor", "NO_COLOR=1"}, false, false},
};
enum { RGBS = sizeof rgb_table / sizeof *rgb_table };

// The cell of "inputs" with the largest number, 0.89, has the last of all levels.
START_TEST(all_colours_are_used_where_the_terminal_has_them) {
    struct pty pty = OPEN(.arguments = WORDS("simplified", "--step", "inputs"),
                          .environment = rgb_table[_i].environment);
    ck_assert(rgb_table[_i].has_colour == (count_coloured_cells(&pty) > 0));
    ck_assert(rgb_table[_i].has_rgb == (strstr(pty.written, "\033[48;2;34;111;132m") != NULL));
    ck_assert(rgb_table[_i].has_rgb || strstr(pty.written, "8;2;") == NULL);
    ck_assert(!rgb_table[_i].has_rgb || strstr(pty.written, "8;5;") == NULL);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

// Neither OSC 4 nor OSC 104, which set and reset colours of the user's.
START_TEST(no_colour_is_redefined) {
    struct pty pty = OPEN(.environment = WORDS(_i == 1 ? "COLORTERM=truecolor" : NULL));
    pty_type(&pty, "nD");
    quit(&pty);
    ck_assert_ptr_null(strstr(pty.written, "\033]4;"));
    if (_i == 1) ck_assert_ptr_null(strstr(pty.written, "\033]104"));
    pty_close(&pty);
}
END_TEST

// A screen in all colours shows the words of one in 256, and knows the same keys and clicks.
START_TEST(all_colours_change_nothing_else) {
    struct pty plain = OPEN(.arguments = WORDS("causal", "--step", "masked_scores"));
    struct pty full = OPEN(.arguments = WORDS("causal", "--step", "masked_scores"),
                           .environment = WORDS("COLORTERM=truecolor"));
    static const char *const keys[] = {"n", "\033[C", "\033[<0;30;12M", "\033[5~", "f"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        pty_type(&plain, keys[i]);
        pty_type(&full, keys[i]);
        ck_assert_int_eq(plain.wants_mouse, full.wants_mouse);
        for (int row = 0; row < plain.rows; row++) {
            for (int column = 0; column < plain.columns; column++) {
                const VTermScreenCell one = pty_cell(&plain, row, column),
                                      other = pty_cell(&full, row, column);
                ck_assert_mem_eq(one.chars, other.chars, sizeof one.chars);
                ck_assert_int_eq(one.attrs.reverse, other.attrs.reverse);
                ck_assert_int_eq(one.attrs.underline, other.attrs.underline);
                ck_assert_int_eq(one.attrs.bold, other.attrs.bold);
            }
        }
    }
    pty_close(&plain);
    pty_close(&full);
}
END_TEST

// ---- ASCII --------------------------------------------------------------------------------------

// A question mark is one of prose (it ends a word), or the key of that name, or one of C (between
// blanks); any other would stand for a character that could not be shown.
static bool is_honest_question_mark(const char *row, const char *mark) {
    const bool is_alone = mark == row || mark[-1] == ' ';
    if (is_alone) return strncmp(mark, "? help", 6) == 0 || (mark[1] == ' ' && mark[2] != ' ');
    const char *end = mark + 1 + strspn(mark + 1, "\"')*/");
    return mark[-1] != '?' && (*end == ' ' || *end == '\0');
}

static void look_for_replacements(struct pty *pty) {
    ck_assert_int_eq(pty->high_bytes, 0);
    for (int row = 0; row < pty->rows; row++) {
        const char *text = pty_text(pty, row, 0);
        for (const char *mark = strchr(text, '?'); mark != NULL; mark = strchr(mark + 1, '?')) {
            if (is_honest_question_mark(text, mark)) continue;
            fprintf(stderr, "# %s\n", text);
            pty_dump(pty);
            ck_abort_msg("a question mark on row %d stands for something", row);
        }
    }
}

static void look_at_ascii(struct pty *pty) {
    look_for_replacements(pty);
    pty_type(pty, "p");
    look_for_replacements(pty);
    pty_type(pty, "p");
    pty_type(pty, "t");
    look_for_replacements(pty);
    pty_type(pty, "q");
}

START_TEST(a_locale_without_utf8_gets_ascii) {
    struct pty pty = OPEN(.environment = WORDS("LC_ALL=C"), .uses_bytes = true);
    for_each_step(&pty, look_at_ascii);
    static const char *const screens[] = {"\t", "?", "x", NULL};
    for (int i = 0; screens[i] != NULL; i++) {
        pty_type(&pty, screens[i]);
        ck_assert_int_eq(pty.high_bytes, 0);
        pty_type(&pty, "q");
    }
    quit(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(masks_and_magnitudes_are_readable_in_ascii) {
    struct pty pty = OPEN(.arguments = WORDS("causal", "--step", "masked_scores"),
                          .environment = WORDS("LC_ALL=C", "NO_COLOR=1"), .uses_bytes = true);
    ck_assert_int_ge(count_text(&pty, "|-inf"), 15);
    ck_assert_int_ge(count_text(&pty, "@0.4"), 2);
    ck_assert_int_eq(pty.high_bytes, 0);
    pty_close(&pty);
}
END_TEST

START_TEST(a_locale_with_utf8_gets_shades) {
    struct pty pty = OPEN(.arguments = WORDS("simplified", "--step", "scores"),
                          .environment = WORDS("LC_ALL=C.UTF-8", "NO_COLOR=1"));
    ck_assert_int_ge(count_text(&pty, "█"), 1);
    ck_assert_int_ge(count_text(&pty, "░"), 1);
    pty_close(&pty);
}
END_TEST

// ---- All ----------------------------------------------------------------------------------------

Suite *kinds_suite(void) {
    Suite *suite = suite_create("kinds");
    TCase *tcase = add_terminal_case(suite, "kinds of terminals");
    tcase_add_loop_test(tcase, every_step_is_reachable, 0, TERMINALS);
    tcase_add_loop_test(tcase, magnitudes_are_readable_without_colour, 0, TERMINALS);
    tcase_add_loop_test(tcase, masks_are_readable_without_colour, 0, TERMINALS);
    tcase_add_loop_test(tcase, colour_is_as_the_user_wants_it, 0, COLOURS);
    tcase_add_test(tcase, a_locale_without_utf8_gets_ascii);
    tcase_add_test(tcase, masks_and_magnitudes_are_readable_in_ascii);
    tcase_add_test(tcase, a_locale_with_utf8_gets_shades);
    tcase_add_loop_test(tcase, every_heat_cell_is_readable, 0, 5);
    tcase_add_loop_test(tcase, heat_rises_with_the_number, 0, 4);
    tcase_add_loop_test(tcase, all_colours_are_used_where_the_terminal_has_them, 0, RGBS);
    tcase_add_loop_test(tcase, no_colour_is_redefined, 0, 2);
    tcase_add_test(tcase, all_colours_change_nothing_else);
    return suite;
}
