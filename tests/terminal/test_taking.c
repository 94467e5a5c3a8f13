// Taking a terminal and giving it back, however the program ends.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "screen.h"

// ---- No terminal, or none to draw on ------------------------------------------------------------

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

// ---- The end, by signals ------------------------------------------------------------------------

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

// Signals that a C library or a system may not name, and the first and the last that have no name.
START_TEST(rare_signals_give_the_terminal_back) {
    const int rare[] = {SIGIO, SIGPWR, SIGSTKFLT, SIGRTMIN, SIGRTMIN + 1, SIGRTMAX};
    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++) {
        struct pty pty = OPEN(0);
        kill(pty.program, rare[i]);
        assert_death(&pty, rare[i]);
        pty_close(&pty);
    }
}
END_TEST

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

// ---- All ----------------------------------------------------------------------------------------

Suite *taking_suite(void) {
    Suite *suite = suite_create("taking");
    TCase *tcase = add_terminal_case(suite, "taking and giving back");
    tcase_add_test(tcase, output_to_a_file_is_refused);
    tcase_add_test(tcase, input_from_nowhere_is_refused);
    tcase_add_loop_test(tcase, a_terminal_that_cannot_be_drawn_on_is_refused, 0,
                        sizeof undrawable / sizeof *undrawable);
    tcase_add_test(tcase, rare_signals_give_the_terminal_back);
    tcase_add_loop_test(tcase, signals_give_the_terminal_back, 0, DEADLY);
    tcase_add_loop_test(tcase, no_signal_leaves_a_terminal_raw, 0, ALL_TERMINALS);
    tcase_add_loop_test(tcase, keys_that_kill_work_on_every_screen, 0, 2);
    tcase_add_test(tcase, quitting_gives_the_terminal_back);
    tcase_add_loop_test(tcase, a_window_that_closes_ends_the_program, 0, 2);
    tcase_add_test(tcase, resuming_shows_the_same_cells);
    tcase_add_test(tcase, a_resize_while_suspended_is_seen);
    tcase_add_test(tcase, being_continued_draws_all_again);
    return suite;
}
