// What panels, labels and words beside them say: that it is about the numbers that are shown.

#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "lesson.h"
#include "lessons.h"
#include "sample.h"
#include "show/table.h"
#include "tensor/operation/derivation.h"
#include "trace/run/step.h"
#include "walk/kit/names.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

// Starts on a number of a step, wherever the step would open.
// The weights beside a plane are those of the point that can be moved, on bars of which 1 is the whole.
START_TEST(a_plane_shows_the_weights_of_its_point) {
    start_at_cell("trainable", "rand: scores", 0, 0);
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
    start_at_cell("simplified", "column_sums", 0, 0);
    expect("Largest terms: Your ████████ 0.2098  one ██████ 0.1526");
    start_at_cell("gradients", "W_logits_bias_grad", 0, 0);
    expect("Largest terms: with ████████ 0.0204  starts");
    start_in("simplified", "query_context");
    expect_none("Largest terms: d1");
}
END_TEST

// Row 1 of the softmax has a single weight, so its gradient is 0, though nothing is masked there.
START_TEST(a_zero_that_was_computed_is_not_crossed_out) {
    start_at_cell("gradients", "scores_grad", 0, 0);
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

// In a stack of draws, too, what dropout set to 0 is dropped, and what the mask had hidden before stays masked.
START_TEST(a_stack_keeps_what_was_dropped) {
    start_in("dropout", "mt19937: mean_of_draws");
    expect("draw 1 of 200 ¦ masked ↓ dropped");
    expect("journey↓0.00↓0.00¦0.00¦0.00¦0.00¦0.00");
    expect_none("stack of");
}
END_TEST

// What was one row of a matrix each stands beside the rows, and is walked down; sums of columns stand below these.
START_TEST(row_sums_stand_upright) {
    start_at_cell("simplified", "row_sums", 0, 0);
    expect("step     0.1385  0.2184  0.2128  0.1420  0.0988  0.1896     step     1.0000");
    type("j");
    expect("row_sums[journey] = ");
    ck_assert_int_eq(walker.state.column, 1);
    const struct canvas canvas = draw(24, 80);
    check_cursor(&canvas);
    const struct shown_page *page = focused_page();
    const struct press click = {.key = PRESS_CLICK,
                                .row = page->raster.row + 3,
                                .column = page->raster.column + page->raster.apart - 1};
    int64_t row, column;
    ck_assert_ptr_eq(page_at(&walker.shown, &click, &row, &column), page);
    ck_assert_int_eq(row, 0);
    ck_assert_int_eq(column, 3);
    start_at_cell("simplified", "column_sums", 0, 0);
    expect("  column_sums (6,) ");
    expect("0.9220  1.2970");
}
END_TEST

// A step that only moves numbers stands beside the step that it moves them from, not below what these were computed
// from; and where the operand has more pages than the step, it says which is in sight.
START_TEST(what_moves_has_one_operand) {
    static const char *const moving[] = {"context_contiguous", "in_memory_now", "context",
                                         "places_merged"};
    for (size_t i = 0; i < sizeof moving / sizeof *moving; i++) {
        start_in("split_head", moving[i]);
        draw(24, 80);
        ck_assert_int_le(walker.shown.count, 2 + (i == 3)); // the step beside
        walker_free(&walker);
    }
    start_in("split_head", "in_memory");
    expect("context_by_head, batch 1, head 1");
}
END_TEST

// Positions count from 0, and are called so: features beside them count from 1.
START_TEST(positions_count_from_0) {
    start_at_cell("embeddings", "position_embeddings", 0, 0);
    expect("position_embeddings[p0, 1] = -0.6307, from row 0 of the table, counted from 0");
    start_at_cell("embeddings", "one_word_everywhere", 3, 0);
    expect("one_word_everywhere[p3, 1] = ");
    expect_none(" 4          2.4311");
    start_at_cell("block", "position_embeddings", 0, 0);
    expect("position_embeddings[p0, 1] = 0.9624, from row 0 of the table, counted from 0");
}
END_TEST

// Windows begin with different words, so no word heads a column of several, and none is in the name of a cell.
START_TEST(windows_share_no_words) {
    static const char *const steps[] = {"window_inputs", "window_targets"};
    for (size_t i = 0; i < 2; i++) {
        start_at_cell("embeddings", steps[i], 6, 1);
        expect("      1     2     3     4      1     2     3     4");
        expect(i == 0 ? "window_inputs[7, 2] = " : "window_targets[7, 2] = ");
    }
    start_at_cell("embeddings", "apart_inputs", 0, 0);
    expect_none("jour.");
}
END_TEST

// starts and step head columns of one matrix: both are read whole, or cut so that they differ.
START_TEST(words_that_begin_alike_are_told_apart) {
    start_in("embeddings", "one_hot_rows");
    expect_none(" st wi");
    expect("Your journey  starts    with     one    step");
}
END_TEST

// A word that stands there twice has its place.
START_TEST(repeated_words_are_told_apart) {
    start_in("training", "said");
    expect("said[starts (token 9)] = place 2 (starts), counted from 0:");
    start_at_cell("training", "weights", 8, 3);
    expect("[b1, h2, starts (query 9), with]");
    start_at_cell("training", "weights", 2, 1);
    expect("[b1, h2, starts, journey]");
}
END_TEST

// Rows of a view that cuts across words are not called words.
START_TEST(a_row_that_is_no_word_is_a_row) {
    start_in("split_head", "places_scrambled");
    expect("row     1     2");
    start_in("split_head", "queries_scrambled");
    expect("row        1");
}
END_TEST

// Where there is no room for a long formula, it has an ellipsis; no name of an operation stands for a part.
START_TEST(long_formulas_name_their_first_operands) {
    start_in("gradients", "embedded_grad");
    expect_none("...");
    start_in("training", "adamw: W_query_after");
    expect_none("divide ×");
    start_in("gradients", "slope");
    expect_none("given");
    expect("slope[h = 1, slope] = 0.0988 / 2.0000 = 0.0494");
    expect_none("subtract");
}
END_TEST

// The code that is shown in short is a statement of its own, not one from inside a function, behind its mark, in as many
// rows as there are.
START_TEST(the_statement_is_whole) {
    start_in("training", "after 1: embedding");
    expect("PyTorch  train(mask, 1); embedding.weight");
    start_in("split_head", "a");
    expect("PyTorch  a = torch.tensor([[[[0.2745, ");
    expect("0.4220, 0.5786]]]])");
    start_in("training", "losses");
    expect("PyTorch  losses = train(mask, updates)");
    expect("before each of 200 updates, and after all");
}
END_TEST

// Places of cells are separated by commas, and no label is joined to the first letter of an axis.
START_TEST(a_place_is_readable) {
    start_at_cell("trainable", "random_scores", 0, 0);
    expect("random_scores[d_k 1, 1, 1] = ");
    start_at_cell("training", "weights", 0, 0);
    expect("weights[b1, h2, Your, Your] = ");
    start_at_cell("gradients", "queries_grad", 0, 0);
    expect("[b1, Your, 1] = ");
    expect_none("qYour");
}
END_TEST

// What a view is made of is what its line of code says; what stands on the screen anyway stands there once.
START_TEST(a_view_is_shown_beside_what_it_views) {
    start_in("split_head", "places_scrambled");
    const struct canvas canvas = draw(24, 80);
    const char *text = all_text(&canvas), *places = strstr(text, "places (1, 3, 4)");
    ck_assert_ptr_nonnull(places);
    ck_assert_ptr_null(strstr(places + 1, "places (1, 3, 4)"));
    ck_assert_ptr_nonnull(strstr(text, "▸111."));
    start_in("split_head", "queries_scrambled");
    expect(" queries (2, 6, 2) ");
    expect_none("queries_by_head (");
}
END_TEST

// Labels that are cut differ from their neighbours.
START_TEST(a_cut_label_can_be_told_from_the_next) {
    start_in("gradients", "automatic_difference");
    expect("W_logits W_logits_bi.");
    start_in("gradients", "slope");
    expect_none("h = 0. ");
    expect("h = 0.00001 ");
}
END_TEST

// ---- Words ---------------------------------------------------------------------------------------

START_TEST(ids_are_shown_with_their_words) {
    start_in("training", "said");
    expect("Your journey starts with one step one step starts Your journey  ");
    expect("Your jour. star.  with   one  step   one  step star.  Your jour.");
    start_in("gradients", "targets");
    expect("journey starts with one step  ");
    expect("jour. star.  with   one  step  ");
    start_in("training", "said_without_mask");
    expect("Your starts starts starts starts starts starts starts starts starts starts  ");
}
END_TEST

// The words are those of the ids in the wrong run, not those of the course.
START_TEST(a_mistake_has_words_of_its_own) {
    int changed = 0;
    for (int mistake = 0; mistake < mistake_total; mistake += one_in(4)) {
        struct what_ifs made = {0};
        made.made[mistake] = true;
        start_briefly(lesson_number("training"), "said", &made);
        const struct tensor *said = &walker.trial.run.steps[walker.state.step].tensor;
        const struct tensor *ids = &walker.trial.run.steps[0].tensor;
        if (failed_outcome(&walker.trial, &walker.trial.run.steps[walker.state.step]) != NULL)
            continue;
        for (int64_t i = 0; i < said->shape[0]; i++) {
            const int64_t id = (int64_t)element(said, &i);
            const char *word = label_of(&frame, said, 0, i);
            ck_assert_msg(strcmp(word, ids->storage->words[id]) == 0, "%s: %s, not %s",
                          mistake_table[mistake].name, word, ids->storage->words[id]);
            changed += id != (int64_t)element_at(ids, i);
        }
        arena_free(&frame);
    }
    ck_assert_int_gt(changed, 0);
}
END_TEST

// ---- Mistakes ------------------------------------------------------------------------------------

// Where a mistake changes a step, what goes wrong comes before the lesson's words, which are said to be of the right
// numbers. Where it does not, the lesson's words stand alone.
START_TEST(a_wrong_step_says_what_goes_wrong) {
    struct what_ifs made = {0};
    const int number = mistake_number(find_mistake("mask-zero"));
    made.made[number] = true;
    start_at(lesson_number("causal"), "1", &made);
    for (int i = 0; i < walker.trial.run.step_count; i++) {
        go_to_step(&walker.state, &walker.trial.run, i);
        const struct canvas canvas = draw(24, 80);
        const char *text = collapsed(all_text(&canvas));
        const char *wrong = strstr(text, collapsed(mistake_table[number].wrong));
        const char *right = strstr(text, "Without the mistake: ");
        ck_assert_msg((wrong != NULL) == walker.trial.touched[i], "%s", text);
        ck_assert_msg(right == NULL || (wrong != NULL && wrong < right), "%s", text);
    }
    go_to_step(&walker.state, &walker.trial.run, 16);
    expect("causal_weights");
    expect("Without the mistake: Each row adds up to 1");
}
END_TEST

// So does its text (t), which has the wrong line beside the right one where the mistake was made.
START_TEST(the_text_of_a_wrong_step_says_what_goes_wrong) {
    struct what_ifs made = {0};
    const int number = mistake_number(find_mistake("mask-zero"));
    made.made[number] = true;
    start_at(lesson_number("causal"), "1", &made);
    int mistaken = 0;
    for (int i = 0; i < walker.trial.run.step_count; i++) {
        go_to_step(&walker.state, &walker.trial.run, i);
        type("t");
        const struct canvas canvas = draw(60, 80);
        const char *text = collapsed(all_text(&canvas));
        const char *wrong = strstr(text, collapsed(mistake_table[number].wrong));
        const char *right = strstr(text, "Without the mistake: ");
        ck_assert_msg((wrong != NULL) == walker.trial.touched[i], "%s", text);
        ck_assert_msg((right != NULL) == walker.trial.touched[i], "%s", text);
        ck_assert(right == NULL || wrong < right);
        const char *line = strstr(text, "In PyTorch, with the mistake");
        ck_assert_msg((line != NULL) == is_mistaken(&walker.trial, i), "%s", text);
        ck_assert(line == NULL || strstr(line, collapsed(mistake_table[number].pytorch)) != NULL);
        mistaken += line != NULL;
        press(PRESS_ESCAPE);
    }
    ck_assert_int_gt(mistaken, 0);
}
END_TEST

// ---- What explanations quote ---------------------------------------------------------------------

// A number with two decimals or more in some words that is no result of a calculation there ("log 6 = 1.7918") and
// no factor in one; NULL if there is none behind `at`.
static const char *next_quoted(const char *words, const char *at, int *decimals) {
    while ((at = strpbrk(at, "0123456789")) != NULL) {
        const size_t whole = strspn(at, "0123456789");
        const size_t behind = at[whole] == '.' ? strspn(at + whole + 1, "0123456789") : 0;
        const bool is_result = at - words >= 2 && strncmp(at - 2, "= ", 2) == 0;
        const bool is_factor = at - words >= 4 && strncmp(at - 4, " · ", 4) == 0;
        *decimals = (int)behind;
        if (behind >= 2 && !is_result && !is_factor) return at;
        at += whole + (behind > 0 ? behind + 1 : 0);
    }
    return NULL;
}

// Is there such a number, rounded to so many decimals, in a tensor?
static bool has_number(const struct tensor *tensor, const char *quoted, int decimals) {
    const int64_t count = count_of(shape_of(tensor));
    for (int64_t i = 0; i < count; i++) {
        const char *number = arena_format(&frame, "%.*f", decimals, element_at(tensor, i));
        if (strncmp(number, quoted, strlen(number)) == 0) return true;
    }
    return false;
}

// Quoted for another reason than to be found in the step's numbers.
static const struct {
    const char *step, *number, *why;
} elsewhere[] = {
    {"row_sums", "1.0000", "what PyTorch prints where rounding left a sum slightly off"},
    {"nudged_loss", "0.00001", "a label of the step's rows"},
    {"gradient_means", "0.000201736", "the same step of the other group"},
    {"keep", "1.13", "a version of PyTorch"},
    {"row_sum", "2.7358", "what the sum would be without the factor"},
    {"loss_after", "0.00000007", "less than the screen's decimals: the difference of two losses"},
};

static bool is_elsewhere(const char *step, const char *quoted) {
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        const char *number = elsewhere[i].number;
        if (strcmp(step, elsewhere[i].step) == 0 && strncmp(quoted, number, strlen(number)) == 0)
            return true;
    }
    return false;
}

static void check_quoted(const struct step *step, const char *quoted, int decimals, bool is_first) {
    const struct stop stop = stop_at(&walker.trial.run, step->number - 1);
    bool is_there = is_elsewhere(step->name, quoted);
    for (int i = stop.first; i < stop.first + stop.count && !is_there; i++)
        is_there = has_number(&walker.trial.run.steps[i].tensor, quoted, decimals);
    ck_assert_msg(is_there, "%s: %.8s is nowhere", step->name, quoted);
    if (!is_first || is_elsewhere(step->name, quoted)) return;
    const struct cell cell = current_cell(&walker.state, &walker.trial.run);
    const char *number = arena_format(&frame, "%.*f", decimals, cell_value(&cell));
    if (!has_number(&step->tensor, quoted, decimals)) return; // it is beside this one
    ck_assert_msg(strncmp(number, quoted, strlen(number)) == 0, "%s opens on %s, not on %.8s",
                  step->name, number, quoted);
}

// Every number that an explanation quotes is one of the step's, and the step opens on the first; where the words
// before it name a head, on the page of this head.
START_TEST(what_is_quoted_can_be_found) {
    start(_i);
    for (int i = 0; i < walker.trial.run.step_count; i++) {
        const struct step *step = &walker.trial.run.steps[i];
        const char *words = step->paragraph->explanation;
        walker.state.page = 0;
        walker.state.chosen = (struct table){0};
        go_to_step(&walker.state, &walker.trial.run, i);
        int decimals = 0;
        const char *first = next_quoted(words, words, &decimals);
        for (const char *at = first; at != NULL; at = next_quoted(words, at + 3, &decimals))
            check_quoted(step, at, decimals, at == first);
        const char *head = strstr(words, "In head ");
        if (first == NULL || head == NULL || head > first) continue;
        char wanted[32];
        snprintf(wanted, sizeof wanted, ", %.6s (press .)", head + strlen("In "));
        expect(wanted);
    }
}
END_TEST

// A sum of a row of which a mask has left one number says nothing of sums.
START_TEST(sums_open_on_a_row_with_something_to_add) {
    start_in("causal", "row_sums");
    expect("row_sums[with, 1] = 0.1869 + ");
    start_in("dropout", "mt19937: row_sums");
    expect("row_sums[with] = ");
}
END_TEST

// A step with nan opens on the sentence and the row that have it, one that repairs nan too.
START_TEST(nan_is_what_a_step_opens_on) {
    static const char *const steps[][2] = {
        {"masked_scores", "masked_scores[b2, "},
        {"left: weights", "weights[b2, pad, pad] = e^(-inf"},
        {"left: context", "context[b2, pad, 1] = nan"},
        {"left: weights_repaired", "0.0000 replaces nan"},
    };
    for (int i = 0; i < 4; i++) {
        start_in("padding", steps[i][0]);
        expect("batch 2 (press .)");
        expect(steps[i][1]);
    }
}
END_TEST

// Position 0 isn't rotated, and the first tile finds no maximum from before: a step opens on a number that it changes.
START_TEST(a_step_opens_on_what_it_changes) {
    start_in("rotary", "keys_rotated");
    expect_none("keys_rotated[Your, ");
    expect("keys_rotated[journey, ");
}
END_TEST

// A step that picks the largest number of several pages shows the page that has it.
START_TEST(the_largest_number_is_in_sight) {
    start_in("latent", "difference");
    expect("scores_absorbed|, head 2");
    expect("head 2, query starts");
}
END_TEST

// No mask has put the -inf there that a running maximum starts with.
START_TEST(a_start_value_is_not_masked) {
    start_in("online_softmax", "running_max");
    expect("-inf -inf");
    expect_none("masked");
}
END_TEST

Suite *panels_suite(void) {
    Suite *suite = suite_create("panels");
    TCase *tests = add_case(suite, "panels", walk_set_up, walk_tear_down);
    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, a_plane_shows_the_weights_of_its_point);
    tcase_add_test(tests, addends_are_called_by_what_is_summed);
    tcase_add_test(tests, a_zero_that_was_computed_is_not_crossed_out);
    tcase_add_loop_test(tests, every_crossed_zero_has_a_mask, 0, lesson_count);
    tcase_add_test(tests, a_stack_keeps_what_was_dropped);
    tcase_add_test(tests, row_sums_stand_upright);
    tcase_add_test(tests, sums_open_on_a_row_with_something_to_add);
    tcase_add_test(tests, nan_is_what_a_step_opens_on);
    tcase_add_test(tests, a_step_opens_on_what_it_changes);
    tcase_add_test(tests, the_largest_number_is_in_sight);
    tcase_add_test(tests, a_start_value_is_not_masked);
    tcase_add_test(tests, what_moves_has_one_operand);
    tcase_add_test(tests, positions_count_from_0);
    tcase_add_test(tests, windows_share_no_words);
    tcase_add_test(tests, repeated_words_are_told_apart);
    tcase_add_test(tests, words_that_begin_alike_are_told_apart);
    tcase_add_test(tests, a_row_that_is_no_word_is_a_row);
    tcase_add_test(tests, long_formulas_name_their_first_operands);
    tcase_add_test(tests, the_statement_is_whole);
    tcase_add_test(tests, a_place_is_readable);
    tcase_add_test(tests, a_view_is_shown_beside_what_it_views);
    tcase_add_test(tests, a_cut_label_can_be_told_from_the_next);
    tcase_add_test(tests, ids_are_shown_with_their_words);
    tcase_add_test(tests, a_mistake_has_words_of_its_own);
    tcase_add_test(tests, a_wrong_step_says_what_goes_wrong);
    tcase_add_test(tests, the_text_of_a_wrong_step_says_what_goes_wrong);
    tcase_add_loop_test(tests, what_is_quoted_can_be_found, 0, lesson_count);
    return suite;
}
