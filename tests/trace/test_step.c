// Cells in other views of their numbers, and the steps that show them.

#include "cells.h"
#include "fixture.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"

#include <check.h> // last: defines a macro fail

static struct arena *const m = &arena;

// Compares with a search through all elements of the view.
static void check_views(const struct tensor *from, const struct tensor *to) {
    for (int64_t i = 0; i < elements_of(from); i++) {
        const struct cell cell = cell_number_of(from, i);
        bool is_shown = false;
        for (int64_t k = 0; k < elements_of(to); k++) {
            const struct cell other = cell_number_of(to, k);
            if (!same_element(&cell, &other)) continue;
            is_shown = true;
            struct cell found;
            ck_assert(cell_in_view(to, &cell, &found));
            ck_assert_mem_eq(found.index, other.index, sizeof other.index);
        }
        ck_assert(cell_in_view(to, &cell, NULL) == is_shown);
    }
}

START_TEST(a_cell_is_found_in_other_views) {
    const struct tensor x = full(m, SHAPE(2, 4, 6), 1);
    const struct tensor heads = transpose(view(x, SHAPE(2, 4, 2, 3)), 1, 2);
    const struct tensor views[] = {
        x,
        heads,
        transpose(x, 0, 2),
        select_index(x, 0, 1),
        narrow(narrow(x, 1, 1, 2), 2, 2, 3),
        narrow(transpose(heads, 0, 3), 1, 1, 1),
        select_index(select_index(select_index(x, 0, 1), 0, 2), 0, 3),
        full(m, SHAPE(2, 4, 6), 1),
    };
    const size_t count = sizeof views / sizeof views[0];
    for (size_t i = 0; i < count * count; i++) check_views(&views[i / count], &views[i % count]);
}
END_TEST

static struct run run_of(int count, struct step *steps) {
    for (int i = 0; i < count; i++) steps[i].number = i + 1;
    return (struct run){.steps = steps, .step_count = count};
}

START_TEST(the_nearest_step_before_shows_an_operand) {
    const struct tensor keys = journey(m), other = journey(m);
    struct step steps[] = {{.tensor = keys},
                           {.tensor = select_index(keys, 0, 1)},
                           {.tensor = transpose(keys, 0, 1)},
                           {.tensor = other},
                           {.tensor = keys}};
    const struct run run = run_of(5, steps);
    const struct tensor stranger = journey(m);
    ck_assert_ptr_eq(step_showing(&run, &keys, 5), &steps[2]);
    ck_assert_ptr_eq(step_showing(&run, &keys, 3), &steps[1]);
    ck_assert_ptr_eq(step_showing(&run, &keys, 1), &steps[0]);
    ck_assert_ptr_eq(step_showing(&run, &other, 2), &steps[3]);
    ck_assert_ptr_null(step_showing(&run, &stranger, 5));
    const struct cell cell = cell_number_of(&keys, 0);
    struct cell found;
    ck_assert_ptr_eq(step_of_cell(&run, &cell, 3, &found), &steps[0]);
    const struct cell journeys = cell_number_of(&keys, 4);
    ck_assert_ptr_eq(step_of_cell(&run, &journeys, 3, &found), &steps[1]);
    ck_assert_int_eq(found.tensor.ndim, 1);
    ck_assert_int_eq(found.index[0], 1);
}
END_TEST

Suite *step_suite(void) {
    Suite *suite = suite_create("step");
    TCase *steps = add_case(suite, "views and steps", set_up_arena, tear_down_arena);
    tcase_add_test(steps, a_cell_is_found_in_other_views);
    tcase_add_test(steps, the_nearest_step_before_shows_an_operand);
    return suite;
}
