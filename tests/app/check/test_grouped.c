// What `check` says of the slips of a lesson that no list has (grouped.h), with the numbers that PyTorch gives for them
// (pytorch_grouped.py): the slip first, and nothing that is not one.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/check/diagnose.h"
#include "attempts.h"
#include "base/text.h"
#include "fixture.h"
#include "sample.h"
#include "tensor/file/format.h"
#include "tensor/file/numbers_read.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"
#include "trace/what_if/grouped.h"

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
static void check_values(struct slip *slip, const struct step *step, char *values) {
    const struct shape shape = shape_of(&step->tensor);
    const size_t count = (size_t)count_of(shape);
    struct numbers numbers = {.form = FORM_NPY, .shape = shape, .decimals = -1};
    numbers.values = arena_array(&arena, count, sizeof *numbers.values);
    float *floats = arena_array(&arena, count, sizeof *floats);
    for (size_t i = 0; i < count; i++) {
        numbers.values[i] = strtod(values, &values);
        floats[i] = (float)numbers.values[i];
    }
    check_diagnosis(slip, step, &numbers);
    const struct tensor printed = tensor_of(&arena, shape, floats);
    const char *text = torch_text(&arena, &printed, 4);
    numbers = numbers_read(&arena, "printed", text, strlen(text));
    check_diagnosis(slip, step, &numbers);
}

// "case BATCH : MISTAKE"
static struct slip read_case(char *line) {
    const int64_t batch = strtoll(line + strlen("case "), NULL, 10);
    const struct parameters parameters = {.given = batch > 0 ? USES_BATCH : 0, .batch = batch};
    struct slip slip = {.heading = arena_copy(&arena, line)};
    slip.right = must_run(&arena, &grouped_lesson, &parameters);
    slip.name =
        arena_copy_bytes(&arena, strstr(line, ": ") + 2, strcspn(strstr(line, ": ") + 2, "\n"));
    return slip;
}

START_TEST(slips_in_a_new_lesson_are_named) {
    static char line[1 << 14], values[1 << 14];
    FILE *file = fopen(TEST_DATA "/grouped.txt", "r");
    ck_assert_ptr_nonnull(file);
    struct slip slip = {.named = 1};
    bool is_taken = true;
    int cases = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "case ", 5) == 0) {
            expect(slip.named > 0, "%snever named", slip.heading);
            arena_free(&arena);
            slip = read_case(line);
            is_taken = cases++ % one_in(3) == 0;
            slip.named = is_taken ? 0 : 1;
            continue;
        }
        ck_assert_ptr_nonnull(fgets(values, sizeof values, file));
        if (!is_taken) continue;
        char *name = strstr(line, ": ") + 2;
        name[strcspn(name, "\n")] = '\0';
        const struct step *step = step_called(&slip.right, name);
        ck_assert_ptr_nonnull(step);
        check_values(&slip, step, values);
    }
    fclose(file);
    expect(slip.named > 0, "%snever named", slip.heading);
}
END_TEST

Suite *grouped_suite(void) {
    Suite *suite = suite_create("grouped");
    TCase *tests = add_case(suite, "grouped queries", set_up_arena, tear_down_arena);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, slips_in_a_new_lesson_are_named);
    return suite;
}
