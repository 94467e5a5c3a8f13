// The walker as a whole, without a screen: keys in, canvases out, for every lesson.

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "lessons.h"
#include "tensor/ops/operation.h"
#include "trace/step.h"
#include "walk/screen.h"
#include "walk/walker.h"

#include <check.h> // last: defines a macro fail

static struct failure failure;
static struct arena frame;
static struct walker walker;

static void start_at(int lesson, const char *step, const struct what_ifs *what_ifs) {
    const struct walk_start begin = {
        .lessons = lesson_table,
        .lesson_count = lesson_count,
        .lesson = lesson,
        .step = step,
        .chosen = &(struct parameters){0},
        .what_ifs = what_ifs,
        .digits = 4,
    };
    walker_start(&walker, &begin, &failure);
}

static const struct what_ifs none_made = {0};

static void start(int lesson) {
    start_at(lesson, NULL, &none_made);
}

static void set_up(void) {
    frame = arena_new(&failure);
}

static void tear_down(void) {
    walker_free(&walker);
    arena_free(&frame);
}

static struct canvas draw_with(int rows, int columns, struct look look) {
    arena_free(&frame);
    struct canvas canvas = canvas_new(&frame, rows, columns, look);
    walker_draw(&walker, &canvas);
    return canvas;
}

static struct canvas draw(int rows, int columns) {
    return draw_with(rows, columns, (struct look){.has_heat = true});
}

static void press(uint32_t key) {
    walker_press(&walker, (struct press){.key = key}, 24);
}

static void type(const char *keys) {
    while (*keys != '\0') press((uint32_t)(unsigned char)*keys++);
}

static enum view_bit view_on_top(void) {
    return top_view(&walker)->view->bit;
}

static const char *row_text(const struct canvas *canvas, int row, int column) {
    struct text text = text_new(canvas->arena);
    text_add(&text, "");
    for (; column < canvas->columns; column++) {
        const uint32_t character = glyph_at(canvas, row, column)->character;
        char bytes[5];
        if (character == 0) continue;
        utf8_encode(character, bytes);
        text_add(&text, bytes);
    }
    return text.bytes;
}

static const char *all_text(const struct canvas *canvas) {
    struct text text = text_new(canvas->arena);
    for (int row = 0; row < canvas->rows; row++)
        text_add_format(&text, "%s\n", row_text(canvas, row, 0));
    return text.bytes;
}

// The words of a text, a blank between two.
static const char *collapsed(const char *text) {
    struct text result = text_new(&frame);
    text_add(&result, "");
    for (bool has_blank = false; *text != '\0'; text++) {
        const bool is_blank = *text == ' ' || *text == '\n';
        if (!is_blank || !has_blank) text_add_bytes(&result, is_blank ? " " : text, 1);
        has_blank = is_blank;
    }
    return result.bytes;
}

static void expect_at(int rows, int columns, const char *wanted) {
    const struct canvas canvas = draw(rows, columns);
    const char *text = all_text(&canvas);
    ck_assert_msg(strstr(text, wanted) != NULL, "'%s' is not in:\n%s", wanted, text);
}

static void expect(const char *wanted) {
    expect_at(24, 80, wanted);
}

static void expect_none(const char *unwanted) {
    const struct canvas canvas = draw(24, 80);
    const char *text = all_text(&canvas);
    ck_assert_msg(strstr(text, unwanted) == NULL, "'%s' is in:\n%s", unwanted, text);
}

static void go_to(const char *lesson, const char *step) {
    for (int i = 0; i < lesson_count; i++) {
        if (strcmp(lesson_table[i]->name, lesson) == 0) start_at(i, step, &none_made);
    }
}

// The panel on screen that has the cursor.
static const struct panel *focused_panel(void) {
    for (int i = 0; i < walker.shown.count; i++) {
        if (walker.shown.panels[i].sight.view.has_focus) return &walker.shown.panels[i];
    }
    ck_abort_msg("no matrix has the cursor");
}

// To the next step: beside this one, or on the next screen.
static void go_on(void) {
    const struct stop stop = stop_at(&walker.trial.run, walker.state.step);
    press(walker.state.step < stop.first + stop.count - 1 ? ';' : 'n');
}

// The number under the terminal's cursor is the focused one.
static void check_cursor(const struct canvas *canvas) {
    const struct cell cell = current_cell(&walker.state, &walker.trial.run);
    const struct matrix *matrix = focused_panel()->sight.matrix;
    const char *number = matrix_number(canvas->arena, matrix, cell_value(&cell));
    const char *there = row_text(canvas, canvas->cursor_row, canvas->cursor_column);
    ck_assert_msg(strncmp(there, number, strlen(number)) == 0, "%s: %s, not %s",
                  current_step(&walker.state, &walker.trial.run)->name, there, number);
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
            ck_assert_msg(strstr(text, "t text") != NULL, "%s", text);
            check_words(step);
            go_on();
        }
        walker_free(&walker);
    }
    start(0);
}
END_TEST

START_TEST(steps_of_a_paragraph_share_a_screen) {
    go_to("causal", "W_query");
    expect(" W_query ");
    expect(" W_value ");
    expect("1 of 3");
    type(";");
    expect("step 2/19");
    expect("2 of 3");
    type("n");
    expect("step 4/19");
    type("b");
    expect("step 1/19");
}
END_TEST

enum { FORWARD_LESSONS = 7 }; // those before gradients, whose tensors have eight columns and more

// What is too large to be seen beside its result at 80x24; Enter shows it.
static bool is_large(const struct tensor *tensor) {
    const struct table table = table_of(tensor);
    return table.columns > 12 || table.rows > 12;
}

static bool is_in_picture(const struct tensor *tensor) {
    for (int i = 0; i < walker.shown.count; i++) {
        if (walker.shown.panels[i].sight.matrix->tensor.storage == tensor->storage) return true;
    }
    return false;
}

// Operands and result of a cell are on screen together, and its arithmetic is complete.
static void check_picture(const struct step *step) {
    const struct canvas canvas = draw(24, 80);
    const char *text = all_text(&canvas);
    ck_assert(is_in_picture(&step->tensor));
    for (int row = 2; row < canvas.rows; row++)
        ck_assert_msg(strstr(row_text(&canvas, row, 0), "…") == NULL, "%s", text);
    if (!is_readable(&step->tensor)) return;
    const struct cell cell = current_cell(&walker.state, &walker.trial.run);
    const struct derivation derivation = derive(&frame, &cell, 4);
    bool has_large = is_large(&step->tensor);
    for (int i = 0; i < derivation.operand_count; i++)
        has_large = has_large || is_large(&derivation.operands[i].cell.tensor);
    const bool is_view = shows_view(&walker.trial.run, step);
    for (int i = 0; i < derivation.operand_count && !has_large && !is_view; i++) {
        const struct tensor *operand = &derivation.operands[i].cell.tensor;
        ck_assert_msg(operand->ndim == 0 || is_in_picture(operand),
                      "operand %d of %s is not in:\n%s", derivation.operands[i].number, step->name,
                      text);
    }
    if (derivation.operand_count == 0 || derivation.operand_count > 24) return;
    const char *line = collapsed(derivation.lines[derivation.line_count - 1]);
    ck_assert_msg(strstr(collapsed(text), line) != NULL, "'%s' is not in:\n%s", line, text);
}

START_TEST(every_step_is_a_picture) {
    for (int lesson = 0; lesson < FORWARD_LESSONS; lesson++) {
        start(lesson);
        for (int i = 0; i < walker.trial.run.step_count; i++) {
            go_to_step(&walker.state, &walker.trial.run, i);
            check_picture(&walker.trial.run.steps[i]);
        }
        walker_free(&walker);
    }
    start(0);
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
    for (int lesson = 1; lesson < 6; lesson++) {
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
    start(0);
}
END_TEST

// From step to step the last row of the result stays where it is, and the arithmetic below it.
START_TEST(the_matrix_stands_still) {
    static const struct { int rows, columns; } sizes[] = {{24, 80}, {40, 120}, {60, 200}};
    for (int lesson = 0; lesson < FORWARD_LESSONS; lesson++) {
        start(lesson);
        int foot = 0;
        for (int i = 0; i < walker.trial.run.step_count; i++) {
            const struct step *step = &walker.trial.run.steps[i];
            go_to_step(&walker.state, &walker.trial.run, i);
            draw(sizes[_i].rows, sizes[_i].columns);
            if (!walker.shown.is_composed) continue;
            const struct area area = focused_panel()->sight.area;
            if (foot == 0) foot = area.row + area.rows;
            ck_assert_msg(area.row + area.rows == foot, "%s ends at %d, not at %d", step->name,
                          area.row + area.rows, foot);
        }
        walker_free(&walker);
    }
    start(0);
}
END_TEST

// Change a later token, and no earlier row changes: what the last token's number reaches, in every step.
START_TEST(a_later_token_reaches_no_earlier_row) {
    go_to("causal", "context");
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
        for (int i = 0; i < run->step_count; i++) {
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
    start(0);
}
END_TEST

START_TEST(follows_a_number_from_step_to_step) {
    go_to("causal", "scores");
    type("jjlf");
    expect("This number goes to ");
    expect("→");
    type("f");
    expect("step 8/19");
    expect("6 of 36 numbers here answer to the one followed");
    const struct canvas plain = draw_with(24, 80, (struct look){.is_ascii = true});
    ck_assert_ptr_nonnull(strstr(all_text(&plain), "^"));
    type("F");
    expect_none("→");
}
END_TEST

// What is masked and what is dropped have marks of their own, and a legend beside the name.
START_TEST(masked_and_dropped_are_told_apart) {
    go_to("causal", "masked_scores");
    expect("¦ masked");
    expect("¦  -inf");
    expect_none("×");
    go_to("dropout", "mt19937: weights_dropped");
    expect("↓ dropped");
    expect("↓0.0000");
}
END_TEST

// Each action, step, lesson, mistake and setting is found by its name.
static void check_found(const char *name) {
    type(":");
    for (const char *next = name; *next != '\0';) press(utf8_next(&next));
    const struct canvas canvas = draw(60, 200);
    const char *text = all_text(&canvas);
    ck_assert_msg(strstr(text, " 0 found") == NULL, "%s", text);
    ck_assert_ptr_nonnull(strstr(text + 200, name));
    press(PRESS_ESCAPE);
}

START_TEST(the_palette_finds_everything) {
    go_to("causal", "scores");
    const struct run *run = &walker.trial.run;
    for (int i = 0; i < binding_count; i++) {
        if (bindings[i].views & VIEW_STEP && bindings[i].keys[0] < PRESS_CLICK &&
            bindings[i].action != ACT_PALETTE && strlen(bindings[i].help) < 60)
            check_found(bindings[i].help);
    }
    for (int i = 0; i < run->step_count; i++) check_found(run->steps[i].name);
    for (int i = 0; i < lesson_count; i++) check_found(lesson_table[i]->title);
    for (int i = 0; i < MISTAKE_COUNT; i++) {
        if (effect_in(&walker.trial, i)->why == NULL) check_found(mistake_table[i].title);
    }
    check_found("Set d_out");
    type(":causal_weights");
    press(PRESS_ENTER);
    expect("step 17/19");
    type(":mask-zero");
    press(PRESS_ENTER);
    expect("CHANGED: what if mask-zero");
    type(":undo");
    press(PRESS_ENTER);
    expect("Back to the course's numbers.");
    type(":d_out set");
    press(PRESS_ENTER);
    ck_assert_int_eq(view_on_top(), VIEW_SETTINGS);
}
END_TEST

START_TEST(a_key_that_does_nothing_says_what_would) {
    go_to("causal", "scores");
    type("Q");
    expect("Q does nothing. ? lists the keys, : finds anything.");
    type("o");
    expect("o does nothing here; elsewhere: out again");
}
END_TEST

START_TEST(every_size_shows_the_cursor_cell) {
    start(0);
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
    start(0);
    const struct canvas canvas = draw(5, 20);
    ck_assert_ptr_nonnull(strstr(row_text(&canvas, 0, 0), "40x12"));
    for (int row = 1; row < 5; row++) ck_assert_uint_eq(strspn(row_text(&canvas, row, 0), " "), 20);
}
END_TEST

START_TEST(resizing_never_loses_the_place) {
    start(0);
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
            for (int columns = 1; columns <= 160; columns += 7) {
                const struct canvas canvas =
                    draw_with(rows, columns, (struct look){.is_ascii = true});
                for (int k = 0; k < rows * columns; k++)
                    ck_assert_uint_lt(canvas.glyphs[k].character, 128);
            }
        }
        walker_free(&walker);
    }
    start(0);
}
END_TEST

START_TEST(shows_the_arithmetic_of_a_cell) {
    go_to("simplified", "scores");
    type("jll");
    expect("0.5500·0.5700 + 0.8700·0.8500 + 0.6600·0.6400 =");
    expect("Most: d2 ████████ 0.7395  d3 █████ 0.4224  d1 ███ 0.3135");
}
END_TEST

START_TEST(follows_a_number_to_its_operands_and_back) {
    go_to("simplified", "weights");
    press(PRESS_ENTER);
    expect("weights[Your, Your] = 0.2098, by softmax");
    press(PRESS_DOWN);
    press(PRESS_ENTER);
    expect("scores[Your, journey] = 0.9544, by matmul");
    press(PRESS_ENTER);
    expect("Here the road ends");
    press(PRESS_BACKSPACE);
    expect("scores[Your, journey] = 0.9544, by matmul");
    press('g');
    ck_assert_str_eq(current_step(&walker.state, &walker.trial.run)->name, "scores");
    ck_assert_int_eq(walker.state.column, 1);
}
END_TEST

START_TEST(shows_cells_that_are_not_computed_yet_as_such) {
    go_to("simplified", "scores");
    type("i");
    expect("row 1/6");
    expect("journey 0.5500 0.8700 0.6600         ·");
    type("n");
    expect("journey▸0.5500▸0.8700▸0.6600    0.9544");
}
END_TEST

// A part of a line has the step's name, its line's, and what is computed; no text runs into another.
START_TEST(names_what_is_computed_of_a_line) {
    go_to("simplified", "weights");
    type("ii");
    expect("weights row Your: max = 0.9995");
    go_to("simplified", "query_weights");
    type("ii");
    expect("query_weights: max = 1.4950");
}
END_TEST

START_TEST(runs_again_at_the_same_place) {
    go_to("causal", "queries");
    type("jl");
    press('s');
    press(PRESS_RIGHT);
    expect("CHANGED: seed 790");
    press(PRESS_ESCAPE);
    ck_assert_str_eq(current_step(&walker.state, &walker.trial.run)->name, "queries");
    ck_assert_int_eq(walker.state.row, 1);
    ck_assert_int_eq(walker.state.column, 1);
    press('c');
    expect("in the course");
    press('u');
    expect("Back to the course's numbers");
    ck_assert_uint_eq(walker.trial.run.parameters.given, 0);
}
END_TEST

START_TEST(refuses_what_cannot_be_in_place) {
    go_to("causal", "queries");
    press('s');
    press(PRESS_DOWN);
    press(PRESS_ENTER);
    type("0");
    press(PRESS_ENTER);
    expect("d_out takes a whole number, 1 ... 64, not '0'");
    ck_assert_uint_eq(walker.trial.run.parameters.given, 0);
}
END_TEST

START_TEST(edits_the_input) {
    go_to("simplified", "inputs");
    press('=');
    type("0.5");
    press(PRESS_ENTER);
    press('0');
    expect("inputs[Your, d1] = 0.5000");
    press('u');
    press('0');
    expect("inputs[Your, d1] = 0.4300");
    type("nn=");
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
}
END_TEST

START_TEST(hides_numbers_to_be_guessed) {
    go_to("simplified", "weights");
    press('e');
    expect("weights[Your, Your] = ?");
    type("0.2");
    press(PRESS_ENTER);
    expect("It is 0.2098: 0.0098 off");
    press(PRESS_RIGHT);
    press(' ');
    expect("No: the largest is Your, 0.2098");
    ck_assert_int_eq(walker.state.visits[0].guesses, 2);
    ck_assert_int_eq(walker.state.visits[0].good_guesses, 1);
    press('r');
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
}
END_TEST

START_TEST(memory_tells_nothing_that_is_to_be_guessed) {
    go_to("split_head", "queries_by_head");
    press('m');
    expect("-0.3021");
    press('e');
    expect("queries_by_head[b1 h1 Your, 1] = ?");
    expect_none("-0.3021");
    press('r');
    expect("-0.3021");
}
END_TEST

START_TEST(asks_for_the_next_cell_inside_a_step) {
    go_to("simplified", "scores");
    type("iie");
    expect("scores[Your, journey] = ?");
    expect("   0.9995      ?      ·");
    type("1");
    press(PRESS_ENTER);
    expect("   0.9995 0.9544      ·");
}
END_TEST

START_TEST(says_what_a_step_changed) {
    go_to("causal", "masked_scores");
    expect_at(40, 120, "15 of 36 changed");
}
END_TEST

START_TEST(finds_steps_by_their_words) {
    start(0);
    press('/');
    type("NORMALIZ");
    press(PRESS_ENTER);
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
    const struct step *found = current_step(&walker.state, &walker.trial.run);
    const char *text = arena_format(&frame, "%s %s %s", found->paragraph->title,
                                    found->paragraph->explanation, found->excerpt->text);
    ck_assert_msg(strstr(text, "ormaliz") != NULL, "%s", text);
}
END_TEST

START_TEST(shows_operands_where_there_is_room) {
    go_to("trainable", "rand: scores");
    const struct canvas canvas = draw(60, 200);
    const char *text = all_text(&canvas);
    ck_assert_ptr_nonnull(strstr(text, " queries "));
    ck_assert_ptr_nonnull(strstr(text, " keysᵀ"));
    check_cursor(&canvas);
}
END_TEST

START_TEST(a_click_moves_the_cell) {
    go_to("simplified", "scores");
    const struct canvas canvas = draw(24, 80);
    walker_press(&walker,
                 (struct press){PRESS_CLICK, canvas.cursor_row + 2, canvas.cursor_column + 9}, 24);
    ck_assert_int_eq(walker.state.row, 2);
    ck_assert_int_eq(walker.state.column, 1);
}
END_TEST

START_TEST(the_help_has_a_cheat_sheet) {
    go_to("split_head", "scores");
    press('?');
    expect("f formulas");
    press('f');
    expect("softmax(Q Kᵀ / √d_k) V");
    const char *const later[] = {"Shapes: split_head", "queries_by_head", "(2, 2, 6, 1)",
                                 "masked_fill", "view size is not compatible"};
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) expect_at(300, 80, later[i]);
    press(PRESS_ESCAPE);
    expect("f formulas");
}
END_TEST

// A mark before a number must not look like a part of it.
START_TEST(no_mark_in_ascii_is_a_sign) {
    go_to("simplified", "scores");
    for (int i = 0; i < 36; i++) {
        const struct canvas canvas = draw_with(24, 80, (struct look){.is_ascii = true});
        const struct glyph *mark = glyph_at(&canvas, canvas.cursor_row, canvas.cursor_column - 1);
        ck_assert_ptr_nonnull(strchr(" ':;=#&@", (int)mark->character));
        press(i % 6 == 5 ? PRESS_DOWN : PRESS_RIGHT);
        if (i % 6 == 5) press(PRESS_HOME);
    }
}
END_TEST

START_TEST(memory_says_what_stands_there) {
    go_to("split_head", "queries_by_head");
    press('m');
    expect("Place; then each number's head (A: first), value and #turn in this shape");
    expect("Not contiguous: this shape reads the places 0, 2, 4, 6, 8, 10, 1, 3, …");
    expect("     4 A -0.3015 #2  B -0.0232 #8 ");
    press('b');
    press('b');
    expect("This shape reads the 24 numbers from front to back: contiguous.");
}
END_TEST

START_TEST(tells_how_to_see_the_rest_of_the_source) {
    go_to("trainable", "random_scores");
    expect("products");
    expect("[t: all ");
}
END_TEST

static void check_cell_line(void) {
    const struct canvas canvas = draw(24, 80);
    const struct panel *own = &walker.shown.panels[0];
    while (own->step == NULL) own++;
    const struct area area = own->sight.area;
    const char *line = row_text(&canvas, area.row + area.rows, 0);
    ck_assert_msg(strstr(line, "…") == NULL, "%s", line);
}

// What is said of a number is never cut, whichever number it is, of the whole step and inside.
START_TEST(no_line_of_a_number_is_cut) {
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        start(lesson);
        for (int i = 0; i < walker.trial.run.step_count; i++) {
            const struct table table = table_of(&walker.trial.run.steps[i].tensor);
            go_to_step(&walker.state, &walker.trial.run, i);
            for (int64_t k = 0; k < table.rows * table.columns && k < 64; k++) {
                walker.state.row = k / table.columns;
                walker.state.column = k % table.columns;
                check_cell_line();
            }
            type("ii");
            for (int k = 0; k < 64 && walker.state.step == i && walker.state.moment >= 0; k++) {
                check_cell_line();
                press('n');
            }
        }
        walker_free(&walker);
    }
    start(0);
}
END_TEST

// ---- Mistakes -----------------------------------------------------------------------------------

// Opens the list of mistakes and goes to one of them.
static void choose_mistake(const char *name) {
    press('x');
    const int wanted = (int)(find_mistake(name) - mistake_table);
    for (int i = 0; i < MISTAKE_COUNT; i++) press(PRESS_UP);
    for (int i = 0; i < wanted; i++) press(PRESS_DOWN);
}

START_TEST(makes_mistakes_where_it_stands) {
    go_to("causal", "causal_weights");
    type("jj");
    choose_mistake("mask-zero");
    expect("[ ]   Masked scores set to 0 instead of -∞");
    expect("What goes wrong: e^0 is 1");
    expect("In PyTorch: scores.masked_fill(mask, 0)");
    expect("changes 5 of 19 steps, from step 15 (masked_scores) on.");
    press(PRESS_ENTER);
    expect("[x]   Masked scores set to 0 instead of -∞");
    expect("CHANGED: what if mask-zero.");
    press(PRESS_ESCAPE);
    ck_assert_str_eq(current_step(&walker.state, &walker.trial.run)->name, "causal_weights");
    ck_assert_int_eq(walker.state.row, 2);
    press('u');
    expect("Back to the course's numbers");
    expect_none("CHANGED");
    ck_assert_ptr_null(walker.trial.right);
}
END_TEST

START_TEST(makes_several_mistakes) {
    go_to("causal", "causal_weights");
    choose_mistake("no-scale");
    press(' ');
    press(PRESS_ESCAPE);
    choose_mistake("mask-diagonal");
    press(' ');
    ck_assert_int_eq(walker.trial.mistake_count, 2);
    expect("what if no-scale, what if mask-diag");
    press(PRESS_ENTER);
    ck_assert_int_eq(walker.trial.mistake_count, 1);
    press('n');
    ck_assert_int_eq(view_on_top(), VIEW_MISTAKES);
    ck_assert_str_eq(current_step(&walker.state, &walker.trial.run)->name, "difference");
    press('u');
    ck_assert_int_eq(walker.trial.mistake_count, 0);
}
END_TEST

START_TEST(says_why_a_mistake_changes_nothing) {
    go_to("split_head", "weights");
    press('x');
    expect("[ ] = Scores not divided by √d_k");
    expect("no-scale changes nothing here: d_k is 1, and √1 is 1.");
    press(PRESS_ENTER);
    expect("[x] = Scores not divided by √d_k");
    expect("CHANGED: what if no-scale (changes nothing here)");
    expect_none("≠");
}
END_TEST

START_TEST(says_at_the_start_that_a_mistake_changes_nothing) {
    struct what_ifs what_ifs = {0};
    what_ifs.made[mistake_number(find_mistake("no-scale"))] = true;
    start_at(5, "weights", &what_ifs);
    expect("no-scale changes nothing here: d_k is 1, and √1 is 1.");
    press('n');
    expect_none("changes nothing here: d_k");
}
END_TEST

START_TEST(shows_wrong_and_right) {
    go_to("causal", "causal_weights");
    choose_mistake("no-scale");
    press(PRESS_ENTER);
    press(PRESS_ESCAPE);
    press(PRESS_DOWN);
    expect("≠0.5728");
    expect("causal_weights[journey, Your] = 0.5728, right 0.5517, difference 0.0211");
    expect_at(40, 120, " without the mistake");
    expect_at(40, 120, "≠0.5728 ≠0.4272");
    expect_at(40, 120, " 0.5517  0.4483");
    expect_at(40, 200, " difference");
    expect_at(40, 200, " 0.0211  -0.0211");
    const struct canvas canvas = draw(40, 200);
    check_cursor(&canvas);
}
END_TEST

START_TEST(marks_the_steps_that_a_mistake_changes) {
    go_to("causal", "masked_scores");
    choose_mistake("mask-zero");
    press(PRESS_ENTER);
    press(PRESS_ESCAPE);
    expect("│○○○○│○○◆≠≠≠≠");
    press(PRESS_TAB);
    expect("  ≠ ● 15 masked_scores");
    expect("    ○ 14 mask_bool");
}
END_TEST

// Every mistake in every lesson: each step shows its numbers, marked where they are others.
// Where a mistake is made, its line stands beside the right one; where only its consequences show, it does
// not. The first step that a mistake changes is one where it is made.
START_TEST(the_wrong_line_stands_where_the_mistake_is_made) {
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        for (int mistake = 0; mistake < MISTAKE_COUNT; mistake++) {
            struct what_ifs what_ifs = {0};
            what_ifs.made[mistake] = true;
            start_at(lesson, NULL, &what_ifs);
            const bool *touched = walker.trial.touched;
            bool is_first = true;
            for (int i = 0; i < walker.trial.run.step_count; i++) {
                if (!touched[i]) continue;
                const bool is_made_here = is_mistaken(&walker.trial, i);
                ck_assert_msg(is_made_here || !is_first, "%s is not made at %s",
                              mistake_table[mistake].name, walker.trial.run.steps[i].name);
                is_first = false;
                go_to_step(&walker.state, &walker.trial.run, i);
                const struct canvas canvas = draw(24, 80);
                ck_assert((strstr(all_text(&canvas), "≠ wrong  ") != NULL) == is_made_here);
            }
            walker_free(&walker);
        }
    }
    start(0);
}
END_TEST

START_TEST(every_mistake_shows_on_every_step) {
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        for (int mistake = 0; mistake < MISTAKE_COUNT; mistake++) {
            start(lesson);
            choose_mistake(mistake_table[mistake].name);
            press(PRESS_ENTER);
            press(PRESS_ESCAPE);
            const bool *touched = walker.trial.touched;
            for (int i = 0; i < walker.trial.run.step_count; i++) {
                go_to_step(&walker.state, &walker.trial.run, i);
                const struct canvas wide = draw(40, 120);
                const char *text = all_text(&wide);
                const bool stands_beside = strstr(text, " without the mistake") != NULL;
                ck_assert_msg(stands_beside == touched[i], "%s, %s, step %d",
                              lesson_table[lesson]->name, mistake_table[mistake].name, i + 1);
                check_cursor(&wide);
                check_cell_line();
            }
            walker_free(&walker);
        }
    }
    start(0);
}
END_TEST

START_TEST(mistakes_follow_the_settings) {
    go_to("split_head", "weights");
    press('x');
    press(PRESS_ENTER);
    press(PRESS_ESCAPE);
    press('s');
    press(PRESS_DOWN);
    press(PRESS_ENTER);
    type("6");
    press(PRESS_ENTER);
    press(PRESS_ESCAPE);
    press('x');
    expect("[x]   Scores not divided by √d_k");
    expect("no-scale changes ");
}
END_TEST

Suite *walk_suite(void) {
    Suite *suite = suite_create("walk");
    TCase *tests = tcase_create("walk");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, every_step_shows_what_matters);
    tcase_add_test(tests, every_step_is_a_picture);
    tcase_add_loop_test(tests, large_screens_use_their_room, 0, 2);
    tcase_add_loop_test(tests, the_matrix_stands_still, 0, 3);
    tcase_add_test(tests, a_later_token_reaches_no_earlier_row);
    tcase_add_test(tests, operands_go_where_they_were_used);
    tcase_add_test(tests, follows_a_number_from_step_to_step);
    tcase_add_test(tests, masked_and_dropped_are_told_apart);
    tcase_add_test(tests, the_palette_finds_everything);
    tcase_add_test(tests, a_key_that_does_nothing_says_what_would);
    tcase_add_test(tests, steps_of_a_paragraph_share_a_screen);
    tcase_add_test(tests, every_size_shows_the_cursor_cell);
    tcase_add_test(tests, too_small_says_the_size_needed);
    tcase_add_test(tests, resizing_never_loses_the_place);
    tcase_add_test(tests, all_modes_at_all_sizes_in_ascii);
    tcase_add_test(tests, shows_the_arithmetic_of_a_cell);
    tcase_add_test(tests, follows_a_number_to_its_operands_and_back);
    tcase_add_test(tests, shows_cells_that_are_not_computed_yet_as_such);
    tcase_add_test(tests, names_what_is_computed_of_a_line);
    tcase_add_test(tests, runs_again_at_the_same_place);
    tcase_add_test(tests, refuses_what_cannot_be_in_place);
    tcase_add_test(tests, edits_the_input);
    tcase_add_test(tests, hides_numbers_to_be_guessed);
    tcase_add_test(tests, memory_tells_nothing_that_is_to_be_guessed);
    tcase_add_test(tests, asks_for_the_next_cell_inside_a_step);
    tcase_add_test(tests, says_what_a_step_changed);
    tcase_add_test(tests, finds_steps_by_their_words);
    tcase_add_test(tests, shows_operands_where_there_is_room);
    tcase_add_test(tests, a_click_moves_the_cell);
    tcase_add_test(tests, the_help_has_a_cheat_sheet);
    tcase_add_test(tests, no_mark_in_ascii_is_a_sign);
    tcase_add_test(tests, memory_says_what_stands_there);
    tcase_add_test(tests, tells_how_to_see_the_rest_of_the_source);
    tcase_add_test(tests, no_line_of_a_number_is_cut);
    tcase_add_test(tests, makes_mistakes_where_it_stands);
    tcase_add_test(tests, makes_several_mistakes);
    tcase_add_test(tests, says_why_a_mistake_changes_nothing);
    tcase_add_test(tests, says_at_the_start_that_a_mistake_changes_nothing);
    tcase_add_test(tests, shows_wrong_and_right);
    tcase_add_test(tests, marks_the_steps_that_a_mistake_changes);
    tcase_add_test(tests, the_wrong_line_stands_where_the_mistake_is_made);
    tcase_add_test(tests, every_mistake_shows_on_every_step);
    tcase_add_test(tests, mistakes_follow_the_settings);
    suite_add_tcase(suite, tests);
    return suite;
}
