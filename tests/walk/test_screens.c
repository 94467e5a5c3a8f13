// What stands on the walker's screens, for every step of every lesson.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "lesson.h"
#include "lessons.h"
#include "sample.h"
#include "show/picture/curve.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/operation/terms.h"
#include "trace/run/step.h"
#include "walk/kit/names.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

// To the next step: beside this one, or on the next screen.
static void go_on(void) {
    const struct stop stop = stop_at(&walker.trial.run, walker.state.step);
    press(walker.state.step < stop.first + stop.count - 1 ? ';' : 'N');
}

// All words of a step can be read, if not on its screen, then on a page of their own.
static void check_words(const struct step *step) {
    type("t");
    const struct canvas page = draw(60, 80);
    const char *text = all_text(&page);
    const char *words = collapsed(step->paragraph->explanation);
    ck_assert_msg(strstr(collapsed(text), words) != NULL, "'%s' is not there", words);
    press(PRESS_ESCAPE);
}

// Six letters in a column of five: the number is what tells one from the other.
// Small numbers keep their digits: they share a factor. Nine digits need none.
START_TEST(small_numbers_have_a_factor_in_common) {
    start_in("gradients", "masked_scores_grad");
    expect("masked_scores_grad ×10⁻³");
    expect("-1.0055 -0.6883 -0.1069  1.8006");
    expect("= -0.001561 × 0.3888 = -0.0006069");
    press('d');
    expect_none("×10⁻");
}
END_TEST

START_TEST(every_step_shows_what_matters) {
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        start(lesson);
        for (int i = 0; i < walker.trial.run.step_count; i++) {
            const struct canvas canvas = draw(24, 80);
            const struct step *step = current_step(&walker.state, &walker.trial.run);
            const char *text = all_text(&canvas);
            ck_assert_int_eq(step->number, i + 1);
            check_cursor(&canvas);
            ck_assert_msg(strstr(text, arena_format(&frame, "step %d/", i + 1)) != NULL, "%s",
                          text);
            ck_assert_msg(strstr(text, "? help") != NULL, "%s", text);
            ck_assert_msg(strstr(text, "q quit") != NULL, "%s", text);
            ck_assert_msg(strstr(text, "n next") != NULL, "%s", text);
            ck_assert_msg(strstr(text, "t text") != NULL || strstr(text, "t code") != NULL, "%s",
                          text);
            check_words(step);
            go_on();
        }
        walker_free(&walker);
    }
    start(lesson_number("simplified"));
}
END_TEST

START_TEST(steps_of_a_paragraph_share_a_screen) {
    start_in("causal", "W_query");
    expect(" W_query ");
    expect(" W_value ");
    expect("1 of 3");
    type(";");
    expect("step 2/19");
    expect("2 of 3");
    type("N");
    expect("step 4/19");
    type("b");
    expect("step 1/19");
}
END_TEST

static bool needs_exponents(const struct tensor *tensor) {
    enum { FIRST_WITH_AN_EXPONENT = 100000000 };
    for (int64_t i = 0; i < count_of(shape_of(tensor)); i++) {
        const double size = fabs(element_at(tensor, i));
        if (isfinite(size) && size >= FIRST_WITH_AN_EXPONENT) return true;
    }
    return false;
}

// What is too large to be seen beside its result at 80x24; Enter shows it. The most negative float is printed with an
// exponent, and so are all numbers beside it.
static bool is_large(const struct tensor *tensor) {
    const struct table table = table_of(tensor);
    return table.columns > 8 || table.rows > 12 || needs_exponents(tensor);
}

static bool is_in_picture(const struct tensor *tensor) {
    for (int i = 0; i < walker.shown.count; i++) {
        if (walker.shown.pages[i].tensor.storage == tensor->storage) return true;
    }
    return false;
}

static void check_on_screen(const char *screen, const char *words) {
    ck_assert_msg(strstr(screen, collapsed(words)) != NULL, "%s, step %d: '%s' is not in\n%s",
                  walker.trial.run.lesson->name, walker.state.step + 1, words, screen);
}

// The line of a parameter in a list: its name, its shape, and between which numbers its own lie.
static const char *line_in_list(const struct step *step) {
    const struct shape shape = shape_of(&step->tensor);
    int64_t index[MAX_DIMS] = {0};
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index)) {
        least = fmin(least, element(&step->tensor, index));
        most = fmax(most, element(&step->tensor, index));
    }
    return arena_format(&frame, "%s %s %.2f to %.2f", step->name, shape_text(&frame, shape), least,
                        most);
}

// A number that is only moved says from where; an operand without a step of its own is called by its formula.
START_TEST(movements_and_formulas_are_named) {
    static const struct {
        const char *lesson, *step, *words;
    } shown[] = {
        {"split_head", "queries_viewed",
         "queries_viewed[b1, Your, 2, 1] = queries[b1, Your, 2] = 0.3965"},
        {"split_head", "context_contiguous",
         "= context_transposed[b1, Your, 2, 1] = 0.2216 (place 7 in memory before, place 2 now)"},
        {"split_head", "places_scrambled", "places_scrambled[b1, h1, 1, 1] = places[b1, 1, 1] ="},
        {"split_head", "context", "context[b1, Your, 1] = context_contiguous[b1, Your, 1, 1] ="},
        {"split_head", "places_in_heads",
         "[b1, h1, 2, 1] = places_by_head[b1, h1, 2, 1] = 211.0000 (place 5 in memory before, "
         "place 3"},
        {"grouped_query", "batch", "batch[b1, Your, d1] = inputs[Your, d1] = 0.4300 "},
        {"wrapper", "batch", "batch[b1, Your, d1] = inputs[Your, d1] = 0.4300"},
        {"wrapper", "mask", "mask[4, 5] = mask_buffer[4, 5] = True"},
        {"causal", "weights", "scores / √2 (6, 6)"},
        {"model", "hidden", "W_ffn1(attention)"},
        {"model", "scores", "queries keysᵀ (1, 2, 5, 5)"},
        {"model", "attention", "context (1, 5, 4)"},
        {"dropout", "causal_weights", "masked scores / √2 (6, 6)"},
        {"padding", "left: mask", "causal mask mask (2, 6, 6)"},
        {"block", "norm: out", "layer(batch_example) (2, 6)"},
        {"block", "norm: out_ln", "out − row_mean (2, 6) divisor"},
        {"window", "seen", "~mask (6, 6)"},
        {"rotary", "pairs: W_query_reordered", "W_query[0::2] (2, 3) W_query[1::2] (2, 3)"},
        {"sampling", "untrained: next_logits", "layer's weight (6, 4)"},
        {"split_head", "wrapper_context", "context 1 context 2"},
        {"embeddings", "position_embeddings", "positions"},
        {"trainable", "largest_weights", "= 27.5039 (Σ of 32) / 32 = 0.8595"},
        {"gradients", "slope", "= 0.0988 / 2.0000 = 0.0494, and 0.0988 is 1.8163 − 1.7175"},
        {"gradients", "W_logits_grad", "logits_gradᵀ (6, 5)"},
        {"trainable", "rand: query_scores", "queries[journey]"},
        {"cache", "token 5: query", "inputs[4:5] (1, 3)"},
    };
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        start_in(shown[i].lesson, shown[i].step);
        const struct canvas canvas = draw(24, 80);
        check_on_screen(collapsed(all_text(&canvas)), shown[i].words);
    }
}
END_TEST

// Parameters that are shown in a row take a line each, with the open one beside them; where the screen is too narrow,
// the open one stands alone.
START_TEST(parameters_take_a_line_each) {
    static const struct {
        const char *lesson;
        int count;
    } listed[] = {
        {"trainable", 0}, {"split_head", 0}, {"model", 14}, {"gradients", 15}, {"training", 45}};
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
        start_in(listed[i].lesson, "1");
        const struct run *run = &walker.trial.run;
        int count = 0;
        for (int number = 0; number < run->step_count; number++) {
            const struct stop stop = stop_at(run, number);
            if (!lists_parameters(run, stop)) continue;
            count++;
            go_to_step(&walker.state, run, number);
            for (int k = stop.first; k < stop.first + stop.count; k++) {
                const struct canvas canvas = draw(24, 80);
                const char *screen = collapsed(all_text(&canvas));
                const bool is_cut = strstr(screen, "⋮") != NULL; // the explanation comes first
                if (!is_cut || k == number) check_on_screen(screen, line_in_list(&run->steps[k]));
            }
            char open[64];
            snprintf(open, sizeof open, "› %s ", run->steps[number].name);
            expect(open);
            ck_assert(is_in_picture(&run->steps[number].tensor));
            draw(12, 40);
            ck_assert(is_in_picture(&run->steps[number].tensor));
        }
        ck_assert_int_eq(count, listed[i].count);
        walker_free(&walker);
    }
    start(lesson_number("simplified"));
}
END_TEST

// One press passes over a list. Up and down go along it, through the rows of each parameter; a click opens one.
START_TEST(a_list_is_walked_through) {
    start_in("training", "ids");
    type("nn");
    expect("step 17/70  weights_before");
    type("b");
    expect("drawn: embedding");
    to_first_cell();
    type("jjjjjj");
    expect("drawn: W_query ");
    ck_assert_int_eq(walker.state.row, 0);
    type("k");
    expect("drawn: embedding ");
    ck_assert_int_eq(walker.state.row, 5);
    type("0kkkkkk");
    expect("drawn: embedding "); // the first of them
    const struct canvas canvas = draw(24, 80);
    int row = 0;
    while (strstr(row_text(&canvas, row, 0), " W_ffn2 ") == NULL) row++;
    walker_press(&walker, (struct press){PRESS_CLICK, row, 5}, 24);
    expect("drawn: W_ffn2 ");
    walker_free(&walker);
    start_in("training", "drawn: W_logits_bias");
    type("j");
    expect("drawn: W_logits_bias "); // the last
}
END_TEST

// Ranges would tell what is to be guessed, and what is not computed yet.
START_TEST(a_list_gives_nothing_away) {
    start_in("training", "trained: W_query");
    expect("› W_query ");
    type("e");
    expect_none(" to -");
    expect_none("› W_query ");
    press(PRESS_ESCAPE);
    type("i");
    expect_none("› W_query ");
    type("o");
    expect("› W_query ");
    type("m");
    expect_none("› W_query ");
}
END_TEST

// Where memory is the subject, its line has the strides alone.
START_TEST(strides_stand_alone) {
    start_in("split_head", "queries_viewed");
    expect("strides (12, 2, 1, 1)");
    expect_none("; from -0.3536");
}
END_TEST

// Weights after training stand beside those before it: the same head, and the same keys in sight; and what the
// number under the cursor was before.
START_TEST(weights_stand_beside_earlier_ones) {
    start_in("training", "weights");
    const struct tensor *before = &step_called(&walker.trial.run, "weights_before")->tensor;
    for (int64_t cell = 0; cell < 200; cell += 3) {
        walker.state.page = cell / 100;
        choose_cell(&walker.state, &walker.trial.run, cell / 10 % 10, cell % 10);
        const struct cell focus = current_cell(&walker.state, &walker.trial.run);
        char wanted[64];
        snprintf(wanted, sizeof wanted, "; in weights_before %s PyTorch",
                 number_in_digits(&frame, element(before, focus.index), 4));
        const struct canvas canvas = draw(24, 80);
        ck_assert_msg(strstr(collapsed(all_text(&canvas)), wanted) != NULL, "no %s", wanted);
        ck_assert_int_eq(walker.shown.count, 2);
        const struct shown_page *own = &walker.shown.pages[0], *other = &walker.shown.pages[1];
        ck_assert_int_eq(own->page, cell / 100);
        ck_assert_int_eq(other->page, cell / 100);
        ck_assert_int_ge(own->raster.rows, 9); // the explanation comes first
        ck_assert_int_eq(other->raster.row, own->raster.row);
        ck_assert_int_ge(own->raster.columns, 6);
        ck_assert_int_eq(other->raster.columns, own->raster.columns);
        ck_assert_int_eq(other->raster.first_column, own->raster.first_column);
    }
    expect_at(60, 200, "  difference ");
    ck_assert_int_eq(walker.shown.count, 3);
    draw(12, 40);
    ck_assert_int_eq(walker.shown.count, 1); // there is no room for two
    type("e");
    expect("weights_before");
    expect_none("in weights_before"); // it would help to guess
}
END_TEST

// Two softmaxes on one screen stand beside each other, and not beside their scores; nor does a step that is compared
// with an earlier one.
static bool is_pair_of_weights(void) {
    const struct stop stop = stop_at(&walker.trial.run, walker.state.step);
    const struct step *steps = &walker.trial.run.steps[stop.first];
    return stop.count == 2 && is_in_picture(&steps[0].tensor) && is_in_picture(&steps[1].tensor) &&
           steps[0].tensor.storage->origin->operation == steps[1].tensor.storage->origin->operation;
}

// The eighths of rows that the bar above a number of the focused row takes.
static int eighths_above(const struct canvas *canvas, const struct shown_page *page,
                         int64_t column) {
    const int at =
        page->raster.column + 1 + (int)(column - page->raster.first_column) * page->raster.apart;
    int eighths = 0;
    for (int row = page->area.row - 1; row > 0; row--) {
        const uint32_t character = glyph_at(canvas, row, at)->character;
        if (character <= 0x2580 || character > 0x2588) break;
        eighths += (int)(character - 0x2580);
    }
    return eighths;
}

// Two ways to weigh open side by side as bars, for one d_k. Up and down change it. The full bar, of five rows here, is
// the largest number of both.
START_TEST(weights_are_compared_as_bars) {
    start_in("trainable", "unscaled_weights");
    expect("unscaled_weights d_k 128 ");
    expect(" scaled_weights d_k 128 ");
    type("kkkkkkkk");
    for (int row = 0; row < 9; row++) {
        char both[64];
        snprintf(both, sizeof both, "d_k %d scaled_weights d_k %d", 1 << row, 1 << row);
        const struct canvas canvas = draw(24, 80);
        check_on_screen(collapsed(all_text(&canvas)), both);
        ck_assert_int_eq(walker.shown.count, 2);
        for (int i = 0; i < 2 * 6; i++) {
            const struct shown_page *page = &walker.shown.pages[i / 6];
            const int64_t index[] = {row, i % 6};
            const double number = element(&page->tensor, index);
            const int eighths = (int)fmax(1, round(number * 8 * 5));
            ck_assert_int_eq(eighths_above(&canvas, page, i % 6), eighths);
        }
        type("j");
    }
    const struct canvas ascii = draw_with(24, 80, (struct look){.is_ascii = true});
    ck_assert_ptr_nonnull(strstr(all_text(&ascii), " ###"));
    type("e");
    expect_none("█"); // it would help to guess
}
END_TEST

// Operands and result of a cell are on screen together, and its arithmetic is complete.
static int check_picture(const struct step *step) {
    int missing = 0;
    const struct canvas canvas = draw(24, 80);
    const char *text = all_text(&canvas);
    ck_assert(is_in_picture(&step->tensor));
    for (int row = 2; row < canvas.rows - 2; row++)
        ck_assert_msg(strstr(row_text(&canvas, row, 0), "…") == NULL, "%s", text);
    if (!is_readable(&step->tensor)) return missing;
    enum { MOST = 3 }; // operands; an update has its own and two means beside the gradient
    if (step->tensor.storage->origin->operand_count > MOST) return missing;
    const struct cell cell = current_cell(&walker.state, &walker.trial.run);
    const struct derivation derivation = derive(&frame, &cell, 4);
    bool has_large = is_large(&step->tensor);
    for (int i = 0; i < derivation.operand_count; i++)
        has_large = has_large || is_large(&derivation.operands[i].cell.tensor);
    const bool is_view = shows_view(&walker.trial.run, step);
    ck_assert_msg(!step->has_plane || strstr(text, "↑") != NULL, "%s", text);
    // Bars of several rows and points stand in the place of operands: they are what the step is about.
    if (is_pair_of_weights() || step->beside != NULL || step->has_plane ||
        charts_of(&step->tensor) > 1)
        return missing;
    if (derivation.line_count > 0 && // arithmetic that is this long leaves no room for operands
        text_width(derivation.lines[derivation.line_count - 1]) > 140)
        return missing;
    for (int i = 0; i < derivation.operand_count && !has_large && !is_view; i++) {
        const struct tensor *operand = &derivation.operands[i].cell.tensor;
        const char *name = short_name(&frame, operand_name(&frame, &walker.trial.run, &derivation,
                                                           &derivation.operands[i], step->number));
        if (operand->ndim > 0 && name != NULL && !is_in_picture(operand)) missing = 1;
    }
    if (derivation.operand_count == 0 || derivation.operand_count > 24) return missing;
    const struct operation *operation = derivation.origin->operation;
    const bool is_moved = is_view || operation->moves || operation == &repeat_row ||
                          operation == &repeat_interleave_row;
    const char *last = derivation.lines[derivation.line_count - 1];
    const bool is_total = operation == &var_row; // what is added up stands in brackets
    const bool is_in_order = operation == &softmax_row || operation == &sum_row ||
                             operation == &mean_row || adds_products(&derivation);
    const char *number = cell_number(&frame, &cell, 4);
    if (is_in_order) number = number_in_arithmetic(&frame, derivation.value, 4);
    const char *line = is_moved || is_in_order ? arena_format(&frame, " = %s", number)
                                               : collapsed(is_total ? strstr(last, " / ") : last);
    ck_assert_msg(strstr(collapsed(text), line) != NULL, "'%s' is not in:\n%s", line, text);
    return missing;
}

// Its points would tell what is hidden or not computed yet; and a narrow screen has no room beside the numbers.
START_TEST(a_plane_stands_beside_its_numbers) {
    static const char *const keys[] = {"", "e", "i"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        start_in("rotary", "circle");
        type(keys[i]);
        const struct canvas wide = draw(24, 80);
        ck_assert_int_eq(strstr(all_text(&wide), "● p2") != NULL, i == 0);
        const struct canvas narrow = draw(24, 40);
        ck_assert_ptr_null(strstr(all_text(&narrow), "● p2"));
    }
}
END_TEST

// Operands that nobody would name are not shown, nor, in a few steps, those for which the explanation leaves no room.
START_TEST(every_step_is_a_picture) {
    enum { MOST_WITHOUT = 11 };
    int without = 0;
    char named[2000] = "";
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        start(lesson);
        for (int i = 0; i < walker.trial.run.step_count; i++) {
            go_to_step(&walker.state, &walker.trial.run, i);
            if (check_picture(&walker.trial.run.steps[i]) == 0) continue;
            without++;
            const size_t used = strlen(named);
            (void)snprintf(named + used, sizeof named - used, " %s %d", lesson_table[lesson]->name,
                           i + 1);
        }
        walker_free(&walker);
    }
    ck_assert_msg(without <= MOST_WITHOUT,
                  "%d steps, and not %d, show no operand at 80x24: a shorter explanation leaves "
                  "more rows. They are%s",
                  without, MOST_WITHOUT, named);
    start(lesson_number("simplified"));
}
END_TEST

static int count_empty_rows(const struct canvas *canvas) {
    int empty = 0;
    for (int row = 0; row < canvas->rows; row++) {
        const char *text = row_text(canvas, row, 0);
        if (text[strspn(text, " ")] == '\0') empty++;
    }
    return empty;
}

static bool is_product_mask_or_softmax(const struct step *step) {
    static const char *const names[] = {"matmul", "linear", "masked_fill",
                                        "tril",   "triu",   "softmax"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(step->tensor.storage->origin->operation->name, names[i]) == 0) return true;
    }
    return false;
}

static const struct { int rows, columns, most_empty; } large[] = {{40, 120, 10}, {60, 200, 20}};

// On average over all products, masks and softmaxes of lessons 2 to 6: some have few numbers.
START_TEST(large_screens_use_their_room) {
    int empty = 0, steps = 0;
    for (int lesson = lesson_number("trainable"); lesson < lesson_number("model"); lesson++) {
        start(lesson);
        for (int i = 0; i < walker.trial.run.step_count; i++) {
            if (!is_product_mask_or_softmax(&walker.trial.run.steps[i])) continue;
            go_to_step(&walker.state, &walker.trial.run, i);
            const struct canvas canvas = draw(large[_i].rows, large[_i].columns);
            empty += count_empty_rows(&canvas);
            steps++;
        }
        walker_free(&walker);
    }
    ck_assert_msg(empty <= large[_i].most_empty * steps, "%d rows in %d screens are empty", empty,
                  steps);
    start(lesson_number("simplified"));
}
END_TEST

// A 0 is masked where something hides it. One that is only too small for a float says something else.
START_TEST(only_what_is_hidden_is_masked) {
    start_in("causal", "causal_weights");
    expect("masked");
    walker_free(&walker);
    start_in("training", "weights");
    expect("masked");
    walker_free(&walker);
    start_in("training", "probabilities");
    const struct canvas rounded = draw(24, 80);
    ck_assert_ptr_null(strstr(all_text(&rounded), "masked"));
    walker_free(&walker);
    start_in("training", "shared_evenly");
    const struct canvas handed_on = draw(24, 80);
    ck_assert_ptr_null(strstr(all_text(&handed_on), "¦"));
}
END_TEST

// From step to step the last row of the result stays where it is, and the arithmetic below it.
START_TEST(the_matrix_stands_still) {
    static const struct { int rows, columns; } sizes[] = {{40, 120}, {60, 200}};
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        start(lesson);
        int foot = 0;
        for (int i = 0; i < walker.trial.run.step_count; i++) {
            const struct step *step = &walker.trial.run.steps[i];
            go_to_step(&walker.state, &walker.trial.run, i);
            draw(sizes[_i].rows, sizes[_i].columns);
            if (!walker.shown.is_composed) continue;
            const struct area area = focused_page()->area;
            if (foot == 0) foot = area.row + area.rows;
            ck_assert_msg(area.row + area.rows == foot, "%s %s ends at %d, not at %d",
                          walker.trial.run.lesson->name, step->name, area.row + area.rows, foot);
        }
        walker_free(&walker);
    }
    start(lesson_number("simplified"));
}
END_TEST

// Nor do the matrices of a step move when the cursor moves, whatever room the arithmetic of a number takes.
START_TEST(the_matrix_stands_still_below_the_cursor) {
    static const struct {
        const char *lesson, *step;
    } steps[] = {{"simplified", "scores"},       {"gradients", "scores_grad"},
                 {"simplified", "weights"},      {"causal", "context"},
                 {"wrapper", "head 1: queries"}, {"split_head", "output"},
                 {"gradients", "W_value_grad"},  {"training", "probabilities"}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        start_in(steps[i].lesson, steps[i].step);
        const struct table table = table_of(&walker.trial.run.steps[walker.state.step].tensor);
        int foot = 0;
        for (int64_t k = 0; k < table.rows * table.columns; k++) {
            walker.state.row = k / table.columns;
            walker.state.column = k % table.columns;
            draw(24, 80);
            const struct area area = focused_page()->area;
            if (k == 0) foot = area.row + area.rows;
            ck_assert_msg(area.row + area.rows == foot, "%s, number %d: ends at %d, not at %d",
                          steps[i].step, (int)k, area.row + area.rows, foot);
        }
        walker_free(&walker);
    }
    start(lesson_number("simplified"));
}
END_TEST

// A frame asks for many matrices; those that it has asked for stay what they are.
START_TEST(a_matrix_stays_while_it_is_asked_for) {
    start_in("gradients", "ids");
    const struct run *run = &walker.trial.run;
    const struct tensor *first = &run->steps[2].tensor, *second = &run->steps[3].tensor;
    const struct matrix *kept = cached_matrix(&walker.matrix_cache, first, 0, 4);
    for (int digits = 1; digits < 8; digits++) {
        for (int i = 4; i < run->step_count; i++) {
            (void)cached_matrix(&walker.matrix_cache, &run->steps[i].tensor, 0, digits);
            ck_assert_ptr_eq(cached_matrix(&walker.matrix_cache, first, 0, 4), kept);
        }
    }
    ck_assert_ptr_eq(kept->tensor.storage, first->storage);
    ck_assert_ptr_eq(cached_matrix(&walker.matrix_cache, second, 0, 4)->tensor.storage,
                     second->storage);
}
END_TEST

START_TEST(every_size_shows_the_cursor_cell) {
    start(lesson_number("simplified"));
    for (int rows = 1; rows <= 40; rows++) {
        for (int columns = 1; columns <= 120; columns++) {
            const struct canvas canvas = draw(rows, columns);
            if (rows < LEAST_ROWS || columns < LEAST_COLUMNS) continue;
            check_cursor(&canvas);
            ck_assert_ptr_nonnull(strstr(all_text(&canvas), "step 1/"));
            ck_assert_ptr_nonnull(strstr(all_text(&canvas), "? help"));
        }
    }
}
END_TEST

START_TEST(too_small_says_the_size_needed) {
    start(lesson_number("simplified"));
    const struct canvas canvas = draw(5, 20);
    ck_assert_ptr_nonnull(strstr(row_text(&canvas, 0, 0), "40x12"));
    for (int row = 1; row < 5; row++) ck_assert_uint_eq(strspn(row_text(&canvas, row, 0), " "), 20);
}
END_TEST

START_TEST(resizing_never_loses_the_place) {
    start(lesson_number("simplified"));
    type("nnnnnnnljj");
    const struct canvas before = draw(24, 80);
    struct arena memory = arena_new(&failure);
    const char *kept = arena_copy(&memory, all_text(&before));
    draw(1, 1);
    draw(2, 500);
    draw(60, 200);
    const struct canvas after = draw(24, 80);
    ck_assert_str_eq(all_text(&after), kept);
    ck_assert_int_eq(after.cursor_row, before.cursor_row);
    ck_assert_int_eq(after.cursor_column, before.cursor_column);
    arena_free(&memory);
}
END_TEST

START_TEST(all_modes_at_all_sizes_in_ascii) {
    static const char *const keys[] = {"n", "ni",   "nii", "\xff", "s", "e",  "m", "t",
                                       "?", "/sum", "p",   "c",    "x", "x ", "?f"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        start(lesson_count > 3 ? 3 : 0);
        if (*keys[i] == '\xff')
            press(PRESS_ENTER);
        else
            type(keys[i]);
        for (int rows = 1; rows <= 40; rows += 3) {
            for (int columns = 1; columns <= 160; columns += 7 * one_in(1)) {
                const struct canvas canvas =
                    draw_with(rows, columns, (struct look){.is_ascii = true});
                for (int k = 0; k < rows * columns; k++)
                    ck_assert_uint_lt(canvas.glyphs[k].character, 128);
            }
        }
        walker_free(&walker);
    }
    start(lesson_number("simplified"));
}
END_TEST

START_TEST(shows_operands_where_there_is_room) {
    start_in("trainable", "rand: scores");
    const struct canvas canvas = draw(60, 200);
    const char *text = all_text(&canvas);
    ck_assert_ptr_nonnull(strstr(text, " queries "));
    ck_assert_ptr_nonnull(strstr(text, " keysᵀ"));
    check_cursor(&canvas);
}
END_TEST

START_TEST(a_click_moves_the_cell) {
    start_in("simplified", "scores");
    to_first_cell();
    const struct canvas canvas = draw(24, 80);
    walker_press(&walker,
                 (struct press){PRESS_CLICK, canvas.cursor_row + 2, canvas.cursor_column + 9}, 24);
    ck_assert_int_eq(walker.state.row, 2);
    ck_assert_int_eq(walker.state.column, 1);
}
END_TEST

// A screen that is too small shows no cell; so none is clicked.
START_TEST(a_click_on_a_small_screen_does_nothing) {
    start_in("simplified", "scores");
    to_first_cell();
    const struct canvas canvas = draw(24, 80);
    const struct press click = {PRESS_CLICK, canvas.cursor_row + 2, canvas.cursor_column + 9};
    draw(5, 20);
    walker_press(&walker, click, 5);
    ck_assert_int_eq(walker.state.row, 0);
    ck_assert_int_eq(walker.state.column, 0);
}
END_TEST

// Clicks so far below and to the right of the place where a text begins; false if it is not on the screen.
static bool click_beside(const struct canvas *canvas, const char *text, int below, int right) {
    for (int row = 0; row < canvas->rows; row++) {
        for (int column = 0; column < canvas->columns; column++) {
            if (strncmp(row_text(canvas, row, column), text, strlen(text)) != 0) continue;
            arena_free(&frame); // as the terminal does
            walker_press(&walker, (struct press){PRESS_CLICK, row + below, column + right}, 24);
            return true;
        }
    }
    return false;
}

// So do the numbers that a mistake's are compared with, and the differences, which are computed for a frame.
START_TEST(a_click_on_a_comparison_moves_the_cell) {
    static const char *const names[] = {"without the mistake", "difference"};
    struct what_ifs what_ifs = {0};
    what_ifs.made[mistake_number(find_mistake("no-softmax"))] = true;
    for (int i = 0; i < 2; i++) {
        start_at(lesson_number("simplified"), "weights", &what_ifs);
        const struct canvas canvas = draw(40, 200);
        ck_assert(click_beside(&canvas, names[i], 4, 11));
        ck_assert_int_eq(walker.state.row, 2);
        ck_assert_int_eq(walker.state.column, 0);
        ck_assert_str_eq(walker.state.message, "");
    }
}
END_TEST

// Clicks on the place where a text stands on the screen, of so many rows and columns.
static void click_on(int rows, int columns, const char *text) {
    const struct canvas canvas = draw(rows, columns);
    ck_assert_msg(click_beside(&canvas, text, 0, 0), "%s is not on the screen", text);
}

// What can be seen can be clicked: keys, the timeline, the map, lines of lists, operands.
START_TEST(a_click_does_what_is_seen) {
    start_in("causal", "scores");
    click_on(24, 80, "n next");
    ck_assert_str_eq(current_step(&walker.state, &walker.trial.run)->name, "weights");
    click_on(24, 80, "◆");
    ck_assert_str_eq(current_step(&walker.state, &walker.trial.run)->name, "weights");
    const struct canvas canvas = draw(24, 80);
    walker_press(&walker, (struct press){PRESS_CLICK, 1, canvas.columns > 0 ? 1 : 0}, 24);
    ck_assert_int_eq(walker.state.step, 0); // the first mark of the timeline
    start_in("causal", "scores");
    click_on(60, 200, "○19 context");
    ck_assert_str_eq(current_step(&walker.state, &walker.trial.run)->name, "context");
    click_on(24, 80, "0.358"); // of the values, row one
    ck_assert_str_eq(current_step(&walker.state, &walker.trial.run)->name, "values");
    ck_assert_int_eq(walker.state.row, 4);
    ck_assert_int_eq(walker.state.column, 1);
    press('x');
    click_on(24, 80, "Scores divided by √d_k twice");
    click_on(24, 80, "Scores divided by √d_k twice");
    ck_assert_int_eq(walker.trial.mistake_count, 1);
    press(PRESS_ESCAPE);
    press(PRESS_TAB);
    const enum view_bit list = view_on_top();
    ck_assert_int_eq(list, VIEW_LIST);
    click_on(24, 80, "Esc close");
    ck_assert_int_ne(view_on_top(), VIEW_LIST);
}
END_TEST

// A mark before a number must not look like a part of it.
START_TEST(no_mark_in_ascii_is_a_sign) {
    start_in("simplified", "scores");
    for (int i = 0; i < 36; i++) {
        const struct canvas canvas = draw_with(24, 80, (struct look){.is_ascii = true});
        const struct glyph *mark = glyph_at(&canvas, canvas.cursor_row, canvas.cursor_column - 1);
        ck_assert_ptr_nonnull(strchr(" ':;=#&@", (int)mark->character));
        press(i % 6 == 5 ? PRESS_DOWN : PRESS_RIGHT);
        if (i % 6 == 5) press(PRESS_HOME);
    }
}
END_TEST

START_TEST(tells_how_to_see_the_rest_of_the_source) {
    start_in("trainable", "random_scores");
    expect("random_scores = torch.stack(products)");
    expect("t code");
}
END_TEST

static const char *first_sentence(const char *words) {
    size_t length = 0;
    do length += 1 + strcspn(words + length + 1, ".?!");
    while (words[length] != '\0' && words[length + 1] != ' ' && words[length + 1] != '\0');
    return arena_format(&frame, "%.*s", (int)length + 1, words);
}

// At 80x24 every step shows its title, the first sentence, the formula, its numbers and the arithmetic of one; and the
// key bar says where there is more.
START_TEST(every_step_is_explained_at_80x24) {
    enum { MOST_BESIDE = 6 };
    int beside = 0;
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        start(lesson);
        for (int i = 0; i < walker.trial.run.step_count; i++) {
            const struct step *step = &walker.trial.run.steps[i];
            go_to_step(&walker.state, &walker.trial.run, i);
            const struct canvas canvas = draw(24, 80);
            const char *screen = collapsed(all_text(&canvas));
            const char *explanation = collapsed(step->paragraph->explanation);
            check_on_screen(screen, step->paragraph->title);
            if (strstr(screen, first_sentence(explanation)) ==
                NULL) { // it stands beside the matrices
                beside++;
                check_on_screen(screen, arena_format(&frame, "%.16s", explanation));
            } else if (strstr(screen, explanation) == NULL) {
                check_on_screen(screen, "t text");
            }
            check_on_screen(screen, step->formula);
            ck_assert(is_in_picture(&step->tensor));
            check_cell_line();
        }
        walker_free(&walker);
    }
    ck_assert_int_le(beside, MOST_BESIDE);
    start(lesson_number("simplified"));
}
END_TEST

// At the course's parameters nothing that is said of a step ends in "…": title, neighbours, prose, formula, names,
// labels, arithmetic. (The timeline goes on beyond its ends, and the key bar says where more of the code is.)
START_TEST(nothing_is_cut_at_80x24) {
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        start(lesson);
        for (int i = 0; i < walker.trial.run.step_count; i += one_in(2)) {
            go_to_step(&walker.state, &walker.trial.run, i);
            const struct canvas canvas = draw(24, 80);
            const bool says_where = strstr(row_text(&canvas, 23, 0), "t code") != NULL;
            for (int row = 0; row < (says_where ? 22 : 23); row++) {
                const char *text = row_text(&canvas, row, 0);
                ck_assert_msg(row == 1 || strstr(text, "…") == NULL, "%s, step %d: %s",
                              walker.trial.run.lesson->name, i + 1, text);
            }
        }
    }
}
END_TEST

static int empty_rows(const struct canvas *canvas) {
    int count = 0;
    for (int row = 0; row < canvas->rows; row++) {
        const char *text = row_text(canvas, row, 0);
        count += text[strspn(text, " ")] == '\0';
    }
    return count;
}

// Where a step has more to show than its matrices: where it stands on the map, what it was made of.
START_TEST(large_screens_use_their_rows) {
    static const char *const computed[] = {"@", "softmax", "masked_fill", "tril", "* mask"};
    static const char *const deep[] = {"unscaled_weights", "scaled_weights", "largest_weights"};
    static const int sizes[][3] = {{40, 120, 4},
                                   {60, 200, 3}}; // rows, columns, one in so many may be empty
    for (int lesson = lesson_number("trainable"); lesson < lesson_number("model"); lesson++) {
        start(lesson);
        for (int i = 0; i < walker.trial.run.step_count; i += one_in(2)) {
            const struct step *step = &walker.trial.run.steps[i];
            bool is_computed = false, is_deep = false; // of 9 by 32 by 32 numbers
            for (size_t k = 0; k < sizeof computed / sizeof *computed; k++)
                is_computed = is_computed || strstr(step->statement, computed[k]) != NULL;
            for (size_t k = 0; k < sizeof deep / sizeof *deep; k++)
                is_deep = is_deep || strcmp(step->name, deep[k]) == 0;
            go_to_step(&walker.state, &walker.trial.run, i);
            for (int k = 0; is_computed && k < (is_deep ? 1 : 2); k++) {
                const struct canvas canvas = draw(sizes[k][0], sizes[k][1]);
                ck_assert_msg(empty_rows(&canvas) <= sizes[k][0] / sizes[k][2],
                              "%s at %dx%d: %d empty", step->name, sizes[k][1], sizes[k][0],
                              empty_rows(&canvas));
            }
        }
    }
}
END_TEST

// The map beside the words: around this step, in no one's way, and not where numbers lie in memory.
START_TEST(the_map_stays_in_view) {
    start_in("causal", "scores");
    expect_at(60, 200, "◆7 scores");
    expect_at(60, 200, "○19 context");
    expect_none("◆7 scores");
    press('m');
    const struct canvas canvas = draw(60, 200);
    ck_assert_ptr_null(strstr(all_text(&canvas), "◆7 scores"));
    start_in("gradients", "loss"); // of so many steps nobody reads the map beside
    const struct canvas other = draw(60, 200);
    ck_assert_ptr_null(strstr(all_text(&other), "◆37 loss"));
}
END_TEST

// What is said of a number is never cut, whichever number it is, of the whole step and inside.
START_TEST(no_line_of_a_number_is_cut) {
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        start(lesson);
        for (int i = 0; i < walker.trial.run.step_count; i += one_in(2)) {
            const struct table table = table_of(&walker.trial.run.steps[i].tensor);
            go_to_step(&walker.state, &walker.trial.run, i);
            for (int64_t k = 0; k < table.rows * table.columns && k < 64; k++) {
                walker.state.row = k / table.columns;
                walker.state.column = k % table.columns;
                check_cell_line();
            }
            type("ii");
            for (int k = 0; k < 64 && walker.state.step == i && walker.state.moment >= 0; k++) {
                if (view_on_top() == VIEW_SUMMARY) break; // behind the last step
                check_cell_line();
                press('n');
            }
        }
        walker_free(&walker);
    }
    start(lesson_number("simplified"));
}
END_TEST

Suite *screens_suite(void) {
    Suite *suite = suite_create("screens");
    TCase *tests = add_case(suite, "screens", walk_set_up, walk_tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, every_step_shows_what_matters);
    tcase_add_test(tests, small_numbers_have_a_factor_in_common);
    tcase_add_test(tests, steps_of_a_paragraph_share_a_screen);
    tcase_add_test(tests, movements_and_formulas_are_named);
    tcase_add_test(tests, parameters_take_a_line_each);
    tcase_add_test(tests, a_list_is_walked_through);
    tcase_add_test(tests, a_list_gives_nothing_away);
    tcase_add_test(tests, strides_stand_alone);
    tcase_add_test(tests, weights_stand_beside_earlier_ones);
    tcase_add_test(tests, weights_are_compared_as_bars);
    tcase_add_test(tests, a_plane_stands_beside_its_numbers);
    tcase_add_test(tests, every_step_is_a_picture);
    tcase_add_loop_test(tests, large_screens_use_their_room, 0, 2);
    tcase_add_loop_test(tests, the_matrix_stands_still, 0, 2);
    tcase_add_test(tests, the_matrix_stands_still_below_the_cursor);
    tcase_add_test(tests, only_what_is_hidden_is_masked);
    tcase_add_test(tests, a_matrix_stays_while_it_is_asked_for);
    tcase_add_test(tests, every_size_shows_the_cursor_cell);
    tcase_add_test(tests, too_small_says_the_size_needed);
    tcase_add_test(tests, resizing_never_loses_the_place);
    tcase_add_test(tests, all_modes_at_all_sizes_in_ascii);
    tcase_add_test(tests, shows_operands_where_there_is_room);
    tcase_add_test(tests, a_click_moves_the_cell);
    tcase_add_test(tests, a_click_on_a_small_screen_does_nothing);
    tcase_add_test(tests, a_click_on_a_comparison_moves_the_cell);
    tcase_add_test(tests, a_click_does_what_is_seen);
    tcase_add_test(tests, no_mark_in_ascii_is_a_sign);
    tcase_add_test(tests, tells_how_to_see_the_rest_of_the_source);
    tcase_add_test(tests, every_step_is_explained_at_80x24);
    tcase_add_test(tests, nothing_is_cut_at_80x24);
    tcase_add_test(tests, large_screens_use_their_rows);
    tcase_add_test(tests, the_map_stays_in_view);
    tcase_add_test(tests, no_line_of_a_number_is_cut);
    return suite;
}
