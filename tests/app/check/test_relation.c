// A relation explains all numbers of a file, or is not named.

#include <math.h>
#include <string.h>

#include "app/check/relation.h"
#include "fixture.h"
#include "lessons.h"
#include "trace/run/step.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

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
    for (int j = 0; j < lesson_count; j++) {
        if (strcmp(lesson_table[j]->name, STEPS[i].lesson) == 0)
            run_lesson(run, &arena, lesson_table[j], &none);
    }
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
    return find_relation(&arena, run, step, numbers, &relation) ? relation.code : "none";
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

START_TEST(factors_and_offsets_are_found) {
    static const double factors[] = {2, -1, 6, 1 / 6.0, 0.731, 0.70710678, 1.5};
    for (int i = 0; i < STEP_COUNT; i++) {
        struct run run;
        const struct step *step = run_to(&run, i);
        for (size_t j = 0; j < sizeof factors / sizeof *factors; j++) {
            struct numbers numbers = numbers_of(step, j % 2 == 0 ? 0 : 6);
            transform(&numbers, factors[j], 0);
            expect(strcmp(code_for(&run, step, &numbers), "factor") == 0, "%s: %g", STEPS[i].step,
                   factors[j]);
        }
        struct numbers numbers = numbers_of(step, 6);
        transform(&numbers, 1, 0.25);
        expect(strcmp(code_for(&run, step, &numbers), "offset") == 0, "%s", STEPS[i].step);
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

Suite *relation_suite(void) {
    Suite *suite = suite_create("relation");
    TCase *tests = add_case(suite, "relation", set_up_arena, tear_down_arena);
    tcase_add_test(tests, factors_and_offsets_are_found);
    tcase_add_test(tests, noise_has_no_relation);
    return suite;
}
