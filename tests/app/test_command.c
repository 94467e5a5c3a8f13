// The command line, as users see it: each test runs the program and looks at its exit status, standard
// output and standard error.

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "process.h"
#include "tensor/file/csv.h"

#include <check.h> // last: defines a macro fail

enum { DONE = 0, FAILED = 1, MISUSED = 2, DIED_OF_PIPE = 128 + 13 };

static struct failure failure;
static struct arena arena;
static char folder[] = "/tmp/onestep-tests-XXXXXX"; // of this test alone

static void set_up(void) {
    arena = arena_new(&failure);
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static int count_files(bool removes) {
    DIR *directory = opendir(folder);
    ck_assert_ptr_nonnull(directory);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        count++;
        if (removes) remove(arena_format(&arena, "%s/%s", folder, entry->d_name));
    }
    closedir(directory);
    return count;
}

static void tear_down(void) {
    count_files(true);
    rmdir(folder);
    arena_free(&arena);
}

#define START(...)                                                                                 \
    run_process(&arena, &(struct start){.arguments = (const char *const[]){__VA_ARGS__, NULL}})
// START with more of struct start: START_WITH((.closed_output = true), "print", "all")
#define UNPACK(...) __VA_ARGS__
#define START_WITH(more, ...)                                                                      \
    run_process(&arena, &(struct start){.arguments = (const char *const[]){__VA_ARGS__, NULL},     \
                                        UNPACK more})
#define ENVIRONMENT(...)                                                                           \
    .environment = (const char *const[]) {                                                         \
        __VA_ARGS__, NULL                                                                          \
    }

static const char *command_text(const char *const *arguments) {
    struct text text = text_new(&arena);
    text_add(&text, "onestep");
    for (; *arguments != NULL; arguments++)
        text_add_format(&text, " '%s'", text_safe(&arena, *arguments));
    return text.bytes;
}

static void write_file(const char *name, const char *bytes, size_t length) {
    FILE *file = fopen(arena_format(&arena, "%s/%s", folder, name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

static const char *path_of(const char *name) {
    return arena_format(&arena, "%s/%s", folder, name);
}

static const char *read_file(const char *name) {
    FILE *file = fopen(path_of(name), "rb");
    if (file == NULL) return NULL;
    struct text text = text_new(&arena);
    text_add(&text, "");
    char bytes[4096];
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        text_add_bytes(&text, bytes, got);
    fclose(file);
    return text.bytes;
}

// Nothing that a terminal could take for a command, only text and line ends.
static bool is_harmless(const char *bytes, size_t length) {
    if (strlen(bytes) != length || !utf8_is_valid(bytes, length)) return false;
    while (*bytes != '\0') {
        const uint32_t character = utf8_next(&bytes);
        if (character == '\n') continue;
        if (character_width(character) < 0) return false;
        if (character == 0x202E || character == 0x2066) return false; // turn the line around
    }
    return true;
}

static void check_done(const struct end *end, const char *what) {
    ck_assert_msg(end->status == DONE, "%s: exit status %d: %s", what, end->status, end->error);
    ck_assert_msg(end->error_length == 0, "%s: says %s", what, end->error);
    ck_assert_msg(end->output_length > 0, "%s: prints nothing", what);
    ck_assert_msg(is_harmless(end->output, end->output_length), "%s: odd bytes", what);
}

// One line that says what is wrong; for wrong usage a second that names --help. No output.
static void check_misused(const struct end *end, const char *what, bool is_usage) {
    ck_assert_msg(end->status == MISUSED, "%s: exit status %d: %s", what, end->status, end->error);
    ck_assert_msg(end->output_length == 0, "%s: prints all the same", what);
    ck_assert_msg(is_harmless(end->error, end->error_length), "%s: odd bytes", what);
    ck_assert_msg(strncmp(end->error, "onestep: ", 9) == 0, "%s: says %s", what, end->error);
    const char *line_end = strchr(end->error, '\n');
    ck_assert_msg(line_end != NULL && line_end > end->error + 20, "%s: says %s", what, end->error);
    ck_assert_msg(strcmp(line_end + 1, is_usage ? "Try 'onestep --help'.\n" : "") == 0,
                  "%s: says %s", what, end->error);
}

// ---- Wrong usage --------------------------------------------------------------------------------

static const struct {
    const char *arguments[8];
    const char *reason; // that the message contains
} wrong[] = {
    {{"--bogus"}, "--bogus"},
    {{"print"}, "split_head"},
    {{"print", "nolesson"}, "nolesson"},
    {{"print", "0"}, "no lesson '0'"},
    {{"print", "99"}, "no lesson '99'"},
    {{"print", ""}, "no lesson ''"},
    {{"walk", "all"}, "no lesson 'all'"},
    {{"walk", "causal", "--step", "nostep"}, "no step 'nostep'"},
    {{"walk", "split_head", "--d-out", "7", "--heads", "2"}, "--heads can be 1 or 7"},
    {{"simplified", "--query", "nobody"}, "nobody"},
    {{"causal", "extra"}, "extra"},
    {{"print", "causal", "extra"}, "extra"},
    {{"print", "causal", "--step", "nostep"}, "nostep"},
    {{"print", "causal", "--step", ""}, "no step ''"},
    {{"print", "causal", "--step", "0"}, "1 ... "},
    {{"print", "causal", "--step", "99"}, "no step 99"},
    {{"print", "causal", "--step"}, "--step needs a value"},
    {{"print", "all", "--step", "scores"}, "--step needs a lesson"},
    {{"print", "wrapper", "--step", "scores"}, "head 1: scores, head 2: scores"},
    {{"print", "wrapper", "--step", "head 3: scores"}, "head 3"},
    {{"print", "split_head", "--d-out", "7", "--heads", "2"}, "--heads can be 1 or 7"},
    {{"print", "split_head", "--heads", "0"}, "1 ... 16"},
    {{"print", "split_head", "--heads", "-1"}, "1 ... 16"},
    {{"print", "split_head", "--heads", "99999999999999999999"}, "1 ... 16"},
    {{"print", "split_head", "--heads", "2.0"}, "'2.0'"},
    {{"print", "split_head", "--heads", "0x2"}, "'0x2'"},
    {{"print", "split_head", "--heads", " 2"}, "' 2'"},
    {{"print", "wrapper", "--batch", "5"}, "1 ... 4"},
    {{"print", "wrapper", "--heads", "16", "--d-out", "17"}, "at most 256"},
    {{"print", "wrapper", "--context-length", "5"}, "at least 6"},
    {{"print", "wrapper", "--context-length", "0"}, "--context-length"},
    {{"print", "dropout", "--dropout", "1.5"}, "0 ... 1"},
    {{"print", "dropout", "--dropout", "nan"}, "'nan'"},
    {{"print", "dropout", "--dropout", "inf"}, "'inf'"},
    {{"print", "dropout", "--dropout", "x"}, "'x'"},
    {{"print", "dropout", "--dropout", ""}, "''"},
    {{"print", "dropout", "--dropout", "-0.1"}, "'-0.1'"},
    {{"print", "dropout", "--dropout", "0,5"}, "'0,5'"},
    {{"print", "dropout", "--dropout", "0x1p-1"}, "'0x1p-1'"},
    {{"print", "dropout", "--dropout", "1.0000000000000002"}, "0 ... 1"},
    {{"print", "dropout", "--bernoulli", "dice"}, "mt19937 or mcg31m1"},
    {{"print", "trainable", "--seed", "18446744073709551616"}, "18446744073709551615"},
    {{"print", "trainable", "--seed", "-9223372036854775809"}, "-9223372036854775808"},
    {{"print", "trainable", "--seed", "1e3"}, "'1e3'"},
    {{"print", "trainable", "--seed", ""}, "''"},
    {{"print", "trainable", "--seed", "--1"}, "'--1'"},
    {{"print", "trainable", "--seed", "7 "}, "'7 '"},
    {{"print", "trainable", "--seed"}, "--seed needs a value"},
    {{"print", "dropout", "--dropout-seed", "one"}, "--dropout-seed"},
    {{"print", "trainable", "--d-out", "0"}, "1 ... 64"},
    {{"print", "trainable", "--d-out", "65"}, "1 ... 64"},
    {{"print", "causal", "--bias=yes"}, "takes no value"},
    {{"print", "causal", "--format", "docx"}, "torch"},
    {{"print", "causal", "--format", "Torch"}, "'Torch'"},
    {{"print", "causal", "--digits", "18"}, "0 ... 17"},
    {{"print", "causal", "--digits", "-1"}, "'-1'"},
    {{"print", "causal", "--digits", "4.0"}, "'4.0'"},
    {{"print", "causal", "--color", "sometimes"}, "auto, always or never"},
    {{"print", "causal", "-o"}, "-o needs a value"},
    {{"print", "causal", "-x"}, "'-x'"},
    {{"print", "causal", "--", "--bias"}, "--bias"},
    {{"print", "simplified", "--query", "nobody"}, "nobody"},
    {{"print", "simplified", "--query", "7"}, "7"},
    {{"print", "simplified", "--query", "0"}, "0"},
    {{"print", "simplified", "--query", ""}, "''"},
    {{"list", "--format", "xml"}, "plain or json"},
    {{"list", "--format", "torch"}, "plain or json"},
    {{"list", "causal"}, "causal"},
    {{"list", "--seed", "1"}, "--seed"},
    {{"list", "--step", "1"}, "--step"},
    {{"help", "nothing"}, "nothing"},
    {{"--help=yes"}, "takes no value"},
};
enum { WRONG_COUNT = sizeof wrong / sizeof *wrong };

START_TEST(wrong_usage_is_refused) {
    const char *const *arguments = wrong[_i].arguments;
    const struct end end = run_process(&arena, &(struct start){.arguments = arguments});
    check_misused(&end, command_text(arguments), true);
    ck_assert_msg(strstr(end.error, wrong[_i].reason) != NULL, "%s: no '%s' in: %s",
                  command_text(arguments), wrong[_i].reason, end.error);
}
END_TEST

// Whatever is typed, nothing that a terminal would obey comes back.
START_TEST(nothing_typed_reaches_the_terminal_raw) {
    static const char *const evil[] = {
        "\x1b[31mred",      "\x1b]0;title\a",     "\x9b[2J",  "\xc2\x9b[2J", "a\r\nb",
        "\xe2\x80\xae abc", "\xff\xfe not UTF-8", "\x7f\b\b",
    };
    const char *bytes = evil[_i];
    const struct end ends[] = {
        START(bytes),
        START("print", bytes),
        START("print", "causal", bytes),
        START("print", "causal", arena_format(&arena, "--%s", bytes)),
        START("print", "causal", arena_format(&arena, "-%s=3", bytes)),
        START("print", "causal", "--step", bytes),
        START("print", "causal", "--step", arena_format(&arena, "%s: scores", bytes)),
        START("print", "causal", "--format", bytes),
        START("print", "causal", "--digits", bytes),
        START("print", "causal", "--color", bytes),
        START("print", "causal", "--seed", bytes),
        START("print", "causal", "--d-out", bytes),
        START("print", "dropout", "--dropout", bytes),
        START("print", "dropout", "--bernoulli", bytes),
        START("print", "simplified", "--query", bytes),
        START("help", bytes),
        START("list", bytes),
        START("list", "--format", bytes),
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        check_misused(&ends[i], arena_format(&arena, "place %d", (int)i), true);
    const struct end unread = START("print", "causal", "--input", bytes);
    check_misused(&unread, "--input", false);
    const struct end unwritten =
        START("print", "causal", "-o", arena_format(&arena, "/dev/null/%s", bytes));
    ck_assert_int_eq(unwritten.status, FAILED);
    ck_assert(is_harmless(unwritten.error, unwritten.error_length));
}
END_TEST

START_TEST(a_long_argument_is_cut_at_a_character) {
    char name[901] = "";
    for (int i = 0; i < 300; i++) memcpy(name + 3 * i, "日", 4);
    const struct end end = START("print", "causal", "--step", name);
    ck_assert_int_eq(end.status, MISUSED);
    ck_assert(is_harmless(end.error, end.error_length));
}
END_TEST

START_TEST(a_file_with_an_evil_name_is_read_and_named_harmlessly) {
    const char *name = "\x1b[31m\xff.csv", csv[] = "token,a\nx,1\ny,2\n";
    write_file(name, csv, strlen(csv));
    static const char *const formats[] = {"torch", "plain", "json"};
    for (int i = 0; i < 3; i++) {
        const struct end end =
            START("print", "simplified", "--input", path_of(name), "--format", formats[i]);
        check_done(&end, formats[i]);
    }
    const struct end end = START("print", "simplified", "-o", path_of(name));
    ck_assert_int_eq(end.status, DONE);
}
END_TEST

// ---- Parameters ---------------------------------------------------------------------------------

static const char *const lessons[] = {"simplified", "trainable", "causal",
                                      "dropout",    "wrapper",   "split_head"};
enum { LESSON_COUNT = 6 };

// Each parameter, a value other than the lessons' own, and the lessons that have a use for it.
static const struct {
    const char *option, *value;
    bool used[LESSON_COUNT];
} parameters[] = {
    {"--input", "FILE", {1, 1, 1, 1, 1, 1}},        {"--seed", "7", {0, 1, 1, 1, 1, 1}},
    {"--dropout-seed", "-7", {0, 0, 0, 1, 0, 0}},   {"--d-out", "4", {0, 1, 1, 1, 1, 1}},
    {"--heads", "1", {0, 0, 0, 0, 1, 1}},           {"--dropout", "0.25", {0, 0, 0, 1, 1, 1}},
    {"--bernoulli", "mcg31m1", {0, 0, 0, 1, 1, 1}}, {"--bias", NULL, {0, 1, 1, 1, 1, 1}},
    {"--query", "step", {1, 1, 0, 0, 0, 0}},        {"--context-length", "9", {0, 0, 0, 0, 1, 1}},
    {"--batch", "3", {0, 0, 0, 0, 1, 1}},           {"--eval", NULL, {0, 0, 0, 1, 1, 1}},
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

static const char *value_of(int parameter) {
    if (strcmp(parameters[parameter].option, "--input") != 0) return parameters[parameter].value;
    const char csv[] = "token,a\nx,1\nstep,2\n";
    write_file("input.csv", csv, strlen(csv));
    return path_of("input.csv");
}

START_TEST(a_parameter_is_for_the_lessons_that_use_it) {
    const char *option = parameters[_i].option, *value = value_of(_i);
    for (int i = 0; i < LESSON_COUNT; i++) {
        const struct end end = START("print", lessons[i], option, value);
        const char *what = arena_format(&arena, "%s %s", lessons[i], option);
        if (parameters[_i].used[i]) {
            check_done(&end, what);
            ck_assert_msg(strstr(end.output, "Not the course's numbers: ") != NULL,
                          "%s: does not say that it is not the course's", what);
            continue;
        }
        check_misused(&end, what, true);
        ck_assert_ptr_nonnull(strstr(end.error, lessons[i]));
        ck_assert_ptr_nonnull(strstr(end.error, option));
    }
    const struct end all = START("print", "all", option, value);
    check_done(&all, "all");
}
END_TEST

START_TEST(a_value_follows_or_is_attached) {
    const char *option = parameters[_i].option, *value = value_of(_i);
    if (value == NULL) return;
    const struct end apart = START("print", "all", option, value);
    const struct end attached = START("print", arena_format(&arena, "%s=%s", option, value), "all");
    ck_assert_str_eq(apart.output, attached.output);
    check_done(&apart, option);
}
END_TEST

START_TEST(the_last_value_counts) {
    const struct end twice = START("print", "causal", "--seed", "1", "--seed", "2");
    const struct end once = START("print", "causal", "--seed", "2");
    ck_assert_str_eq(twice.output, once.output);
}
END_TEST

START_TEST(two_dashes_end_the_options) {
    const struct end plain = START("print", "causal"), dashes = START("print", "--", "causal");
    check_done(&dashes, "--");
    ck_assert_str_eq(plain.output, dashes.output);
}
END_TEST

START_TEST(the_ends_of_the_ranges_are_allowed) {
    static const char *const choices[][3] = {
        {"causal", "--seed", "-9223372036854775808"},
        {"causal", "--seed", "18446744073709551615"},
        {"dropout", "--dropout", "0"},
        {"dropout", "--dropout", "1"},
        {"dropout", "--dropout", "1e-300"},
        {"causal", "--d-out", "64"},
        {"wrapper", "--heads", "16"},
        {"wrapper", "--batch", "4"},
        {"wrapper", "--context-length", "6"},
        {"wrapper", "--context-length", "256"},
        {"causal", "--digits", "0"},
        {"causal", "--digits", "17"},
    };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const struct end end = START("print", choices[i][0], choices[i][1], choices[i][2]);
        check_done(&end, arena_format(&arena, "%s %s", choices[i][1], choices[i][2]));
    }
}
END_TEST

START_TEST(a_lesson_has_a_name_and_a_number) {
    for (int i = 0; i < LESSON_COUNT; i++) {
        const struct end name = START("print", lessons[i]);
        const struct end number = START("print", arena_format(&arena, "%d", i + 1));
        check_done(&name, lessons[i]);
        ck_assert_str_eq(name.output, number.output);
    }
    const struct end dash = START("print", "split-head"), line = START("print", "split_head");
    ck_assert_str_eq(dash.output, line.output);
}
END_TEST

START_TEST(digits_are_those_of_printed_tensors) {
    const struct end two = START("print", "simplified", "--step", "inputs", "--digits", "2");
    ck_assert_str_eq(two.output, "tensor([[0.43, 0.15, 0.89],\n        [0.55, 0.87, 0.66],\n"
                                 "        [0.57, 0.85, 0.64],\n        [0.22, 0.58, 0.33],\n"
                                 "        [0.77, 0.25, 0.10],\n        [0.05, 0.80, 0.55]])\n");
    const struct end none = START("print", "simplified", "--step", "query", "--digits=0");
    ck_assert_str_eq(none.output, "tensor([1, 1, 1])\n");
}
END_TEST

START_TEST(a_step_alone_is_what_pytorch_prints) {
    const struct end end = START("print", "split_head", "--step", "W_out");
    check_done(&end, "--step W_out");
    ck_assert_int_eq(strncmp(end.output, "tensor([[", 9), 0);
    ck_assert_str_eq(end.output + end.output_length - 4, "]])\n");
    const struct end mask = START("print", "causal", "--step", "mask_bool");
    ck_assert_ptr_nonnull(strstr(mask.output, "[False,  True,"));
    const struct end group = START("print", "wrapper", "--step", "head 2: W_query");
    const struct end number = START("print", "wrapper", "--step", "7");
    ck_assert_str_eq(group.output, number.output);
    check_done(&group, "--step 'head 2: W_query'");
}
END_TEST

// ---- Help, list and version ---------------------------------------------------------------------

static void check_width(const struct end *end, int width) {
    for (const char *line = end->output; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const char *alone = arena_copy_bytes(&arena, line, strcspn(line, "\n"));
        ck_assert_msg(text_width(alone) <= width, "wider than %d: %s", width, alone);
    }
}

START_TEST(help_fits_a_terminal) {
    static const char *const commands[] = {"walk",   "list", "print", "check",
                                           "verify", "gpt2", "bench"};
    const struct end help = START("--help"), short_help = START("-h"), command = START("help");
    check_done(&help, "--help");
    check_width(&help, 80);
    ck_assert_str_eq(help.output, short_help.output);
    ck_assert_str_eq(help.output, command.output);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct end about = START(commands[i], "--help"), same = START("help", commands[i]);
        check_done(&about, commands[i]);
        check_width(&about, 80);
        ck_assert_str_eq(about.output, same.output);
        ck_assert_ptr_nonnull(strstr(help.output, commands[i]));
    }
}
END_TEST

START_TEST(help_names_what_there_is) {
    const struct end help = START("--help"), about_print = START("print", "--help");
    for (int i = 0; i < LESSON_COUNT; i++) ck_assert_ptr_nonnull(strstr(help.output, lessons[i]));
    for (int i = 0; i < PARAMETERS; i++)
        ck_assert_ptr_nonnull(strstr(about_print.output, parameters[i].option));
    static const char *const options[] = {"--step",  "--format", "-o",    "--digits",
                                          "--color", "torch",    "plain", "json"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        ck_assert_ptr_nonnull(strstr(about_print.output, options[i]));
}
END_TEST

START_TEST(the_cheat_sheet_has_the_shapes_of_the_parameters) {
    const struct end sheet = START("help", "formulas");
    check_done(&sheet, "help formulas");
    check_width(&sheet, 80);
    for (int i = 0; i < LESSON_COUNT; i++) {
        const char *title = arena_format(&arena, "Shapes: %s\n", lessons[i]);
        ck_assert_ptr_nonnull(strstr(sheet.output, title));
    }
    ck_assert_ptr_nonnull(strstr(sheet.output, "softmax(Q Kᵀ / √d_k) V"));
    ck_assert_ptr_nonnull(strstr(sheet.output, "mat1 and mat2 shapes cannot be multiplied"));
    ck_assert_ptr_null(strstr(sheet.output, "(2, 6, 8)"));

    const struct end wide = START("help", "formulas", "--d-out", "8", "--heads", "4");
    check_done(&wide, "help formulas --d-out 8");
    ck_assert_ptr_nonnull(strstr(wide.output, "(2, 6, 8)"));
    ck_assert_ptr_nonnull(strstr(wide.output, "With d_out 8, heads 4."));
}
END_TEST

START_TEST(help_comes_before_mistakes_that_follow_it) {
    const struct end end = START("print", "--help", "--bogus");
    check_done(&end, "print --help --bogus");
}
END_TEST

START_TEST(version_is_a_name_and_a_number) {
    const struct end end = START("--version");
    check_done(&end, "--version");
    int major, minor, patch;
    ck_assert_int_eq(sscanf(end.output, "onestep %d.%d.%d\n", &major, &minor, &patch), 3);
}
END_TEST

START_TEST(list_names_lessons_steps_and_parameters) {
    const struct end end = START("list"), json = START("list", "--format=json");
    check_done(&end, "list");
    check_done(&json, "list --format json");
    for (int i = 0; i < LESSON_COUNT; i++)
        ck_assert_ptr_nonnull(
            strstr(end.output, arena_format(&arena, "%d %s: ", i + 1, lessons[i])));
    ck_assert_ptr_nonnull(strstr(end.output, "head 2: masked_scores"));
    ck_assert_ptr_nonnull(strstr(end.output, "--context-length"));
}
END_TEST

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
    ck_assert_str_eq(read_file("out.txt"), shown.output);
    const struct end again =
        START("print", "dropout", arena_format(&arena, "--output=%s", path_of("out.txt")));
    ck_assert_int_eq(again.status, DONE);
    const struct end dropout = START("print", "dropout");
    ck_assert_str_eq(read_file("out.txt"), dropout.output);
    ck_assert_int_eq(count_files(false), 1); // nothing was left beside it
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
    ck_assert_ptr_nonnull(read_file("out.txt"));
}
END_TEST

START_TEST(a_file_that_cannot_be_written_is_an_error) {
    static const char *const paths[] = {"missing/out.txt", "/", "", "/dev/null/out.txt"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const struct end end = START_WITH((.folder = folder), "print", "causal", "-o", paths[i]);
        ck_assert_msg(end.status == FAILED, "-o '%s': exit status %d", paths[i], end.status);
        ck_assert_int_eq(strncmp(end.error, "onestep: cannot write ", 22), 0);
        ck_assert_str_eq(strchr(end.error, '\n'), "\n");
        ck_assert_int_eq(count_files(false), 0);
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
    ck_assert_int_eq(count_files(false), 0);
}
END_TEST

START_TEST(a_link_stays_a_link) {
    write_file("kept.txt", "old", 3);
    ck_assert_int_eq(symlink("kept.txt", path_of("link.txt")), 0);
    const struct end end = START("print", "causal", "-o", path_of("link.txt"));
    ck_assert_int_eq(end.status, DONE);
    struct stat status;
    ck_assert_int_eq(lstat(path_of("link.txt"), &status), 0);
    ck_assert(S_ISLNK(status.st_mode));
    const struct end shown = START("print", "causal");
    ck_assert_str_eq(read_file("kept.txt"), shown.output);
}
END_TEST

START_TEST(a_mistake_leaves_the_file_alone) {
    write_file("out.txt", "kept", 4);
    const struct end end = START("print", "causal", "--step", "nostep", "-o", path_of("out.txt"));
    ck_assert_int_eq(end.status, MISUSED);
    ck_assert_str_eq(read_file("out.txt"), "kept");
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
        for (size_t change = 0; change < sizeof changes / sizeof *changes; change++) {
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
    write_file("input.csv", csv, strlen(csv));
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
    const struct end on_pipe = print_in_colours(_i, false),
                     on_terminal = print_in_colours(_i, true);
    ck_assert_int_eq(is_coloured(&on_pipe), colours[_i].on_pipe);
    ck_assert_int_eq(is_coloured(&on_terminal), colours[_i].on_terminal);
}
END_TEST

START_TEST(a_file_is_not_coloured) {
    const struct end end = START_WITH((.on_terminal = true, ENVIRONMENT("NO_COLOR", "CLICOLOR")),
                                      "print", "causal", "-o", path_of("out.txt"));
    ck_assert_int_eq(end.status, DONE);
    ck_assert_ptr_null(strchr(read_file("out.txt"), '\x1b'));
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
    static const char *const terms[] = {"TERM=dumb", "TERM=", "TERM=nosuch", "TERM"};
    const struct end end = START_WITH((.on_terminal = true, ENVIRONMENT(terms[_i])), "walk");
    check_misused(&end, terms[_i], false);
    ck_assert_ptr_nonnull(strstr(end.error, "onestep print"));
}
END_TEST

// A mistake is a mistake, terminal or not: it is found before the terminal is taken.
START_TEST(mistakes_come_before_the_terminal) {
    const struct end end = START_WITH((.on_terminal = true, ENVIRONMENT("TERM=xterm")), "walk",
                                      "causal", "--step", "nostep");
    check_misused(&end, "walk", true);
    ck_assert_ptr_nonnull(strstr(end.error, "nostep"));
}
END_TEST

// ---- Input files --------------------------------------------------------------------------------

#define BYTES(text) (text), sizeof(text) - 1

static const struct {
    const char *name, *bytes;
    size_t length;
    const char *place; // line and column that the message names; NULL: none
} bad_files[] = {
    {"empty.csv", BYTES(""), NULL},
    {"blank.csv", BYTES("\n\n\n"), NULL},
    {"header-only.csv", BYTES("token,a,b\n"), NULL},
    {"ragged.csv", BYTES("token,a,b\nx,1,2\ny,3\n"), ":3:"},
    {"long.csv", BYTES("token,a,b\nx,1,2,3\n"), ":2:"},
    {"word.csv", BYTES("token,a,b\nx,1,two\n"), ":2:5:"},
    {"nan.csv", BYTES("token,a,b\nx,1,nan\n"), ":2:5:"},
    {"infinite.csv", BYTES("token,a\nx,1e999\n"), ":2:3:"},
    {"hexadecimal.csv", BYTES("token,a\nx,0x10\n"), ":2:3:"},
    {"comma.csv", BYTES("token;a\nx;1,5\n"), NULL},
    {"nul.csv", BYTES("token,a\nx\0y,1\n"), ":2:"},
    {"no-number.csv", BYTES("token\nx\n"), NULL},
    {"hole.csv", BYTES("token,a,b\nx,,1\n"), ":2:3:"},
    {"no-token.csv", BYTES("token,a\n,1\n"), ":2:1:"},
    {"trailing.csv", BYTES("token,a,b\nx,1,2,\n"), ":2:"},
    {"escape.csv", BYTES("token,a\n\x1b[31mred,1\n"), ":2:1:"},
    {"csi.csv", BYTES("token,a\nx,1\n\xc2\x9b[2Jy,2\n"), ":3:1:"},
    {"turned.csv", BYTES("token,a\n\xe2\x80\xaeolleh,2\n"), ":2:1:"},
    {"latin.csv", BYTES("token,a\n\xe9toile,1\n"), ":2:1:"},
    {"quote.csv", BYTES("token,a\n\"x,1\n"), ":2:1:"},
    {"escaped-header.csv", BYTES("token,\x1b]0;a\a\nx,1\n"), ":1:"},
    {"escaped-number.csv", BYTES("token,a\nx,\x1b[2J\n"), ":2:3:"},
};
enum { BAD_FILES = sizeof bad_files / sizeof *bad_files };

START_TEST(a_bad_file_is_refused_with_its_place) {
    write_file(bad_files[_i].name, bad_files[_i].bytes, bad_files[_i].length);
    const struct end end = START("print", "simplified", "--input", path_of(bad_files[_i].name));
    check_misused(&end, bad_files[_i].name, false);
    const char *place = bad_files[_i].place != NULL ? bad_files[_i].place : "";
    const char *named = arena_format(&arena, "%s%s", path_of(bad_files[_i].name), place);
    ck_assert_msg(strstr(end.error, named) != NULL, "no %s in: %s", named, end.error);
}
END_TEST

// The walker refuses it as the others do, with their status.
START_TEST(a_bad_file_is_not_walked_through) {
    write_file("word.csv", BYTES("token,a,b\nx,1,two\n"));
    const struct end end = START_WITH((.on_terminal = true, ENVIRONMENT("TERM=xterm")), "walk",
                                      "causal", "--input", path_of("word.csv"));
    check_misused(&end, "walk", false);
    ck_assert_ptr_nonnull(strstr(end.error, ":2:5:"));
}
END_TEST

START_TEST(what_is_no_file_is_refused) {
    static const char *const paths[] = {"missing.csv", "/", "/dev/null", ""};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const struct end end =
            START_WITH((.folder = folder), "print", "simplified", "--input", paths[i]);
        check_misused(&end, paths[i], false);
        ck_assert_ptr_nonnull(strstr(end.error, paths[i]));
    }
    if (access("/dev/zero", R_OK) != 0) return;
    const struct end endless = START("print", "simplified", "--input", "/dev/zero");
    check_misused(&endless, "/dev/zero", false);
}
END_TEST

static const struct {
    const char *name, *bytes;
    size_t length;
} good_files[] = {
    {"crlf.csv", BYTES("token,a,b\r\nx,1,2\r\ny,3,4\r\n")},
    {"no-newline.csv", BYTES("token,a,b\nx,1,2\ny,3,4")},
    {"utf8.csv", BYTES("token,a\n\xc3\xa9toile,1\n\xe6\x97\xa5\xe6\x9c\xac,2\n")},
    {"bom.csv", BYTES("\xef\xbb\xbftoken,a\nx,1\ny,2\n")},
    {"quoted.csv", BYTES("token,a\n\"x, y\",1\nz,2\n")},
    {"quotes.csv", BYTES("token,a\n\"say \"\"x\"\"\",1\nz,\"2\"\n")},
    {"one.csv", BYTES("token,a\nx,1\n")},
    {"twice.csv", BYTES("token,a\nx,1\nx,2\n")},
    {"exponent.csv", BYTES("token,a,b\nx,-1e-3,+2.5E+1\ny,.5,5.\n")},
    {"tiny.csv", BYTES("token,a\nx,1e-45\ny,1e-300\n")},
    {"back-slash.csv", BYTES("token,a\n\\,1\n/,2\n")},
};
enum { GOOD_FILES = sizeof good_files / sizeof *good_files };

START_TEST(a_good_file_is_read_by_every_lesson) {
    write_file(good_files[_i].name, good_files[_i].bytes, good_files[_i].length);
    static const char *const formats[] = {"torch", "plain", "json"};
    for (int i = 0; i < LESSON_COUNT; i++) {
        const struct end end = START("print", lessons[i], "--input", path_of(good_files[_i].name),
                                     "--format", formats[i % 3]);
        check_done(&end, arena_format(&arena, "%s: %s", good_files[_i].name, lessons[i]));
    }
}
END_TEST

START_TEST(standard_input_is_a_file_too) {
    const char csv[] = "token,a\nx,1\ny,2\n";
    write_file("input.csv", csv, strlen(csv));
    const struct end end = START_WITH((.input = path_of("input.csv")), "print", "simplified",
                                      "--input", "-", "--step", "inputs");
    check_done(&end, "--input -");
    ck_assert_str_eq(end.output, "tensor([[1.],\n        [2.]])\n");
    const struct end empty = START("print", "simplified", "--input", "-");
    check_misused(&empty, "--input - of nothing", false);
    ck_assert_ptr_nonnull(strstr(empty.error, "standard input"));
}
END_TEST

// Writes a file of so many tokens and features.
static void write_sizes(const char *name, int tokens, int features) {
    struct text csv = text_new(&arena);
    text_add(&csv, "token");
    for (int i = 0; i < features; i++) text_add_format(&csv, ",d%d", i);
    for (int i = 0; i < tokens; i++) {
        text_add_format(&csv, "\nt%d", i);
        for (int j = 0; j < features; j++) text_add_format(&csv, ",0.%d", (i * 7 + j) % 10);
    }
    write_file(name, csv.bytes, csv.length);
}

START_TEST(as_many_tokens_as_there_may_be) {
    write_sizes("most.csv", CSV_MAX_TOKENS, CSV_MAX_FEATURES);
    const struct end all = START("print", "all", "--input", path_of("most.csv"));
    check_done(&all, "the largest input");
    write_sizes("tokens.csv", CSV_MAX_TOKENS + 1, 1);
    const struct end tokens = START("print", "causal", "--input", path_of("tokens.csv"));
    check_misused(&tokens, "too many tokens", false);
    ck_assert_ptr_nonnull(strstr(tokens.error, "64"));
    write_sizes("features.csv", 1, CSV_MAX_FEATURES + 1);
    const struct end features = START("print", "causal", "--input", path_of("features.csv"));
    check_misused(&features, "too many features", false);
    ck_assert_ptr_nonnull(strstr(features.error, "64"));
    const struct end context =
        START("print", "wrapper", "--context-length", "63", "--input", path_of("most.csv"));
    check_misused(&context, "more tokens than context_length", true);
    ck_assert_ptr_nonnull(strstr(context.error, "at least 64"));
}
END_TEST

START_TEST(a_query_is_a_token_of_the_file) {
    const char csv[] = "token,a\n日本,1\n2,2\nx,3\n";
    write_file("input.csv", csv, strlen(csv));
    static const char *const queries[][2] = {
        {"日本", "tensor([1.])\n"}, {"1", "tensor([1.])\n"}, {"2", "tensor([2.])\n"},
        {"x", "tensor([3.])\n"},    {"3", "tensor([3.])\n"},
    };
    for (int i = 0; i < 5; i++) {
        const struct end end = START("print", "simplified", "--input", path_of("input.csv"),
                                     "--query", queries[i][0], "--step", "query");
        ck_assert_str_eq(end.output, queries[i][1]);
    }
    const struct end journey =
        START("print", "simplified", "--input", path_of("input.csv"), "--query", "journey");
    check_misused(&journey, "--query journey", true);
}
END_TEST

Suite *command_suite(void) {
    Suite *suite = suite_create("command");
    TCase *mistakes = tcase_create("mistakes");
    tcase_add_checked_fixture(mistakes, set_up, tear_down);
    tcase_add_loop_test(mistakes, wrong_usage_is_refused, 0, WRONG_COUNT);
    tcase_add_loop_test(mistakes, nothing_typed_reaches_the_terminal_raw, 0, 8);
    tcase_add_test(mistakes, a_long_argument_is_cut_at_a_character);
    tcase_add_test(mistakes, a_file_with_an_evil_name_is_read_and_named_harmlessly);
    suite_add_tcase(suite, mistakes);

    TCase *choices = tcase_create("parameters");
    tcase_add_checked_fixture(choices, set_up, tear_down);
    tcase_add_loop_test(choices, a_parameter_is_for_the_lessons_that_use_it, 0, PARAMETERS);
    tcase_add_loop_test(choices, a_value_follows_or_is_attached, 0, PARAMETERS);
    tcase_add_test(choices, the_last_value_counts);
    tcase_add_test(choices, two_dashes_end_the_options);
    tcase_add_test(choices, the_ends_of_the_ranges_are_allowed);
    tcase_add_test(choices, a_lesson_has_a_name_and_a_number);
    tcase_add_test(choices, digits_are_those_of_printed_tensors);
    tcase_add_test(choices, a_step_alone_is_what_pytorch_prints);
    suite_add_tcase(suite, choices);

    TCase *help = tcase_create("help");
    tcase_add_checked_fixture(help, set_up, tear_down);
    tcase_add_test(help, help_fits_a_terminal);
    tcase_add_test(help, help_names_what_there_is);
    tcase_add_test(help, the_cheat_sheet_has_the_shapes_of_the_parameters);
    tcase_add_test(help, help_comes_before_mistakes_that_follow_it);
    tcase_add_test(help, version_is_a_name_and_a_number);
    tcase_add_test(help, list_names_lessons_steps_and_parameters);
    suite_add_tcase(suite, help);

    TCase *output = tcase_create("output");
    tcase_add_checked_fixture(output, set_up, tear_down);
    tcase_add_loop_test(output, a_full_disk_is_noticed, 0, 4);
    tcase_add_loop_test(output, a_closed_output_is_noticed, 0, 4);
    tcase_add_loop_test(output, a_closed_pipe_ends_quietly, 0, 4);
    tcase_add_test(output, a_file_gets_what_standard_output_would);
    tcase_add_test(output, a_relative_path_belongs_to_the_folder_of_the_caller);
    tcase_add_test(output, a_file_that_cannot_be_written_is_an_error);
    tcase_add_test(output, a_device_is_written_in_place);
    tcase_add_test(output, a_link_stays_a_link);
    tcase_add_test(output, a_limit_on_files_is_an_error);
    tcase_add_test(output, a_mistake_leaves_the_file_alone);
    tcase_add_test(output, output_does_not_depend_on_the_surroundings);
    tcase_add_test(output, numbers_are_read_the_same_in_any_locale);
    tcase_add_loop_test(output, colour_has_an_order_of_precedence, 0, COLOURS);
    tcase_add_test(output, a_file_is_not_coloured);
    tcase_add_loop_test(output, walking_needs_a_terminal, 0, 4);
    tcase_add_loop_test(output, walking_needs_a_terminal_that_can_be_drawn_on, 0, 4);
    tcase_add_test(output, mistakes_come_before_the_terminal);
    suite_add_tcase(suite, output);

    TCase *input = tcase_create("input");
    tcase_add_checked_fixture(input, set_up, tear_down);
    tcase_add_loop_test(input, a_bad_file_is_refused_with_its_place, 0, BAD_FILES);
    tcase_add_test(input, a_bad_file_is_not_walked_through);
    tcase_add_test(input, what_is_no_file_is_refused);
    tcase_add_loop_test(input, a_good_file_is_read_by_every_lesson, 0, GOOD_FILES);
    tcase_add_test(input, standard_input_is_a_file_too);
    tcase_add_test(input, as_many_tokens_as_there_may_be);
    tcase_add_test(input, a_query_is_a_token_of_the_file);
    suite_add_tcase(suite, input);
    return suite;
}
