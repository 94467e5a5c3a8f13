// A number in the walker: its arithmetic, what it was made of, where it goes.

#include <string.h>

#include "fixture.h"
#include "lesson.h"
#include "lessons.h"
#include "sample.h"
#include "trace/run/step.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

// Change a later token, and no earlier row changes: what the last token's number reaches, in every step.
START_TEST(a_later_token_reaches_no_earlier_row) {
    start_in("causal", "context");
    const struct run *run = &walker.trial.run;
    const struct cell cell = cell_at(&run->inputs, (int64_t[]){5, 0});
    const struct where_to reached = where_to_of(&frame, run, &cell);
    const struct tensor *context = &step_called(run, "context")->tensor;
    const struct tensor *weights = &step_called(run, "weights")->tensor; // before the mask
    for (int64_t row = 0; row < 6; row++) {
        ck_assert_int_eq(is_reached(&reached, context, (int64_t[]){row, 0}), row == 5);
        ck_assert(is_reached(&reached, weights, (int64_t[]){row, 0}));
    }
}
END_TEST

// The other direction of where from: what a number was made of goes to that number.
START_TEST(operands_go_where_they_were_used) {
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        start(lesson);
        const struct run *run = &walker.trial.run;
        for (int i = 0; i < run->step_count; i += one_in(1)) {
            const struct tensor *tensor = &run->steps[i].tensor;
            if (!is_readable(tensor)) continue;
            struct cell cell = {.tensor = *tensor};
            index_at(shape_of(tensor), count_of(shape_of(tensor)) / 2, cell.index);
            const struct derivation derivation = derive(&frame, &cell, 4);
            for (int k = 0; k < derivation.operand_count && k < 3; k++) {
                const struct where_to reached =
                    where_to_of(&frame, run, &derivation.operands[k].cell);
                ck_assert_msg(is_reached(&reached, tensor, cell.index), "operand %d of %s", k,
                              run->steps[i].name);
            }
            arena_free(&frame);
        }
        walker_free(&walker);
    }
    start(lesson_number("simplified"));
}
END_TEST

START_TEST(follows_a_number_from_step_to_step) {
    start_in("causal", "scores");
    type("jjlf");
    expect("This number goes to ");
    expect("→");
    type("f");
    expect("step 8/19");
    expect("6 of 36 numbers here depend on the one followed");
    const struct canvas plain = draw_with(24, 80, (struct look){.is_ascii = true});
    ck_assert_ptr_nonnull(strstr(all_text(&plain), "^"));
    type("F");
    expect_none("→");
}
END_TEST

// Dropout draws for the future as well, but what a mask had hidden before is not dropped.
START_TEST(what_a_mask_hid_is_not_dropped) {
    static const char *const steps[] = {"mt19937: weights_dropped", "mcg31m1: weights_dropped"};
    for (int i = 0; i < 2; i++) {
        if (i > 0) walker_free(&walker);
        start_in("dropout", steps[i]);
        const struct tensor *tensor = &current_step(&walker.state, &walker.trial.run)->tensor;
        const struct canvas canvas = draw(60, 200);
        ck_assert_ptr_nonnull(strstr(all_text(&canvas), "¦ masked ↓ dropped"));
        const struct raster *raster = &focused_page()->raster;
        int dropped = 0;
        for (int64_t row = 0; row < 6; row++) {
            for (int64_t column = 0; column < 6; column++) {
                const int64_t index[] = {row, column};
                const uint32_t mark = glyph_at(&canvas, raster->row + (int)row,
                                               raster->column + (int)column * raster->apart)
                                          ->character;
                const bool is_dropped = column <= row && element(tensor, index) == 0;
                const bool is_masked = column > row;
                ck_assert_int_eq(mark == 0xa6, is_masked);
                ck_assert_int_eq(mark == 0x2193, is_dropped);
                dropped += is_dropped;
            }
        }
        ck_assert_int_gt(dropped, 0);
    }
}
END_TEST

// A number that is used keeps the mark that says why it is 0.
START_TEST(what_is_hidden_is_marked_where_it_is_used) {
    start_at_cell("dropout", "mt19937: context", 3, 0);
    expect("↓0.000▸0.492▸0.492↓0.000¦0.000¦0.000");
    start_at_cell("window", "weights", 4, 2);
    expect("¦-inf¦-inf▸0.06▸0.01▸0.06¦-inf");
}
END_TEST

// What is masked and what is dropped have marks of their own, and a legend beside the name.
START_TEST(masked_and_dropped_are_told_apart) {
    start_in("causal", "masked_scores");
    expect("¦ masked");
    expect("¦ -inf");
    expect_none("↓");
    walker_free(&walker);
    start_in("dropout", "mt19937: weights_dropped");
    expect("↓ dropped");
    expect("↓0.0000");
}
END_TEST

START_TEST(shows_the_arithmetic_of_a_cell) {
    start_in("simplified", "scores");
    to_first_cell();
    type("jll");
    expect("0.5500·0.5700 + 0.8700·0.8500 + 0.6600·0.6400 =");
    expect_at(30, 80, "Largest terms: d2 ████████ 0.7395  d3 █████ 0.4224  d1 ███ 0.3135");
}
END_TEST

// The arithmetic is the mathematics of the step, in the order of the row, and names numbers that stand nowhere else.
START_TEST(arithmetic_is_the_mathematics_of_the_step) {
    static const struct {
        const char *lesson, *step;
        int row, column;
        const char *words;
    } shown[] = {
        {"simplified", "query_weights_by_sum", 0, 0,
         "= 0.9544 / 6.5617 = 0.1455, and 6.5617 is the sum of all query_scores"},
        {"simplified", "query_weights", 0, 1,
         "= e^1.4950 / (e^0.9544 + e^1.4950 + e^1.4754 + e^0.8434 + e^0.7070 + e^1.0865) = 0.2379"},
        {"simplified", "row_sums", 0, 0,
         "= 0.2098 + 0.2006 + 0.1981 + 0.1242 + 0.1220 + 0.1452 = 1.0000"},
        {"causal", "row_sums", 3, 0, "= 0.1869 + 0.1667 + 0.1668 + 0.1571 + 0.0000 + 0.0000 ="},
        {"rotary", "queries_rotated", 1, 0,
         "= (-0.3021)·cos(1.0000) − (-0.8709)·sin(1.0000) = 0.5696"},
        {"block", "norm: row_variance", 1, 0, "= 0.1991 (Σ of (x − mean)²) / (6 − 1) = 0.0398"},
        {"dropout", "mt19937: mean_of_draws", 3, 3, "= 43.1300 (Σ of 200) / 200 = 0.2156"},
        {"block", "without: output", 0, 0,
         "= 0.0560 × 1.0892 = 0.0610, and 0.0560 is 0.1120 × 0.5000, and 1.0892 is 1.0000 + "
         "0.0892"},
        {"training", "loss_before", 0, 0, "= (2.0306 + 1.6186 + 1.6164 + 1.3719 + 2.1449 + "},
        {"trainable", "linear: scaled", 0, 0, "= 0.2899 / 1.4142 (√2) = 0.2050"},
        {"training", "after 1: W_ffn1", 0, 0,
         "= -0.1557 (decayed) − 0.01 (learning rate) / (1 − 0.9^1) × (-2.0696e-05) (first moment) "
         "/ 0.0002070 (√second moment + ε) = -0.1457"},
        {"sampling", "temperature 0.1: counts", 0, 3,
         "= 985 of 1000 ids are 3 (forward), counted from 0"},
        {"sampling", "temperature 1: said", 0, 8,
         "= place 2 (starts), counted from 0: probability 0.9994 / random number 0.5225 = 1.9129, "
         "the largest of 6 such quotients"},
        {"embeddings", "one_hot_rows", 1, 3, "= 1, because the id is 3 and this is place 3,"},
        {"padding", "left: weights_with_finite_min", 0, 0,
         "= e^(-3.4028e+38 − (-3.4028e+38)) / Σ e^(x − (-3.4028e+38)) = 0.1667, the largest"},
        {"causal", "causal_weights", 1, 0, "e^(-inf)) = 0.5517, and e^(-inf) is 0"},
        {"model", "feed_forward", 4, 0, "= 0.4898; 0.0737, ... are W_ffn2[1, :]"},
        {"gradients", "feed_forward_grad", 2, 1, "= -0.0796; -0.3265, ... are W_logits[:, 2]"},
        {"model", "W_query", 0, 0, "W_query[1, 1] = -0.0934, drawn"},
        {"model", "scores", 0, 0, "= -0.4694 × 0.7071 (1/√2) = -0.3319"},
        {"sampling", "text_loss", 0, 0, "= (0.0003257 + 0.0008616 + "},
        {"cache", "token 4: key_cache", 3, 0,
         "= 0.2200·0.4058 + 0.5800·(-0.4704) + 0.3300·0.2368 ="},
        {"grouped_query", "keys_repeated", 0, 0, "= keys_by_group[b1, g1, Your, 1] ="},
    };
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        start_at_cell(shown[i].lesson, shown[i].step, shown[i].row, shown[i].column);
        const struct canvas canvas = draw(24, 80);
        const char *screen = collapsed(all_text(&canvas));
        ck_assert_msg(strstr(screen, shown[i].words) != NULL, "%s is not in:\n%s", shown[i].words,
                      screen);
        walker_free(&walker);
    }
    start(lesson_number("simplified"));
}
END_TEST

// A sum of two products is walked term by term as well.
START_TEST(goes_into_a_turn) {
    start_at_cell("rotary", "queries_rotated", 1, 0);
    type("iiinnnnnnnn");
    expect("queries_rotated[journey, 1]: (-0.3021)·cos(1.0000) = -0.1632, the sum so far");
    press('n');
    expect("queries_rotated[journey, 1]: -0.1632 − (-0.8709)·sin(1.0000) = 0.5696");
    expect_none("no product of two rows");
    walker_free(&walker);
    start_at_cell("rotary", "pairs: queries_rotated", 1, 0); // copied from the sum
    type("iiinnnn");
    expect("queries_rotated[journey, 1]: (-0.3021)·cos(1.0000) = -0.1632, the sum so far");
    press('n');
    expect("queries_rotated[journey, 1]: -0.1632 − (-0.0289)·sin(1.0000) = -0.1389");
}
END_TEST

START_TEST(follows_a_number_to_its_operands_and_back) {
    start_in("simplified", "weights");
    press(PRESS_ENTER);
    expect("weights[Your, Your] = 0.2098, by softmax");
    press(PRESS_DOWN);
    press(PRESS_ENTER);
    expect("scores[Your, journey] = 0.9544, by matmul");
    press(PRESS_ENTER);
    expect("Nothing comes before this");
    press(PRESS_BACKSPACE);
    expect("scores[Your, journey] = 0.9544, by matmul");
    press('g');
    ck_assert_str_eq(current_step(&walker.state, &walker.trial.run)->name, "scores");
    ck_assert_int_eq(walker.state.column, 1);
}
END_TEST

START_TEST(shows_cells_that_are_not_computed_yet_as_such) {
    start_in("simplified", "scores");
    type("i");
    expect("row 1/6");
    expect("journey 0.5500 0.8700 0.6600         ·");
    type("n");
    expect("journey▸0.5500▸0.8700▸0.6600    0.9544");
}
END_TEST

// A part of a line has the step's name, its line's, and what is computed; no text runs into another.
START_TEST(names_what_is_computed_of_a_line) {
    start_in("simplified", "weights");
    type("ii");
    expect("weights row Your: max = 0.9995");
    walker_free(&walker);
    start_in("simplified", "query_weights");
    type("ii");
    expect("query_weights: max = 1.4950");
}
END_TEST

START_TEST(memory_tells_nothing_that_is_to_be_guessed) {
    start_in("split_head", "queries_by_head");
    press('m');
    expect("-0.3021 #2");
    press('e');
    expect("queries_by_head[b1, h1, Your, 1] = ?");
    expect_none("#2");
    press('r');
    expect("-0.3021 #2");
}
END_TEST

START_TEST(asks_for_the_next_cell_inside_a_step) {
    start_in("simplified", "scores");
    type("iie");
    expect("scores[Your, journey] = ?");
    expect("   0.9995      ?      ·");
    type("1");
    press(PRESS_ENTER);
    expect("   0.9995 0.9544      ·");
}
END_TEST

START_TEST(says_what_a_step_changed) {
    start_in("causal", "masked_scores");
    type("t");
    expect_at(40, 120, "15 of 36 changed");
}
END_TEST

START_TEST(memory_says_what_stands_there) {
    start_in("split_head", "queries_by_head");
    press('m');
    expect("Left: place in memory. Each number's head (A: first), value, #turn");
    expect("Not contiguous: this shape reads the places 1, 3, 5, 7, 9, 11, 2, 4, …");
    expect("     5 A -0.3015 #3  B -0.0232 #9 ");
    press('b');
    press('b');
    expect("This shape reads the 24 numbers from front to back: contiguous.");
}
END_TEST

Suite *number_suite(void) {
    Suite *suite = suite_create("number");
    TCase *tests = add_case(suite, "number", walk_set_up, walk_tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, a_later_token_reaches_no_earlier_row);
    tcase_add_test(tests, operands_go_where_they_were_used);
    tcase_add_test(tests, follows_a_number_from_step_to_step);
    tcase_add_test(tests, what_a_mask_hid_is_not_dropped);
    tcase_add_test(tests, what_is_hidden_is_marked_where_it_is_used);
    tcase_add_test(tests, masked_and_dropped_are_told_apart);
    tcase_add_test(tests, shows_the_arithmetic_of_a_cell);
    tcase_add_test(tests, arithmetic_is_the_mathematics_of_the_step);
    tcase_add_test(tests, goes_into_a_turn);
    tcase_add_test(tests, follows_a_number_to_its_operands_and_back);
    tcase_add_test(tests, shows_cells_that_are_not_computed_yet_as_such);
    tcase_add_test(tests, names_what_is_computed_of_a_line);
    tcase_add_test(tests, memory_tells_nothing_that_is_to_be_guessed);
    tcase_add_test(tests, asks_for_the_next_cell_inside_a_step);
    tcase_add_test(tests, says_what_a_step_changed);
    tcase_add_test(tests, memory_says_what_stands_there);
    return suite;
}
