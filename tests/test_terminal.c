// The program on a terminal, as a user has it before him: every test starts it on a pseudo-terminal,
// presses keys and looks at the screen. With ONESTEP_TESTS_SLOW set, what is sampled else is complete.

#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pty.h"

#include <check.h> // last: defines a macro fail

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define OPEN(...) pty_open(&(struct pty_options){__VA_ARGS__})

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 // as gcc calls it
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

static bool is_slow(void) {
    return getenv("ONESTEP_TESTS_SLOW") != NULL;
}

// ---- What stands on the screen ------------------------------------------------------------------

// The place that the title line tells: "step 4/17  name".
struct place {
    int step, count;
    char name[80];
};

// Returns false if this is no screen of a step.
static bool read_place(const struct pty *pty, struct place *place) {
    const char *found = strstr(pty_text(pty, 0, 0), "step ");
    for (; found != NULL; found = strstr(found + 1, "step ")) {
        if (sscanf(found, "step %d/%d %79[^\n]", &place->step, &place->count, place->name) == 3)
            return true;
    }
    return false;
}

static struct place place_of(const struct pty *pty) {
    struct place place;
    if (!read_place(pty, &place)) {
        pty_dump(pty);
        ck_abort_msg("the title line tells no step");
    }
    return place;
}

// The text under the cursor up to the next blank.
static const char *word_at_cursor(const struct pty *pty) {
    static char word[80];
    const VTermPos cursor = pty_cursor(pty);
    word[0] = '\0';
    sscanf(pty_text(pty, cursor.row, cursor.col), "%79s", word);
    return word;
}

// Is the hardware cursor on the focused cell, for those who follow it with fingers or ears?
static bool is_cursor_on_focus(const struct pty *pty) {
    const VTermPos cursor = pty_cursor(pty);
    const VTermScreenCell cell = pty_cell(pty, cursor.row, cursor.col);
    return pty->shows_cursor && cell.attrs.reverse;
}

static void assert_step_screen(const struct pty *pty) {
    place_of(pty);
    if (is_cursor_on_focus(pty)) return;
    pty_dump(pty);
    ck_abort_msg("the cursor is not on the focused cell");
}

// Goes to the next step: beside this one, or on the next screen.
static void go_on(struct pty *pty) {
    const int step = place_of(pty).step;
    pty_type(pty, ";");
    if (place_of(pty).step != step + 1) pty_type(pty, "n");
}

// Walks until the step of this name is on the screen.
static void go_to(struct pty *pty, const char *name) {
    for (;;) {
        const struct place place = place_of(pty);
        if (strcmp(place.name, name) == 0) return;
        ck_assert_msg(place.step < place.count, "there is no step %s", name);
        go_on(pty);
    }
}

// Calls `look` with every step of every lesson on the screen; returns how many there are.
static int for_each_step(struct pty *pty, void (*look)(struct pty *pty)) {
    int steps = 0;
    char first[400];
    for (bool is_last_lesson = false; !is_last_lesson;) {
        snprintf(first, sizeof first, "%s", pty_text(pty, 0, 0));
        const int count = place_of(pty).count;
        for (int step = 1; step <= count; step++, steps++) {
            ck_assert_int_eq(place_of(pty).step, step);
            look(pty);
            if (step < count) go_on(pty);
        }
        pty_type(pty, "g");
        pty_type(pty, "]");
        is_last_lesson = strcmp(pty_text(pty, 0, 0), first) == 0;
    }
    ck_assert_int_gt(steps, 60);
    return steps;
}

static bool is_default_cell(const VTermScreenCell *cell) {
    return VTERM_COLOR_IS_DEFAULT_FG(&cell->fg) && VTERM_COLOR_IS_DEFAULT_BG(&cell->bg);
}

static int count_coloured_cells(const struct pty *pty) {
    int count = 0;
    for (int i = 0; i < pty->rows * pty->columns; i++) {
        const VTermScreenCell cell = pty_cell(pty, i / pty->columns, i % pty->columns);
        count += !is_default_cell(&cell);
    }
    return count;
}

static void quit(struct pty *pty) {
    pty_send(pty, "q");
    const int status = pty_wait_status(pty);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}

// ---- Files --------------------------------------------------------------------------------------

struct file {
    char path[64];
    char text[4096];
};

static struct file file_new(void) {
    struct file file = {.path = "/tmp/onestep-test-XXXXXX"};
    const int descriptor = mkstemp(file.path);
    ck_assert_int_ge(descriptor, 0);
    close(descriptor);
    return file;
}

static void read_and_remove(struct file *file) {
    FILE *stream = fopen(file->path, "rb");
    ck_assert_ptr_nonnull(stream);
    const size_t length = fread(file->text, 1, sizeof file->text - 1, stream);
    file->text[length] = '\0';
    fclose(stream);
    unlink(file->path);
}

// ---- No terminal, or none to draw on ------------------------------------------------------------

static bool same_settings(const struct termios *a, const struct termios *b) {
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
           a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

static void assert_settings_as_before(const struct pty *pty) {
    const struct termios now = pty_settings(pty);
    ck_assert_msg(same_settings(&pty->before, &now), "the terminal's settings are not as before");
}

// Runs to its end a program that should refuse: nothing but one line, on standard error.
static void assert_refusal(struct pty_options options, const char *named) {
    struct file error = file_new();
    options.error = error.path;
    struct pty pty = pty_start(&options);
    const int status = pty_wait_status(&pty);
    read_and_remove(&error);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 2);
    ck_assert_uint_eq(pty.bytes, 0);
    assert_settings_as_before(&pty);
    ck_assert_msg(strstr(error.text, named) != NULL, "'%s' is not in: %s", named, error.text);
    ck_assert_ptr_null(strchr(error.text, '\033'));
    const char *end = strchr(error.text, '\n');
    ck_assert_msg(end != NULL && end[1] == '\0', "not one line: %s", error.text);
    pty_close(&pty);
}

START_TEST(output_to_a_file_is_refused) {
    struct file output = file_new();
    assert_refusal((struct pty_options){.output = output.path}, "onestep print");
    read_and_remove(&output);
    ck_assert_str_eq(output.text, "");
}
END_TEST

START_TEST(input_from_nowhere_is_refused) {
    assert_refusal((struct pty_options){.input = "/dev/null"}, "onestep print");
}
END_TEST

static const char *const undrawable[] = {"TERM=dumb", "TERM=", "TERM", "TERM=bogus",
                                         "TERM=\033[31mred"};

START_TEST(a_terminal_that_cannot_be_drawn_on_is_refused) {
    assert_refusal((struct pty_options){.environment = WORDS(undrawable[_i])}, "onestep print");
}
END_TEST

// ---- Every kind of terminal ---------------------------------------------------------------------

static const char *const terminals[] = {"TERM=vt100", "TERM=xterm-mono", "TERM=linux",
                                        "TERM=screen-256color", "TERM=xterm-256color"};
enum { TERMINALS = sizeof terminals / sizeof *terminals, CONSOLE = 2, FIRST_WITH_HEAT = 3 };

static void look_at_step(struct pty *pty) {
    assert_step_screen(pty);
    ck_assert(pty_shows(pty, "? help"));
}

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

// Numbers of the matrix under the cursor, with the column in which each begins.
struct number {
    int row, column;
    double value;
};

static int read_row(const struct pty *pty, int row, struct number *numbers, int room) {
    int count = 0;
    for (int column = 1; column < pty->columns; column++) {
        const uint32_t character = pty_cell(pty, row, column).chars[0];
        const uint32_t before = pty_cell(pty, row, column - 1).chars[0];
        const bool begins = (character == '-' || (character >= '0' && character <= '9')) &&
                            !(before == '.' || before == '-' || (before >= '0' && before <= '9'));
        if (!begins) continue;
        char *end;
        const char *text = pty_text(pty, row, column);
        const double value = strtod(text, &end);
        if (strchr(text, '.') == NULL || end == text || (*end != ' ' && *end != '\0')) continue;
        if (count < room) numbers[count++] = (struct number){row, column, value};
    }
    return count;
}

// Reads the (6, 6) matrix whose first cell has the cursor.
static void read_scores(struct pty *pty, struct number numbers[36]) {
    const VTermPos cursor = pty_cursor(pty);
    for (int row = 0; row < 6; row++) {
        struct number found[16];
        const int count = read_row(pty, cursor.row + row, found, 16);
        ck_assert_int_ge(count, 6); // those of an operand may stand at the left
        memcpy(&numbers[6 * row], &found[count - 6], 6 * sizeof *numbers);
    }
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

// How often a text is on the screen.
static int count_text(const struct pty *pty, const char *text) {
    int count = 0;
    for (int row = 0; row < pty->rows; row++) {
        const char *rest = pty_text(pty, row, 0);
        for (; (rest = strstr(rest, text)) != NULL; rest += strlen(text)) count++;
    }
    return count;
}

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

// ---- The end, by signals ------------------------------------------------------------------------

static void assert_given_back(const struct pty *pty) {
    assert_settings_as_before(pty);
    ck_assert_msg(!pty->is_alternate, "the screen is not the one from before");
    ck_assert_msg(pty->shows_cursor, "the cursor is hidden");
    ck_assert_msg(!pty->wants_mouse, "the mouse still belongs to the program");
    const bool has_second_screen = strstr(pty->written, "\033[?1049h") != NULL;
    ck_assert(!has_second_screen || strstr(pty->written, "\033[?1049l") != NULL);
}

// Those from SIGSEGV on are the sanitizers'.
static const int deadly[] = {SIGTERM,   SIGHUP,  SIGINT,  SIGQUIT, SIGABRT, SIGPIPE,
                             SIGALRM,   SIGUSR1, SIGUSR2, SIGXCPU, SIGTRAP, SIGSYS,
                             SIGVTALRM, SIGPROF, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL};
enum { DEADLY = sizeof deadly / sizeof *deadly, OF_SANITIZERS = 14 };

static void assert_death(struct pty *pty, int number) {
    const int status = pty_wait_status(pty);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), number);
    assert_given_back(pty);
}

START_TEST(signals_give_the_terminal_back) {
    if (IS_SANITIZED && _i >= OF_SANITIZERS) return; // which report those themselves
    struct pty pty = OPEN(0);
    ck_assert(pty.is_alternate);
    kill(pty.program, deadly[_i]);
    assert_death(&pty, deadly[_i]);
    pty_close(&pty);
}
END_TEST

static const char *const all_terminals[] = {
    "TERM=xterm-256color", "TERM=xterm",
    "TERM=xterm-mono",     "TERM=xterm-r5",
    "TERM=vt100",          "TERM=vt102",
    "TERM=vt220",          "TERM=vt52",
    "TERM=ansi",           "TERM=linux",
    "TERM=rxvt",           "TERM=rxvt-unicode-256color",
    "TERM=screen",         "TERM=screen-256color",
    "TERM=tmux",           "TERM=tmux-256color",
    "TERM=cons25",         "TERM=sun",
    "TERM=wsvt25",         "TERM=Eterm-color",
};
enum { ALL_TERMINALS = sizeof all_terminals / sizeof *all_terminals };

// With a signal that ends the program, or SIGTSTP: then it goes on, and ends with `q`.
static void end_by(struct pty *pty, int number) {
    kill(pty->program, number);
    if (number != SIGTSTP) {
        assert_death(pty, number);
        return;
    }
    ck_assert(WIFSTOPPED(pty_wait_status(pty)));
    assert_given_back(pty);
    kill(pty->program, SIGCONT);
    ck_assert(WIFCONTINUED(pty_wait_status(pty)));
    quit(pty);
    assert_given_back(pty);
}

// Curses itself loses memory for this terminal, as the sanitizers see.
static const char *leaks_of(const char *environment) {
    const bool loses_memory = environment != NULL && strcmp(environment, "TERM=linux") == 0;
    return loses_memory ? "ASAN_OPTIONS=detect_leaks=0" : NULL;
}

// Not every system knows every terminal.
static bool is_known(const char *terminal) {
    char command[80];
    snprintf(command, sizeof command, "%s tput cup 0 0 >/dev/null 2>&1", terminal);
    return system(command) == 0;
}

// Every signal in every terminal at every size; or, if that should take less than minutes, some of these,
// so that each is met.
START_TEST(no_signal_leaves_a_terminal_raw) {
    static const int sizes[][2] = {{24, 80}, {1, 1},   {12, 40}, {60, 200},
                                   {11, 39}, {2, 500}, {300, 3}};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    const int signals = IS_SANITIZED ? OF_SANITIZERS : DEADLY;
    const int stride = is_slow() ? 1 : 5;
    if (_i > 0 && !is_known(all_terminals[_i])) return;
    int count = 0;
    for (int i = _i % stride; i < (signals + 1) * SIZES; i += stride, count++) {
        const int number = i / SIZES == signals ? SIGTSTP : deadly[i / SIZES];
        struct pty pty = OPEN(.environment = WORDS(all_terminals[_i], leaks_of(all_terminals[_i])),
                              .rows = sizes[i % SIZES][0], .columns = sizes[i % SIZES][1]);
        end_by(&pty, number);
        pty_close(&pty);
    }
    printf("# %s: %d ends by signals\n", all_terminals[_i], count);
}
END_TEST

static const struct {
    const char *key;
    int number;
} deadly_keys[] = {{"\003", SIGINT}, {"\034", SIGQUIT}};

START_TEST(keys_that_kill_work_on_every_screen) {
    static const char *const screens[] = {"", "?", "t", "\t"};
    for (size_t i = 0; i < sizeof screens / sizeof *screens; i++) {
        struct pty pty = OPEN(0);
        if (*screens[i] != '\0') pty_type(&pty, screens[i]);
        pty_send(&pty, deadly_keys[_i].key);
        assert_death(&pty, deadly_keys[_i].number);
        pty_close(&pty);
    }
}
END_TEST

START_TEST(quitting_gives_the_terminal_back) {
    struct pty pty = OPEN(0);
    ck_assert(pty.is_alternate);
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(a_window_that_closes_ends_the_program) {
    struct pty pty = OPEN(.ignores_hangup = _i == 1);
    pty_hang_up(&pty);
    const int status = pty_wait_status(&pty);
    const bool was_hung_up = WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP;
    ck_assert(WIFEXITED(status) || (_i == 0 && was_hung_up)); // whichever it hears of first
    pty_close(&pty);
}
END_TEST

// ---- Suspended and resumed ----------------------------------------------------------------------

static void suspend(struct pty *pty) {
    pty_send(pty, "\032");
    const int status = pty_wait_status(pty);
    ck_assert(WIFSTOPPED(status));
    ck_assert_int_eq(WSTOPSIG(status), SIGTSTP);
    assert_given_back(pty);
}

static void resume(struct pty *pty) {
    kill(pty->program, SIGCONT);
    ck_assert(WIFCONTINUED(pty_wait_status(pty)));
}

START_TEST(resuming_shows_the_same_cells) {
    struct pty pty = OPEN(.arguments = WORDS("causal"));
    go_to(&pty, "masked_scores");
    pty_press(&pty, VTERM_KEY_DOWN);
    struct picture before = pty_picture(&pty);
    for (int round = 0; round < 3; round++) {
        suspend(&pty);
        resume(&pty);
        pty_wait_picture(&pty, &before);
        ck_assert(pty.is_alternate);
    }
    pty_press(&pty, VTERM_KEY_DOWN);
    assert_step_screen(&pty);
    free(before.cells);
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(a_resize_while_suspended_is_seen) {
    struct pty pty = OPEN(.arguments = WORDS("causal"));
    go_to(&pty, "masked_scores");
    pty_resize(&pty, 40, 110);
    struct picture large = pty_picture(&pty);
    pty_resize(&pty, 24, 80);
    struct picture small = pty_picture(&pty);
    suspend(&pty);
    pty_set_size(&pty, 40, 110);
    resume(&pty);
    pty_wait_picture(&pty, &large);
    suspend(&pty);
    pty_set_size(&pty, 24, 80);
    resume(&pty);
    pty_wait_picture(&pty, &small);
    free(large.cells);
    free(small.cells);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

// A shell may scribble on the screen while the program is stopped by a signal that it cannot catch.
START_TEST(being_continued_draws_all_again) {
    struct pty pty = OPEN(0);
    struct picture before = pty_picture(&pty);
    kill(pty.program, SIGSTOP);
    ck_assert(WIFSTOPPED(pty_wait_status(&pty)));
    static const char scribble[] = "\033[H\033[41mgarbage\033[m\r\n\ngarbage";
    ck_assert_int_eq(write(pty.theirs, scribble, sizeof scribble), (ssize_t)sizeof scribble);
    pty_drain(&pty);
    ck_assert(pty_shows(&pty, "garbage"));
    resume(&pty);
    pty_wait_picture(&pty, &before);
    free(before.cells);
    pty_close(&pty);
}
END_TEST

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

// ---- Heat ---------------------------------------------------------------------------------------

static double linear_part(int part) {
    const double share = part / 255.0;
    return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4);
}

// Relative luminance, as the guidelines for accessible content define it, of a colour of the cube or
// the greys of the 256-colour palette. (Below 16 every user has colours of his own.)
static double luminance(const VTermColor *colour) {
    ck_assert(VTERM_COLOR_IS_INDEXED(colour));
    const int index = colour->indexed.idx;
    ck_assert_int_ge(index, 16);
    const int grey = 8 + 10 * (index - 232);
    int parts[3] = {grey, grey, grey};
    if (index < 232) {
        static const int levels[] = {0, 95, 135, 175, 215, 255};
        for (int i = 0, rest = index - 16; i < 3; i++, rest /= 6) parts[2 - i] = levels[rest % 6];
    }
    return 0.2126 * linear_part(parts[0]) + 0.7152 * linear_part(parts[1]) +
           0.0722 * linear_part(parts[2]);
}

static double contrast(const VTermScreenCell *cell) {
    const double text = luminance(&cell->fg), ground = luminance(&cell->bg);
    return (fmax(text, ground) + 0.05) / (fmin(text, ground) + 0.05);
}

// Every cell has both colours or none: so it is readable on light and on dark terminals.
static void look_at_contrast(struct pty *pty) {
    for (int i = 0; i < pty->rows * pty->columns; i++) {
        const VTermScreenCell cell = pty_cell(pty, i / pty->columns, i % pty->columns);
        if (is_default_cell(&cell)) continue;
        const bool has_both =
            !VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) && !VTERM_COLOR_IS_DEFAULT_BG(&cell.bg);
        if (!has_both) pty_dump(pty);
        ck_assert_msg(has_both, "one colour of row %d, column %d is the terminal's",
                      i / pty->columns, i % pty->columns);
        ck_assert_double_ge(contrast(&cell), 4.5);
    }
}

static const char *const heated[] = {"TERM=xterm-256color", "TERM=screen-256color"};

START_TEST(every_heat_cell_is_readable) {
    struct pty pty = OPEN(.environment = WORDS(heated[_i]));
    for_each_step(&pty, look_at_contrast);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(heat_rises_with_the_number) {
    struct pty pty = OPEN(.arguments = WORDS("simplified", "--step", "scores"));
    struct number numbers[36];
    read_scores(&pty, numbers);
    for (int i = 0; i < 36; i++) {
        const VTermScreenCell cell = pty_cell(&pty, numbers[i].row, numbers[i].column);
        for (int j = 0; j < i; j++) {
            const VTermScreenCell other = pty_cell(&pty, numbers[j].row, numbers[j].column);
            const double rise = luminance(&cell.bg) - luminance(&other.bg);
            ck_assert(rise * (numbers[i].value - numbers[j].value) >= 0);
        }
    }
    pty_close(&pty);
}
END_TEST

// ---- The cursor, through anything ---------------------------------------------------------------

START_TEST(the_cursor_is_on_the_number_asked_for) {
    struct pty pty = OPEN(.arguments = WORDS("simplified", "--step", "scores"));
    ck_assert_str_eq(word_at_cursor(&pty), "0.9995");
    pty_press(&pty, VTERM_KEY_DOWN); // journey
    ck_assert_str_eq(word_at_cursor(&pty), "0.9544");
    pty_press(&pty, VTERM_KEY_RIGHT);
    ck_assert_str_eq(word_at_cursor(&pty), "1.4950");
    pty_type(&pty, "l");
    ck_assert_str_eq(word_at_cursor(&pty), "1.4754");
    pty_press(&pty, VTERM_KEY_END);
    ck_assert_str_eq(word_at_cursor(&pty), "1.0865");
    pty_press(&pty, VTERM_KEY_UP);
    ck_assert_str_eq(word_at_cursor(&pty), "0.6310");
    pty_press(&pty, VTERM_KEY_HOME);
    ck_assert_str_eq(word_at_cursor(&pty), "0.9995");
    pty_close(&pty);
}
END_TEST

// Numbers that are the same everywhere.
static uint32_t draw(uint32_t *seed, uint32_t below) {
    *seed = *seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(*seed >> 8) * below >> 24);
}

// A key, a click or another size; never one that leaves the program.
static void do_anything(struct pty *pty, uint32_t *seed) {
    static const VTermKey keys[] = {
        VTERM_KEY_UP,    VTERM_KEY_DOWN,     VTERM_KEY_LEFT, VTERM_KEY_RIGHT, VTERM_KEY_HOME,
        VTERM_KEY_END,   VTERM_KEY_PAGEUP,   VTERM_KEY_TAB,  VTERM_KEY_ENTER, VTERM_KEY_BACKSPACE,
        VTERM_KEY_ENTER, VTERM_KEY_PAGEDOWN, VTERM_KEY_DOWN, VTERM_KEY_RIGHT,
    };
    const uint32_t kind = draw(seed, 100);
    if (kind < 5) {
        const int rows = 1 + (int)draw(seed, 50);
        pty_resize(pty, rows, 1 + (int)draw(seed, 160));
    } else if (kind < 8) {
        pty_resize(pty, 24, 80);
    } else if (kind < 12) {
        const int row = (int)draw(seed, (uint32_t)pty->rows);
        const int button = (int)draw(seed, 3);
        pty_click(pty, button == 0 ? 1 : 3 + button, row, (int)draw(seed, (uint32_t)pty->columns));
    } else if (kind < 14) {
        pty_type(pty, "\033");
    } else if (kind < 50) {
        pty_press(pty, keys[draw(seed, sizeof keys / sizeof *keys)]);
    } else {
        const char key[2] = {(char)(' ' + draw(seed, 95)), '\0'};
        if (*key != 'q') pty_type(pty, key);
    }
}

// Where the cursor has to be on a step's screen: behind what is being typed, else on the focused cell.
static bool is_cursor_right(const struct pty *pty) {
    struct place place;
    const VTermPos cursor = pty_cursor(pty);
    if (!read_place(pty, &place)) return true;
    const bool is_typing = pty_shows(pty, "Esc cancel");
    const bool is_behind_text = *pty_text(pty, cursor.row, cursor.col) == '\0';
    return is_cursor_on_focus(pty) || (is_typing && is_behind_text);
}

static void assert_followable(const struct pty *pty, int presses, int seed) {
    const VTermPos cursor = pty_cursor(pty);
    const bool is_inside =
        cursor.row >= 0 && cursor.row < pty->rows && cursor.col >= 0 && cursor.col < pty->columns;
    if (is_inside && pty->shows_cursor && is_cursor_right(pty)) return;
    pty_dump(pty);
    ck_abort_msg("seed %d, after %d keys: the cursor is not on the focus", seed, presses);
}

enum { PRESSES = 1000 };

// Back from wherever the keys have led, and out.
static void leave(struct pty *pty) {
    for (int i = 0; i < 4; i++) pty_type(pty, "\033");
    quit(pty);
    assert_given_back(pty);
}

static void look_for_high_bytes(struct pty *pty) {
    ck_assert_int_eq(pty->high_bytes, 0);
}

static void look_for_colour(struct pty *pty) {
    ck_assert_int_eq(count_coloured_cells(pty), 0);
}

static const struct {
    const char *lesson, *environment;
    void (*look)(struct pty *pty); // after each key
} pressed[] = {
    {"causal", NULL, look_at_contrast},
    {"split_head", "LC_ALL=C", look_for_high_bytes},
    {"dropout", "NO_COLOR=1", look_for_colour},
    {"trainable", "TERM=vt100", look_for_colour},
    {"model", "TERM=screen-256color", look_at_contrast},
    {"wrapper", NULL, look_at_contrast},
    {"simplified", "TERM=linux", look_for_colour},
};
enum { PRESSED = sizeof pressed / sizeof *pressed };

START_TEST(anything_pressed_leaves_the_cursor_on_the_focus) {
    const bool is_ascii = pressed[_i].look == look_for_high_bytes;
    const int seeds = is_slow() ? 10 : 1;
    for (int round = 0; round < seeds; round++) {
        const int first = 1 + _i + PRESSED * round;
        uint32_t seed = (uint32_t)first;
        struct pty pty =
            OPEN(.arguments = WORDS(pressed[_i].lesson), .uses_bytes = is_ascii,
                 .environment = WORDS(pressed[_i].environment, leaks_of(pressed[_i].environment)));
        for (int presses = 1; presses <= PRESSES; presses++) {
            do_anything(&pty, &seed);
            assert_followable(&pty, presses, first);
            pressed[_i].look(&pty);
        }
        leave(&pty);
        pty_close(&pty);
    }
}
END_TEST

// Keys that mean nothing, sequences that are cut, and bytes that are no UTF-8 harm nobody.
START_TEST(strange_input_is_survived) {
    static const char *const inputs[] = {
        "\033[",     "\033O",        "\033[999;999~",    "\377\376", "\303",
        "\033OP",    "\033[2~",      "\001\002\005\006", "日本",     "\033[200~x\033[201~",
        "\033[M   ", "\033[<0;1;1M", "\033]0;x\007"};
    struct pty pty = OPEN(0);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) pty_send(&pty, inputs[i]);
    pty_send(&pty, "\033\033\033[[[[[[[G"); // out of wherever that has led
    pty_wait_text(&pty, "step 11/11");
    assert_step_screen(&pty);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(the_mouse_points_and_turns) {
    struct pty pty = OPEN(.arguments = WORDS("simplified", "--step", "scores"));
    ck_assert(pty.wants_mouse);
    struct number numbers[36];
    read_scores(&pty, numbers);
    const struct number *chosen = &numbers[6 * 3 + 2];
    pty_click(&pty, 1, chosen->row, chosen->column + 1);
    ck_assert_int_eq(pty_cursor(&pty).row, chosen->row);
    ck_assert_int_eq(pty_cursor(&pty).col, chosen->column);
    const int step = place_of(&pty).step;
    pty_click(&pty, 5, 10, 10);
    ck_assert_int_eq(place_of(&pty).step, step + 1);
    pty_click(&pty, 4, 10, 10);
    ck_assert_int_eq(place_of(&pty).step, step);
    pty_type(&pty, "M");
    ck_assert(!pty.wants_mouse);
    pty_type(&pty, "M");
    ck_assert(pty.wants_mouse);
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
}
END_TEST

// ---- Mistakes -----------------------------------------------------------------------------------

START_TEST(a_mistake_is_made_and_unmade) {
    struct pty pty = OPEN(.arguments = WORDS("causal", "--step", "causal_weights"));
    pty_press(&pty, VTERM_KEY_DOWN);
    struct picture before = pty_picture(&pty);
    pty_type(&pty, "x");
    ck_assert(pty_shows(&pty, "[ ]   Scores not divided by √d_k"));
    assert_step_screen(&pty);
    pty_press(&pty, VTERM_KEY_ENTER);
    ck_assert(pty_shows(&pty, "[x]   Scores not divided by √d_k"));
    ck_assert(pty_shows(&pty, "CHANGED: what if no-scale."));
    pty_type(&pty, "\033");
    ck_assert(pty_shows(&pty, "[journey, Your] = 0.5728, right 0.5517, difference 0.0211"));
    ck_assert_int_eq(count_text(&pty, "≠0."), 20);
    pty_resize(&pty, 40, 120);
    ck_assert(pty_shows(&pty, "without the mistake"));
    pty_resize(&pty, 24, 80);
    pty_type(&pty, "u");
    pty_press(&pty, VTERM_KEY_UP);
    pty_press(&pty, VTERM_KEY_DOWN);
    struct picture after = pty_picture(&pty);
    ck_assert(same_picture(&before, &after));
    free(before.cells);
    free(after.cells);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(a_mistake_that_changes_nothing_says_so_at_the_start) {
    struct pty pty = OPEN(.arguments = WORDS("split_head", "--what-if", "dropout-before-softmax"));
    ck_assert(pty_shows(&pty, "dropout-before-softmax changes nothing here: no weights are"));
    ck_assert(pty_shows(&pty, "--eval is on, or the lesson has no dropout."));
    quit(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(marks_of_mistakes_are_readable_in_ascii) {
    struct pty pty =
        OPEN(.arguments = WORDS("causal", "--step", "masked_scores", "--what-if=mask-zero"),
             .environment = WORDS("LC_ALL=C", "NO_COLOR=1"), .uses_bytes = true);
    ck_assert_int_eq(count_text(&pty, "!0.0000"), 15);
    ck_assert(pty_shows(&pty, "oooo|oooo|oo#!!!!"));
    ck_assert_int_eq(pty.high_bytes, 0);
    pty_type(&pty, "?");
    pty_type(&pty, "f");
    ck_assert(pty_shows(&pty, "softmax(Q K^T / sqrt(d_k)) V"));
    ck_assert_int_eq(pty.high_bytes, 0);
    pty_close(&pty);
}
END_TEST

// ---- Coming back --------------------------------------------------------------------------------

struct home {
    char folder[32], state[64]; // "XDG_STATE_HOME=..."
};

static struct home home_new(void) {
    struct home home = {.folder = "/tmp/onestep-test-XXXXXX"};
    ck_assert_ptr_nonnull(mkdtemp(home.folder));
    snprintf(home.state, sizeof home.state, "XDG_STATE_HOME=%s", home.folder);
    return home;
}

static void home_remove(const struct home *home) {
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", home->folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(the_place_is_kept) {
    const struct home home = home_new();
    struct pty pty = OPEN(.arguments = WORDS("causal"), .environment = WORDS(home.state));
    go_to(&pty, "masked_scores");
    quit(&pty);
    pty_close(&pty);
    pty = OPEN(.environment = WORDS(home.state)); // no lesson named: the last one
    const struct place place = place_of(&pty);
    ck_assert_str_eq(place.name, "masked_scores");
    quit(&pty);
    pty_close(&pty);
    home_remove(&home);
}
END_TEST

static const struct {
    const char *progress, *name; // of the step where the walk starts
} strange_places[] = {
    {"causal\tstep 512\tseen ffffffffffffffffffff\tguesses 9 of 9\tlast\n", "context"},
    {"causal\tstep 3\tlast", "W_value"},
    {"rotary\tstep 7\tseen 1f\tlast\ncausal\tstep 3\n", "inputs"},
    {"\xff\x01\tlast\n\n\n\tlast\ncausal\tlast\n", "W_query"},
    {"", "inputs"},
};
enum { STRANGE_PLACES = sizeof strange_places / sizeof *strange_places };

START_TEST(a_strange_place_is_survived) {
    const struct home home = home_new();
    char path[64];
    snprintf(path, sizeof path, "%s/onestep", home.folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/onestep/progress", home.folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(strange_places[_i].progress, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    struct pty pty = OPEN(.environment = WORDS(home.state));
    const struct place place = place_of(&pty);
    ck_assert_str_eq(place.name, strange_places[_i].name);
    assert_step_screen(&pty);
    quit(&pty);
    pty_close(&pty);
    home_remove(&home);
}
END_TEST

static const struct {
    const char *environment[2], *note;
} homes[] = {
    {{"XDG_STATE_HOME=/proc/state"}, // where nobody can make a folder, whoever he is
     "onestep: note: your place in the lessons is not kept: cannot make the folder "
     "/proc/state/onestep: No such file or directory\n"},
    {{"XDG_STATE_HOME=/dev/null"},
     "onestep: note: your place in the lessons is not kept: cannot make the folder "
     "/dev/null/onestep: Not a directory\n"},
    {{"XDG_STATE_HOME", "HOME=/proc/home"},
     "onestep: note: your place in the lessons is not kept: cannot make the folder "
     "/proc/home/.local/state/onestep: No such file or directory\n"},
    {{"XDG_STATE_HOME", "HOME=/dev/null"},
     "onestep: note: your place in the lessons is not kept: cannot make the folder "
     "/dev/null/.local/state/onestep: Not a directory\n"},
    {{"XDG_STATE_HOME", "HOME"}, ""}, // none is named, so none is missed
};
enum { HOMES = sizeof homes / sizeof *homes };

START_TEST(without_a_home_the_walk_is_the_same) {
    struct file error = file_new();
    const char *const *environment = WORDS(homes[_i].environment[0], homes[_i].environment[1]);
    struct pty pty = OPEN(.environment = environment, .error = error.path);
    pty_type(&pty, "n");
    ck_assert_int_eq(place_of(&pty).step, 2);
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
    read_and_remove(&error);
    ck_assert_str_eq(error.text, homes[_i].note);
}
END_TEST

// ---- Quiet --------------------------------------------------------------------------------------

START_TEST(idle_means_idle) {
    struct pty pty = OPEN(0);
    pty_type(&pty, "n");
    pty_drain(&pty);
    const double before = pty_processor_time(&pty);
    ck_assert(pty_is_silent(&pty, is_slow() ? 5 : 1));
    const double used = pty_processor_time(&pty) - before;
    printf("# idle: %.0f microseconds of processor time\n", 1e6 * used);
    ck_assert_double_lt(used, 0.001);
    pty_close(&pty);
}
END_TEST

// Where there are operands, all those that light up change as well, and the arithmetic.
static const struct {
    const char *arguments[5];
    int rows, columns;
    size_t limit;
} moved_in[] = {
    {{"simplified", "--step", "inputs"}, 24, 80, 300},
    {{"simplified", "--step", "scores"}, 24, 80, 700},
    {{"causal", "--step", "masked_scores"}, 24, 80, 700},
    {{"split_head", "--step", "scores"}, 40, 98, 700},
    {{"causal", "--step", "causal_weights", "--what-if=no-scale"}, 24, 80, 700},
    {{"causal", "--step", "causal_weights", "--what-if=no-scale"}, 40, 120, 300},
    {{"simplified", "--step", "scores"}, 60, 200, 1000},
    {{"split_head", "--step", "scores"}, 60, 200, 1000},
};
enum { MOVED_IN = sizeof moved_in / sizeof *moved_in };

// Bytes of the frame that the key brought, without the title that tests ask for.
static size_t bytes_of_press(struct pty *pty, VTermKey key) {
    const size_t before = pty->bytes;
    pty_press(pty, key);
    char title[64];
    return pty->bytes - before -
           (size_t)snprintf(title, sizeof title, "\033]2;onestep frame %lu\007", pty->frames);
}

START_TEST(an_arrow_key_writes_little) {
    static const VTermKey keys[] = {VTERM_KEY_DOWN,  VTERM_KEY_RIGHT, VTERM_KEY_DOWN,
                                    VTERM_KEY_RIGHT, VTERM_KEY_UP,    VTERM_KEY_LEFT,
                                    VTERM_KEY_END,   VTERM_KEY_HOME};
    struct pty pty = OPEN(.arguments = moved_in[_i].arguments, .rows = moved_in[_i].rows,
                          .columns = moved_in[_i].columns);
    size_t most = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const size_t bytes = bytes_of_press(&pty, keys[i]);
        if (bytes > most) most = bytes;
    }
    printf("# an arrow key in %s, %dx%d: at most %zu bytes\n", moved_in[_i].arguments[0],
           pty.columns, pty.rows, most);
    ck_assert_uint_lt(most, moved_in[_i].limit);
    pty_close(&pty);
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
    ck_assert_int_ge(count_text(&pty, "|  -inf"), 15);
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

// ---- Speed --------------------------------------------------------------------------------------

static const char *large_input(void) {
    static char path[] = "/tmp/onestep-test-XXXXXX";
    const int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    FILE *stream = fdopen(descriptor, "w");
    fputs("token,x,y,z\n", stream);
    for (int i = 0; i < 64; i++)
        fprintf(stream, "token%d,%.2f,%.2f,%.2f\n", i, i / 64.0, 1 - i / 80.0, i % 7 / 7.0);
    fclose(stream);
    return path;
}

enum { SPEEDS = 4, KEYS = 500, TRIES = 8 };
static const double first_frame_limit = 0.050, key_limit = 0.005;

static struct pty open_for_speed(int i, const char *input) {
    const char *const largest[] = {"split_head", "--input", input, "--heads", "16",     "--d-out",
                                   "64",         "--batch", "4",   "--step",  "scores", NULL};
    const char *const usual[] = {"causal", "--step", "scores", NULL};
    const bool is_wide = i % 2 == 1;
    return OPEN(.arguments = i < 2 ? usual : largest, .rows = is_wide ? 60 : 24,
                .columns = is_wide ? 200 : 80,
                .environment = WORDS("MALLOC_PERTURB_")); // meson's, which has all memory filled
}

static int compare_times(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// A key of a learner: along the cells, the steps and the pages.
static void press_like_a_learner(struct pty *pty, int i) {
    static const VTermKey arrows[] = {VTERM_KEY_RIGHT, VTERM_KEY_DOWN,  VTERM_KEY_LEFT,
                                      VTERM_KEY_DOWN,  VTERM_KEY_RIGHT, VTERM_KEY_UP};
    static const char *const others[] = {"n", ".", "b", ".", "n", ",", "b", "t", "t"};
    if (i % 4 != 0)
        pty_press(pty, arrows[i % 6]);
    else if (strcmp(others[i / 4 % 9], "t") == 0)
        pty_type(pty, i / 4 % 9 == 7 ? "t" : "q");
    else
        pty_type(pty, others[i / 4 % 9]);
}

// Seconds until a frame was complete, and the processor time that the program took for it.
struct times {
    double passed, used;
};

static double percentile_99(double *times) {
    qsort(times, KEYS, sizeof *times, compare_times);
    return times[KEYS * 99 / 100];
}

// The times below which 99 % of the keys' frames stay.
static struct times time_keys(struct pty *pty) {
    static double passed[KEYS], used[KEYS];
    for (int i = 0; i < KEYS; i++) {
        const double before = pty_processor_time(pty);
        press_like_a_learner(pty, i);
        passed[i] = pty->frame_at - pty->sent_at;
        used[i] = pty_processor_time(pty) - before;
    }
    return (struct times){percentile_99(passed), percentile_99(used)};
}

static void keep_least(struct times *least, struct times times) {
    least->passed = fmin(least->passed, times.passed);
    least->used = fmin(least->used, times.used);
}

// The clock on the wall is only printed, because others may be at work on this machine; the program's
// own time is held to the limits. Of several tries the best counts.
// How many times as long as the limits a frame may take: the limits hold for optimised code on a machine
// with nothing else to do, which the slow tests may expect. Otherwise a failure should mean us.
static double patience(void) {
#ifndef __OPTIMIZE__
    return 30;
#endif
    return IS_SANITIZED ? 30 : is_slow() ? 1 : 4;
}

START_TEST(frames_come_at_once) {
    const char *input = large_input();
    struct times first = {1e9, 1e9}, keys = first;
    const double first_limit = first_frame_limit * patience(), limit = key_limit * patience();
    for (int i = 0; i < TRIES && (i == 0 || first.used > first_limit || keys.used > limit); i++) {
        struct pty pty = open_for_speed(_i, input);
        keep_least(&first, (struct times){pty.frame_at - pty.sent_at, pty_processor_time(&pty)});
        keep_least(&keys, time_keys(&pty));
        pty_close(&pty);
    }
    unlink(input);
    printf(
        "# %s lesson at %s: first frame %.1f ms (%.1f of processor), 99 %% of keys under %.2f ms "
        "(%.2f of processor)\n",
        _i < 2 ? "usual" : "largest", _i % 2 == 1 ? "200x60" : "80x24", 1e3 * first.passed,
        1e3 * first.used, 1e3 * keys.passed, 1e3 * keys.used);
    ck_assert_double_lt(first.used, first_limit);
    ck_assert_double_lt(keys.used, limit);
}
END_TEST

// ---- All ----------------------------------------------------------------------------------------

static TCase *add_case(Suite *suite, const char *name) {
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, is_slow() ? 600 : 120);
    suite_add_tcase(suite, tcase);
    return tcase;
}

static void add_taking(Suite *suite) {
    TCase *tcase = add_case(suite, "taking and giving back");
    tcase_add_test(tcase, output_to_a_file_is_refused);
    tcase_add_test(tcase, input_from_nowhere_is_refused);
    tcase_add_loop_test(tcase, a_terminal_that_cannot_be_drawn_on_is_refused, 0,
                        sizeof undrawable / sizeof *undrawable);
    tcase_add_loop_test(tcase, signals_give_the_terminal_back, 0, DEADLY);
    tcase_add_loop_test(tcase, no_signal_leaves_a_terminal_raw, 0, ALL_TERMINALS);
    tcase_add_loop_test(tcase, keys_that_kill_work_on_every_screen, 0, 2);
    tcase_add_test(tcase, quitting_gives_the_terminal_back);
    tcase_add_loop_test(tcase, a_window_that_closes_ends_the_program, 0, 2);
    tcase_add_test(tcase, resuming_shows_the_same_cells);
    tcase_add_test(tcase, a_resize_while_suspended_is_seen);
    tcase_add_test(tcase, being_continued_draws_all_again);
}

static void add_kinds(Suite *suite) {
    TCase *tcase = add_case(suite, "kinds of terminals");
    tcase_add_loop_test(tcase, every_step_is_reachable, 0, TERMINALS);
    tcase_add_loop_test(tcase, magnitudes_are_readable_without_colour, 0, TERMINALS);
    tcase_add_loop_test(tcase, masks_are_readable_without_colour, 0, TERMINALS);
    tcase_add_loop_test(tcase, colour_is_as_the_user_wants_it, 0, COLOURS);
    tcase_add_test(tcase, a_locale_without_utf8_gets_ascii);
    tcase_add_test(tcase, masks_and_magnitudes_are_readable_in_ascii);
    tcase_add_test(tcase, a_locale_with_utf8_gets_shades);
    tcase_add_loop_test(tcase, every_heat_cell_is_readable, 0, 2);
    tcase_add_test(tcase, heat_rises_with_the_number);
}

static void add_sizes(Suite *suite) {
    TCase *tcase = add_case(suite, "sizes");
    tcase_add_loop_test(tcase, resizing_never_loses_the_place, 0, 2);
    tcase_add_loop_test(tcase, q_quits_at_any_size, 0, 9);
    tcase_add_test(tcase, every_size_is_survived);
    tcase_add_test(tcase, the_smallest_terminal_shows_what_matters);
    tcase_add_test(tcase, what_is_cut_is_marked);
    tcase_add_loop_test(tcase, operands_stand_beside_their_result, 0, 4);
}

static void add_use(Suite *suite) {
    TCase *tcase = add_case(suite, "use");
    tcase_add_test(tcase, the_cursor_is_on_the_number_asked_for);
    tcase_add_test(tcase, strange_input_is_survived);
    tcase_add_test(tcase, the_mouse_points_and_turns);
    tcase_add_test(tcase, a_mistake_is_made_and_unmade);
    tcase_add_test(tcase, a_mistake_that_changes_nothing_says_so_at_the_start);
    tcase_add_test(tcase, marks_of_mistakes_are_readable_in_ascii);
    tcase_add_test(tcase, the_place_is_kept);
    tcase_add_loop_test(tcase, a_strange_place_is_survived, 0, STRANGE_PLACES);
    tcase_add_loop_test(tcase, without_a_home_the_walk_is_the_same, 0, HOMES);
}

static void add_keys(Suite *suite) {
    TCase *tcase = add_case(suite, "any keys");
    tcase_add_loop_test(tcase, anything_pressed_leaves_the_cursor_on_the_focus, 0, PRESSED);
}

static void add_quiet(Suite *suite) {
    TCase *tcase = add_case(suite, "quiet and quick");
    tcase_add_test(tcase, idle_means_idle);
    tcase_add_loop_test(tcase, an_arrow_key_writes_little, 0, MOVED_IN);
    tcase_add_loop_test(tcase, frames_come_at_once, 0, SPEEDS);
}

Suite *terminal_suite(void);

Suite *terminal_suite(void) {
    Suite *suite = suite_create("terminal");
    add_taking(suite);
    add_kinds(suite);
    add_sizes(suite);
    add_use(suite);
    add_keys(suite);
    add_quiet(suite);
    return suite;
}
