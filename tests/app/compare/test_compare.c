// Where two runs part: lessons, programs, dumps, in other layouts, with a slip.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "process.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

static char folder[] = "/tmp/onestep-compare-XXXXXX";

static void set_up_folder(void) {
    set_up_arena();
    strcpy(folder, "/tmp/onestep-compare-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void tear_down_folder(void) {
    const char *const names[] = {"a.py", "b.py"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)remove(arena_format(&arena, "%s/%s", folder, names[i]));
    (void)remove(folder);
    tear_down_arena();
}

static const char *program(const char *name, const char *text) {
    const char *path = arena_format(&arena, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    return path;
}

// The attention of the lesson `trainable`, with names of its own. %s: the keys, the scores, the weights.
static const char *port(const char *name, const char *keys, const char *scores,
                        const char *weights) {
    static const char before[] =
        "import torch\n"
        "x = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],\n"
        "                  [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])\n"
        "torch.manual_seed(789)\n"
        "wq = torch.nn.Linear(3, 2, bias=False).weight.T\n"
        "wk = torch.nn.Linear(3, 2, bias=False).weight.T\n"
        "wv = torch.nn.Linear(3, 2, bias=False).weight.T\n"
        "q = x @ wq\n";
    return program(name, arena_format(&arena, "%sk = %s\nv = x @ wv\ns = %s\np = %s\nc = p @ v\n",
                                      before, keys, scores, weights));
}

#define SCALED "torch.softmax(s / 2 ** 0.5, dim=-1)"

START_TEST(a_right_program_is_the_same_in_any_layout) {
    const char *const rights[][3] = {
        {"x @ wk", "q @ k.T", SCALED},
        {"(wk.T @ x.T)", "q @ k", SCALED},
        {"(x @ wk).unsqueeze(0)", "q @ k[0].T", SCALED},
        {"x @ wk", "(k @ q.T).T", SCALED},
        {"x @ wk", "(q / 2 ** 0.5) @ k.T", "torch.exp(s) / torch.exp(s).sum(-1, keepdim=True)"},
        {"x.double() @ wk.double()", "q.double() @ k.T",
         "torch.softmax(s / 2 ** 0.5, dim=-1).float()"},
    };
    for (size_t i = 0; i < sizeof rights / sizeof *rights; i++) {
        const struct end end = RUN(&arena, "compare", "trainable",
                                   port("a.py", rights[i][0], rights[i][1], rights[i][2]));
        expect(end.status == 0, "%zu: %d\n%s%s", i, end.status, end.output, end.error);
    }
}
END_TEST

// What is wrong, the line where the runs part, and what would be right there.
START_TEST(a_slip_is_found_in_its_line_with_its_edit) {
    static const struct {
        const char *keys, *scores, *weights, *part, *edit;
    } slips[] = {
        {"x @ wq", "q @ k.T", SCALED, "line 9", "k = x @ wk"},
        {"x @ wk", "q @ q.T", SCALED, "line 11", "s = q @ k.T"},
        {"x @ wk", "q @ k.T", "torch.softmax(s / 2 ** 0.5, dim=0)", "line 12", "dim=-1"},
        {"x @ wk", "q @ k.T", "torch.softmax(s, dim=-1)", "line 12", "0.5"},
        {"x @ wk", "q @ k.T", "torch.softmax(s / 2, dim=-1)", "line 12", "0.5"},
    };
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        const struct end end = RUN(&arena, "compare", "trainable",
                                   port("a.py", slips[i].keys, slips[i].scores, slips[i].weights));
        expect(end.status == 1 && strstr(end.output, slips[i].part) != NULL &&
                   strstr(end.output, slips[i].edit) != NULL,
               "%zu: %d\n%s%s", i, end.status, end.output, end.error);
    }
}
END_TEST

START_TEST(two_programs_are_compared_as_a_lesson_and_a_program_are) {
    const char *right = port("a.py", "x @ wk", "q @ k.T", SCALED);
    struct end end = RUN(&arena, "compare", right, right);
    expect(end.status == 0, "%s%s", end.output, end.error);
    const char *wrong = port("b.py", "x @ wk", "q @ k.T", "torch.softmax(s / 2 ** 0.5, dim=0)");
    end = RUN(&arena, "compare", right, wrong);
    expect(end.status == 1 && strstr(end.output, "b.py, line 12") != NULL, "%s%s", end.output,
           end.error);
}
END_TEST

// A second slip, in a line that is not made of the first, is named as well.
START_TEST(the_next_independent_difference_is_named) {
    const char *right = port("a.py", "x @ wk", "q @ k.T", SCALED);
    const char *wrong = port("b.py", "torch.tanh(x @ wk)", "q @ q.T", SCALED);
    struct end end = RUN(&arena, "compare", right, wrong);
    expect(end.status == 1 && strstr(end.output, "not made of it") == NULL, "%s%s", end.output,
           end.error);
    wrong = program("b.py", ("import torch\n"
                             "x = torch.arange(6).float().reshape(2, 3) / 7\n"
                             "a = torch.tanh(x) + 1\n"
                             "b = torch.softmax(x, dim=0)\n"
                             "c = a * b\n"));
    right = program("a.py", "import torch\n"
                            "x = torch.arange(6).float().reshape(2, 3) / 7\n"
                            "a = torch.sin(x) + 1\n"
                            "b = torch.softmax(x, dim=1)\n"
                            "c = a * b\n");
    end = RUN(&arena, "compare", right, wrong);
    expect(end.status == 1 && strstr(end.output, "b.py, line 3") != NULL &&
               strstr(end.output, "not made of it") != NULL,
           "%s%s", end.output, end.error);
}
END_TEST

// A run that raises has no result: it is not the same, however far it agrees.
START_TEST(a_run_that_ends_early_is_not_the_same) {
    const char *whole = port("b.py", "x @ wk", "q @ k.T", SCALED);
    const char *ended = port("a.py", "x @ wk", "q @ k.T", "torch.softmax(s @ v.T, dim=-1)");
    struct end end = RUN(&arena, "compare", whole, ended);
    expect(end.status == 1 && strstr(end.output, "a.py ended before") != NULL &&
               strstr(end.output, "RuntimeError") != NULL,
           "%d\n%s%s", end.status, end.output, end.error);
    end = RUN(&arena, "compare", ended, whole);
    expect(end.status == 1 && strstr(end.output, "a.py ended before") != NULL, "%d\n%s%s",
           end.status, end.output, end.error);
    end = RUN(&arena, "compare", ended, ended);
    expect(end.status == 0, "%d\n%s%s", end.status, end.output, end.error);
}
END_TEST

// The numbers of A in another order, or under another name, are the first slip, and not what is made of them.
START_TEST(numbers_in_the_wrong_place_are_named) {
    const char *exchanged =
        port("a.py", "(x @ wk)", "q @ k.T", "torch.softmax((s / 2 ** 0.5).T, dim=-1)");
    struct end end = RUN(&arena, "compare", "trainable", exchanged);
    expect(end.status == 1 && strstr(end.output, "line 12") != NULL, "%d\n%s%s", end.status,
           end.output, end.error);
    const char *named = program("b.py", "import torch\n"
                                        "x = torch.arange(6).float().reshape(2, 3) / 7\n"
                                        "left, right = torch.cos(x), torch.sin(x)\n"
                                        "c = left * 2 + right\n");
    const char *right = program("a.py", "import torch\n"
                                        "x = torch.arange(6).float().reshape(2, 3) / 7\n"
                                        "right, left = torch.cos(x), torch.sin(x)\n"
                                        "c = left * 2 + right\n");
    end = RUN(&arena, "compare", right, named);
    expect(end.status == 1 && strstr(end.output, "line 3") != NULL &&
               strstr(end.output, "the name of") != NULL,
           "%d\n%s%s", end.status, end.output, end.error);
}
END_TEST

START_TEST(two_runs_of_a_lesson_are_the_same) {
    struct end end = RUN(&arena, "compare", "causal", "causal");
    expect(end.status == 0, "%s%s", end.output, end.error);
    end = RUN(&arena, "compare", "grouped_query", "causal");
    expect(end.status == 1, "%s%s", end.output, end.error);
}
END_TEST

START_TEST(the_answer_for_programs_names_both_tensors) {
    const char *wrong = port("a.py", "x @ wk", "q @ k.T", "torch.softmax(s / 2 ** 0.5, dim=0)");
    const struct end end = RUN(&arena, "compare", "trainable", wrong, "--format", "json");
    expect(end.status == 1 && strstr(end.output, "\"verdict\": \"part\"") != NULL &&
               strstr(end.output, "\"tensor\": \"p\"") != NULL &&
               strstr(end.output, "\"largest\"") != NULL,
           "%s%s", end.output, end.error);
}
END_TEST

START_TEST(bad_input_is_one_line_and_exit_2) {
    const char *const bad[] = {"no-such-file.npz", "no-such-file.py", "no-such-file.onestep"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct end end = RUN(&arena, "compare", "causal", bad[i]);
        expect(end.status == 2 && strchr(end.error, '\n') == end.error + end.error_length - 1,
               "%s: %d\n%s", bad[i], end.status, end.error);
    }
    struct end end = RUN(&arena, "compare", "causal");
    expect(end.status == 2, "%d\n%s", end.status, end.error);
    end = RUN(&arena, "compare", "causal", "causal", "--names", "scores");
    expect(end.status == 2, "%d\n%s", end.status, end.error);
}
END_TEST

// In the walk, both numbers stand side by side, and n goes from difference to difference.
START_TEST(a_walk_beside_another_run_goes_to_the_differences) {
    const char *right = port("a.py", "x @ wk", "q @ k.T", SCALED);
    const char *wrong = port("b.py", "x @ wk", "q @ k.T", "torch.softmax(s, dim=-1)");
    static const struct {
        const char *keys, *step, *shown;
    } presses[] = {
        {"", "step 1/", "2 steps differ: n goes to the first."},
        {" ", "x", "The same in a.py, line 5:  wq = torch.nn.Linear("},
        {"n", "p", "a.py, line 12:  p = torch.softmax(s / 2 ** 0.5, dim=-1)"},
        {"n", "p", "The runs part here: 36 of 36 numbers differ"},
        {"nn", "c", "This follows from p: 12 of 12 numbers differ"},
        {"nnn", "c", "No later step differs from a.py."},
        {"nnnb", "p", "The runs part here"},
        {"nt", "p", "Beside it, in a.py, line 12"},
        {"nc", "p", "c shows the other run again."},
    };
    for (size_t i = 0; i < sizeof presses / sizeof *presses; i++) {
        const struct end end =
            RUN(&arena, "screen", wrong, "--beside", right, "--keys", presses[i].keys);
        expect(end.status == 0 && strstr(end.output, presses[i].shown) != NULL, "%s: %d\n%s%s",
               presses[i].keys, end.status, end.output, end.error);
    }
    const struct end end = RUN(&arena, "screen", wrong, "--beside", right, "--keys", "n");
    expect(strstr(end.output, "in a.py") != NULL && strstr(end.output, ", difference ") != NULL,
           "%s", end.output);
}
END_TEST

// A right run has no difference, in whatever layout; a line that is written otherwise ends one.
START_TEST(a_walk_beside_a_run_says_that_they_are_the_same) {
    const char *right = port("a.py", "(wk.T @ x.T)", "q @ k", SCALED);
    struct end end = RUN(&arena, "screen", right, "--beside", "trainable", "--keys", "n");
    expect(strstr(end.output, "No later step differs from trainable.") != NULL, "%s%s", end.output,
           end.error);
    end = RUN(&arena, "screen", right, "--beside", "trainable", "--step", "k");
    expect(strstr(end.output, "The same numbers in another order in trainable") != NULL, "%s%s",
           end.output, end.error);
    end = RUN(&arena, "screen", "causal", "--beside", "causal");
    expect(strstr(end.output, "None differs by more") != NULL, "%s%s", end.output, end.error);
    const char *wrong = port("b.py", "x @ wk", "q @ k.T", "torch.softmax(s, dim=-1)");
    end = RUN(&arena, "screen", wrong, "--beside", right, "--line",
              "p=p = torch.softmax(s / 2 ** 0.5, dim=-1)");
    expect(strstr(end.output, "None differs") != NULL, "%s%s", end.output, end.error);
}
END_TEST

START_TEST(a_walk_beside_a_run_says_that_its_own_ended_early) {
    const char *right = port("a.py", "x @ wk", "q @ k.T", SCALED);
    const char *early = port("b.py", "x @ wk", "q @ k.T", "misspelled(s)");
    const struct end end = RUN(&arena, "screen", early, "--beside", right);
    expect(strstr(end.output, "The run ended before it had the result of a.py.") != NULL, "%s%s",
           end.output, end.error);
}
END_TEST

START_TEST(beside_needs_a_run_and_one_that_can_be_read) {
    struct end end = RUN(&arena, "walk", "--beside", "causal");
    expect(end.status == 2 && strstr(end.error, "onestep walk B --beside A") != NULL, "%d\n%s",
           end.status, end.error);
    end = RUN(&arena, "screen", "causal", "--beside", "no-such-file.npz");
    expect(end.status == 2 && strchr(end.error, '\n') == end.error + end.error_length - 1, "%d\n%s",
           end.status, end.error);
}
END_TEST

Suite *compare_suite(void) {
    Suite *suite = suite_create("compare");
    TCase *tcase = tcase_create("runs");
    tcase_add_checked_fixture(tcase, set_up_folder, tear_down_folder);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, a_right_program_is_the_same_in_any_layout);
    tcase_add_test(tcase, a_slip_is_found_in_its_line_with_its_edit);
    tcase_add_test(tcase, two_programs_are_compared_as_a_lesson_and_a_program_are);
    tcase_add_test(tcase, the_next_independent_difference_is_named);
    tcase_add_test(tcase, a_run_that_ends_early_is_not_the_same);
    tcase_add_test(tcase, numbers_in_the_wrong_place_are_named);
    tcase_add_test(tcase, two_runs_of_a_lesson_are_the_same);
    tcase_add_test(tcase, the_answer_for_programs_names_both_tensors);
    tcase_add_test(tcase, bad_input_is_one_line_and_exit_2);
    tcase_add_test(tcase, a_walk_beside_another_run_goes_to_the_differences);
    tcase_add_test(tcase, a_walk_beside_a_run_says_that_they_are_the_same);
    tcase_add_test(tcase, a_walk_beside_a_run_says_that_its_own_ended_early);
    tcase_add_test(tcase, beside_needs_a_run_and_one_that_can_be_read);
    suite_add_tcase(suite, tcase);
    return suite;
}
