// What `check` says of the slips of a lesson that no list has (grouped.h), with the numbers that PyTorch gives for them
// (pytorch_grouped.py): the slip first, and nothing that is not one.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/check/diagnose.h"
#include "attempts.h"
#include "base/text.h"
#include "fixture.h"
#include "records.h"
#include "sample.h"
#include "tensor/file/numbers_read.h"
#include "tensor/ops/ops.h"
#include "tensor/text/format.h"
#include "trace/run/step.h"
#include "trace/what_if/made.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

// A slip of the file, and the run of the lesson without it.
struct slip {
    const char *heading, *name;
    struct run right;
    int named; // how many of its tensors were named
};

static bool has_name(const struct explanation *explanation, const char *name) {
    return explanation->kind == BY_MISTAKES && explanation->mistake_count == 1 &&
           strcmp(explanation->mistakes[0]->name, name) == 0;
}

// The slip, or another one that computes the same numbers in this step.
static bool is_named(const struct explanation *explanation, const char *name) {
    if (has_name(explanation, name)) return true;
    for (int i = 0; i < explanation->alike_count; i++) {
        if (has_name(&explanation->alike[i], name)) return true;
    }
    return false;
}

static const char *first_text(const struct diagnosis *diagnosis) {
    if (diagnosis->count == 0) return "nothing";
    const struct explanation *first = &diagnosis->explanations[0];
    if (first->kind != BY_MISTAKES) return "no mistake";
    return first->mistakes[0]->name;
}

// Behind the slip may stand what is as true and less simple: two mistakes that undo each other's part, or a step that has
// the same numbers (without the projection, the output is the context). Another single mistake would be a false one.
static bool is_false(const struct explanation *explanation, const struct explanation *first) {
    const bool is_single = explanation->kind == BY_MISTAKES && explanation->mistake_count == 1;
    return is_single || explanation->comparison.largest > first->comparison.largest + 2e-6;
}

static void check_diagnosis(struct slip *slip, const struct step *step,
                            const struct numbers *numbers) {
    if (compare(numbers, &step->tensor).different == 0) return; // the slip comes behind this step
    if (is_all_nan(numbers)) return;                            // says nothing of its cause
    const double *allowed = allowed_of(&arena, numbers, &step->tensor);
    const struct diagnosis diagnosis = diagnose(&arena, &slip->right, step, numbers, allowed, true);
    const struct explanation *first = &diagnosis.explanations[0];
    expect(diagnosis.count > 0 && is_named(first, slip->name), "%s%s: %s", slip->heading,
           step->name, first_text(&diagnosis));
    for (int i = 1; i < diagnosis.count; i++)
        expect(!is_false(&diagnosis.explanations[i], first), "%s%s: explanation %d", slip->heading,
               step->name, i + 1);
    slip->named++;
}

// PyTorch's numbers for a step, as they are and as it prints them.
static void check_values(struct slip *slip, const struct step *step, const float *floats) {
    const struct shape shape = shape_of(&step->tensor);
    const size_t count = (size_t)count_of(shape);
    struct numbers numbers = {.form = FORM_NPY, .shape = shape, .decimals = -1};
    numbers.values = arena_array(&arena, count, sizeof *numbers.values);
    for (size_t i = 0; i < count; i++) numbers.values[i] = (double)floats[i];
    check_diagnosis(slip, step, &numbers);
    const struct tensor printed = tensor_of(&arena, shape, floats);
    const char *text = torch_text(&arena, &printed, 4);
    numbers = numbers_read(&arena, "printed", text, strlen(text));
    check_diagnosis(slip, step, &numbers);
}

START_TEST(slips_in_a_new_lesson_are_named) {
    struct arena of_file = arena_new(&failure);
    const char *text = data_file(&of_file, "grouped.txt");
    struct case_lines lines;
    for (int cases = 0; next_case(&text, &lines); cases++) {
        if (cases % one_in(3) != 0) continue;
        struct made made = make_case(&lines);
        struct slip slip = {
            .heading = made.heading, .right = made.right, .name = made.mistakes[0]->name};
        struct case_lines rest = lines;
        for (struct made_step step; next_made_step(&rest, &made, &step);) {
            const struct step *wrong = &trial_of(&made)->run.steps[step.right->number - 1];
            const float *numbers = NULL;
            const char *how = unlike_pytorch(&made, &step, &wrong->tensor, &numbers);
            expect(how == NULL, "%s%s: %s", slip.heading, wrong->name, how);
            if (numbers != NULL) check_values(&slip, step.right, numbers);
        }
        expect(slip.named > 0, "%s: never named", slip.heading);
        arena_free(&arena);
    }
    arena_free(&of_file);
}
END_TEST

Suite *grouped_suite(void) {
    Suite *suite = suite_create("grouped");
    TCase *tests = add_case(suite, "grouped queries", set_up_arena, tear_down_arena);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, slips_in_a_new_lesson_are_named);
    return suite;
}
