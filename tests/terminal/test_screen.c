// `onestep screen` prints what a terminal shows: each step of each lesson, started anew on a pseudo-terminal
// and printed, row by row.

#include <stdio.h>
#include <string.h>

#include "attempts.h"
#include "base/text.h"
#include "fixture.h"
#include "lessons.h"
#include "process.h"
#include "sample.h"
#include "terminal/pty.h"

#include <check.h> // last: defines a macro fail

enum { DONE = 0, MISUSED = 2 };

static const struct { int columns, rows; } sizes[] = {{80, 24}, {120, 40}};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

static struct pty open_terminal(int size, const char *lesson, const char *step) {
    return pty_open(&(struct pty_options){
        .arguments = (const char *const[]){lesson, "--step", step, NULL},
        .rows = sizes[size].rows,
        .columns = sizes[size].columns,
    });
}

static const char *size_text(int size) {
    return arena_format(&arena, "%dx%d", sizes[size].columns, sizes[size].rows);
}

static void check_same(const struct pty *pty, const struct end *end, const char *what) {
    ck_assert_msg(end->status == DONE, "%s: %s", what, end->error);
    const char *line = end->output;
    for (int row = 0; row < pty->rows; row++) {
        const size_t length = strcspn(line, "\n");
        const char *shown = pty_text(pty, row, 0);
        ck_assert_msg(strlen(shown) == length && strncmp(shown, line, length) == 0,
                      "%s, row %d:\nterminal: %s\nscreen:   %.*s", what, row, shown, (int)length,
                      line);
        ck_assert_int_eq(line[length], '\n');
        line += length + 1;
    }
    ck_assert_str_eq(line, "");
}

START_TEST(each_step_is_as_on_a_terminal) {
    const struct lesson *lesson = lesson_table[_i / SIZE_COUNT];
    const int size = _i % SIZE_COUNT;
    struct run run;
    ck_assert(try_lesson(&run, &arena, lesson, &(struct parameters){0}));
    const int every = one_in(lesson->trains ? 10 : 2); // each of its screens is a training, twice
    for (int number = 1; number <= run.step_count; number += every) {
        const char *step = arena_format(&arena, "%d", number);
        struct pty pty = open_terminal(size, lesson->name, step);
        const struct end end =
            RUN(&arena, "screen", lesson->name, "--step", step, "--size", size_text(size));
        check_same(&pty, &end, arena_format(&arena, "%s, step %d", lesson->name, number));
        pty_close(&pty);
    }
}
END_TEST

// Keys as the terminal sends them, and as the command line names them.
static const struct {
    const char *keys[6], *named;
} typed[] = {
    {{"i", "i", "n"}, "iin"},
    {{"\r"}, "<Enter>"},
    {{"\033[B", "\033[C", "\r"}, "<Down><Right><Enter>"},
    {{"x", "\033[B", "\r"}, "x<Down><Enter>"},
    {{"?"}, "?"},
    {{"\t", "\033[B", "\r"}, "<Tab><Down><Enter>"},
    {{"n", " ", "b", "p"}, "n<Space>bp"},
    {{"e", "0", ".", "3", "\r"}, "e0.3<Enter>"},
};

START_TEST(keys_are_as_on_a_terminal) {
    for (int size = 0; size < SIZE_COUNT; size++) {
        struct pty pty = open_terminal(size, "causal", "scores");
        for (int i = 0; typed[_i].keys[i] != NULL; i++) pty_type(&pty, typed[_i].keys[i]);
        const struct end end = RUN(&arena, "screen", "causal", "--step", "scores", "--keys",
                                   typed[_i].named, "--size", size_text(size));
        check_same(&pty, &end, typed[_i].named);
        pty_close(&pty);
    }
}
END_TEST

START_TEST(without_colour_as_on_a_terminal_without) {
    struct pty pty = pty_open(
        &(struct pty_options){.arguments = (const char *const[]){"causal", "--step", "weights",
                                                                 "--color", "never", NULL}});
    const struct end end = RUN(&arena, "screen", "causal", "--step", "weights", "--color", "never");
    check_same(&pty, &end, "no colour");
    pty_close(&pty);
}
END_TEST

#define APOSTROPHE "&#39;" // in HTML and SVG

// What remains of a file in a format, when its markup is taken away.
static const char *bare(const char *from, char open, char close) {
    struct text text = text_new(&arena);
    text_add(&text, "");
    for (; *from != '\0'; from++) {
        if (*from == open) {
            from = strchr(from, close);
        } else if (open == '<' && strncmp(from, APOSTROPHE, strlen(APOSTROPHE)) == 0) {
            text_add(&text, "'");
            from += strlen(APOSTROPHE) - 1;
        } else {
            text_add_bytes(&text, from, 1);
        }
    }
    return text.bytes;
}

static const char *without_blanks(const char *from) {
    struct text text = text_new(&arena);
    text_add(&text, "");
    for (; *from != '\0'; from++) {
        if (*from != ' ' && *from != '\n') text_add_bytes(&text, from, 1);
    }
    return text.bytes;
}

START_TEST(all_formats_say_the_same) {
    const struct end plain = RUN(&arena, "screen", "simplified", "--step", "scores");
    const char *words = without_blanks(plain.output);
    static const char *const terminals[] = {"COLORTERM", "COLORTERM=truecolor"};
    static const char *const colours[] = {";48;5;23", ";48;2;28;99;118"};
    for (int i = 0; i < 2; i++) {
        const struct end ansi = run_process(
            &arena,
            &(struct start){.arguments = (const char *const[]){"screen", "simplified", "--step",
                                                               "scores", "--format", "ansi", NULL},
                            .environment = (const char *const[]){terminals[i], "STY", NULL}});
        ck_assert_str_eq(without_blanks(bare(ansi.output, '\033', 'm')), words);
        ck_assert_ptr_nonnull(strstr(ansi.output, colours[i]));
    }
    const struct end html =
        RUN(&arena, "screen", "simplified", "--step", "scores", "--format", "html");
    const char *body = strstr(html.output, "<body>");
    ck_assert_str_eq(without_blanks(bare(body, '<', '>')), words);
    const struct end svg =
        RUN(&arena, "screen", "simplified", "--step", "scores", "--format", "svg");
    const char *drawn = strstr(svg.output, "</style>");
    ck_assert_str_eq(without_blanks(bare(drawn, '<', '>')), words);
}
END_TEST

static const struct {
    const char *arguments[8], *message;
} refused[] = {
    {{"screen"}, "screen needs a lesson"},
    {{"screen", "causal", "--step", "nowhere"}, "causal has no step 'nowhere'"},
    {{"screen", "causal", "--keys", "nq"}, "the key q leaves the walker"},
    {{"screen", "causal", "--keys", "<Return>"},
     "no key is called <Return>; those with names are <Up>,"},
    {{"screen", "causal", "--size", "80"}, "--size takes columns and rows, 80x24 for one"},
    {{"screen", "causal", "--size", "0x24"}, "each 1 ... 500, not '0x24'"},
    {{"screen", "causal", "--size", "80x24x3"}, "not '80x24x3'"},
    {{"screen", "causal", "--format", "csv"},
     "--format of screen takes text, ansi, svg, html or link"},
    {{"screen", "causal", "--heads", "2"}, "causal has no use for --heads"},
    {{"print", "causal", "--keys", "n"}, "print has no option '--keys'"},
};

START_TEST(what_cannot_be_shown) {
    const struct end end = run_process(&arena, &(struct start){.arguments = refused[_i].arguments});
    ck_assert_int_eq(end.status, MISUSED);
    ck_assert_str_eq(end.output, "");
    ck_assert_msg(strstr(end.error, refused[_i].message) != NULL, "%s", end.error);
}
END_TEST

// The screens of the figure are those that the keys lead to, one after the other.
START_TEST(a_moving_figure_has_a_frame_for_each_key) {
    const struct end moving = RUN(&arena, "screen", "causal", "--step=scores", "--format=svg",
                                  "--moving", "--keys", "n<Down><Enter>");
    ck_assert_int_eq(moving.status, 0);
    static const char *const keys[] = {"", "n", "n<Down>", "n<Down><Enter>"};
    const char *frame = moving.output;
    for (int i = 0; i < 4; i++) {
        const struct end still =
            RUN(&arena, "screen", "causal", "--step=scores", "--format=svg", "--keys", keys[i]);
        const char *drawn = strstr(still.output, "rx=\"6\"/>\n") + strlen("rx=\"6\"/>\n");
        const int length = (int)(strstr(drawn, "</svg>") - drawn);
        frame = strstr(frame, "<g class=\"frame\">\n");
        ck_assert_ptr_nonnull(frame);
        frame += strlen("<g class=\"frame\">\n");
        ck_assert_msg(strncmp(frame, drawn, (size_t)length) == 0, "frame %d is another screen",
                      i + 1);
    }
    ck_assert_ptr_null(strstr(frame, "<g class"));
    ck_assert_ptr_nonnull(strstr(moving.output, "frame 8s infinite"));
}
END_TEST

Suite *screen_suite(void) {
    Suite *suite = suite_create("screen");
    TCase *screen = add_case(suite, "screen", set_up_arena, tear_down_arena);
    tcase_set_timeout(screen, 120);
    tcase_add_loop_test(screen, each_step_is_as_on_a_terminal, 0, lesson_count * SIZE_COUNT);
    tcase_add_loop_test(screen, keys_are_as_on_a_terminal, 0, sizeof typed / sizeof *typed);
    tcase_add_test(screen, a_moving_figure_has_a_frame_for_each_key);
    tcase_add_test(screen, without_colour_as_on_a_terminal_without);
    tcase_add_test(screen, all_formats_say_the_same);
    tcase_add_loop_test(screen, what_cannot_be_shown, 0, sizeof refused / sizeof *refused);
    return suite;
}
