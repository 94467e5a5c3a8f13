// A relation, or what was done at the end of a line, explains all numbers of a file, or is not named.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/check/rounding/narrowed.h"
#include "attempts.h"
#include "fixture.h"
#include "lesson.h"
#include "records.h"
#include "sample.h"
#include "show/table.h"
#include "tensor/file/numbers_read.h"
#include "tensor/ops/ops.h"
#include "tensor/text/format.h"
#include "trace/run/expression.h"
#include "trace/run/step.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"
#include "sample.h"

static const struct {
    const char *lesson, *step;
} STEPS[] = {{"simplified", "context"},
             {"trainable", "rand: scores"},
             {"causal", "scores"},
             {"split_head", "output"},
             {"gradients", "W_query_grad"}};
enum { STEP_COUNT = sizeof STEPS / sizeof *STEPS };

static const struct step *run_to(struct run *run, int i) {
    const struct parameters none = {0};
    run_lesson(run, &arena, lesson_called(STEPS[i].lesson), &none);
    return find_step(run, STEPS[i].step, &failure);
}

// The step's numbers as a file with so many decimals, or exact ones.
static struct numbers numbers_of(const struct step *step, int decimals) {
    const int64_t count = count_of(shape_of(&step->tensor));
    struct numbers numbers = {.form = FORM_TENSOR, .shape = shape_of(&step->tensor)};
    numbers.values = arena_array(&arena, (size_t)count, sizeof *numbers.values);
    if (decimals > 0)
        numbers.half_units = arena_array(&arena, (size_t)count, sizeof *numbers.half_units);
    for (int64_t i = 0; i < count; i++) {
        numbers.values[i] = element_at(&step->tensor, i);
        if (decimals > 0) numbers.half_units[i] = 0.5 * pow(10, -decimals);
    }
    return numbers;
}

static const char *code_for(const struct run *run, const struct step *step,
                            const struct numbers *numbers) {
    struct relation relation;
    struct edited edited;
    const double *allowed = least_allowed(&arena, numbers, &step->tensor);
    if (find_relation(&arena, run, step, numbers, allowed, &relation)) return relation.code;
    return find_fitted(&edited, &arena, run, step, numbers, allowed) ? edited.line : "none";
}

static const char *code_in_all(const struct run *run, const struct step *step,
                               struct numbers numbers) {
    struct checked checked = {.run = run, .step = step, .file = "mine", .numbers = numbers};
    judge(&arena, &checked);
    return code_of(&arena, &checked);
}

static void transform(struct numbers *numbers, double factor, double offset) {
    for (int64_t i = 0; i < count_of(numbers->shape); i++) {
        double *value = &numbers->values[i];
        *value = *value * factor + offset;
        if (numbers->half_units == NULL) continue;
        const double unit = 2 * numbers->half_units[i];
        *value = rint(*value / unit) * unit;
    }
}

// A loss of another unit is one number, and tells of no other factor.
START_TEST(a_loss_of_another_unit_has_a_name) {
    static const struct {
        double factor;
        const char *name;
    } losses[] = {
        {1 / 6.0, "loss-per-word"}, {-1, "loss-negative"}, {1.4426950408889634, "loss-in-bits"}};
    const struct parameters none = {0};
    struct run run;
    run_lesson(&run, &arena, lesson_called("model"), &none);
    const struct step *step = find_step(&run, "loss", &failure);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        struct numbers numbers = numbers_of(step, 4);
        transform(&numbers, losses[i].factor, 0);
        ck_assert_str_eq(code_in_all(&run, step, numbers), losses[i].name);
    }
    struct numbers numbers = numbers_of(step, 4);
    transform(&numbers, 0.7, 0);
    ck_assert_str_eq(code_for(&run, step, &numbers), "none");
}
END_TEST

START_TEST(factors_and_offsets_are_found) {
    static const double factors[] = {2, -1, 6, 1 / 6.0, 0.731, 0.70710678, 1.5};
    static const char *const texts[] = {" * 2\n",     " = -",        " * 6\n",  " / 6\n",
                                        " * 0.731\n", " / 2**0.5\n", " * 1.5\n"};
    for (int i = 0; i < STEP_COUNT; i++) {
        struct run run;
        const struct step *step = run_to(&run, i);
        for (size_t j = 0; j < sizeof factors / sizeof *factors; j++) {
            struct numbers numbers = numbers_of(step, j % 2 == 0 ? 0 : 6);
            transform(&numbers, factors[j], 0);
            const char *line = code_for(&run, step, &numbers), *wanted = texts[j];
            expect(strstr(line, wanted) != NULL, "%s: %s, not %s", STEPS[i].step, line, wanted);
        }
        struct numbers numbers = numbers_of(step, 6);
        transform(&numbers, 1, 0.25);
        expect(strstr(code_for(&run, step, &numbers), " + 0.25\n") != NULL, "%s", STEPS[i].step);
    }
}
END_TEST

// Numbers drawn here, near the right ones or far from them, with few digits or all.
START_TEST(noise_has_no_relation) {
    uint64_t state = 1;
    for (int i = 0; i < STEP_COUNT; i++) {
        struct run run;
        const struct step *step = run_to(&run, i);
        for (int j = 0; j < 200; j++) {
            struct numbers numbers = numbers_of(step, j % 4 * 2);
            for (int64_t k = 0; k < count_of(numbers.shape); k++) {
                state = state * 6364136223846793005U + 1442695040888963407U;
                const double drawn = (double)(state >> 33) / 0x1p31 - 0.5;
                numbers.values[k] += drawn * (j % 2 == 0 ? 0.05 : 2);
            }
            transform(&numbers, 1, 0);
            const char *code = code_for(&run, step, &numbers);
            expect(strcmp(code, "none") == 0, "%s, noise %d: %s", STEPS[i].step, j, code);
        }
    }
}
END_TEST

// The right numbers, and others that are drawn: from the same interval, or from the right ones, if there are so many that
// these are in no order.
static void check_unrelated(const struct run *run, const struct step *step, uint64_t *state) {
    enum { KINDS = 3, WAYS = 4 };
    for (int i = 0; i < KINDS * WAYS; i++) {
        struct numbers numbers = numbers_of(step, i % WAYS * 2);
        const int64_t count = count_of(numbers.shape);
        double most = 0;
        for (int64_t k = 0; k < count; k++)
            if (isfinite(numbers.values[k])) most = fmax(most, fabs(numbers.values[k]));
        const int kind = has_rows(&step->tensor) && count > 9 ? i / WAYS : i / WAYS % 2;
        for (int64_t k = 0; k < count && kind > 0; k++) {
            *state = *state * 6364136223846793005U + 1442695040888963407U;
            const int64_t other = (int64_t)((*state >> 33) % (uint64_t)count);
            numbers.values[k] = kind == 1 ? most * ((double)(*state >> 33) / 0x1p30 - 1)
                                          : element_at(&step->tensor, other);
        }
        transform(&numbers, 1, 0);
        const char *code = code_for(run, step, &numbers);
        expect(strcmp(code, "none") == 0, "%s, %s, %d: %s", run->lesson->name,
               step_label(&arena, step), i, code);
    }
}

START_TEST(neither_right_nor_drawn_numbers_have_a_relation) {
    enum { MOST = 400 };
    uint64_t state = 7;
    for (int i = 0; i < lesson_count; i++) {
        const struct run run = must_run(&arena, lesson_table[i], &(struct parameters){0});
        for (int j = 0; j < run.step_count; j += one_in(3)) {
            const struct step *step = &run.steps[j];
            if (count_of(shape_of(&step->tensor)) <= MOST) check_unrelated(&run, step, &state);
        }
    }
}
END_TEST

// ---- Slips made in PyTorch (pytorch_checks.py relations) ------------------------------------------

// "split_head --heads=4 --bias": a lesson and its options.
static struct run run_of(const char *words) {
    struct parameters parameters = {0};
    const struct lesson *lesson = lesson_called(next_word(&arena, &words));
    for (const char *word = next_word(&arena, &words); word != NULL;
         word = next_word(&arena, &words)) {
        const size_t length = strcspn(word, "=");
        const struct parameter *parameter =
            parameter_by_option(arena_copy_bytes(&arena, word, length));
        const char *value = word[length] == '=' ? word + length + 1 : "yes";
        ck_assert_msg(parameter != NULL && set_parameter(&parameters, parameter, value), "%s",
                      word);
    }
    return must_run(&arena, lesson, &parameters);
}

// As PyTorch prints them, with so many decimals.
static struct numbers printed(struct numbers numbers, int decimals) {
    const int64_t count = count_of(numbers.shape);
    float *floats = arena_array(&arena, (size_t)count, sizeof *floats);
    for (int64_t i = 0; i < count; i++) floats[i] = (float)numbers.values[i];
    const struct tensor tensor = tensor_of(&arena, numbers.shape, floats);
    const char *text = torch_text(&arena, &tensor, decimals);
    return numbers_read(&arena, "printed", text, strlen(text));
}

// OPTIONS | STEP | CODE | SHAPE | VALUE ... Every other one is a file of numbers, every other one a print with four decimals;
// those of a cast are a file of whole numbers.
static void check_slip(const struct record *record, bool every_other) {
    struct run run = run_of(record->fields[0]);
    const struct step *step = tensor_asked_for(&arena, &run, record->fields[1]);
    const bool is_cast = strcmp(record->fields[2], "cast") == 0;
    const bool is_printed = every_other && !is_cast;
    struct numbers numbers = {.form = FORM_NPY,
                              .dtype = is_cast ? "int64" : "float32",
                              .shape = read_shape(record->fields[3]),
                              .decimals = -1};
    numbers.values = numbers_in(&arena, record->fields[4], count_of(numbers.shape));
    const char *code = code_in_all(&run, step, is_printed ? printed(numbers, 4) : numbers);
    expect(strcmp(code, record->fields[2]) == 0, "%s, %s%s: %s, not %s", record->fields[0],
           record->fields[1], is_printed ? ", printed" : "", code, record->fields[2]);
}

START_TEST(slips_made_in_pytorch_are_named) {
    const char *text = data_file(&arena, "relations.txt");
    struct record record;
    const int every = one_in(6);
    for (int i = 0; next_record(&arena, &text, &record); i++) {
        if (i % every == 0) check_slip(&record, false);
        if ((i + 1) % every == 0) check_slip(&record, true);
    }
}
END_TEST

Suite *relation_suite(void) {
    Suite *suite = suite_create("relation");
    TCase *tests = add_case(suite, "relation", set_up_arena, tear_down_arena);
    tcase_add_test(tests, factors_and_offsets_are_found);
    tcase_add_test(tests, a_loss_of_another_unit_has_a_name);
    tcase_add_test(tests, noise_has_no_relation);
    tcase_add_test(tests, neither_right_nor_drawn_numbers_have_a_relation);
    tcase_add_test(tests, slips_made_in_pytorch_are_named);
    tcase_set_timeout(tests, 200);
    return suite;
}
