// Where output goes, and what it depends on.

#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command/command.h"
#include "attempts.h"
#include "base/text.h"
#include "lessons.h"
#include "sample.h"
#include "started.h"
#include "tensor/file/csv.h"

#include <check.h> // last: defines a macro fail

// ---- Where output goes --------------------------------------------------------------------------

static const char *const printing[][3] = {
    {"--version", NULL}, {"--help", NULL}, {"print", "all", NULL}, {"list", NULL}};

START_TEST(a_full_disk_is_noticed) {
    if (access("/dev/full", W_OK) != 0) return;
    const struct start start = {.arguments = printing[_i], .output = "/dev/full"};
    const struct end end = run_process(&arena, &start);
    ck_assert_int_eq(end.status, FAILED);
    ck_assert_int_eq(strncmp(end.error, "onestep: cannot write to standard output", 40), 0);
}
END_TEST

START_TEST(a_closed_output_is_noticed) {
    const struct start start = {.arguments = printing[_i], .closed_output = true};
    const struct end end = run_process(&arena, &start);
    ck_assert_int_eq(end.status, FAILED);
    ck_assert_int_eq(strncmp(end.error, "onestep: cannot write to standard output", 40), 0);
}
END_TEST

// A question for some steps. There is none of what is given, or what no mistake changes, which is said instead.
static void print_questions(const struct lesson *lesson) {
    const char *updates = lesson->trains ? "--updates=2" : NULL; // each mistake makes them anew
    const struct parameters few = {.given = USES_UPDATES, .updates = 2}, none = {0};
    const struct run run = must_run(&arena, lesson, lesson->trains ? &few : &none);
    for (int i = 1; i <= run.step_count; i += 5 * one_in(1)) {
        const char *number = arena_format(&arena, "%d", i);
        const struct end end =
            START("print", lesson->name, "--format=gift", "--step", number, updates);
        if (end.status == MISUSED)
            check_misused(&end, number, true);
        else
            check_done(&end, number);
    }
}

// A file a step, in a folder of the lesson's own.
static void print_into_folder(const char *lesson, const char *format) {
    const char *place = arena_format(&arena, "%s/", path_of(lesson));
    const struct end end = START("print", lesson, "--format", format, "-o", place);
    ck_assert_msg(end.status == DONE && end.error_length == 0, "%s: %s", lesson, end.error);
    ck_assert_msg(rmdir(place) != 0, "%s: no files of %s", lesson, format);
}

// Whole lessons, for what sanitizers have to say: every format of the table that print writes. Of a lesson, svg draws both
// its map and its steps.
START_TEST(every_format_prints_every_lesson) {
    const enum format format = (enum format)_i;
    if (format_help(VERB_PRINT, format) == NULL) return;
    for (int i = 0; i < lesson_count; i++) {
        const char *lesson = lesson_table[i]->name, *name = format_name(format);
        if (format == FORMAT_GIFT) {
            print_questions(lesson_table[i]);
            continue;
        }
        if (holds_one_step(format)) print_into_folder(lesson, name);
        if (holds_one_step(format) && format != FORMAT_SVG) continue;
        const struct end end = START("print", lesson, "--format", name);
        check_done(&end, lesson);
    }
}
END_TEST

START_TEST(a_closed_pipe_ends_quietly) {
    const struct start start = {.arguments = printing[_i], .deaf_output = true};
    const struct end end = run_process(&arena, &start);
    ck_assert(end.status == DONE || end.status == DIED_OF_PIPE);
    ck_assert_str_eq(end.error, "");
}
END_TEST

START_TEST(a_file_gets_what_standard_output_would) {
    const struct end shown = START("print", "causal");
    const struct end written = START("print", "causal", "-o", path_of("out.txt"));
    ck_assert_int_eq(written.status, DONE);
    ck_assert_str_eq(written.output, "");
    ck_assert_str_eq(written.error, "");
    ck_assert_str_eq(contents_of("out.txt").bytes, shown.output);
    const struct end again =
        START("print", "dropout", arena_format(&arena, "--output=%s", path_of("out.txt")));
    ck_assert_int_eq(again.status, DONE);
    const struct end dropout = START("print", "dropout");
    ck_assert_str_eq(contents_of("out.txt").bytes, dropout.output);
    ck_assert_int_eq(count_files(), 1); // nothing was left beside it
    struct stat status;
    ck_assert_int_eq(stat(path_of("out.txt"), &status), 0);
    const mode_t mask = umask(0);
    umask(mask);
    ck_assert_int_eq((int)(status.st_mode & 0777), (int)(0666 & ~mask));
}
END_TEST

START_TEST(a_relative_path_belongs_to_the_folder_of_the_caller) {
    const struct end end = START_WITH((.folder = folder), "print", "causal", "-o", "out.txt");
    ck_assert_int_eq(end.status, DONE);
    ck_assert_ptr_nonnull(contents_of("out.txt").bytes);
}
END_TEST

START_TEST(a_file_that_cannot_be_written_is_an_error) {
    static const char *const paths[] = {"missing/out.txt", "/", "", "/dev/null/out.txt"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const struct end end = START_WITH((.folder = folder), "print", "causal", "-o", paths[i]);
        ck_assert_msg(end.status == FAILED, "-o '%s': exit status %d", paths[i], end.status);
        ck_assert_int_eq(strncmp(end.error, "onestep: cannot write ", 22), 0);
        ck_assert_str_eq(strchr(end.error, '\n'), "\n");
        ck_assert_int_eq(count_files(), 0);
    }
}
END_TEST

START_TEST(a_device_is_written_in_place) {
    if (access("/dev/full", W_OK) == 0) {
        const struct end full = START("print", "causal", "-o", "/dev/full");
        ck_assert_int_eq(full.status, FAILED);
        ck_assert_int_eq(strncmp(full.error, "onestep: cannot write /dev/full", 31), 0);
        ck_assert_int_eq(access("/dev/full", W_OK), 0);
    }
    const struct end end = START("print", "causal", "-o", "/dev/null");
    ck_assert_int_eq(end.status, DONE);
    struct stat status;
    ck_assert_int_eq(stat("/dev/null", &status), 0);
    ck_assert(S_ISCHR(status.st_mode));
}
END_TEST

START_TEST(a_limit_on_files_is_an_error) {
    const struct rlimit least = {1 << 18, RLIM_INFINITY}; // bytes; the handout has a million
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &least), 0);
    const struct end end = START("print", "all", "--format", "html", "-o", path_of("out.txt"));
    ck_assert_int_eq(end.status, FAILED);
    ck_assert_str_eq(end.error, arena_format(&arena, "onestep: cannot write %s: File too large\n",
                                             path_of("out.txt")));
    ck_assert_int_eq(count_files(), 0);
}
END_TEST

START_TEST(a_link_stays_a_link) {
    leave_file("kept.txt", "old", 3);
    ck_assert_int_eq(symlink("kept.txt", path_of("link.txt")), 0);
    const struct end end = START("print", "causal", "-o", path_of("link.txt"));
    ck_assert_int_eq(end.status, DONE);
    struct stat status;
    ck_assert_int_eq(lstat(path_of("link.txt"), &status), 0);
    ck_assert(S_ISLNK(status.st_mode));
    const struct end shown = START("print", "causal");
    ck_assert_str_eq(contents_of("kept.txt").bytes, shown.output);
}
END_TEST

START_TEST(a_file_keeps_its_mode_and_its_other_names) {
    leave_file("kept.txt", "a longer text that was there before", 35);
    ck_assert_int_eq(chmod(path_of("kept.txt"), 0600), 0);
    struct end end = START("print", "causal", "-o", path_of("kept.txt"));
    ck_assert_int_eq(end.status, DONE);
    struct stat status;
    ck_assert_int_eq(stat(path_of("kept.txt"), &status), 0);
    ck_assert_int_eq((int)(status.st_mode & 07777), 0600);
    ck_assert_int_eq(link(path_of("kept.txt"), path_of("other.txt")), 0);
    end = START("print", "causal", "--step", "1", "-o",
                path_of("other.txt")); // shorter than what was there
    ck_assert_int_eq(end.status, DONE);
    const struct end shown = START("print", "causal", "--step", "1");
    ck_assert_str_eq(contents_of("kept.txt").bytes, shown.output);
    ck_assert_int_eq(count_files(), 2);
}
END_TEST

START_TEST(a_file_that_may_not_be_written_is_left_alone) {
    leave_file("kept.txt", "kept", 4);
    ck_assert_int_eq(chmod(path_of("kept.txt"), 0444), 0);
    ck_assert_int_eq(chmod(folder, 0777), 0);
    const bool is_root = geteuid() == 0; // who may write anything
    if (is_root) ck_assert_int_eq(seteuid(65534), 0);
    const struct end end = START("print", "causal", "-o", path_of("kept.txt"));
    if (is_root) ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(end.status, FAILED);
    ck_assert_int_eq(strncmp(end.error, "onestep: cannot write ", 22), 0);
    ck_assert_str_eq(contents_of("kept.txt").bytes, "kept");
}
END_TEST

// The last of them can't be written, as a folder has its name.
START_TEST(of_several_files_all_are_written_or_none) {
    const struct end first = START("print", "simplified", "--format", "csv", "-o", folder);
    ck_assert_int_eq(first.status, DONE);
    const int count = count_files();
    ck_assert_int_gt(count, 5);
    leave_file("simplified.inputs.csv", "kept", 4);
    ck_assert_int_eq(unlink(path_of("simplified.context.csv")), 0);
    ck_assert_int_eq(mkdir(path_of("simplified.context.csv"), 0777), 0);
    const struct end end = START("print", "simplified", "--format", "csv", "-o", folder);
    ck_assert_int_eq(rmdir(path_of("simplified.context.csv")), 0);
    ck_assert_int_eq(end.status, FAILED);
    ck_assert_ptr_nonnull(strstr(end.error, "simplified.context.csv"));
    ck_assert_str_eq(contents_of("simplified.inputs.csv").bytes, "kept");
    ck_assert_int_eq(count_files(), count - 1);
}
END_TEST

START_TEST(a_mistake_leaves_the_file_alone) {
    leave_file("out.txt", "kept", 4);
    const struct end end = START("print", "causal", "--step", "nostep", "-o", path_of("out.txt"));
    ck_assert_int_eq(end.status, MISUSED);
    ck_assert_str_eq(contents_of("out.txt").bytes, "kept");
}
END_TEST

// ---- Always the same bytes ----------------------------------------------------------------------

START_TEST(output_does_not_depend_on_the_surroundings) {
    static const char *const changes[] = {
        "LC_ALL=C",
        "LC_ALL=C.UTF-8",
        "LC_ALL=de_DE.UTF-8",
        "LC_ALL=de_DE",
        "LC_ALL=ja_JP.eucjp",
        "LC_ALL=nonsense",
        "LC_NUMERIC=de_DE.UTF-8",
        "LANG=tr_TR.UTF-8",
        "TERM",
        "TERM=dumb",
        "COLUMNS=20",
        "HOME=/dev/null",
        "HOME",
        "NO_COLOR=1",
        "TZ=Asia/Tokyo",
        "MALLOC_PERTURB_=77",
    };
    static const char *const formats[] = {"torch", "plain", "json"};
    for (int i = 0; i < 3; i++) {
        const struct end usual = START("print", "all", "--format", formats[i]);
        check_done(&usual, formats[i]);
        ck_assert_uint_gt(usual.output_length, 20000);
        for (size_t change = 0; change < sizeof changes / sizeof *changes;
             change += (size_t)one_in(1)) {
            const struct end end = START_WITH((ENVIRONMENT(changes[change]), .folder = "/"),
                                              "print", "all", "--format", formats[i]);
            ck_assert_msg(end.output_length == usual.output_length &&
                              strcmp(end.output, usual.output) == 0,
                          "%s changes under %s", formats[i], changes[change]);
        }
    }
}
END_TEST

START_TEST(numbers_are_read_the_same_in_any_locale) {
    const char csv[] = "token,a,b\nx,1.5,2.25\ny,-0.5,1e-3\n";
    leave_file("input.csv", csv, strlen(csv));
    const struct end usual = START("print", "simplified", "--input", path_of("input.csv"));
    check_done(&usual, "input.csv");
    const struct end german = START_WITH((ENVIRONMENT("LC_ALL=de_DE.UTF-8")), "print", "simplified",
                                         "--input", path_of("input.csv"));
    ck_assert_str_eq(german.output, usual.output);
    const struct end half =
        START_WITH((ENVIRONMENT("LC_ALL=de_DE.UTF-8")), "print", "dropout", "--dropout", "0.25");
    check_done(&half, "--dropout 0.25");
}
END_TEST

// ---- Colour -------------------------------------------------------------------------------------

static bool is_coloured(const struct end *end) {
    ck_assert_int_eq(end->status, DONE);
    return strchr(end->output, '\x1b') != NULL;
}

static const struct {
    const char *option; // NULL: not given
    const char *environment[4];
    bool on_pipe, on_terminal; // is it coloured there?
} colours[] = {
    {NULL, {NULL}, false, true},
    {"auto", {NULL}, false, true},
    {"always", {NULL}, true, true},
    {"never", {NULL}, false, false},
    {"always", {"NO_COLOR=1"}, true, true},
    {"never", {"CLICOLOR_FORCE=1"}, false, false},
    {NULL, {"NO_COLOR=1"}, false, false},
    {NULL, {"NO_COLOR="}, false, true},
    {NULL, {"NO_COLOR=0"}, false, false}, // any text but none
    {NULL, {"CLICOLOR_FORCE=1"}, true, true},
    {NULL, {"CLICOLOR_FORCE=0"}, false, true},
    {NULL, {"CLICOLOR_FORCE="}, false, true},
    {NULL, {"CLICOLOR=0"}, false, false},
    {NULL, {"CLICOLOR=1"}, false, true},
    {NULL, {"NO_COLOR=1", "CLICOLOR_FORCE=1"}, false, false},
    {NULL, {"NO_COLOR=", "CLICOLOR_FORCE=1"}, true, true},
    {NULL, {"CLICOLOR_FORCE=1", "CLICOLOR=0"}, true, true},
};
enum { COLOURS = sizeof colours / sizeof *colours };

static struct end print_in_colours(int colour, bool on_terminal) {
    const char *environment[8] = {"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"};
    for (int i = 0; colours[colour].environment[i] != NULL; i++)
        environment[i + 3] = colours[colour].environment[i];
    const char *option = colours[colour].option;
    return START_WITH((.environment = environment, .on_terminal = on_terminal), "print", "causal",
                      option == NULL ? NULL : arena_format(&arena, "--color=%s", option));
}

START_TEST(colour_has_an_order_of_precedence) {
    if (!has_terminals()) return;
    const struct end on_pipe = print_in_colours(_i, false),
                     on_terminal = print_in_colours(_i, true);
    ck_assert_int_eq(is_coloured(&on_pipe), colours[_i].on_pipe);
    ck_assert_int_eq(is_coloured(&on_terminal), colours[_i].on_terminal);
}
END_TEST

START_TEST(a_file_is_not_coloured) {
    if (!has_terminals()) return;
    const struct end end = START_WITH((.on_terminal = true, ENVIRONMENT("NO_COLOR", "CLICOLOR")),
                                      "print", "causal", "-o", path_of("out.txt"));
    ck_assert_int_eq(end.status, DONE);
    ck_assert_ptr_null(strchr(contents_of("out.txt").bytes, '\x1b'));
}
END_TEST

// ---- Without a terminal -------------------------------------------------------------------------

START_TEST(walking_needs_a_terminal) {
    static const char *const arguments[][3] = {
        {NULL}, {"walk", NULL}, {"walk", "causal", NULL}, {"wrapper", NULL}};
    const struct start start = {.arguments = arguments[_i]};
    const struct end end = run_process(&arena, &start);
    check_misused(&end, "walk without a terminal", false);
    ck_assert_ptr_nonnull(strstr(end.error, "onestep print"));
}
END_TEST

START_TEST(walking_needs_a_terminal_that_can_be_drawn_on) {
    if (!has_terminals()) return;
    static const char *const terms[] = {"TERM=dumb", "TERM=", "TERM=nosuch", "TERM"};
    const struct end end = START_WITH((.on_terminal = true, ENVIRONMENT(terms[_i])), "walk");
    check_misused(&end, terms[_i], false);
    ck_assert_ptr_nonnull(strstr(end.error, "onestep print"));
}
END_TEST

// A mistake is a mistake, terminal or not: it is found before the terminal is taken.
START_TEST(mistakes_come_before_the_terminal) {
    if (!has_terminals()) return;
    const struct end end = START_WITH((.on_terminal = true, ENVIRONMENT("TERM=xterm")), "walk",
                                      "causal", "--step", "nostep");
    check_misused(&end, "walk", true);
    ck_assert_ptr_nonnull(strstr(end.error, "nostep"));
}
END_TEST

Suite *output_suite(void) {
    Suite *suite = suite_create("output");
    TCase *output = add_case(suite, "output", set_up_folder, tear_down_folder);
    tcase_set_timeout(output, 400); // every lesson, one after the other, on a busy machine too
    tcase_add_loop_test(output, a_full_disk_is_noticed, 0, 4);
    tcase_add_loop_test(output, a_closed_output_is_noticed, 0, 4);
    tcase_add_loop_test(output, every_format_prints_every_lesson, 0, FORMAT_COUNT);
    tcase_add_loop_test(output, a_closed_pipe_ends_quietly, 0, 4);
    tcase_add_test(output, a_file_gets_what_standard_output_would);
    tcase_add_test(output, a_relative_path_belongs_to_the_folder_of_the_caller);
    tcase_add_test(output, a_file_that_cannot_be_written_is_an_error);
    tcase_add_test(output, a_device_is_written_in_place);
    tcase_add_test(output, a_link_stays_a_link);
    tcase_add_test(output, a_file_keeps_its_mode_and_its_other_names);
    tcase_add_test(output, a_file_that_may_not_be_written_is_left_alone);
    tcase_add_test(output, of_several_files_all_are_written_or_none);
    tcase_add_test(output, a_limit_on_files_is_an_error);
    tcase_add_test(output, a_mistake_leaves_the_file_alone);
    tcase_add_test(output, output_does_not_depend_on_the_surroundings);
    tcase_add_test(output, numbers_are_read_the_same_in_any_locale);
    tcase_add_loop_test(output, colour_has_an_order_of_precedence, 0, COLOURS);
    tcase_add_test(output, a_file_is_not_coloured);
    tcase_add_loop_test(output, walking_needs_a_terminal, 0, 4);
    tcase_add_loop_test(output, walking_needs_a_terminal_that_can_be_drawn_on, 0, 4);
    tcase_add_test(output, mistakes_come_before_the_terminal);
    return suite;
}
