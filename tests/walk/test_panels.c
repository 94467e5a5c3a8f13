// What panels, labels and words beside them say: that it is about the numbers that are shown.

#include <string.h>

#include "lessons.h"
#include "sample.h"
#include "show/table.h"
#include "tensor/ops/derivation.h"
#include "trace/step.h"
#include "walk/names.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

// Starts on a number of a step, wherever the step would open.
static void start_on(const char *lesson, const char *step, int64_t row, int64_t column) {
    start_in(lesson, step);
    walker.state.row = row;
    walker.state.column = column;
}

// The weights beside a plane are those of the point that can be moved, on bars of which 1 is the whole.
START_TEST(a_plane_shows_the_weights_of_its_point) {
    start_on("trainable", "rand: scores", 0, 0);
    type("P");
    expect("weights of Your");
    expect("0.2104"); // weights[Your, journey]
    expect_none("query_weights of Your");
    expect_none("███████████");
    type("n"); // journey is the query that the lesson follows
    expect("query_weights of journey");
    expect("0.2264");
}
END_TEST

// The addends of a sum down a column are called by their rows.
START_TEST(addends_are_called_by_what_is_summed) {
    start_on("simplified", "column_sums", 0, 0);
    expect("Most: Your ████████ 0.2098  one ██████ 0.1526");
    start_on("gradients", "W_logits_bias_grad", 0, 0);
    expect("Most: with ████████ 0.0204  starts");
    start_in("simplified", "query_context");
    expect_none("Most: d1");
}
END_TEST

// Row 1 of the softmax has a single weight, so its gradient is 0, though nothing is masked there.
START_TEST(a_zero_that_was_computed_is_not_crossed_out) {
    start_on("gradients", "scores_grad", 0, 0);
    expect("Your     0.0000¦ 0.0000¦ 0.0000");
    expect("the mask is False");
    type("l");
    expect("the mask is True");
}
END_TEST

// On every page of every step: crossed out is what a mask or dropout put there.
START_TEST(every_crossed_zero_has_a_mask) {
    start(_i);
    const struct run *run = &walker.trial.run;
    for (int i = 0; i < run->step_count; i++) {
        const struct tensor *tensor = &run->steps[i].tensor;
        const int64_t count = count_of(shape_of(tensor));
        for (int64_t k = 0; k < count; k++) {
            struct cell cell = {.tensor = *tensor};
            index_at(shape_of(tensor), k, cell.index);
            if (!is_hidden_by_mask(&frame, &cell)) continue;
            const struct derivation derivation = derive(&frame, &cell, 4);
            const char *line = derivation.lines[derivation.line_count - 1];
            ck_assert_msg(cell_value(&cell) == 0 && strstr(line, "is False") == NULL, "%s: %s",
                          run->steps[i].name, line);
        }
        arena_free(&frame);
    }
}
END_TEST

// Places of cells are separated by commas, and no label is joined to the first letter of an axis.
START_TEST(a_place_is_readable) {
    start_on("trainable", "random_scores", 0, 0);
    expect("random_scores[d_k 1, 1, 1] = ");
    start_on("training", "weights", 0, 0);
    expect("weights[b1, h1, Your, Your] = ");
    start_on("gradients", "queries_grad", 0, 0);
    expect("[b1, Your, 1] = ");
    expect_none("qYour");
}
END_TEST

Suite *panels_suite(void) {
    Suite *suite = suite_create("panels");
    TCase *tests = tcase_create("panels");
    tcase_set_timeout(tests, 240);
    tcase_add_checked_fixture(tests, walk_set_up, walk_tear_down);
    tcase_add_test(tests, a_plane_shows_the_weights_of_its_point);
    tcase_add_test(tests, addends_are_called_by_what_is_summed);
    tcase_add_test(tests, a_zero_that_was_computed_is_not_crossed_out);
    tcase_add_loop_test(tests, every_crossed_zero_has_a_mask, 0, lesson_count);
    tcase_add_test(tests, a_place_is_readable);
    suite_add_tcase(suite, tests);
    return suite;
}
