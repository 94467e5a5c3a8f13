// `check`: right numbers in every form that PyTorch and NumPy write (pytorch_checks.py), the
// classic mistakes as PyTorch makes them (pytorch_mistakes.py), and what is said of them.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/check/diagnose.h"
#include "attempts.h"
#include "base/text.h"
#include "fixture.h"
#include "lesson.h"
#include "process.h"
#include "records.h"
#include "sample.h"
#include "tensor/file/numbers_read.h"
#include "tensor/ops/ops.h"
#include "tensor/text/format.h"
#include "trace/run/step.h"
#include "trace/what_if/made.h"
#include "trace/what_if/mistake.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

static char *text_of_file(const char *name) {
    const char *path = arena_format(&arena, "%s/%s", TEST_DATA, name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "cannot read %s", path);
    struct text text = text_new(&arena);
    text_add(&text, "");
    char bytes[4096];
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        text_add_bytes(&text, bytes, got);
    fclose(file);
    return text.bytes;
}

static const char *path_of(const char *name) {
    return arena_format(&arena, "%s/check/%s", TEST_DATA, name);
}

// ---- Right numbers ------------------------------------------------------------------------------

START_TEST(right_numbers_are_equal_in_every_form) {
    char *rest;
    int files = 0;
    for (char *line = strtok_r(text_of_file("check/right.txt"), "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest), files++) {
        char lesson[32], step[32], name[64];
        if (files % one_in(1) != 0) continue;
        ck_assert_int_eq(sscanf(line, "%31s %31s %63s", lesson, step, name), 3);
        const struct end end = RUN(&arena, "check", lesson, "--step", step, path_of(name));
        expect(end.status == 0, "%s: %d %s%s", name, end.status, end.output, end.error);
        expect(strncmp(end.output, "equal: all ", 11) == 0, "%s: %s", name, end.output);
    }
    ck_assert_int_ge(files, 170);
}
END_TEST

// Numbers that two versions of PyTorch do not agree on (pytorch_checks.py --record right), and what is said of those
// of 1.13.
static const struct {
    const char *parameters[3], *step, *verdict;
} rounded[] = {
    {{NULL}, "losses_without_mask", "equal"},
    {{NULL}, "trained: W_key_bias", NULL},
    {{"--seed=5"}, "losses_without_mask", "equal"},
    {{"--lr=1", "--updates=40"}, "losses", "unjudged"},
    {{"--lr=1", "--updates=40"}, "trained: W_query", NULL},
    {{"--seed=57606", "--d-model=8"}, "after 1: W_key_bias", NULL},
};
enum { ROUNDED = sizeof rounded / sizeof *rounded };

// "rounding-1.13-training-seed=5-losses.txt"
static const char *rounded_path(const char *version, int i) {
    struct text text = text_new(&arena);
    text_add_format(&text, "rounding-%s-training", version);
    for (int j = 0; rounded[i].parameters[j] != NULL; j++)
        text_add_format(&text, "-%s", rounded[i].parameters[j] + strlen("--"));
    text_add_format(&text, "-%s.txt", rounded[i].step);
    char *name = arena_copy(&arena, text.bytes), *group = strstr(name, ": ");
    if (group != NULL) memmove(group + 1, group + 2, strlen(group + 2) + 1);
    for (char *byte = name; *byte != '\0'; byte++) {
        if (*byte == ':') *byte = '.';
        if (*byte == ' ') *byte = '-';
    }
    return path_of(name);
}

static struct end check_rounded(int i, const char *path) {
    const char *const *more = rounded[i].parameters;
    return run_process(&arena,
                       &(struct start){.arguments = (const char *const[]){
                                           "check", "training", "--step", rounded[i].step, path,
                                           more[0], more[0] != NULL ? more[1] : NULL, NULL}});
}

START_TEST(what_rounding_alone_moves_is_not_called_different) {
    if (_i % one_in(1) != 0) return;
    const struct end end = check_rounded(_i, rounded_path("1.13", _i));
    expect(end.status == 0, "%d %s%s", end.status, end.output, end.error);
    if (rounded[_i].verdict != NULL)
        expect(strncmp(end.output, rounded[_i].verdict, strlen(rounded[_i].verdict)) == 0, "%s",
               end.output);
    const struct end newer = check_rounded(_i, rounded_path("2.6", _i));
    expect(newer.status == 0, "%d %s%s", newer.status, newer.output, newer.error);
}
END_TEST

// Late losses without a mask grow apart with each update, and are the same again once rounded as there.
START_TEST(numbers_are_rounded_as_in_1_13) {
    const struct end end = check_rounded(0, rounded_path("1.13", 0));
    expect(strstr(end.output, "\nrounded as in PyTorch 1.13; ") != NULL, "%s", end.output);
    const struct end newer = check_rounded(0, rounded_path("2.6", 0));
    expect(strstr(newer.output, "1.13") == NULL, "%s", newer.output);
}
END_TEST

// What another run has is as far away as a wrong program's.
START_TEST(rounding_is_no_excuse_for_other_numbers) {
    const struct { int number, other; } pairs[] = {{0, 2}, {2, 0}};
    for (int i = 0; i < 2; i += one_in(2)) {
        const struct end end = check_rounded(pairs[i].number, rounded_path("1.13", pairs[i].other));
        expect(end.status == 1 && strncmp(end.output, "different: ", 11) == 0, "%s", end.output);
    }
}
END_TEST

START_TEST(standard_input_is_a_file) {
    const char *path = path_of("weights.torch.txt");
    const struct end end = run_process(
        &arena, &(struct start){
                    .arguments = (const char *const[]){"check", "causal", "--step=17", "-", NULL},
                    .input = path});
    ck_assert_str_eq(end.output,
                     "equal: all 36 numbers are those of causal_weights (causal, step 17)\n"
                     "mistakes that would not show in these numbers: keepdim-forgotten, "
                     "weights-transposed, keys-for-values\n"
                     "largest difference: 4.72e-05 at query one, key one (x[4, 4])\n"
                     "file: standard input, a PyTorch tensor with 4 decimals of shape (6, 6)\n");
    ck_assert_int_eq(end.status, 0);
}
END_TEST

// ---- Files that are none ------------------------------------------------------------------------

START_TEST(bad_files_are_refused_in_one_line) {
    static const char *const names[] = {"bad-cut-header.npy", "bad-cut-numbers.npy",
                                        "bad-longer.npy",     "bad-magic.npy",
                                        "bad-version.npy",    "bad-huge-header.npy",
                                        "bad-overflow.npy",   "bad-complex.npy",
                                        "bad-records.npy",    "bad-empty.npy",
                                        "bad-zip.npz",        "bad-summarised.txt",
                                        "bad-utf-16.txt",     "bad-summarised-numpy.txt",
                                        "not-there.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct end end =
            RUN(&arena, "check", "causal", "--step", "scores", path_of(names[i]));
        expect(end.status == 2, "%s: %d", names[i], end.status);
        ck_assert_str_eq(end.output, "");
        expect(strncmp(end.error, "onestep: ", 9) == 0, "%s: %s", names[i], end.error);
        expect(strchr(end.error, '\n') == end.error + end.error_length - 1, "%s", end.error);
    }
}
END_TEST

// ---- Diagnoses ----------------------------------------------------------------------------------

static struct run run_with(const char *lesson, char *options) {
    struct parameters parameters = {0};
    char *rest;
    for (char *word = options != NULL ? strtok_r(options, " ", &rest) : NULL; word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        const struct parameter *parameter = parameter_by_option(word);
        ck_assert_ptr_nonnull(parameter);
        const char *value = is_switch(parameter) ? "" : strtok_r(NULL, " ", &rest);
        ck_assert(set_parameter(&parameters, parameter, arena_copy(&arena, value)));
    }
    struct run run;
    ck_assert_msg(try_lesson(&run, &arena, lesson_called(lesson), &parameters), "%s",
                  failure.message);
    return run;
}

static bool is_made(const struct made *made, const struct explanation *explanation) {
    if (explanation->kind != BY_MISTAKES || explanation->mistake_count != made->count) return false;
    for (int i = 0; i < made->count; i++) {
        bool is_there = false;
        for (int j = 0; j < made->count; j++)
            is_there = is_there || explanation->mistakes[j] == made->mistakes[i];
        if (!is_there) return false;
    }
    return true;
}

static const char *explanations_text(const struct diagnosis *diagnosis) {
    struct text text = text_new(&arena);
    text_add(&text, "");
    for (int i = 0; i < diagnosis->count; i++) {
        const struct explanation *explanation = &diagnosis->explanations[i];
        text_add(&text, explanation->kind == BY_MISTAKES ? "\n " : "\n another");
        for (int j = 0; j < explanation->mistake_count; j++)
            text_add_format(&text, " %s", explanation->mistakes[j]->name);
        text_add_format(&text, " %g", explanation->comparison.largest);
    }
    return text.bytes;
}

// Is what was done among the explanations, and is the first as simple and as near? (What one mistake or
// another step explains as well as two mistakes do, is that.)
static void check_diagnosis(const struct made *made, const struct step *step,
                            const struct numbers *numbers) {
    ck_assert(fits(numbers, shape_of(&step->tensor)));
    const struct comparison right = compare(numbers, &step->tensor);
    if (right.different == 0) return; // too small to be seen with these digits
    if (is_all_nan(numbers)) return;  // which says nothing of its cause
    const double *allowed = allowed_of(&arena, numbers, &step->tensor);
    const struct diagnosis diagnosis = diagnose(&arena, &made->right, step, numbers, allowed, true);
    const char *all = explanations_text(&diagnosis);
    const int agreeing =
        diagnosis.count + diagnosis.possible; // too few digits: what was done is possible
    expect(agreeing > 0, "%s: %s: no explanation", made->heading, step_label(&arena, step));
    const struct explanation *first = &diagnosis.explanations[0];
    // Layers drawn in another order give the numbers of another step: that is said first.
    expect(first->kind == BY_MISTAKES || first->kind == BY_STEP || made->count > 1, "%s: %s:%s",
           made->heading, step_label(&arena, step), all);
    expect(first->mistake_count <= made->count, "%s: %s:%s", made->heading,
           step_label(&arena, step), all);
    for (int i = 0; i < agreeing; i++) {
        const struct explanation *explanation = &diagnosis.explanations[i];
        bool is_named = is_made(made, explanation);
        for (int j = 0; j < explanation->alike_count; j++)
            is_named = is_named || is_made(made, &explanation->alike[j]);
        if (!is_named) continue;
        const double more = explanation->comparison.largest - first->comparison.largest;
        // A few numbers of four digits, a loss, may have several explanations that no digit tells apart.
        const double slack = numbers->half_units != NULL ? numbers->half_units[0] : 0;
        expect(more <= 1e-6 + slack, "%s: %s:%s", made->heading, step_label(&arena, step), all);
        return;
    }
    expect(first->mistake_count < made->count, "%s: %s:%s", made->heading, step_label(&arena, step),
           all);
}

static struct numbers numbers_of_text(const char *text) {
    return numbers_read(&arena, "printed", text, strlen(text));
}

// Checks PyTorch's numbers for a step, as they are and as it prints them.
static void check_values(struct made *made, const struct made_step *made_step) {
    const struct step *step = made_step->right;
    const struct shape shape = shape_of(&step->tensor);
    const int64_t count = count_of(shape);
    struct numbers numbers = {.form = FORM_NPY, .shape = shape, .decimals = -1};
    numbers.values = arena_array(&arena, (size_t)count, sizeof *numbers.values);
    const struct step *wrong = &trial_of(made)->run.steps[step->number - 1];
    const float *floats = NULL;
    if (!shapes_equal(shape_of(&wrong->tensor), shape)) return;
    if (unlike_pytorch(made, made_step, &wrong->tensor, &floats) != NULL)
        return; // edited_lessons.txt
    for (int64_t i = 0; i < count; i++) numbers.values[i] = (double)floats[i];
    check_diagnosis(made, step, &numbers);
    if (count > 1000) return; // PyTorch would print them with "..."
    const struct tensor printed = tensor_of(&arena, shape, floats);
    numbers = numbers_of_text(torch_text(&arena, &printed, 4));
    check_diagnosis(made, step, &numbers);
}

// All steps that mistakes change would take an hour.
START_TEST(pytorchs_mistakes_are_found) {
    const int stride = getenv("ONESTEP_TESTS_SLOW") != NULL ? 53 : one_in(601);
    struct arena of_file = arena_new(&failure);
    const char *text = data_file(&of_file, "mistakes.txt");
    struct case_lines lines;
    int cases = 0, tensors = 0;
    for (; next_case(&text, &lines); cases++) {
        struct made made = make_case(&lines);
        struct case_lines rest = lines;
        for (struct made_step step; next_made_step(&rest, &made, &step);) {
            if (step.digest == NULL || tensors++ % stride != 0 || made.count > MOST_AT_ONCE)
                continue;
            check_values(&made, &step);
        }
        arena_free(&arena);
    }
    arena_free(&of_file);
    ck_assert_int_ge(cases, 100);
    printf("# %d cases, %d tensors, each %dth diagnosed twice\n", cases, tensors, stride);
}
END_TEST

// Of the processor, for the lesson training as it is: what is quick is held to that, whatever the machine and the build.
static double seconds_of_training(void) {
    const clock_t start = clock();
    const struct run run = run_with("training", NULL);
    ck_assert_int_gt(run.step_count, 0);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

START_TEST(a_diagnosis_takes_no_time) {
    enum { MOST_TRAININGS = 40 };
    static const char *const steps[][2] = {
        {"causal", "causal_weights"},    {"wrapper", "context"},
        {"split_head", "output"},        {"model", "logits"},
        {"dropout", "mt19937: context"}, {"trainable", "linear: context"}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i += (size_t)one_in(2)) {
        const struct run run = run_with(steps[i][0], NULL);
        const struct step *step = step_called(&run, steps[i][1]);
        ck_assert_ptr_nonnull(step);
        const struct shape shape = shape_of(&step->tensor);
        struct numbers numbers = {.form = FORM_NPY, .shape = shape, .decimals = -1};
        numbers.values = arena_array(&arena, (size_t)count_of(shape), sizeof *numbers.values);
        const double before = seconds_of_training();
        const clock_t start = clock();
        const struct diagnosis diagnosis = diagnose(
            &arena, &run, step, &numbers, allowed_of(&arena, &numbers, &step->tensor), true);
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        const double training = fmax(before, seconds_of_training());
        ck_assert_int_gt(diagnosis.singles, 30);
        ck_assert(!diagnosis.is_cut);
        expect(seconds < MOST_TRAININGS * training, "%s: %g s, a training %g", steps[i][0], seconds,
               training);
        printf("# %s, %s: %.1f ms, %.1f trainings\n", steps[i][0], steps[i][1], 1000 * seconds,
               seconds / training);
    }
}
END_TEST

// ---- What is said -------------------------------------------------------------------------------

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

// What check says of a text, run from a folder with nothing but that file.
static struct end check_with(const char *lesson, const char *step, const char *text,
                             const char *format, const char *option) {
    char folder[] = "/tmp/onestep-check-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    const char *path = arena_format(&arena, "%s/mine.txt", folder);
    write_text(path, text);
    const struct end end = run_process(
        &arena, &(struct start){.arguments = (const char *const[]){"check", lesson, "--step", step,
                                                                   "--format", format, "mine.txt",
                                                                   option, NULL},
                                .folder = folder});
    ck_assert_int_eq(remove(path), 0);
    ck_assert_int_eq(remove(folder), 0);
    return end;
}

static struct end check_text(const char *lesson, const char *step, const char *text,
                             const char *format) {
    return check_with(lesson, step, text, format, NULL);
}

START_TEST(values_are_dropped_in_the_order_of_either_version) {
    static const char *const versions[] = {"1.13", "2.6"};
    for (int i = 0; i < 2; i++) {
        const char *path = path_of(arena_format(&arena, "dropout-on-values-%s.txt", versions[i]));
        const struct end end =
            RUN(&arena, "check", "split_head", "--d-out=4", "--dropout=0.5", "--step=output", path);
        ck_assert_int_eq(end.status, 1);
        expect(strstr(end.output, "\nexplanation: dropout-on-values\n") != NULL, "%s", end.output);
    }
}
END_TEST

START_TEST(numbers_without_decimals_are_rounded_ones) {
    static const char *const steps[][2] = {
        {"causal", "weights"}, {"causal", "row_sums"}, {"trainable", "rand: scores"}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const char *lesson = steps[i][0], *step = steps[i][1];
        const struct end printed = RUN(&arena, "print", lesson, "--step", step, "--digits", "0");
        const struct end end = check_text(lesson, step, printed.output, "plain");
        expect(end.status == 0 && strncmp(end.output, "equal as far as the digits show: ", 33) == 0,
               "%s", end.output);
    }
    const struct end wrong =
        check_text("causal", "row_sums", "[[2], [1], [1], [1], [0], [0]]", "plain");
    ck_assert_int_eq(wrong.status, 1);
}
END_TEST

// The check of a step of one number, printed by PyTorch or typed; all as `print` has it.
static struct end check_number(const char *const *asked, const char *form) {
    const struct end printed = RUN(&arena, "print", asked[0], asked[1], asked[2], asked[3]);
    char *number = arena_copy(&arena, strpbrk(printed.output, "-0123456789"));
    number[strcspn(number, "])")] = '\0';
    const char *before = strchr(form, '|');
    const char *text =
        arena_format(&arena, "%.*s%s%s", (int)(before - form), form, number, before + 1);
    char path[] = "/tmp/onestep-check-XXXXXX";
    ck_assert_int_ne(close(mkstemp(path)), -1);
    write_text(path, text);
    const struct end end = RUN(&arena, "check", asked[0], path, asked[1], asked[2], asked[3]);
    ck_assert_int_eq(remove(path), 0);
    return end;
}

// Steps of the shapes (), (1,) and (1, 1). What PyTorch printed has its own shape.
START_TEST(a_lone_number_has_the_shape_that_is_asked_for) {
    static const char *const asked[][4] = {
        {"model", "--step=loss"},
        {"trainable", "--step=linear: W_value_bias", "--d-out=1", "--bias"},
        {"split_head", "--step=W_out", "--d-out=1", "--heads=1"},
    };
    static const char *const forms[] = {"|", "[|]", "[[|]]", "tensor([[[|]]])"};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        for (size_t j = 0; j < sizeof forms / sizeof *forms; j++) {
            const struct end end = check_number(asked[i], forms[j]);
            expect(strncmp(end.output, "equal: ", 7) == 0, "%s: %s%s", asked[i][1], end.output,
                   end.error);
        }
    }
}
END_TEST

// The answer with the number of known mistakes in the place of its %d, if it has one.
static const char *with_count(const char *answer) {
    const char *count = strstr(answer, "%d");
    if (count == NULL) return answer;
    return arena_format(&arena, "%.*s%d%s", (int)(count - answer), answer, mistake_total,
                        count + 2);
}

static void says(const char *lesson, const char *step, const char *text, const char *answer) {
    const struct end end = check_text(lesson, step, text, "plain");
    ck_assert_str_eq(end.output, with_count(answer));
    ck_assert_str_eq(end.error, "");
    ck_assert_int_eq(end.status, 1);
}

static const char NO_SCALE[] = "tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],\n"
                               "        [0.5728, 0.4272, 0.0000, 0.0000, 0.0000, 0.0000],\n"
                               "        [0.4004, 0.2999, 0.2997, 0.0000, 0.0000, 0.0000]])\n";

START_TEST(a_mistake_is_explained) {
    const struct end right =
        RUN(&arena, "print", "causal", "--step", "causal_weights", "--what-if", "no-scale");
    says("causal", "causal_weights", right.output,
         "different: 20 of 36 numbers are not those of causal_weights (causal, step 17)\n"
         "first difference: at query journey, key Your (x[1, 0]) the file has 0.5728 instead of "
         "0.5516781; they differ by 0.0211\n"
         "largest difference: at query journey, key journey (x[1, 1]) the file has 0.4272 instead "
         "of 0.448322; they differ by 0.0211\n"
         "explanation: no-scale\n"
         "  These are the numbers of\n    scaled = masked_scores\n"
         "  where scaled of the lesson has\n"
         "    scaled = masked_scores / keys.shape[-1]**0.5\n"
         "  Scores not divided by √d_k. Without the division, scores are √d_k times as large: "
         "1.4 times with d_k 2, 8 times with d_k 64. With wide keys the softmax gives nearly all "
         "of the weight to one of them, and learning slows down.\n"
         "  look for: torch.softmax(scores, dim=-1), without / keys.shape[-1]**0.5.\n"
         "file: mine.txt, a PyTorch tensor with 4 decimals of shape (6, 6)\n");
}
END_TEST

START_TEST(a_wrong_shape_is_explained) {
    says("causal", "causal_weights", NO_SCALE,
         "shape: the file has (3, 6), and (6, 6) is the shape of causal_weights (causal, step 17)\n"
         "no step of the lesson has this shape\n"
         "file: mine.txt, a PyTorch tensor with 4 decimals of shape (3, 6)\n");
    says("simplified", "query_scores", "[[1, 2, 3], [4, 5, 6]]",
         "shape: the file has (2, 3), and (6,) is the shape of query_scores (simplified, step 3)\n"
         "the file has as many numbers, in another shape: try x.reshape(6,); the numbers are wrong "
         "too\n"
         "file: mine.txt, a list of whole numbers of shape (2, 3)\n");
    says("simplified", "inputs",
         "[[0.43, 0.55, 0.57, 0.22, 0.77, 0.05], [0.15, 0.87, 0.85, 0.58, 0.25, 0.8],"
         " [0.89, 0.66, 0.64, 0.33, 0.1, 0.55]]",
         "shape: the file has (3, 6), and (6, 3) is the shape of inputs (simplified, step 1)\n"
         "two dimensions are exchanged: try x.transpose(0, 1); apart from that, the numbers are "
         "right\n"
         "file: mine.txt, a list with 2 decimals of shape (3, 6)\n");
    says("simplified", "context", "[0.55, 0.87, 0.66]",
         "shape: the file has (3,), and (6, 3) is the shape of context (simplified, step 11)\n"
         "the first dimension is missing: this is the shape of x[0]; the numbers are wrong too\n"
         "steps with the same numbers: query (step 2)\n"
         "steps with the same shape: query_context (step 6)\n"
         "file: mine.txt, a list with 2 decimals of shape (3,)\n");
}
END_TEST

START_TEST(sizes_of_1_are_seen_through) {
    static const char row[] = "[[0.55, 0.87, 0.66]]";
    const struct end end = check_text("simplified", "query", row, "plain");
    ck_assert_int_eq(end.status, 0);
    expect(strstr(end.output,
                  "\nright, in another shape: the file has (1, 3), and the step (3,)\n") != NULL,
           "%s", end.output);
    const struct end same = check_text("simplified", "query", "[0.55, 0.87, 0.66]", "plain");
    ck_assert(strstr(same.output, "another shape") == NULL);
}
END_TEST

START_TEST(other_steps_and_slips_are_explained) {
    says("simplified", "query", "[0.55, 0.88, 0.66]",
         "different: 1 of 3 numbers is not that of query (simplified, step 2)\n"
         "first difference: at feature d2 (x[1]) the file has 0.88 instead of 0.87; they differ by "
         "0.01\n"
         "explanation: none of the %d known mistakes explains these numbers, and no two of them "
         "together do\n"
         "next: check all your tensors at once: onestep check simplified FOLDER\n"
         "file: mine.txt, a list with 2 decimals of shape (3,)\n");
    says("simplified", "query_context", "[0.55, 0.87, 0.66]",
         "different: 3 of 3 numbers are not those of query_context (simplified, step 6)\n"
         "first difference: at feature d1 (x[0]) the file has 0.55 instead of 0.4418657; they "
         "differ by 0.108\n"
         "largest difference: at feature d2 (x[1]) the file has 0.87 instead of 0.651482; they "
         "differ by 0.219\n"
         "explanation: these are the numbers of another step: query (step 2)\n"
         "file: mine.txt, a list with 2 decimals of shape (3,)\n");
}
END_TEST

START_TEST(the_nearest_mistake_is_named) {
    const struct end printed =
        RUN(&arena, "print", "causal", "--step", "causal_weights", "--what-if", "no-scale");
    char *text = arena_copy(&arena, printed.output);
    memcpy(strstr(text, "0.5728"), "0.9999", 6);
    says("causal", "causal_weights", text,
         "different: 20 of 36 numbers are not those of causal_weights (causal, step 17)\n"
         "first difference: at query journey, key Your (x[1, 0]) the file has 0.9999 instead of "
         "0.5516781; they differ by 0.448\n"
         "explanation: none of the %d known mistakes explains these numbers, and no two of them "
         "together do\n"
         "nearest: no-scale; 1 of 36 numbers would still differ\n"
         "  Scores not divided by √d_k. Without the division, scores are √d_k times as large: "
         "1.4 times with d_k 2, 8 times with d_k 64. With wide keys the softmax gives nearly all "
         "of the weight to one of them, and learning slows down.\n"
         "  look for: torch.softmax(scores, dim=-1), without / keys.shape[-1]**0.5.\n"
         "file: mine.txt, a PyTorch tensor with 4 decimals of shape (6, 6)\n");
}
END_TEST

// Is this line, or these lines, in the answer with all explanations?
static void mentions(const char *lesson, const char *step, const char *text, const char *lines) {
    const struct end end = check_with(lesson, step, text, "plain", "--all");
    expect(strstr(end.output, arena_format(&arena, "\n%s\n", lines)) != NULL, "no '%s' in:\n%s",
           lines, end.output);
    ck_assert_int_eq(end.status, 1);
}

static char *printed_text(const char *lesson, const char *step) {
    const struct end printed = RUN(&arena, "print", lesson, "--step", step);
    ck_assert_int_eq(printed.status, 0);
    return arena_copy(&arena, printed.output);
}

START_TEST(slips_and_roundings_get_a_hint) {
    char *text = printed_text("causal", "causal_weights");
    memcpy(strstr(text, "0.5517"), "0.5571", 6);
    mentions("causal", "causal_weights", text,
             "hint: only 1 of 36 numbers is wrong: mistyped, copied wrongly, or overwritten?");
    memcpy(strstr(text, "0.4483"), "0.4843", 6);
    mentions("causal", "causal_weights", text,
             "hint: only 2 of 36 numbers are wrong: mistyped, copied wrongly, or overwritten?");
    text = printed_text("causal", "causal_weights");
    for (char *point = strchr(text, '.'); point != NULL; point = strchr(point + 1, '.'))
        point[4] = '0'; // the last digit, as if there were three
    mentions("causal", "causal_weights", text,
             "hint: all numbers are close to the right ones: were they computed from rounded "
             "numbers?");
}
END_TEST

// As a course may write it: scores.masked_fill(mask, -1e9).
START_TEST(a_mask_of_large_numbers_gets_a_hint) {
    const struct run run = run_with("causal", NULL);
    const struct tensor *scores = &step_called(&run, "masked_scores")->tensor;
    float *numbers = arena_array(&arena, 36, sizeof *numbers);
    for (int i = 0; i < 36; i++) numbers[i] = fmaxf((float)element_at(scores, i), -1e9F);
    const struct tensor masked = tensor_of(&arena, shape_of(scores), numbers);
    says("causal", "masked_scores", torch_text(&arena, &masked, 4),
         "different: 15 of 36 numbers are not those of masked_scores (causal, step 15)\n"
         "first difference: at query Your, key journey (x[0, 1]) the file has -1e+09 instead of "
         "-inf\n"
         "explanation: none of the %d known mistakes explains these numbers, and no two of them "
         "together do\n"
         "hint: only the mask differs: it puts large negative numbers where onestep has -inf; the "
         "weights are the same, because softmax turns both into 0\n"
         "file: mine.txt, a PyTorch tensor with 4 decimals before the exponent of shape (6, 6)\n");
    numbers[0] = 0;
    const struct tensor slip = tensor_of(&arena, shape_of(scores), numbers);
    const struct end end =
        check_text("causal", "masked_scores", torch_text(&arena, &slip, 4), "plain");
    ck_assert_ptr_null(strstr(end.output, "hint: only where -inf"));
}
END_TEST

START_TEST(turned_numbers_are_turned_back) {
    const struct run run = run_with("causal", NULL);
    const struct tensor turned = transpose(step_called(&run, "scores")->tensor, 0, 1);
    const char *text = torch_text(&arena, &turned, 4);
    mentions("causal", "scores", text,
             "another explanation: these are the right numbers transposed: try x.transpose(0, 1)");
    // In NumPy, transpose(0, 1) is the order that the dimensions have anyway.
    mentions("causal", "scores", arena_format(&arena, "array(%s", strchr(text, '(') + 1),
             "another explanation: these are the right numbers transposed: try x.swapaxes(0, 1)");
    mentions("simplified", "inputs", "[[0 0 0 0 0 0]\n [0 0 0 0 0 0]\n [0 0 0 0 0 0]]",
             "two dimensions are exchanged: try x.swapaxes(0, 1); the numbers are wrong too");
}
END_TEST

// With one digit, mistakes look alike: the first three are explained, the others named.
START_TEST(too_few_digits_tell_no_mistake) {
    const struct end printed = RUN(&arena, "print", "causal", "--step", "row_sums", "--what-if",
                                   "swapped-qk", "--digits", "1");
    mentions("causal", "row_sums", printed.output,
             "explanation: unclear, because too few digits differ: 15 known explanations fit them; "
             "print more decimals\n"
             "file: mine.txt, a PyTorch tensor with 1 decimal of shape (6, 1)");
}
END_TEST

START_TEST(many_steps_of_a_shape_stay_short) {
    mentions("trainable", "score_variance", "[[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]",
             "steps with the same shape: rand: queries (step 4), rand: keys (step 5), rand: values "
             "(step 6), "
             "rand: context (step 13), linear: queries (step 23), linear: keys (step 24), "
             "linear: values (step 25), linear: context (step 29) and 1 more\n"
             "file: mine.txt, a list of whole numbers of shape (6, 2)");
}
END_TEST

START_TEST(a_single_number_is_spoken_of) {
    const struct end right = check_text("model", "loss", printed_text("model", "loss"), "plain");
    const char *start = "equal: the 1 number is that of loss (model, step 25)\n";
    expect(strncmp(right.output, start, strlen(start)) == 0, "%s", right.output);
    ck_assert_int_eq(right.status, 0);
    const struct end wrong = check_text("model", "loss", "tensor(7.)", "plain");
    start = "different: 1 of 1 numbers is not that of loss (model, step 25)\n"
            "first difference: at its only number the file has 7 instead of ";
    expect(strncmp(wrong.output, start, strlen(start)) == 0, "%s", wrong.output);
    const struct end one = check_text("model", "loss", "tensor([7.])", "plain");
    expect(strncmp(one.output, start, strlen(start)) == 0, "%s", one.output);
}
END_TEST

START_TEST(what_was_read_and_what_it_is_held_against_are_said) {
    says("simplified", "query", "tensor([5.5000e-01, nan, 6.6000e-01])",
         "different: 1 of 3 numbers is not that of query (simplified, step 2)\n"
         "first difference: at feature d2 (x[1]) the file has nan instead of 0.87\n"
         "explanation: none of the %d known mistakes explains these numbers, and no two of them "
         "together do\n"
         "next: check all your tensors at once: onestep check simplified FOLDER\n"
         "file: mine.txt, a PyTorch tensor with 4 decimals before the exponent of shape (3,)\n");
    const struct end end =
        RUN(&arena, "check", "causal", "--step", "17", "--seed", "5", path_of("weights.torch.txt"));
    expect(strstr(end.output, " (causal, step 17; seed 5)\n") != NULL, "%s", end.output);
    const struct end own = RUN(&arena, "check", "causal", "--step", "17", "--seed", "789",
                               path_of("weights.torch.txt"));
    const char *start = "equal: all 36 numbers are those of causal_weights (causal, step 17)\n";
    expect(strncmp(own.output, start, strlen(start)) == 0, "%s", own.output);
}
END_TEST

START_TEST(either_seed_may_be_the_other_one) {
    static const char *const cases[][2] = {{"123", "W_query"}, {"789", "mt19937: ones_dropped"}};
    for (int i = 0; i < 2; i++) {
        const struct end printed =
            RUN(&arena, "print", "dropout", "--step", "mt19937: weights_dropped", "--seed",
                cases[i][0], "--dropout-seed", cases[i][0]);
        const struct end end =
            check_text("dropout", "mt19937: weights_dropped", printed.output, "plain");
        const char *lines = arena_format(&arena, "\n    torch.manual_seed(%s)\n  where %s of",
                                         cases[i][0], cases[i][1]);
        expect(strstr(end.output, "\nexplanation: wrong-seed\n") != NULL, "%s", end.output);
        expect(strstr(end.output, lines) != NULL, "no '%s' in:\n%s", lines, end.output);
        expect(strstr(end.output, "\nanother explanation: ") == NULL, "%s", end.output);
    }
}
END_TEST

// After twenty updates.
static void trains_to(const char *step, const char *text, const char *verdict) {
    const struct end end = check_with("training", step, text, "plain", "--updates=20");
    expect(strncmp(end.output, verdict, strlen(verdict)) == 0, "%s %s:\n%s", step, text,
           end.output);
    expect(strstr(end.output, "rounded numbers") == NULL, "%s %s:\n%s", step, text, end.output);
    ck_assert_int_eq(end.status, strcmp(verdict, "different") == 0 ? 1 : 0);
}

// AdamW moves a bias whose gradient is but rounding wherever rounding says: the numbers are PyTorch 1.13's.
// All else that was trained is held to what rounding was measured to do.
START_TEST(what_was_trained_may_differ_a_little) {
    trains_to("trained: W_key_bias", "tensor([ 0.2041, -0.4868, -0.0313,  0.3466])", "equal");
    trains_to("trained: W_key_bias", "tensor([ 1.2041, -0.4868, -0.0313,  0.3466])", "different");
    if (one_in(1) > 1) return;
    trains_to("loss", "tensor(1.5367)", "different");
    trains_to("loss", "tensor(1.5665)", "different");
    trains_to("shared_evenly",
              "[[0.1400, 0.1677, 0.1019, 0.0638, 0.2145, 0.3121],"
              " [0.1124, 0.1934, 0.1567, 0.0839, 0.2089, 0.2447]]",
              "different");
}
END_TEST

// What PyTorch 1.13 prints of the lesson's losses, and of W_query after an update, with another optimizer.
START_TEST(optimizers_are_told_apart) {
    trains_to(
        "losses",
        "tensor([1.8249, 1.8127, 1.8021, 1.7928, 1.7846, 1.7762, 1.7675, 1.7588, 1.7498, 1.7404, "
        "1.7304,"
        " 1.7195, 1.7076, 1.6944, 1.6794, 1.6617, 1.6429, 1.6216, 1.5968, 1.5677, 1.5365])", // AdamW
        "equal");
    trains_to(
        "losses",
        "tensor([1.8249, 1.8127, 1.8021, 1.7928, 1.7846, 1.7762, 1.7674, 1.7587, 1.7497, 1.7403, "
        "1.7302,"
        " 1.7192, 1.7073, 1.6940, 1.6788, 1.6610, 1.6421, 1.6205, 1.5956, 1.5661, 1.5349])", // Adam
        "different");
    trains_to("adamw: W_query_after", // AdamW with weight_decay=0
              "tensor([[-0.0834, -0.2582, -0.0355,  0.4637], [-0.0294,  0.0059, -0.0680,  0.0886],"
              " [ 0.4555,  0.3157,  0.1675,  0.1187], [ 0.1279,  0.1832, -0.0746, -0.4547]])",
              "different");
}
END_TEST

// What PyTorch 1.13 prints of the losses with lr=0.1, which rounding moves farther than those with 0.01.
START_TEST(a_mistake_in_each_update_is_named) {
    const struct end end = check_with(
        "training", "losses",
        "tensor([1.82487178, 1.76291597, 1.68210316, 1.52392733, 1.35945797, 1.39258742, "
        "1.24824500,"
        " 1.20938861, 1.28287435, 1.24321342, 1.24335313, 1.15979910, 1.11991990, 1.16234589,"
        " 1.13982940, 1.09488642, 1.09615445, 1.06136727, 1.07641029, 1.01609385, 1.00738192])",
        "plain", "--updates=20");
    ck_assert_ptr_nonnull(strstr(end.output, "\nexplanation: lr-ten-times\n"));
}
END_TEST

START_TEST(json_has_all_members) {
    const struct end end = check_text("simplified", "query", "[0.55, 0.88, inf]", "json");
    ck_assert_int_eq(end.status, 1);
    ck_assert_str_eq(
        end.output,
        arena_format(
            &arena,
            "{\"onestep\": \"" VERSION "\",\n"
            " \"lesson\": \"simplified\",\n"
            " \"parameters\": {\"input\": null, \"query\": \"journey\"},\n"
            " \"step\": {\"number\": 2, \"name\": \"query\", \"group\": null, \"shape\": [3]},\n"
            " \"file\": {\"name\": \"mine.txt\", \"form\": \"list\", \"dtype\": null, "
            "\"decimals\": 2, "
            "\"scientific\": false, \"shape\": [3]},\n"
            " \"verdict\": \"different\",\n"
            " \"code\": \"none\",\n \"min_decimals\": 0,\n \"quiet\": false,\n \"unseen\": [],\n"
            " \"elements\": 3,\n"
            " \"rounded_as\": null,\n \"precision\": null,\n"
            " \"different\": 2,\n \"different_at\": [1, 2],\n"
            " \"unjudged\": 0,\n"
            " \"largest_difference\": %.9g,\n"
            " \"largest_index\": [1],\n"
            " \"first_difference\": {\"index\": [1], \"place\": \"feature d2 (x[1])\", \"file\": "
            "0.88, "
            "\"right\": 0.870000005, \"allowed\": 0.00500087},\n"
            " \"explanations\": [],\n"
            " \"possible\": 0,\n"
            " \"cut\": false,\n"
            " \"nearest\": null,\n"
            " \"hint\": null,\n"
            " \"shape_relation\": null,\n"
            " \"same_numbers\": [],\n"
            " \"same_shape\": []}\n",
            0.88 - (double)0.87F));
}
END_TEST

// Every step of a lesson, as print writes it in this format and check reads it.
static void check_own(const char *lesson, const char *format) {
    const struct run run = run_with(lesson, NULL);
    for (int i = 0; i < run.step_count; i += one_in(2)) {
        const char *number = arena_format(&arena, "%d", i + 1);
        if (count_of(shape_of(&run.steps[i].tensor)) > 1000) continue; // printed with "..."
        const struct end printed =
            RUN(&arena, "print", lesson, "--step", number, "--format", format);
        const struct end end = check_text(lesson, number, printed.output, "plain");
        expect(end.status == 0, "%s %s %s: %s%s", lesson, number, format, end.output, end.error);
    }
}

START_TEST(onesteps_own_numbers_are_equal) {
    static const char *const formats[] = {"torch", "json", "csv"};
    for (size_t i = 0; i < 3; i++) {
        check_own("dropout", formats[i]);
        check_own("split_head", formats[i]);
    }
}
END_TEST

START_TEST(usage_is_refused) {
    static const struct {
        const char *arguments[6];
        const char *error;
    } cases[] = {
        {{"check", "causal", "--roster=y"}, "check --roster needs the folder that holds the files"},
        {{"check", "causal", "x", "-o", "y"},
         "-o is for --roster; the answer about one file goes to standard output"},
        {{"check", "causal", "x", "--step=1", "--names=y"},
         "--names is for all steps at once; leave out --step"},
        {{"check", "causal", "--step", "scores"}, "check needs a file, or - for standard input"},
        {{"check", "causal", "--step", "scores", "x", "y"}, "check has no use for 'y'"},
        {{"check", "causal", "x", "--step=1", "--format=csv"},
         "--format csv is for --roster: a line a student"},
        {{"check", "causal", "x", "--step=1", "--heads=2"},
         "causal has no use for --heads; see 'onestep list'"},
        {{"check", "causal", "x", "--step=99"}, "causal has steps 1 ... 19, no step 99"},
        {{"check", "simplified", "x", "--step=1", "--query=nobody"},
         "--query takes a token (Your, journey, starts, with, one, step) or a row, 1 ... 6, not "
         "'nobody'"},
        {{"verify", "causal"}, "verify has no use for 'causal'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *arguments[7] = {0};
        memcpy(arguments, cases[i].arguments, sizeof cases[i].arguments);
        const struct end end = run_process(&arena, &(struct start){.arguments = arguments});
        ck_assert_int_eq(end.status, 2);
        ck_assert_str_eq(end.error, arena_format(&arena, "onestep: %s\nTry 'onestep --help'.\n",
                                                 cases[i].error));
    }
}
END_TEST

Suite *check_suite(void) {
    Suite *suite = suite_create("check");
    TCase *cases = add_case(suite, "check", set_up_arena, tear_down_arena);
    tcase_set_timeout(cases, 1000); // of the slow tests
    tcase_add_test(cases, right_numbers_are_equal_in_every_form);
    tcase_add_loop_test(cases, what_rounding_alone_moves_is_not_called_different, 0, ROUNDED);
    tcase_add_test(cases, numbers_are_rounded_as_in_1_13);
    tcase_add_test(cases, rounding_is_no_excuse_for_other_numbers);
    tcase_add_test(cases, numbers_without_decimals_are_rounded_ones);
    tcase_add_test(cases, values_are_dropped_in_the_order_of_either_version);
    tcase_add_test(cases, standard_input_is_a_file);
    tcase_add_test(cases, bad_files_are_refused_in_one_line);
    tcase_add_test(cases, pytorchs_mistakes_are_found);
    tcase_add_test(cases, a_diagnosis_takes_no_time);
    tcase_add_test(cases, a_mistake_is_explained);
    tcase_add_test(cases, a_wrong_shape_is_explained);
    tcase_add_test(cases, sizes_of_1_are_seen_through);
    tcase_add_test(cases, other_steps_and_slips_are_explained);
    tcase_add_test(cases, the_nearest_mistake_is_named);
    tcase_add_test(cases, a_lone_number_has_the_shape_that_is_asked_for);
    tcase_add_test(cases, slips_and_roundings_get_a_hint);
    tcase_add_test(cases, a_mask_of_large_numbers_gets_a_hint);
    tcase_add_test(cases, turned_numbers_are_turned_back);
    tcase_add_test(cases, too_few_digits_tell_no_mistake);
    tcase_add_test(cases, many_steps_of_a_shape_stay_short);
    tcase_add_test(cases, a_single_number_is_spoken_of);
    tcase_add_test(cases, what_was_read_and_what_it_is_held_against_are_said);
    tcase_add_test(cases, either_seed_may_be_the_other_one);
    tcase_add_test(cases, what_was_trained_may_differ_a_little);
    tcase_add_test(cases, optimizers_are_told_apart);
    tcase_add_test(cases, a_mistake_in_each_update_is_named);
    tcase_add_test(cases, json_has_all_members);
    tcase_add_test(cases, onesteps_own_numbers_are_equal);
    tcase_add_test(cases, usage_is_refused);
    return suite;
}
