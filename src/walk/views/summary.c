// How a lesson ends: what it showed, three questions to be answered, where to go on, and all of it in
// PyTorch with what is new there against an earlier lesson.

#include <string.h>

#include "show/recap.h"
#include "trace/run/step.h"
#include "walk/kit/lines.h"
#include "walk/views/views.h"

struct summary {
    struct scrolled scrolled; // first: what scrolls a page knows no more
    bool is_answered[QUESTION_COUNT];
    int asked; // last, from 1; it is to be brought in sight. 0: none
    int step;  // where it was opened
    int64_t page, row, column;
};

static const struct recap *recap_of(const struct walker *walker, int lesson) {
    return lesson >= 0 ? walker->lessons[lesson]->source->recap : NULL;
}

static void open(struct walker *walker, void *view_state) {
    struct summary *summary = view_state;
    const struct state *state = &walker->state;
    summary->step = state->step;
    summary->page = state->page;
    summary->row = state->row;
    summary->column = state->column;
}

// ---- Questions ----------------------------------------------------------------------------------

// The step with the cell that a question asks for; NULL if it asks for none, or none is there.
static const struct step *asked_step(const struct run *run, const struct question *question) {
    const struct step *step = step_called(run, question->step);
    if (question->cell_dims == 0 || step == NULL) return NULL;
    return has_index(&step->tensor, question->cell_dims, question->cell) ? step : NULL;
}

// Gives the answer, or has the number estimated; then the answer stands here afterwards.
static void ask(struct walker *walker, struct summary *summary, int number) {
    const struct recap *recap = recap_of(walker, walker->state.lesson);
    if (recap == NULL || number >= QUESTION_COUNT) return;
    const struct question *question = &recap->questions[number];
    const struct step *step = asked_step(&walker->trial.run, question);
    const bool is_new = !summary->is_answered[number];
    summary->is_answered[number] = true;
    summary->asked = number + 1;
    if (!is_new || step == NULL) return;
    go_to_cell(&walker->state, &walker->trial.run, step, question->cell);
    open_view(walker, &estimate_view);
    tell(&walker->state, "%s (Esc: the answer.)", question->text);
}

// ---- Keys ---------------------------------------------------------------------------------------

// Back to where it was opened: questions may have led elsewhere.
static void close(struct walker *walker, void *view_state) {
    const struct summary *summary = view_state;
    struct state *state = &walker->state;
    if (state->step != summary->step) go_to_step(state, &walker->trial.run, summary->step);
    state->page = summary->page;
    choose_cell(state, &walker->trial.run, summary->row, summary->column);
}

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    struct summary *summary = view_state;
    summary->asked = 0;
    switch (pressed->action) {
    case ACT_NEXT_LESSON:
        close_view(walker);
        change_lesson(walker, walker->state.lesson + 1);
        break;
    case ACT_ANSWER:
        ask(walker, summary, (int)(pressed->press.key - '1'));
        break;
    case ACT_REVEAL:
        for (int i = 0; i < QUESTION_COUNT; i++) summary->is_answered[i] = true;
        summary->asked = QUESTION_COUNT;
        break;
    default:
        scroll_page(walker, view_state, pressed);
    }
}

// ---- The page -----------------------------------------------------------------------------------

static void add_question(struct page *page, struct walker *walker, struct summary *summary, int i) {
    const struct question *question = &recap_of(walker, walker->state.lesson)->questions[i];
    const bool is_answered = summary->is_answered[i];
    const bool has_number = asked_step(&walker->trial.run, question) != NULL;
    const char *key = is_answered  ? ""
                      : has_number ? arena_format(page->arena, " [%d: estimate it]", i + 1)
                                   : arena_format(page->arena, " [%d: the answer]", i + 1);
    const int first = page->count;
    page_add(page, arena_format(page->arena, "%d. %s%s", i + 1, question->text, key), 0, PLAIN);
    for (int line = first; line < page->count && !is_answered; line++)
        page->lines[line].key = (uint32_t)('1' + i);
    if (is_answered)
        page_add(page, arena_format(page->arena, "%s (See %s.)", question->answer, question->step),
                 3, BOLD);
    if (summary->asked != i + 1) return;
    summary->asked = 0;
    const int rows = page->canvas->rows - 3;
    int *top = &summary->scrolled.first;
    if (*top < page->count - rows) *top = page->count - rows;
    if (*top > first) *top = first;
}

static void add_questions(struct page *page, struct walker *walker, struct summary *summary) {
    const char *changed = differences_text(page->arena, &walker->trial);
    page_add(page, "Questions", 0, BOLD);
    for (int i = 0; i < QUESTION_COUNT; i++) add_question(page, walker, summary, i);
    if (changed != NULL)
        page_add(page,
                 arena_format(page->arena,
                              "The answers are for the %s's numbers. Changed here: %s.",
                              standard_of(walker->trial.run.lesson), changed),
                 0, PLAIN);
    page_add(page, "", 0, PLAIN);
}

// A line of code behind its mark, wrapped under its own indent where it is too long. No indent takes more than half a line.
static void add_code(struct page *page, const char *mark, const char *line, struct style style) {
    enum { HANG = 4, LEAST = 12 };
    const int indent = 2 + (int)strspn(line, " "), half = page->canvas->columns / 2;
    const int blanks = indent < half ? indent : half;
    const int room = page->canvas->columns - 2 - blanks;
    char **parts;
    int count = wrap_shown(page->canvas, line, room > LEAST ? room : LEAST, &parts);
    if (count > 1)
        count = wrap_shown(page->canvas, line, room > LEAST + HANG ? room - HANG : LEAST, &parts);
    for (int i = 0; i < count; i++)
        page_add_line(page,
                      arena_format(page->arena, "%-*s%s", blanks + (i > 0 ? HANG : 0),
                                   i == 0 ? mark : "", parts[i]),
                      style);
    if (count == 0) page_add_line(page, mark, style);
}

static void add_lines(struct page *page, const char *code) {
    char **lines;
    const int count = split_shown(page->canvas, code, &lines);
    for (int i = 0; i < count; i++) add_code(page, " ", lines[i], PLAIN);
}

static void add_classes(struct page *page, const struct run *run) {
    static const char *const marks[] = {
        [LINE_STAYS] = " ", [LINE_IS_NEW] = "+", [LINE_IS_GONE] = "-"};
    const struct recap *recap = run->lesson->source->recap;
    page_add(page, classes_title(page->arena, recap), 0, BOLD);
    for (int i = 0; i < recap->change_count; i++) {
        const struct change *change = &recap->changes[i];
        const bool is_same = recap->since != NULL && change->kind == LINE_STAYS;
        add_code(page, marks[change->kind], change->line,
                 is_same                       ? DIM
                 : change->kind == LINE_IS_NEW ? BOLD
                                               : PLAIN);
    }
    page_add(page, "", 0, PLAIN);
    page_add(page, arena_format(page->arena, "It gives the lesson's %s", recap->gives), 0, BOLD);
    add_lines(page, run_statement(page->arena, run, recap->use));
}

// From here on there is room for the classes beside the words.
enum { WIDE = 170, BESIDE = 84 };

// The lines of a page in the columns from BESIDE on, scrolled as the page on the left is.
static void draw_beside(struct canvas *canvas, const struct page *page, int first) {
    for (int row = 1; row < canvas->rows - 1 && first + row <= page->count; row++) {
        const struct page_line *line = &page->lines[first + row - 1];
        put_text(canvas, row, BESIDE, canvas->columns - BESIDE - 1, line->text, line->style);
    }
}

// ---- What was learned ---------------------------------------------------------------------------

enum { LEARNED_CELL = 6, LEARNED_LABEL = 8 };

// Adds a row of a page to a line: what the row is called, and its numbers. Row -1 has what the columns are called.
static void add_learned_row(struct text *line, const struct tensor *weights, int64_t matrix,
                            int64_t row) {
    const struct axis *rows = &weights->axis[weights->ndim - 2];
    const struct axis *columns = &weights->axis[weights->ndim - 1];
    const struct table table = table_of(weights);
    text_add_format(line, "%*s", LEARNED_LABEL, row < 0 ? "" : rows->labels[row]);
    for (int64_t column = 0; column < table.columns; column++) {
        int64_t index[MAX_DIMS];
        table_index(weights, matrix, row < 0 ? 0 : row, column, index);
        if (row < 0)
            text_add_format(line, "%*s", LEARNED_CELL, columns->labels[column]);
        else
            text_add_format(line, "%*.3f", LEARNED_CELL, element(weights, index));
    }
}

// Weights of lesson 0, of a head or of all side by side. Where the screen is too narrow for that, they stand below each other.
static void add_learned(struct page *page, const struct walker *walker,
                        const struct learned_weights *learned) {
    const struct lesson *lesson = walker->lessons[0];
    if (learned->step == NULL || !lesson->is_before_first) return;
    struct run run;
    const struct parameters parameters = {0};
    run_lesson(&run, page->arena, lesson, &parameters);
    const struct tensor weights = step_called(&run, learned->step)->tensor;
    const struct table table = table_of(&weights);
    const bool has_all = learned->page < 0;
    const int64_t first = has_all ? 0 : learned->page, count = has_all ? table.pages : 1;
    const int64_t width = count * (LEARNED_LABEL + LEARNED_CELL * table.columns);
    const int64_t beside = width < page->canvas->columns ? count : 1;
    page_add(page, learned->text, 0, PLAIN);
    for (int64_t at = first; at < first + count; at += beside) {
        for (int64_t row = -1; row < table.rows; row++) {
            struct text line = text_new(page->arena);
            for (int64_t i = 0; i < beside; i++) add_learned_row(&line, &weights, at + i, row);
            page_add_line(page, line.bytes, row < 0 ? DIM : PLAIN);
        }
    }
    page_add(page, "", 0, PLAIN);
}

// A program teaches nothing that could be summed up: where it is, what it printed last, and the ways on.
static void add_end_of_program(struct page *page, const struct run *run) {
    const struct step *last = &run->steps[run->step_count - 1], *printed = last;
    struct arena *arena = page->arena;
    const char *title = last->paragraph->title;
    page_add(page,
             arena_format(arena, "This is the end: no step follows. The last step is %d, %s: %s%s",
                          last->number, step_label(arena, last), title,
                          strchr(".?!", title[strlen(title) - 1]) != NULL ? "" : "."),
             0, PLAIN);
    page_add(page, "", 0, PLAIN);
    while (printed->printed == NULL && printed->number > 1) printed--;
    if (printed->printed != NULL) {
        page_add(page,
                 arena_format(arena, "The program printed last, behind step %d, %s:",
                              printed->number, step_label(arena, printed)),
                 0, PLAIN);
        add_lines(page, printed->printed);
        page_add(page, "", 0, PLAIN);
    }
    if (page->canvas->look.has_buttons) return;
    page_add(page,
             "Esc goes back to the step. There b goes one step back, g to the first step, and q "
             "leaves onestep.",
             0, PLAIN);
}

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    struct summary *summary = view_state;
    const int lesson = walker->state.lesson;
    const struct recap *recap = recap_of(walker, lesson);
    const struct run *run = &walker->trial.run;
    const char *function = recap != NULL ? walker->lessons[lesson]->source->function : NULL;
    const bool is_program = run->lesson->part == PART_OF_READER;
    const char *title =
        is_program ? arena_format(canvas->arena, "The end of %s", run->lesson->title)
        : recap == NULL
            ? arena_format(canvas->arena, "Summary: %s", run->lesson->title)
            : arena_format(canvas->arena, "Summary of lesson %d: %s",
                           number_of_lesson(&walker->state, lesson), run->lesson->title);
    struct canvas right = *canvas;
    struct page page = page_new(canvas, title), beside = page_new(&right, title);
    const bool is_wide = canvas->columns >= WIDE;
    if (is_wide) right.columns -= BESIDE - 1;
    if (is_program) {
        add_end_of_program(&page, run);
    } else if (recap == NULL) {
        page_add(&page,
                 run->lesson->learned != NULL
                     ? "This lesson has no summary."
                     : "This lesson has no summary. 'onestep gpt --model agreement' shows a small "
                       "model that has learned.",
                 0, PLAIN);
    } else {
        page_add(&page, recap->words, 0, PLAIN);
        page_add(&page, "", 0, PLAIN);
        add_questions(&page, walker, summary);
        const char *answers = answers_text(page.arena, run->lesson, &walker->state.visits[lesson]);
        if (answers != NULL)
            page_add(&page, arena_format(page.arena, "Your turn: %s.", answers), 0, PLAIN);
        add_learned(&page, walker, &recap->learned);
        if (*recap->can != '\0') page_add(&page, recap->can, 0, BOLD);
        page_add(&page, arena_format(page.arena, "Next: %s", recap->onward), 0, PLAIN);
        if (recap->exercise_count > 0)
            page_add(&page,
                     arena_format(page.arena, "Exercises in Python: onestep practice %s",
                                  run->lesson->name),
                     0, PLAIN);
        if (!is_wide) page_add(&page, "", 0, PLAIN);
        add_classes(is_wide ? &beside : &page, run);
        if (function != NULL) {
            page_add(&page, "", 0, PLAIN);
            page_add(&page, FUNCTION_TITLE, 0, BOLD);
            add_lines(&page, function);
        }
    }
    while (page.count < beside.count) page_add(&page, "", 0, PLAIN);
    draw_page(canvas, &page, &summary->scrolled, VIEW_SUMMARY);
    draw_beside(canvas, &beside, summary->scrolled.first);
    if (recap != NULL) return;
    const struct key_hint no_questions = {.helps = ACT_NOTHING, .only_closes = true};
    put_blanks(canvas, canvas->rows - 1, 0, canvas->columns, PLAIN);
    draw_key_bar_here(canvas, VIEW_SUMMARY, &no_questions);
}

const struct walk_view summary_view = {
    .bit = VIEW_SUMMARY,
    .name = "The summary of a lesson",
    .opened_by = ACT_SUMMARY,
    .size = sizeof(struct summary),
    .open = open,
    .close = close,
    .press = press,
    .draw = draw,
};
