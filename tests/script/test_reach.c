// Where changed lines do not reach, a lesson is not run again: it must have no other numbers there than a whole run has.

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "lesson.h"
#include "lessons.h"
#include "script/lesson/line_edits.h"
#include "trace/run/step.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

struct compared {
    const struct line_outcome *quick;
    const struct run *right;
    const char *what;
};

static bool are_equal(const struct tensor *a, const struct tensor *b) {
    if (!is_tensor(a) || !is_tensor(b)) return is_tensor(a) == is_tensor(b);
    const struct shape shape = shape_of(a);
    if (!shapes_equal(shape, shape_of(b))) return false;
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index)) {
        const double x = element(a, index), y = element(b, index);
        if (x != y && !(isnan(x) && isnan(y))) return false;
    }
    return true;
}

static void compare(void *context, int number, const struct line_outcome *whole) {
    const struct compared *compared = context;
    (void)number;
    for (int i = 0; i < compared->right->step_count; i++) {
        const struct line_outcome *quick = &compared->quick[i];
        const char *name = compared->right->steps[i].name;
        expect(are_equal(&quick->tensor, &whole[i].tensor), "%s %s: step %d, %s, has other numbers",
               compared->right->lesson->name, compared->what, i + 1, name);
        expect((quick->failure == NULL) == (whole[i].failure == NULL), "%s %s: step %d, %s: %s",
               compared->right->lesson->name, compared->what, i + 1, name,
               quick->failure != NULL ? quick->failure : "did not fail");
    }
}

static void play_both(const struct run *right, const struct run *run, const char *what) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, arena.failure);
    struct line_outcome *quick = arena_array(m, (size_t)run->step_count, sizeof *quick);
    play_statements(quick, m, right, run, NULL);
    struct compared compared = {quick, right, what};
    compute_statements(m, right, 1, run, compare, &compared);
    scratch_close(&scratch);
}

// Some of the edits of each lesson, from all over it.
START_TEST(an_edit_reaches_no_further_than_is_run) {
    enum { EDITS = 24 };
    struct run run;
    run_lesson(&run, &arena, lesson_table[_i], &(struct parameters){0});
    const struct lesson_lines lines = lines_of_lesson(&arena, &run, run.step_count - 1);
    const struct edit_list edits = edits_of_lines(&arena, &lines);
    const int apart = edits.count / EDITS + 1;
    for (int i = _i % apart; i < edits.count; i += apart) {
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, arena.failure);
        const struct run edited = edited_run(m, &lines, &edits.edits[i]);
        if (edited.setup == NULL)
            play_both(&run, &edited,
                      arena_format(m, "edit %d, step %d: %s", i,
                                   step_of_edit(&lines, &edits.edits[i]) + 1, edits.edits[i].text));
        scratch_close(&scratch);
    }
}
END_TEST

// Lines that change more than what they name: objects, settings, the generator, functions, torch itself. %s: the step's name.
static const char *const sly[] = {"%s.mul_(2)",
                                  "%s.zero_()",
                                  "inputs[0, 0] = 5.0",
                                  "torch.manual_seed(7)",
                                  "torch.rand(3)",
                                  "torch.softmax = torch.sigmoid",
                                  "torch.set_default_dtype(torch.float64)",
                                  "del %s",
                                  "torch = None",
                                  "split = None",
                                  "alias = %s\nalias += 1",
                                  "def softmax(x, dim): return %s",
                                  "[x.zero_() for x in [%s]]",
                                  "globals()['inputs'] = None",
                                  "exec('inputs = None')",
                                  "raise ValueError('no')"};

START_TEST(a_sly_line_is_followed_to_the_end) {
    struct run run;
    run_lesson(&run, &arena, lesson_table[_i], &(struct parameters){0});
    for (size_t k = 0; k < sizeof sly / sizeof *sly; k++) {
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, arena.failure);
        struct run changed = run;
        const size_t size = (size_t)run.step_count * sizeof *run.steps;
        changed.steps = memcpy(arena_array(m, 1, size), run.steps, size);
        const int at = (int)((k * 7 + (size_t)_i) % (size_t)run.step_count);
        struct step *step = &changed.steps[at];
        struct text text = text_new(m);
        text_add_format(&text, "%s\n", step->statement);
        const char *form = sly[k], *place = strstr(form, "%s");
        const int length = place != NULL ? (int)(place - form) : (int)strlen(form);
        text_add_format(&text, "%.*s", length, form);
        if (place != NULL) text_add_format(&text, "%s%s", step->expression, place + 2);
        if (*step->statement != '\0') {
            step->statement = text.bytes;
            play_both(&run, &changed, arena_format(m, "step %d: %s", at + 1, sly[k]));
        }
        scratch_close(&scratch);
    }
}
END_TEST

static int number_in(const struct run *run, const char *step) {
    return find_step(run, step, arena.failure)->number - 1;
}

// A run with a statement changed.
static struct run with_statement(const struct run *run, const char *step, const char *line) {
    struct run changed = *run;
    const size_t size = (size_t)run->step_count * sizeof *run->steps;
    changed.steps = memcpy(arena_array(&arena, 1, size), run->steps, size);
    changed.steps[number_in(run, step)].statement = line;
    return changed;
}

static const struct line_outcome *play_changed(const struct run *right, const char *step,
                                               const char *line) {
    const struct run changed = with_statement(right, step, line);
    struct line_outcome *outcomes =
        arena_array(&arena, (size_t)right->step_count, sizeof *outcomes);
    play_statements(outcomes, &arena, right, &changed, NULL);
    return outcomes;
}

static struct run run_of(const char *lesson) {
    struct run run;
    run_lesson(&run, &arena, lesson_called(lesson), &(struct parameters){0});
    return run;
}

static bool was_run(const struct line_outcome *outcomes, const struct run *right, int step) {
    return outcomes[step].tensor.storage != right->steps[step].tensor.storage;
}

START_TEST(what_no_reached_step_needs_does_not_run) {
    const struct run right = run_of("trainable");
    const struct line_outcome *outcomes =
        play_changed(&right, "linear: scores", "scores = queries @ keys.T * 2");
    const int scores = number_in(&right, "linear: scores");
    ck_assert(!was_run(outcomes, &right, number_in(&right, "random_scores")));
    ck_assert(!was_run(outcomes, &right, 0));
    for (int i = scores - 3; i <= scores + 1; i++) // queries to scaled
        ck_assert(was_run(outcomes, &right, i));
}
END_TEST

// A model's training has a loss of its own, which its loop sets before it reads it.
START_TEST(a_loop_reads_what_it_has_set) {
    static const struct {
        const char *loop;
        bool is_reached;
    } loops[] = {
        {"for i in range(2):\n    loss = loss_of(text_logits)\n    other = loss * 2", false},
        {"for i in range(2):\n    other = loss * 2\n    loss = loss_of(text_logits)", true},
        {"for i in range(2):\n    loss = loss_of(\n        text_logits) + loss", true},
        {"for i in range(2):\n    loss = '(' and (\n        'b)') and loss", true},
        {"for i in range(2):\n    if i < 0:\n        loss = loss_of(text_logits)\n    other = loss",
         true},
        {"for i in [loss]:\n    loss = loss_of(text_logits)", true},
        {"for i in range(2):\n    loss = loss_of(text_logits)\nother = loss", true},
    };
    const struct run right = run_of("sampling");
    const int losses = number_in(&right, "losses"), last = number_in(&right, "text_perplexity");
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        const struct run looped = with_statement(&right, "text_perplexity", loops[i].loop);
        const struct line_outcome *outcomes = play_changed(
            &looped, "logits", "logits = torch.tensor(given_logits, dtype=torch.float32) * 2");
        expect(!was_run(outcomes, &right, losses) || loops[i].is_reached, "%s: trained",
               loops[i].loop);
        expect(was_run(outcomes, &right, last) == loops[i].is_reached, "%s", loops[i].loop);
    }
}
END_TEST

START_TEST(a_message_may_speak_of_what_was_left_out) {
    const struct run right = run_of("trainable");
    const struct line_outcome *outcomes =
        play_changed(&right, "linear: scores", "scores = random_score");
    const char *message = outcomes[number_in(&right, "linear: scores")].failure;
    ck_assert_ptr_nonnull(message);
    ck_assert_ptr_nonnull(strstr(message, "Did you mean: 'random_scores'?"));
}
END_TEST

Suite *reach_suite(void) {
    Suite *suite = suite_create("reach");
    TCase *lines = add_case(suite, "changed lines", set_up_arena, tear_down_arena);
    tcase_set_timeout(lines, 300);
    tcase_add_loop_test(lines, an_edit_reaches_no_further_than_is_run, 0, lesson_count);
    tcase_add_loop_test(lines, a_sly_line_is_followed_to_the_end, 0, lesson_count);
    tcase_add_test(lines, what_no_reached_step_needs_does_not_run);
    tcase_add_test(lines, a_loop_reads_what_it_has_set);
    tcase_add_test(lines, a_message_may_speak_of_what_was_left_out);
    return suite;
}
