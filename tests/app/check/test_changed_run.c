// A run with another parameter is found behind a student's numbers.

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/check/changed_run.h"
#include "base/text.h"
#include "fixture.h"
#include "process.h"
#include "records.h"
#include "sample.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

// Of processor time that the program took so far: the clock on the wall counts what others do, too.
static double seconds(void) {
    struct rusage used;
    ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &used), 0);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

// The answer of `check` about a file with these bytes.
static struct end check_bytes(const char *lesson, const char *step, const char *bytes,
                              size_t length) {
    char path[] = "/tmp/onestep-changed-XXXXXX";
    const int file = mkstemp(path);
    ck_assert_int_ne(file, -1);
    ck_assert(write(file, bytes, length) == (ssize_t)length);
    ck_assert_int_eq(close(file), 0);
    const struct end end = RUN(&arena, "check", lesson, "--step", step, path);
    unlink(path);
    return end;
}

// What `check` says of the step as it is with this option.
static struct end check_changed(const char *lesson, const char *step, const char *option) {
    const struct end printed = RUN(&arena, "print", lesson, "--step", step, "--format=npy", option);
    ck_assert_msg(printed.status == 0, "%s", printed.error);
    return check_bytes(lesson, step, printed.output, printed.output_length);
}

// Each parameter in the lessons that have it. That the numbers of these parameters are PyTorch's, other tests prove.
static const struct {
    const char *lesson, *step, *option, *answer;
} changes[] = {
    {"trainable", "linear: context", "--seed=42", "seed 42"},
    {"trainable", "linear: scores", "--seed=9999", "seed 9999"},
    {"causal", "context", "--seed=1023", "seed 1023"},
    {"wrapper", "context", "--seed=2999", "seed 2999"},
    {"split_head", "output", "--seed=4321", "seed 4321"},
    {"model", "logits", "--seed=5555", "seed 5555"},
    {"gradients", "W_query_grad", "--seed=124", "seed 124"},
    {"embeddings", "input_embeddings", "--seed=122", "seed 122"},
    {"grouped_query", "output", "--seed=122", "seed 122"},
    {"causal", "W_key", "--seed=788", "seed 788"},
    {"dropout", "mt19937: weights_dropped", "--dropout-seed=none",
     "a program that sets the seed once, before its layers, and not before each mask"},
    {"dropout", "mt19937: weights_dropped", "--dropout-seed=42", "dropout_seed 42"},
    {"dropout", "mt19937: context", "--dropout=0.2", "dropout 0.2"},
    {"wrapper", "context", "--dropout=0.1", "dropout 0.1"},
    {"split_head", "output", "--dropout=0.5", "dropout 0.5"},
    {"model", "attention", "--dropout=0.1", "dropout 0.1"},
    {"trainable", "linear: scores", "--bias", "with bias"},
    {"causal", "context", "--bias", "with bias"},
    {"dropout", "context_eval", "--bias", "with bias"},
    {"wrapper", "context", "--bias", "with bias"},
    {"split_head", "output", "--bias", "with bias"},
    {"trainable", "linear: scores", "--d-out=3", "d_out 3"},
    {"causal", "weights", "--d-out=4", "d_out 4"},
    {"dropout", "causal_weights", "--d-out=3", "d_out 3"},
    {"wrapper", "head 1: weights", "--d-out=1", "d_out 1"},
    {"causal", "context", "--d-out=4", "d_out 4"}, // of another shape, as the next ones
    {"split_head", "output", "--d-out=12", "d_out 12"},
    {"window", "context", "--d-out=3", "d_out 3"},
    {"wrapper", "context", "--batch=3", "batch 3"},
    {"split_head", "output", "--batch=1", "batch 1"},
    {"grouped_query", "output", "--batch=3", "batch 3"},
    {"trainable", "linear: context", "--d-out=5", "d_out 5"},
    {"latent", "output", "--batch=4", "batch 4"},
    {"wrapper", "context", "--heads=4", "heads 4"},
    {"training", "losses", "--updates=17", "updates 17"},
    {"split_head", "output", "--heads=1", "heads 1"},
    {"model", "logits", "--heads=1", "heads 1"},
    {"gradients", "W_query_grad", "--heads=1", "heads 1"},
    {"training", "probabilities_before", "--heads=1", "heads 1"},
    {"grouped_query", "output", "--heads=8", "heads 8"},
    {"training", "adamw: W_query_after", "--lr=0.001", "lr 0.001"},
    {"training", "losses", "--lr=0.001", "lr 0.001"},
    {"training", "probabilities", "--updates=100", "updates 100"},
    {"training", "trained: W_query", "--optimizer=sgd", "optimizer sgd"},
    {"training", "losses", "--lr=0.02", "lr 0.02"},
    {"training", "losses", "--heads=4", "heads 4"},
    {"training", "losses", "--optimizer=adam", "optimizer adam"},
    {"training", "losses", "--optimizer=momentum", "optimizer momentum"},
    {"training", "losses", "--weight-decay=0.1", "weight_decay 0.1"},
    {"training", "losses", "--clip=1", "clip 1"},
    {"training", "losses", "--cosine", "with cosine"},
    {"training", "trained: W_query", "--weight-decay=0", "optimizer adam"}, // both are Adam
};

// Of the lesson training, as it is: what is quick is held to that, whatever the machine and the build.
static double seconds_of_training(void) {
    const double began = seconds();
    ck_assert_int_eq(RUN(&arena, "print", "training").status, 0);
    return seconds() - began;
}

START_TEST(a_changed_parameter_is_named) {
    if (_i % one_in(2) != 0) return;
    enum { MOST_TRAININGS = 60 }; // some six seconds
    const double before = seconds_of_training(), began = seconds();
    const struct end end = check_changed(changes[_i].lesson, changes[_i].step, changes[_i].option);
    const char *whole = strncmp(changes[_i].answer, "with", 4) == 0 ? "those" : "those of";
    const char *wanted =
        arena_format(&arena, "\nexplanation: your numbers are %s %s\n", whole, changes[_i].answer);
    expect(strstr(end.output, wanted) != NULL, "%s %s %s: %s", changes[_i].lesson, changes[_i].step,
           changes[_i].option, end.output);
    ck_assert_int_eq(end.status, 1);
    const double taken = seconds() - began, behind = seconds_of_training();
    expect(taken < MOST_TRAININGS * fmax(before, behind), "%g s, a training %g and %g", taken,
           before, behind);
}
END_TEST

// The losses of a training with these options, as a list.
static const float *losses_with(const char *one, const char *other) {
    const struct end end =
        RUN(&arena, "print", "training", "--step", "losses", "--format=npy", one, other);
    ck_assert_msg(end.status == 0, "%s", end.error);
    enum { HEAD = 128 }; // bytes of a .npy file before its numbers
    return (const float *)(const void *)(end.output + HEAD);
}

static void check_losses(const float *losses, const char *answer) {
    enum { COUNT = 201 };
    struct text text = text_new(&arena);
    for (int i = 0; i < COUNT; i++) text_add_format(&text, "%.9g\n", (double)losses[i]);
    const struct end end = check_bytes("training", "losses", text.bytes, text.length);
    const char *wanted =
        arena_format(&arena, "\nexplanation: your numbers are those of %s", answer);
    expect(strstr(end.output, wanted) != NULL, "%s: %s", answer, end.output);
}

START_TEST(two_changes_of_a_training_are_named) {
    check_losses(losses_with("--optimizer=sgd", "--lr=0.3"), "optimizer sgd and lr 0.3\n");
    if (one_in(1) > 1) return;
    check_losses(losses_with("--optimizer=momentum", "--lr=0.1"),
                 "optimizer momentum and lr 0.1\n");
    check_losses(losses_with("--lr=0.0004", "--weight-decay=0.1"),
                 "lr 0.0004 and weight_decay 0.1\n");
}
END_TEST

START_TEST(a_loop_that_ran_twice_is_named) {
    check_losses(losses_with("--updates=400", "--seed=123") + 200,
                 "a training loop that ran twice");
}
END_TEST

// What `check` says of a tensor that PyTorch printed with other parameters, tests/data/reference/FILE.txt.
static struct end check_reference(const char *lesson, const char *step, const char *name) {
    const char *path_read = arena_format(&arena, TEST_DATA "/reference/%s.txt", name);
    const char *all = arena_format(&arena, "\n%s", read_whole(&arena, path_read));
    const char *label = arena_format(&arena, "\n%s\n", step);
    const char *head = strstr(all, label);
    ck_assert_msg(head != NULL, "%s has no %s", name, step);
    const char *tensor = head + strlen(label), *behind = strstr(tensor, ")\n") + 1;
    return check_bytes(lesson, step, tensor, (size_t)(behind - tensor));
}

// PyTorch's own, as it prints them.
START_TEST(prints_of_pytorch_are_named) {
    static const struct {
        const char *lesson, *step, *file, *answer;
    } prints[] = {
        {"dropout", "mt19937: weights_dropped", "dropout-tenth", "dropout 0.1"},
        {"model", "logits", "model-single", "heads 1"},
        {"gradients", "logits_grad", "gradients-single", "heads 1"},
        {"wrapper", "head 1: scores", "wrapper-one-wide", "d_out 1"},
    };
    for (size_t i = 0; i < sizeof prints / sizeof *prints; i += (size_t)one_in(1)) {
        const struct end end = check_reference(prints[i].lesson, prints[i].step, prints[i].file);
        const char *wanted =
            arena_format(&arena, "\nexplanation: your numbers are those of %s\n", prints[i].answer);
        expect(strstr(end.output, wanted) != NULL, "%s: %s", prints[i].file, end.output);
    }
}
END_TEST

// Numbers that no seed gives are no seed's.
START_TEST(other_numbers_are_of_no_seed) {
    static const char *const texts[] = {
        "[[0.1234, 0.5678], [0.9012, 0.3456], [0.7890, 0.1234], [0.5678, 0.9012], [0.3456, "
        "0.7890], [0.1111, 0.2222]]",
        "[[0.3, 0.5], [0.9, 0.3], [0.7, 0.1], [0.5, 0.9], [0.3, 0.7], [0.1, 0.2]]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i += (size_t)one_in(1)) {
        const struct end end = check_bytes("causal", "context", texts[i], strlen(texts[i]));
        expect(strstr(end.output, "your numbers are those") == NULL, "%s", end.output);
        expect(
            strstr(
                end.output,
                "\nnext: check causal_weights, from which context is computed; or check all your "
                "tensors at once: onestep check causal FOLDER\n") != NULL,
            "%s", end.output);
    }
}
END_TEST

Suite *changed_run_suite(void) {
    Suite *suite = suite_create("changed_run");
    TCase *tests = add_case(suite, "changed run", set_up_arena, tear_down_arena);
    tcase_add_loop_test(tests, a_changed_parameter_is_named, 0,
                        (int)(sizeof changes / sizeof *changes));
    tcase_add_test(tests, two_changes_of_a_training_are_named);
    tcase_add_test(tests, a_loop_that_ran_twice_is_named);
    tcase_add_test(tests, prints_of_pytorch_are_named);
    tcase_add_test(tests, other_numbers_are_of_no_seed);
    tcase_set_timeout(tests, 200);
    return suite;
}
