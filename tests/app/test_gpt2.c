// The commands gpt2 and bench as users see them, and a layer at full size against PyTorch's.

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "fixture.h"
#include "process.h"
#include "records.h"

#include <check.h> // last: defines a macro fail

static bool fits(const char *text, int width) {
    for (const char *line = text; *line != '\0';) {
        const char *end = strchr(line, '\n');
        if (end == NULL) return false;
        if (text_width(arena_copy_bytes(&arena, line, (size_t)(end - line))) > width) return false;
        line = end + 1;
    }
    return true;
}

// ---- The table ----------------------------------------------------------------------------------

START_TEST(the_table_counts_parameters) {
    static const char *const parts[] = {
        "2,359,296",   "2,360,064",     "2,362,368",  "124,439,808", "354,823,168",
        "774,030,080", "1,557,611,200", "50,331,648", "117M",        "24 does\nnot divide 1024",
    };
    const struct end end = RUN(&arena, "gpt2");
    ck_assert_int_eq(end.status, 0);
    ck_assert_str_eq(end.error, "");
    ck_assert(fits(end.output, 80));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        ck_assert_msg(strstr(end.output, parts[i]) != NULL, "no %s in %s", parts[i], end.output);
    }
}
END_TEST

START_TEST(one_size_is_counted_alone) {
    const struct end end = RUN(&arena, "gpt2", "xl");
    ck_assert_ptr_nonnull(strstr(end.output, "Counted for xl, d = 1600"));
    ck_assert_ptr_null(strstr(end.output, "\nsmall"));
    ck_assert(fits(end.output, 80));
}
END_TEST

// ---- What is refused ----------------------------------------------------------------------------

static const struct {
    const char *arguments[8];
    const char *reason;
} wrong[] = {
    {{"gpt2", "--tokens", "0"}, "--tokens takes a whole number, 1 ... 1000000000, not '0'"},
    {{"gpt2", "--tokens", "-1"}, "not '-1'"},
    {{"gpt2", "--batch", "0"}, "--batch takes a whole number"},
    {{"gpt2", "--tokens", "1e3"}, "not '1e3'"},
    {{"gpt2", "--tokens", ""}, "not ''"},
    {{"gpt2", "--tokens", "18446744073709551617"}, "not '18446744073709551617'"},
    {{"gpt2", "--tokens", "4", "--threads", "257"}, "1 ... 256"},
    {{"gpt2", "--tokens", "1000000000"}, " TB of memory"},
    {{"gpt2", "--tokens", "1000000000", "--batch", "1000000000"}, "of memory"},
    {{"gpt2", "tiny"}, "small, medium, large and xl"},
    {{"gpt2", "small", "large"}, "large"},
    {{"gpt2", "--seed", "1"}, "add --tokens N or --batch N"},
    {{"gpt2", "--dropout", "0.1"}, "--dropout is for running a layer"},
    {{"gpt2", "--layers-first"}, "--layers-first is for running a layer"},
    {{"gpt2", "--tokens", "4", "--dropout", "2"}, "0 ... 1"},
    {{"gpt2", "--tokens", "4", "--d-model", "8"}, "gpt2 has no option '--d-model'"},
    {{"print", "causal", "--randn"}, "print has no option '--randn'"},
    {{"gpt2", "--tokens", "1000000", "--dropout", "0.1"}, " of memory"},
    {{"gpt2", "--tokens", "4", "--heads", "2"}, "gpt2 has no option '--heads'"},
    {{"bench", "--tokens", "4"}, "bench has no option '--tokens'"},
    {{"bench", "small"}, "small"},
    {{"print", "causal", "--tokens", "4"}, "print has no option '--tokens'"},
};
enum { WRONG = sizeof wrong / sizeof *wrong };

START_TEST(what_cannot_be_is_refused_in_words) {
    const struct end end = run_process(&arena, &(struct start){.arguments = wrong[_i].arguments});
    ck_assert_int_eq(end.status, 2);
    ck_assert_str_eq(end.output, "");
    ck_assert_msg(strncmp(end.error, "onestep: ", 9) == 0 &&
                      strstr(end.error, wrong[_i].reason) != NULL,
                  "%s instead of %s", end.error, wrong[_i].reason);
    ck_assert_ptr_nonnull(strstr(end.error, "\nTry 'onestep --help'.\n"));
}
END_TEST

START_TEST(a_kernel_that_there_is_not_is_refused) {
    const struct end end =
        run_process(&arena, &(struct start){
                                .arguments = (const char *const[]){"gpt2", "--tokens", "4", NULL},
                                .environment = (const char *const[]){"ONESTEP_KERNEL=abacus", NULL},
                            });
    ck_assert_int_eq(end.status, 2);
    ck_assert_ptr_nonnull(strstr(end.error, "'abacus'; it can be generic"));
}
END_TEST

// ---- PyTorch's layer ----------------------------------------------------------------------------

enum { BATCH = 2, TOKENS = 1024, WIDTH = 768, SHOWN = 8, EVERY = 64 };

static const char *gpt2_data(const char *name) {
    return data_file(&arena, arena_format(&arena, "gpt2/%s", name));
}

// Runs with -o and returns the floats of the file.
static const float *run_to_file(const char *bias, struct end *end) {
    char path[] = "/tmp/onestep-tests-XXXXXX";
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
    *end = RUN(&arena, "gpt2", "small", "--batch", "2", "--tokens", "1024", "--seed", "123", "-o",
               path, bias);
    ck_assert_msg(end->status == 0, "%s", end->error);
    const size_t bytes = sizeof(float) * BATCH * TOKENS * WIDTH;
    char header[129] = "";
    float *values = arena_allocate(&arena, bytes);
    FILE *stream = fopen(path, "rb");
    ck_assert_ptr_nonnull(stream);
    ck_assert_uint_eq(fread(header, 1, 128, stream), 128);
    ck_assert_uint_eq(fread(values, 1, bytes, stream), bytes);
    ck_assert_int_eq(fgetc(stream), EOF);
    fclose(stream);
    remove(path);
    ck_assert_mem_eq(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    ck_assert_ptr_nonnull(strstr(header + 10, "'descr': '<f4', 'fortran_order': False, "
                                              "'shape': (2, 1024, 768), }"));
    ck_assert_int_eq(header[127], '\n');
    return values;
}

// The next tensor of a .ref file: its numbers, behind a line that ends in ": NAME".
static double next_number(const char **text) {
    char *end;
    const double number = strtod(*text, &end);
    ck_assert_ptr_ne(end, *text);
    *text = end;
    return number;
}

static const char *after_heading(const char *text, const char *name) {
    const char *heading = strstr(text, name);
    ck_assert_ptr_nonnull(heading);
    return strchr(heading, '\n');
}

static void near(double value, double expected, double tolerance, const char *what) {
    if (fabs(value - expected) <= tolerance) return;
    ck_abort_msg("%s: %.9g, not %.9g", what, value, expected);
}

static void holds_rows(const float *values, const char *text, int first_row, int first_column) {
    for (int b = 0; b < BATCH; b++) {
        for (int row = first_row; row < first_row + 2; row++) {
            for (int column = first_column; column < first_column + SHOWN; column++) {
                const float value = values[(b * TOKENS + row) * WIDTH + column];
                near((double)value, next_number(&text), 3e-6, "an element");
            }
        }
    }
}

// Errors of 768 elements, mostly below 1e-6 and of either sign, add up to a little more.
static void holds_sums(const float *values, const char *text) {
    for (int row = 0; row < BATCH * TOKENS; row += EVERY) {
        double sum = 0;
        for (int column = 0; column < WIDTH; column++) sum += (double)values[row * WIDTH + column];
        near(sum, next_number(&text), 3e-5, "a row's sum");
    }
}

static const struct {
    const char *bias, *name;
} layers[] = {{"--bias", "gpt2-small-rand"}, {NULL, "gpt2-small-rand-no-bias"}};

START_TEST(a_layer_is_pytorchs) {
    struct end end;
    const float *values = run_to_file(layers[_i].bias, &end);
    const char *reference = gpt2_data(arena_format(&arena, "%s.ref", layers[_i].name));
    holds_rows(values, after_heading(reference, "output.first_rows"), 0, 0);
    holds_rows(values, after_heading(reference, "output.last_rows"), TOKENS - 2, WIDTH - SHOWN);
    holds_sums(values, after_heading(reference, "output.row_sums"));
    const char *text = gpt2_data(arena_format(&arena, "%s.txt", layers[_i].name));
    const char *printed = after_heading(text, "output") + 1;
    ck_assert_msg(strncmp(printed, end.output, end.output_length) == 0, "%s", end.output);
}
END_TEST

START_TEST(figures_go_to_standard_error) {
    const struct end end = RUN(&arena, "gpt2", "--tokens", "70", "--threads", "1");
    double forward, rate, peak, share, memory;
    const char *line = strstr(end.error, "forward: "), *rest = strstr(end.error, "\npeak: ");
    ck_assert_ptr_nonnull(line);
    ck_assert_ptr_nonnull(rest);
    ck_assert_int_eq(sscanf(line, "forward: %lf ms\nrate: %lf GFLOP/s\n", &forward, &rate), 2);
    ck_assert_double_gt(forward, 0);
    if (sscanf(rest, "\npeak: %lf GFLOP/s (%lf %%)\n", &peak, &share) == 2) {
        const double printed = 0.05; // figures are rounded to one decimal, and to whole percents
        ck_assert_double_le(share, 100);
        ck_assert_double_le(share, 100 * (rate + printed) / (peak - printed) + 0.5);
        ck_assert_double_ge(share, 100 * (rate - printed) / (peak + printed) - 0.5);
    } else {
        rest = strstr(rest, "\npeak: not measured, other programs use the processors\n");
        ck_assert_ptr_nonnull(rest);
    }
    ck_assert_int_eq(sscanf(strchr(rest + 1, '\n'), "\nmemory: %lf MB\n", &memory), 1);
    ck_assert_ptr_null(strchr(end.error, '\r')); // progress is for terminals
    ck_assert_int_eq(strncmp(end.output, "tensor([[[", 10), 0);
}
END_TEST

START_TEST(one_token_looks_at_itself) {
    const struct end end = RUN(&arena, "gpt2", "xl", "--tokens", "1");
    ck_assert_msg(end.status == 0, "%s", end.error);
    ck_assert_ptr_nonnull(strstr(end.output, "..."));
}
END_TEST

// ---- Ctrl-C -------------------------------------------------------------------------------------

START_TEST(an_interrupt_ends_it_at_once) {
    const char *program = getenv("ONESTEP") != NULL ? getenv("ONESTEP") : ONESTEP;
    const pid_t process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0) {
        execl(program, program, "gpt2", "xl", "--tokens", "16384", (char *)NULL);
        _exit(127);
    }
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    kill(process, SIGINT);
    int status = 0;
    for (int i = 0; i < 4500 && waitpid(process, &status, WNOHANG) == 0; i++) { // minutes early
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    }
    kill(process, SIGKILL); // should it still be there
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGINT);
}
END_TEST

Suite *gpt2_suite(void) {
    Suite *suite = suite_create("gpt2");
    TCase *commands = add_case(suite, "commands", set_up_arena, tear_down_arena);
    tcase_add_test(commands, the_table_counts_parameters);
    tcase_add_test(commands, one_size_is_counted_alone);
    tcase_add_loop_test(commands, what_cannot_be_is_refused_in_words, 0, WRONG);
    tcase_add_test(commands, a_kernel_that_there_is_not_is_refused);
    tcase_add_loop_test(commands, a_layer_is_pytorchs, 0, 2);
    tcase_add_test(commands, figures_go_to_standard_error);
    tcase_add_test(commands, one_token_looks_at_itself);
    tcase_add_test(commands, an_interrupt_ends_it_at_once);
    return suite;
}
