// The classic mistakes: against the same mistakes made in PyTorch (pytorch_mistakes.py wrote the numbers),
// and against what the table says of them.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attempts.h"
#include "base/text.h"
#include "fixture.h"
#include "lesson.h"
#include "records.h"
#include "sample.h"
#include "script/lesson/interpreter.h"
#include "tensor/operation/derivation.h"
#include "trace/run/step.h"
#include "trace/tape/order.h"
#include "trace/tape/replay.h"
#include "trace/what_if/trial.h"

#include <check.h> // last: defines a macro fail

static struct run run_briefly(const struct lesson *lesson, const struct parameters *parameters) {
    struct parameters few = *parameters; // updates are enough
    if (!(few.given & USES_UPDATES)) few.updates = 2;
    few.given |= USES_UPDATES;
    return must_run(&arena, lesson, &few);
}

static struct run with_mistake(const struct run *right, const char *name) {
    const struct mistake *mistake = find_mistake(name);
    struct what_ifs what_ifs = {.lines.interpreter = &python_interpreter};
    struct trial trial;
    ck_assert_ptr_nonnull(mistake);
    what_ifs.made[mistake_number(mistake)] = true;
    run_trial_in(&trial, &arena, right, &what_ifs);
    return trial.run;
}

// What the mistake does where the lesson's lines run with it.
static struct effect effect_on(const struct run *right, int mistake) {
    static struct effects effects;
    effects =
        (struct effects){.failure = &failure, .words = &arena, .interpreter = &python_interpreter};
    return *effect_of(&effects, right, mistake);
}

static const struct step *must_find(const struct run *run, const char *name) {
    const struct step *step;
    ck_assert_msg(try_step(&step, run, name, &failure), "%s", failure.message);
    return step;
}

// ---- Against PyTorch ----------------------------------------------------------------------------

static bool has_case(const char *headings, const char *lesson, const char *mistake) {
    const char *begin = arena_format(&arena, "case %s ", lesson);
    const char *end = arena_format(&arena, " : %s\n", mistake);
    for (const char *line = headings; (line = strstr(line, begin)) != NULL; line++) {
        const size_t length = strcspn(line, "\n") + 1;
        if (length > strlen(end) && strncmp(line + length - strlen(end), end, strlen(end)) == 0)
            return true;
    }
    return false;
}

// Is there a line for the mistake in a lesson for which PyTorch has no case ("more" of data/edited_lessons.txt)?
static bool is_more(const char *lesson, const char *mistake) {
    static char line[1 << 10];
    bool is_it = false;
    FILE *file = fopen(TEST_DATA "/edited_lessons.txt", "r");
    ck_assert_ptr_nonnull(file);
    const char *begin = arena_format(&arena, "more %s: ", mistake);
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        is_it = is_it || (strncmp(line, begin, strlen(begin)) == 0 &&
                          strstr(arena_format(&arena, "%s ", line),
                                 arena_format(&arena, " %s ", lesson)) != NULL);
    }
    fclose(file);
    return is_it;
}

// ---- The table ----------------------------------------------------------------------------------

START_TEST(mistakes_are_described) {
    const struct mistake *mistake = &mistake_table[_i];
    ck_assert_ptr_eq(find_mistake(mistake->name), mistake);
    ck_assert_str_ne(mistake->title, "");
    const char *sentences[] = {mistake->wrong, mistake->pytorch};
    for (int i = 0; i < 2; i++) ck_assert_int_eq(sentences[i][strlen(sentences[i]) - 1], '.');
}
END_TEST

// Every mistake changes a step of some lesson, with the parameters that it names. There is a reason exactly where nothing
// changes, and a case from PyTorch exactly where something does.
START_TEST(mistakes_show_or_say_why_not) {
    if (_i % one_in(1) != 0) return;
    const struct mistake *mistake = &mistake_table[_i];
    const char *headings = data_file(&arena, "mistakes.txt");
    int lessons = 0;
    for (int i = 0; i < lesson_count; i++) {
        const struct parameters parameters =
            showing_parameters(lesson_table[i], &(struct parameters){0}, mistake);
        const struct run right = run_briefly(lesson_table[i], &parameters);
        const struct effect effect = effect_on(&right, _i);
        const bool changes = effect.first >= 0;
        lessons += changes;
        ck_assert((effect.why == NULL) == changes);
        for (int j = 0; j < effect.first; j++) ck_assert(!effect.changes[j]);
        if (changes) ck_assert(effect.changes[effect.first]);
        const char *lesson = lesson_table[i]->name;
        const bool has_any = has_case(headings, lesson, mistake->name);
        ck_assert_msg(
            (has_any || is_more(lesson, mistake->name)) == changes,
            changes ? "%s changes numbers of %s: add it to tests/pytorch_mistakes.py and write "
                      "tests/data/mistakes.txt anew, or add 'more %s: %s' to "
                      "tests/data/edited_lessons.txt"
                    : "%s changes nothing in %s: take it out of tests/pytorch_mistakes.py and "
                      "tests/data/mistakes.txt, or out of 'more %s: %s' in "
                      "tests/data/edited_lessons.txt",
            mistake->name, lesson, mistake->name, lesson);
    }
    ck_assert_int_gt(lessons, 0);
}
END_TEST

START_TEST(there_is_no_other_mistake) {
    ck_assert_ptr_null(find_mistake("no-such-mistake"));
    ck_assert_ptr_null(find_mistake(""));
}
END_TEST

// ---- What they change ---------------------------------------------------------------------------

static void check_reason(const char *lesson, const struct parameters *parameters,
                         const char *mistake, const char *reason) {
    const struct run right = run_briefly(lesson_called(lesson), parameters);
    const char *why = effect_on(&right, mistake_number(find_mistake(mistake))).why;
    ck_assert_msg(why != NULL && strstr(why, reason) != NULL, "%s in %s: %s", mistake, lesson,
                  why != NULL ? why : "it changes something");
}

START_TEST(reasons_fit) {
    const struct parameters none = {0}, half = {.given = USES_DROPOUT, .dropout = 0.5};
    const struct parameters one_head = {.given = USES_HEADS, .heads = 1};
    const struct parameters two_words = {.given = USES_TEXT, .text = "one step"};
    const struct parameters one_length = {.given = USES_LENGTHS, .lengths = "6,6"};
    check_reason("split_head", &none, "no-scale", "√1 is 1");
    check_reason("gradients", &two_words, "no-scale-grad", "one token");
    check_reason("simplified", &none, "no-scale", "has the form that it changes");
    check_reason("wrapper", &none, "scale-by-d-out", "has the form that it changes");
    check_reason("split_head", &half, "dropout-scale-p", "p is 0.5");
    check_reason("split_head", &none, "dropout-no-scale", "p is 0");
    check_reason("split_head", &one_head, "heads-by-view", "one head");
    check_reason("split_head", &one_head, "merge-without-transpose", "one head");
    check_reason("wrapper", &none, "heads-by-view", "has the form that it changes");
    check_reason("causal", &none, "no-bias", "no layer has a bias");
    check_reason("simplified", &none, "wrong-seed", "has the form that it changes");
    check_reason("trainable", &none, "mask-zero", "has the form that it changes");
    check_reason("wrapper", &none, "no-out-proj", "has the form that it changes");
    check_reason("model", &one_head, "no-out-proj", "there is one head");
    check_reason("padding", &one_length, "padding-over-queries", "of the same length");
    check_reason("padding", &one_length, "repaired-before-softmax", "of the same length");
}
END_TEST

// "Not in this lesson" is said only where no parameter brings what the mistake changes.
START_TEST(what_is_not_in_a_lesson_no_parameter_brings) {
    static const struct parameters others[] = {
        {.given = USES_HEADS | USES_DROPOUT, .heads = 1, .dropout = 0.5},
        {.given = USES_HEADS | USES_D_OUT | USES_DROPOUT | USES_BIAS,
         .heads = 2,
         .d_out = 4,
         .dropout = 0.5,
         .bias = true},
        {.given = USES_UPDATES | USES_OPTIMIZER, .updates = 0, .optimizer = SGD},
        {.given = USES_UPDATES | USES_BATCH, .updates = 2, .batch = 3},
        {.given = USES_DROPOUT | USES_EVAL, .dropout = 0.5, .eval = true},
    };
    enum { OTHERS = sizeof others / sizeof *others };
    bool is_not_in[MOST_MISTAKES] = {false}, is_found[MOST_MISTAKES] = {false};
    for (int j = 0; j < OTHERS; j += one_in(1)) {
        struct parameters parameters = others[j];
        parameters.given &= lesson_table[_i]->uses;
        const struct run right = run_briefly(lesson_table[_i], &parameters);
        for (int i = 0; i < mistake_total; i++) {
            const char *why = effect_on(&right, i).why;
            if (why != NULL && strstr(why, "has the form that it changes") != NULL)
                is_not_in[i] = true;
            if (why == NULL) is_found[i] = true;
        }
    }
    for (int i = 0; i < mistake_total; i++)
        ck_assert_msg(!is_not_in[i] || !is_found[i], "%s in %s", mistake_table[i].name,
                      lesson_table[_i]->name);
}
END_TEST

START_TEST(what_a_mistake_does_not_reach_is_shared) {
    const struct run right = run_briefly(lesson_called("causal"), &(struct parameters){0});
    const struct run wrong = with_mistake(&right, "mask-zero");
    bool touched[64];
    count_touched(&right, &wrong, touched);
    for (int i = 0; i < right.step_count; i++) {
        if (touched[i]) continue;
        ck_assert_ptr_eq(right.steps[i].tensor.storage, wrong.steps[i].tensor.storage);
    }
    ck_assert(!touched[must_find(&right, "scores")->number - 1]);
    ck_assert(touched[must_find(&right, "masked_scores")->number - 1]);
    ck_assert(touched[must_find(&right, "context")->number - 1]);
}
END_TEST

// A student without biases has the numbers of the lesson without biases.
START_TEST(no_bias_is_the_lesson_without) {
    const struct parameters bias = {.given = USES_BIAS, .bias = true};
    const struct run with = run_briefly(lesson_called("wrapper"), &bias);
    const struct run without = run_briefly(lesson_called("wrapper"), &(struct parameters){0});
    const struct run wrong = with_mistake(&with, "no-bias");
    const struct tensor *expected = &must_find(&without, "context")->tensor;
    ck_assert(!differ(&must_find(&wrong, "context")->tensor, expected));
}
END_TEST

START_TEST(the_wrong_seed_is_the_other_one) {
    const struct run right = run_briefly(lesson_called("causal"), &(struct parameters){0});
    const struct run wrong = with_mistake(&right, "wrong-seed");
    const struct parameters other = {.given = USES_SEED, .seed = 123};
    const struct run expected = run_briefly(lesson_called("causal"), &other);
    ck_assert_int_eq(count_touched(&expected, &wrong, NULL), 0);
}
END_TEST

// Where masks go on behind the layers, each goes back there: with the other stream's mask, the first half of the
// lesson is its second half.
START_TEST(masks_behind_layers_go_back) {
    const struct parameters parameters = {
        .given = USES_DROPOUT_SEED | USES_BIAS, .no_dropout_seed = true, .bias = true};
    const struct run right = run_briefly(lesson_called("dropout"), &parameters);
    const struct run wrong = with_mistake(&right, "other-bernoulli");
    static const char *const names[] = {"ones_dropped", "weights_dropped", "context",
                                        "mean_of_draws"};
    for (int i = 0; i < 4; i++) {
        const char *mt = arena_format(&arena, "mt19937: %s", names[i]);
        const char *mcg = arena_format(&arena, "mcg31m1: %s", names[i]);
        ck_assert(!differ(&must_find(&wrong, mt)->tensor, &must_find(&right, mcg)->tensor));
        ck_assert(!differ(&must_find(&wrong, mcg)->tensor, &must_find(&right, mt)->tensor));
    }
    const struct parameters no_bias = {.given = USES_DROPOUT_SEED, .no_dropout_seed = true};
    const struct run without = run_briefly(lesson_called("dropout"), &no_bias);
    const struct run shifted = with_mistake(&right, "no-bias");
    for (int i = 0; i < without.step_count; i++) {
        const struct step *step = must_find(&shifted, step_label(&arena, &without.steps[i]));
        ck_assert(!differ(&step->tensor, &without.steps[i].tensor));
    }
}
END_TEST

START_TEST(a_trial_says_what_was_done) {
    const struct parameters none = {0};
    struct what_ifs what_ifs = {.lines.interpreter = &python_interpreter};
    struct trial trial;
    run_trial(&trial, &arena, lesson_called("causal"), &none, &what_ifs);
    ck_assert_ptr_null(differences_text(&arena, &trial));
    ck_assert_ptr_null(trial.right);
    what_ifs.made[mistake_number(find_mistake("no-scale"))] = true;
    what_ifs.made[mistake_number(find_mistake("mask-zero"))] = true;
    run_trial(&trial, &arena, lesson_called("causal"), &none, &what_ifs);
    ck_assert_str_eq(differences_text(&arena, &trial), "what if no-scale, what if mask-zero");
    ck_assert(is_touched(&trial));
    ck_assert_ptr_null(right_tensor(&trial, must_find(&trial.run, "scores")));
    ck_assert_ptr_nonnull(right_tensor(&trial, must_find(&trial.run, "masked_scores")));
}
END_TEST

// ---- Where wrong numbers came from --------------------------------------------------------------

static void check_cell(const struct mistake *mistake, const struct step *step, int64_t position) {
    struct arena scratch = arena_new(&failure);
    struct cell cell = {.tensor = step->tensor};
    index_at(shape_of(&step->tensor), position, cell.index);
    const struct derivation derivation = derive(&scratch, &cell, 4);
    const float value = (float)derivation.value, again = (float)derivation.recomputed;
    const bool is_same =
        memcmp(&value, &again, sizeof value) == 0 || (isnan(value) && isnan(again));
    ck_assert_msg(is_same, "%s, %s%s: %a is not %a", mistake->name, step_label(&scratch, step),
                  cell_label(&scratch, &cell), derivation.recomputed, derivation.value);
    arena_free(&scratch);
}

START_TEST(wrong_numbers_know_where_they_came_from) {
    if (_i % one_in(1) != 0) return;
    const struct mistake *mistake = &mistake_table[_i];
    for (int i = 0; i < lesson_count; i++) {
        const struct parameters parameters =
            showing_parameters(lesson_table[i], &(struct parameters){0}, mistake);
        const struct run right = run_briefly(lesson_table[i], &parameters);
        const struct run wrong = with_mistake(&right, mistake->name);
        bool touched[256];
        ck_assert_int_le(right.step_count, 256);
        count_touched(&right, &wrong, touched);
        for (int s = 0; s < wrong.step_count; s += getenv("ONESTEP_TESTS_SLOW") != NULL ? 1 : 7) {
            const struct step *step = &wrong.steps[s];
            const int64_t count = count_of(shape_of(&step->tensor));
            if (!touched[s] || count > 1000) continue;
            for (int64_t cell = 0; cell < count; cell++) check_cell(mistake, step, cell);
            const struct order order = order_of(&wrong, step);
            for (int64_t k = 0; k < order.moment_count; k++) (void)moment_at(&order, k);
        }
    }
}
END_TEST

// ---- Versions ------------------------------------------------------------------------------------

// The statements of `print training --hidden 7 --updates 30`, as both versions of PyTorch compute them; no
// product is tiled there. The rows of the weights have ten numbers.
START_TEST(a_training_has_the_bits_of_either_version) {
    enum { COUNT = 16 };
    static const float wanted[2][COUNT] = {
        {-0x1.00115cp-2F, -0x1.b5d054p-2F, -0x1.dfe3a2p-3F, 0x1.51552cp-1F, 0x1.016f2ep-2F,
         0x1.59a780p-3F, 0x1.0fbe3ep-3F, -0x1.73493ep-4F, 0x1.43b63ep-1F, 0x1.94d0e0p-2F,
         0x1.69f22cp-2F, -0x1.537b3ep-6F, 0x1.3c6b0ap-3F, 0x1.e2c488p-2F, 0x1.87f5eap-3F,
         -0x1.8a449ap-1F},
        {-0x1.00115cp-2F, -0x1.b5d050p-2F, -0x1.dfe39ep-3F, 0x1.51552cp-1F, 0x1.016f2cp-2F,
         0x1.59a77ep-3F, 0x1.0fbe38p-3F, -0x1.734936p-4F, 0x1.43b63ep-1F, 0x1.94d0dep-2F,
         0x1.69f22ap-2F, -0x1.537b18p-6F, 0x1.3c6b0cp-3F, 0x1.e2c486p-2F, 0x1.87f5e6p-3F,
         -0x1.8a449ap-1F},
    };
    const struct parameters parameters = {
        .given = USES_HIDDEN | USES_UPDATES, .hidden = 7, .updates = 30};
    const struct run right = must_run(&arena, lesson_called("training"), &parameters);
    const struct tensor own = must_find(&right, "trained: W_query")->tensor;
    struct tensor old;
    ck_assert(
        recompute_as_1_13(&old, &arena, &right, must_find(&right, "trained: W_query")->number - 1));
    for (int64_t i = 0; i < COUNT; i++) {
        ck_assert_double_eq(element_at(&own, i), (double)wanted[0][i]);
        ck_assert_double_eq(element_at(&old, i), (double)wanted[1][i]);
    }
}
END_TEST

Suite *mistake_suite(void) {
    Suite *suite = suite_create("mistake");
    TCase *tests = add_case(suite, "numbers", set_up_arena, tear_down_arena);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, what_is_not_in_a_lesson_no_parameter_brings, 0, lesson_count);
    tcase_add_loop_test(tests, wrong_numbers_know_where_they_came_from, 0, mistake_total);
    TCase *table = add_case(suite, "table", set_up_arena, tear_down_arena);
    tcase_add_loop_test(table, mistakes_are_described, 0, mistake_total);
    tcase_add_loop_test(table, mistakes_show_or_say_why_not, 0, mistake_total);
    tcase_add_test(table, there_is_no_other_mistake);
    tcase_add_test(table, reasons_fit);
    tcase_add_test(table, what_a_mistake_does_not_reach_is_shared);
    tcase_add_test(table, no_bias_is_the_lesson_without);
    tcase_add_test(table, the_wrong_seed_is_the_other_one);
    tcase_add_test(table, masks_behind_layers_go_back);
    tcase_add_test(table, a_trial_says_what_was_done);
    tcase_add_test(table, a_training_has_the_bits_of_either_version);
    return suite;
}
