// A student's numbers as those of the lesson's own program with one line written otherwise.

#include <math.h>
#include <string.h>

#include "app/check/compare.h"
#include "app/check/edited.h"
#include "fixture.h"
#include "lesson.h"
#include "records.h"
#include "sample.h"

#include "script/edit/candidates.h"
#include "script/lesson/line_edits.h"
#include "tensor/file/numbers_read.h"
#include "trace/run/step.h"
#include "trace/what_if/effects.h"
#include "trace/what_if/mistake.h"

#include <check.h> // last: defines a macro fail

static const struct step *run_step(struct run *run, const char *lesson, const char *step) {
    const struct parameters none = {0};
    run_lesson(run, &arena, lesson_called(lesson), &none);
    return find_step(run, step, &failure);
}

static bool is_found(struct edited *edited, const struct run *run, const struct step *step,
                     const struct numbers *numbers) {
    struct edits_done done;
    return find_edited(edited, &arena, run, step, numbers,
                       least_allowed(&arena, numbers, &step->tensor), ALL_EDITS, false, &done);
}

// What PyTorch 2.6 computed with the line (files of public reports).
START_TEST(lines_written_otherwise_are_found) {
    static const struct {
        const char *lesson, *step, *file, *name, *line, *right_line;
    } reports[] = {
        {"rotary", "scores", "19-rope-mixed-scores.json", "rotary-mixed",
         "angles = of_pairs.repeat_interleave(2, dim=1)\n",
         "angles = torch.cat([of_pairs, of_pairs], dim=1)\n"},
        {"padding", "weights", "31-padding-queries-1e9-weights.json", "padding-both",
         "mask = key_padding_mask.unsqueeze(1) | key_padding_mask.unsqueeze(2)\n"
         "masked_scores = scores.masked_fill(mask, -1e9)\n",
         "mask = key_padding_mask.unsqueeze(1)\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)\n"},
        {"rotary", "scores", "20-rope-no-minus-scores.json", NULL,
         "    return x * cosines + torch.cat([b, a], dim=1) * sines\n",
         "    return x * cosines + torch.cat([-b, a], dim=1) * sines\n"},
        {"rotary", "scores", "20-rope-reversed-scores.json", "rotary-reversed",
         "    return x * cosines + torch.cat([b, -a], dim=1) * sines\n",
         "    return x * cosines + torch.cat([-b, a], dim=1) * sines\n"},
        {"grouped_query", "output", "W63-bias-of-the-output.json", NULL,
         "out_proj = torch.nn.Linear(d_out, d_out, bias=True)\n",
         "out_proj = torch.nn.Linear(d_out, d_out, bias=False)\n"},
    };
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        struct run run;
        struct edited edited;
        const struct step *step = run_step(&run, reports[i].lesson, reports[i].step);
        const char *text = data_file(&arena, arena_format(&arena, "reports/%s", reports[i].file));
        const struct numbers numbers = numbers_read(&arena, reports[i].file, text, strlen(text));
        ck_assert_msg(is_found(&edited, &run, step, &numbers), "%s", reports[i].file);
        ck_assert_pstr_eq(edited.name, reports[i].name);
        ck_assert_str_eq(edited.line, reports[i].line);
        ck_assert_str_eq(edited.right_line, reports[i].right_line);
    }
}
END_TEST

// The right numbers with noise, or numbers that have nothing to do with them, of as many decimals as PyTorch prints.
static const char *const noisy_steps[][2] = {{"simplified", "context"},
                                             {"causal", "context"},
                                             {"model", "logits"},
                                             {"block", "loss"},
                                             {"rotary", "pairs: difference"},
                                             {"online_softmax", "difference_of_sums"}};

START_TEST(noise_comes_from_no_line) {
    uint64_t state = 3 + (uint64_t)_i;
    struct run run;
    struct edited edited;
    const struct step *step = run_step(&run, noisy_steps[_i][0], noisy_steps[_i][1]);
    const int64_t count = count_of(shape_of(&step->tensor));
    struct numbers numbers = {.form = FORM_TENSOR, .shape = shape_of(&step->tensor)};
    numbers.values = arena_array(&arena, (size_t)count, sizeof *numbers.values);
    numbers.half_units = arena_array(&arena, (size_t)count, sizeof *numbers.half_units);
    for (int round = 0; round < 8; round++) {
        if ((round + _i) % one_in(1) != 0) continue;
        for (int64_t k = 0; k < count; k++) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            const double drawn = (double)(state >> 33) / 0x1p31 - 0.5;
            const double right = round % 2 == 0 ? element_at(&step->tensor, k) : 0;
            numbers.values[k] = rint((right + drawn) * 1e4) / 1e4;
            numbers.half_units[k] = 0.5e-4;
        }
        ck_assert_msg(!is_found(&edited, &run, step, &numbers), "%s: %s", run.lesson->name,
                      edited.line);
    }
}
END_TEST

extern const char data_edits[];

// Whoever makes a mistake is told what goes wrong.
START_TEST(each_mistake_has_words) {
    for (const char *line = data_edits; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        const char *name = arena_copy_bytes(&arena, line, strcspn(line, " \n"));
        if (*name != '\0' && *name != '#')
            ck_assert_msg(find_mistake(name) != NULL || words_of_mistake(&arena, name) != NULL,
                          "%s has no words in data/edits.txt", name);
        line += length + (line[length] != '\0');
    }
}
END_TEST

// What a rehearsal has learned from one edit changes nothing of the next: each gives the bits that it gives alone.
START_TEST(edits_know_nothing_of_each_other) {
    static const char *const steps[][2] = {{"causal", "context"},
                                           {"dropout", "mcg31m1: context"},
                                           {"rotary", "scores"},
                                           {"model", "loss"}};
    enum { MOST = 100000 };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct run run;
        const struct step *step = run_step(&run, steps[i][0], steps[i][1]);
        const struct lesson_lines lines = lines_of_lesson(&arena, &run, step->number - 1);
        const struct edit_list edits = edits_of_lines(&arena, &lines);
        ck_assert_int_gt(edits.count, 40);
        struct rehearsal *all = begin_rehearsal(&arena, &run, lines.step);
        for (int k = 0; k < edits.count; k += one_in(6)) {
            int64_t work;
            const struct tensor one = play_edit(all, &arena, &lines, &edits.edits[k], MOST, &work);
            struct rehearsal *own = begin_rehearsal(&arena, &run, lines.step);
            const struct tensor alone =
                play_edit(own, &arena, &lines, &edits.edits[k], MOST, &work);
            end_rehearsal(own);
            const char *line = lines_after(&arena, &lines, &edits.edits[k]);
            ck_assert_msg(is_tensor(&one) == is_tensor(&alone), "%s", line);
            if (!is_tensor(&one)) continue;
            ck_assert_msg(shapes_equal(shape_of(&one), shape_of(&alone)), "%s", line);
            ck_assert_msg(!differ(&one, &alone), "%s", line);
        }
        end_rehearsal(all);
    }
}
END_TEST

Suite *edited_suite(void) {
    Suite *suite = suite_create("edited");
    TCase *tests = add_case(suite, "edited", set_up_arena, tear_down_arena);
    tcase_add_test(tests, lines_written_otherwise_are_found);
    tcase_add_loop_test(tests, noise_comes_from_no_line, 0,
                        sizeof noisy_steps / sizeof *noisy_steps);
    tcase_add_test(tests, each_mistake_has_words);
    tcase_add_test(tests, edits_know_nothing_of_each_other);
    tcase_set_timeout(tests, 200);
    return suite;
}
