#include "examined.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trace/run/step.h"
#include "walking.h"

static int reports; // where to

static void expect_that(bool is_so, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void expect_that(bool is_so, const char *format, ...) {
    if (is_so) return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    _exit(1);
}

static void report(char what) {
    expect_that(write(reports, &what, 1) == 1, "cannot report");
}

// ---- A frame -------------------------------------------------------------------------------------

static bool is_same_glyph(const struct glyph *a, const struct glyph *b) {
    const struct style *x = &a->style, *y = &b->style;
    return a->character == b->character && memcmp(a->marks, b->marks, sizeof a->marks) == 0 &&
           x->bold == y->bold && x->dim == y->dim && x->reverse == y->reverse &&
           x->underline == y->underline && x->ramp == y->ramp && x->level == y->level;
}

static void expect_same(const struct canvas *canvas, const struct canvas *other, const char *what) {
    for (int i = 0; i < canvas->rows * canvas->columns; i++) {
        const int row = i / canvas->columns;
        if (is_same_glyph(&canvas->glyphs[i], &other->glyphs[i])) continue;
        expect_that(false, "%s differs at row %d, column %d:\n%s\n%s", what, row,
                    i % canvas->columns, row_text(canvas, row, 0), row_text(other, row, 0));
    }
    expect_that(canvas->cursor_row == other->cursor_row &&
                    canvas->cursor_column == other->cursor_column,
                "%s has the cursor at %d,%d, not at %d,%d", what, other->cursor_row,
                other->cursor_column, canvas->cursor_row, canvas->cursor_column);
}

// The same frame without the matrices that are remembered of frames, which stay as they are.
static void expect_same_from_scratch(const struct canvas *canvas) {
    static struct matrix_cache matrix_cache;
    matrix_cache = walker.matrix_cache;
    forget_matrices(&walker.matrix_cache);
    struct canvas other = canvas_new(canvas->arena, canvas->rows, canvas->columns, canvas->look);
    walker_draw(&walker, &other);
    report(FRAME_DRAWN);
    expect_same(canvas, &other, "drawn from scratch, the screen");
    walker.matrix_cache = matrix_cache;
}

// Of a step that is shown whole: what its numbers say is not hidden, pending or replaced by a message then.
static void expect_number(const struct canvas *canvas) {
    const struct state *state = &walker.state;
    if (walker.shown.count == 0 || view_on_top() != VIEW_STEP || walker.tour.stage > 0) return;
    const struct cell cell = current_cell(state, &walker.trial.run);
    const char *name = current_step(state, &walker.trial.run)->name;
    const struct shown_page *page = &walker.shown.pages[0];
    while (!page->has_focus) page++;
    const struct matrix *matrix =
        cached_matrix(&walker.matrix_cache, &page->tensor, page->page, page->digits);
    const char *number = number_text(canvas->arena, matrix->format, cell_value(&cell));
    const char *there = row_text(canvas, canvas->cursor_row, canvas->cursor_column);
    const bool is_whole = page->raster.apart > text_width(number);
    expect_that(!is_whole || strncmp(there, number, strlen(number)) == 0,
                "the number under the cursor is %s, in %s it is %s", there, name, number);
    if (*state->message != '\0' || *state->foot != '\0' || state->compares) return;
    const char *line = "";
    for (int row = page->area.row + page->area.rows; row < canvas->rows - 1; row++)
        line = arena_format(canvas->arena, "%s%s\n", line, row_text(canvas, row, 0));
    const char *value = cell_number(canvas->arena, &cell, shown_digits(&walker));
    const char *computed =
        number_in_arithmetic(canvas->arena, cell_value(&cell), shown_digits(&walker));
    const char *in_words = arena_format(canvas->arena, "%g", cell_value(&cell)); // "puts 0"
    expect_that(strstr(line, value) || strstr(line, computed) || strstr(line, in_words),
                "%s is not what is said of the cell of %s:\n%s", value, name, line);
}

static struct canvas frame_of(int rows, int columns) {
    return draw_with(rows, columns,
                     (struct look){.has_heat = columns % 2 == 0, .is_ascii = rows % 2 != 0});
}

// Afterwards the frame is gone, as in the terminal.
static void look_at(int rows, int columns) {
    const struct canvas canvas = frame_of(rows, columns);
    report(FRAME_DRAWN);
    expect_that(canvas.cursor_row >= 0 && canvas.cursor_row < rows && canvas.cursor_column >= 0 &&
                    canvas.cursor_column < columns,
                "the cursor is at row %d, column %d of %d, %d", canvas.cursor_row,
                canvas.cursor_column, rows, columns);
    expect_same_from_scratch(&canvas);
    expect_number(&canvas);
    arena_free(&frame);
}

// ---- A walk ---------------------------------------------------------------------------------------

static bool is_course(int lesson) {
    return walker.state.lesson == lesson && walker.chosen.given == 0 && !any_made(&walker.what_ifs);
}

// What was changed on the way is what a walk shows that begins there.
static void expect_same_anew(int rows, int columns) {
    static struct walker anew;
    const struct walk_start start = {
        .lessons = walker.lessons,
        .lesson_count = walker.lesson_count,
        .lesson = walker.state.lesson,
        .chosen = &walker.chosen,
        .what_ifs = &walker.what_ifs,
        .interpreter = walker.interpreter,
        .digits = walker.digits,
    };
    follow_no_longer(&walker);
    walker.state.message[0] = walker.state.foot[0] = '\0';
    walker_start(&anew, &start, &failure);
    anew.state = walker.state;
    anew.edits = walker.edits;
    const struct canvas canvas = frame_of(rows, columns);
    struct canvas other = canvas_new(&frame, rows, columns, canvas.look);
    walker_draw(&anew, &other);
    expect_same(&canvas, &other, "a new walker's screen");
    walker_free(&anew);
    arena_free(&frame);
}

static void lead_out(int lesson, int rows, int columns) {
    // Views, grains, the tour, memory, a number followed, the comparison.
    enum { MOST = MOST_OPEN + GRAIN_TERM + 5 };
    for (int i = 0; i < MOST; i++) walker_press(&walker, (struct press){PRESS_ESCAPE, 0, 0}, rows);
    if (!is_course(lesson)) expect_same_anew(rows, columns);
    walker_press(&walker, (struct press){'q', 0, 0}, rows);
    expect_that(walker.state.has_quit, "Esc and q do not lead out");
}

// At a step of the lesson, with nothing behind it. What is remembered of frames stays.
static void begin(int lesson, int step) {
    close_views(&walker);
    follow_no_longer(&walker);
    walker.tour = (struct tour){0};
    walker.state = state_new(lesson, walker.lesson_count);
    const int last = walker.trial.run.step_count - 1; // a change may leave fewer steps
    go_to_step(&walker.state, &walker.trial.run, step < last ? step : last);
}

void examine(const struct events *events, int done, int reports_to) {
    const int lesson = events->lesson;
    int rows = events->rows, columns = events->columns;
    reports = reports_to;
    begin(lesson, done == 0 ? events->step : events->all[done - 1].row);
    look_at(rows, columns);
    for (int i = done; i < events->count; i++) {
        const struct press event = events->all[i];
        if (event.key == AGAIN) {
            lead_out(lesson, rows, columns);
            report(EVENT_DONE);
            if (!is_course(lesson)) return;
            rows = events->rows, columns = events->columns;
            begin(lesson, event.row);
            look_at(rows, columns);
            continue;
        }
        if (event.key == RESIZE)
            rows = event.row, columns = event.column;
        else if (event.key == TO)
            begin(walker.state.lesson, event.row);
        else if (!walker.state.has_quit)
            walker_press(&walker, event, rows);
        if (!walker.state.has_quit) look_at(rows, columns);
        report(EVENT_DONE);
    }
    lead_out(lesson, rows, columns);
}
