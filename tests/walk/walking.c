#include "walking.h"

#include <string.h>

#include "base/text.h"
#include "lesson.h"
#include "script/lesson/interpreter.h"

#include <check.h> // last: defines a macro fail

struct arena frame;
struct walker walker;

static bool is_walking; // the walker, which has to be freed before another walk

static void start_with(int lesson, const char *step, const struct what_ifs *what_ifs,
                       const struct parameters *chosen) {
    const struct walk_start begin = {
        .lessons = lesson_table,
        .lesson_count = lesson_count,
        .lesson = lesson,
        .step = step,
        .chosen = chosen,
        .what_ifs = what_ifs,
        .interpreter = &python_interpreter,
        .digits = 4,
    };
    if (is_walking) walker_free(&walker);
    is_walking = true;
    walker_start(&walker, &begin, &failure);
    walker.state.asks_nothing = true; // whoever tests the questions asks for them
}

void start_at(int lesson, const char *step, const struct what_ifs *what_ifs) {
    start_with(lesson, step, what_ifs, &(struct parameters){0});
}

void start_briefly(int lesson, const char *step, const struct what_ifs *what_ifs) {
    const struct parameters few = {.given = USES_UPDATES, .updates = 2}, none = {0};
    start_with(lesson, step, what_ifs, lesson_table[lesson]->trains ? &few : &none);
}

static const struct what_ifs none_made = {0};

void start(int lesson) {
    start_at(lesson, NULL, &none_made);
}

void start_in(const char *lesson, const char *step) {
    start_at(lesson_number(lesson), step, &none_made);
}

void start_at_cell(const char *lesson, const char *step, int64_t row, int64_t column) {
    start_in(lesson, step);
    walker.state.row = row;
    walker.state.column = column;
}

void walk_set_up(void) {
    frame = arena_new(&failure);
}

void walk_tear_down(void) {
    walker_free(&walker);
    is_walking = false;
    arena_free(&frame);
}

struct canvas draw_with(int rows, int columns, struct look look) {
    arena_free(&frame);
    struct canvas canvas = canvas_new(&frame, rows, columns, look);
    walker_draw(&walker, &canvas);
    return canvas;
}

struct canvas draw(int rows, int columns) {
    return draw_with(rows, columns, (struct look){.has_heat = true});
}

void to_first_cell(void) {
    choose_cell(&walker.state, &walker.trial.run, 0, 0);
}

void press(uint32_t key) {
    walker_press(&walker, (struct press){.key = key}, 24);
}

void type(const char *keys) {
    while (*keys != '\0') press((uint32_t)(unsigned char)*keys++);
}

enum view_bit view_on_top(void) {
    return top_view(&walker)->view->bit;
}

const char *row_text(const struct canvas *canvas, int row, int column) {
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

const char *all_text(const struct canvas *canvas) {
    struct text text = text_new(canvas->arena);
    for (int row = 0; row < canvas->rows; row++)
        text_add_format(&text, "%s\n", row_text(canvas, row, 0));
    return text.bytes;
}

// The words of a text, a blank between two.
const char *collapsed(const char *text) {
    struct text result = text_new(&frame);
    text_add(&result, "");
    for (bool has_blank = false; *text != '\0'; text++) {
        const bool is_blank = *text == ' ' || *text == '\n';
        if (!is_blank || !has_blank) text_add_bytes(&result, is_blank ? " " : text, 1);
        has_blank = is_blank;
    }
    return result.bytes;
}

void expect_words_at(int rows, int columns, const char *wanted) {
    const struct canvas canvas = draw(rows, columns);
    const char *text = collapsed(all_text(&canvas));
    ck_assert_msg(strstr(text, wanted) != NULL, "'%s' is not in:\n%s", wanted, text);
}

void expect_words(const char *wanted) {
    expect_words_at(24, 80, wanted);
}

void expect_at(int rows, int columns, const char *wanted) {
    const struct canvas canvas = draw(rows, columns);
    const char *text = all_text(&canvas);
    ck_assert_msg(strstr(text, wanted) != NULL, "'%s' is not in:\n%s", wanted, text);
}

void expect(const char *wanted) {
    expect_at(24, 80, wanted);
}

void expect_none(const char *unwanted) {
    const struct canvas canvas = draw(24, 80);
    const char *text = all_text(&canvas);
    ck_assert_msg(strstr(text, unwanted) == NULL, "'%s' is in:\n%s", unwanted, text);
}

// The page on screen that has the cursor.
const struct shown_page *focused_page(void) {
    for (int i = 0; i < walker.shown.count; i++) {
        if (walker.shown.pages[i].has_focus) return &walker.shown.pages[i];
    }
    ck_abort_msg("no matrix has the cursor");
}

// The number under the terminal's cursor is the focused one.
void check_cursor(const struct canvas *canvas) {
    const struct cell cell = current_cell(&walker.state, &walker.trial.run);
    const struct shown_page *page = focused_page();
    const struct matrix *matrix =
        cached_matrix(&walker.matrix_cache, &page->tensor, page->page, page->digits);
    const char *number = number_text(canvas->arena, matrix->format, cell_value(&cell));
    const char *there = row_text(canvas, canvas->cursor_row, canvas->cursor_column);
    ck_assert_msg(strncmp(there, number, strlen(number)) == 0, "%s: %s, not %s",
                  current_step(&walker.state, &walker.trial.run)->name, there, number);
}

void check_cell_line(void) {
    const struct canvas canvas = draw(24, 80);
    const struct shown_page *own = &walker.shown.pages[0];
    while (own->step < 0) own++;
    const struct area area = own->area;
    const char *line = row_text(&canvas, area.row + area.rows, 0);
    ck_assert_msg(strstr(line, "…") == NULL, "%s", line);
}
