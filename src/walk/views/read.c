// All the words of a step on a screen of their own: title, what a mistake does, explanation, formula, PyTorch and source.

#include <string.h>

#include "base/text.h"
#include "show/recap.h"
#include "trace/run/step.h"
#include "walk/kit/lines.h"
#include "walk/step/screen.h"
#include "walk/walker.h"

// Lines of the source behind their numbers, as they are; and lines of PyTorch, which are wrapped.
static void add_c(struct page *page, const struct excerpt *excerpt) {
    char **lines;
    const int count = split_shown(page->canvas, excerpt->text, &lines);
    for (int i = 0; i < count; i++) {
        const int number = excerpt->first_line + i;
        page_add_line(page, arena_format(page->arena, "%4d  %s", number, lines[i]), PLAIN);
    }
}

static void add_code(struct page *page, const char *code) {
    char **lines;
    const int count = split_shown(page->canvas, code, &lines);
    for (int i = 0; i < count; i++) page_add(page, lines[i], 2 + (int)strspn(lines[i], " "), PLAIN);
}

static void add_pytorch(struct page *page, const struct step *step) {
    add_code(page, step_pytorch(page->arena, step));
}

// What is done in the place of the lesson's lines, where mistakes were made in these.
static void add_wrong_pytorch(struct page *page, const struct trial *trial, int step) {
    if (trial->line_count > 0 && trial->is_changed[step]) {
        page_add(page, "In PyTorch, with your line", 0, BOLD);
        add_pytorch(page, &trial->run.steps[step]);
        page_add(page, "", 0, PLAIN);
        return;
    }
    if (!is_mistaken(trial, step)) return;
    page_add(page, "In PyTorch, with the mistake", 0, BOLD);
    const char *lines = mistaken_lines(page->arena, trial, step);
    if (*lines != '\0') {
        add_code(page, lines);
        page_add(page, "", 0, PLAIN);
        page_add(page, "How to see it in PyTorch", 0, BOLD);
    }
    for (int i = 0; i < trial->mistake_count; i++)
        page_add(page, trial->mistakes[i]->pytorch, 2, PLAIN);
    page_add(page, "", 0, PLAIN);
}

// What is so of all numbers of the page that is open: strides, sums, the least and the largest.
static void add_numbers(struct page *page, struct walker *walker, const struct step *step) {
    const struct state *state = &walker->state;
    if (failed_outcome(&walker->trial, step) != NULL) return;
    const struct matrix *matrix =
        cached_matrix(&walker->matrix_cache, &step->tensor, state->page, shown_digits(walker));
    const char *facts = invariant_text(page->arena, matrix, state->row);
    if (facts == NULL) return;
    page_add(page, "The numbers", 0, BOLD);
    page_add(page, facts, 2, PLAIN);
    page_add(page, "", 0, PLAIN);
}

static void add_printed(struct page *page, const char *printed) {
    char **lines;
    const int count = split_shown(page->canvas, printed, &lines);
    page_add(page, "", 0, PLAIN);
    page_add(page, "It prints", 0, BOLD);
    for (int i = 0; i < count; i++)
        page_add_line(page, arena_format(page->arena, "  %s", lines[i]), PLAIN);
}

// What stands for the step in the run beside, and how they differ.
static void add_counterpart(struct page *page, const struct walker *walker,
                            const struct step *step) {
    if (walker->companions == NULL || !walker->has_other) return;
    const struct counterpart *counterpart = &walker->companion.counterparts[step->number - 1];
    if (counterpart->where == NULL) return;
    page_add(page, "", 0, PLAIN);
    page_add(page, arena_format(page->arena, "Beside it, in %s", counterpart->where), 0, BOLD);
    add_code(page, counterpart->line);
    if (counterpart->ran != NULL)
        page_add(page, arena_format(page->arena, "It ran %s", counterpart->ran), 2, PLAIN);
    const char *same = counterpart->is_rearranged ? "The numbers are the same, in another order."
                                                  : "The numbers are the same.";
    page_add(page, counterpart->words != NULL ? counterpart->words : same, 0, PLAIN);
}

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    struct arena *arena = canvas->arena;
    const struct run *run = &walker->trial.run;
    const struct step *step = current_step(&walker->state, run);
    const struct prose prose = prose_of(arena, &walker->trial, walker->state.step);
    struct page page = page_new(canvas, arena_format(arena, "%s, step %d: %s", run->lesson->title,
                                                     step->number, step_label(arena, step)));
    if (stop_at(run, walker->state.step).first == 0) {
        page_add(&page, opening_text(arena, run->lesson), 0, PLAIN);
        page_add(&page, "", 0, PLAIN);
    }
    page_add(&page, step->paragraph->title, 0, BOLD);
    if (*prose.wrong != '\0') page_add(&page, prose.wrong, 0, PLAIN);
    page_add(&page, prose.lesson, 0, PLAIN);
    char **lines;
    const char *drawing = step->paragraph->drawing;
    const int drawn = drawing != NULL ? split_shown(canvas, drawing, &lines) : 0;
    for (int i = 0; i < drawn; i++) page_add_line(&page, lines[i], PLAIN);
    page_add(&page, "", 0, PLAIN);
    page_add(&page, "Formula", 0, BOLD);
    page_add(&page, formula_text(arena, &walker->trial, step), 2, PLAIN);
    page_add(&page, "", 0, PLAIN);
    add_numbers(&page, walker, step);
    add_wrong_pytorch(&page, &walker->trial, walker->state.step);
    page_add(&page, "In PyTorch", 0, BOLD);
    add_pytorch(&page, walker->trial.line_count > 0 ? &walker->trial.right->steps[step->number - 1]
                                                    : step);
    page_add(&page, "", 0, PLAIN);
    const char *language = is_python(step->paragraph) ? "Python" : "C";
    page_add(&page, arena_format(arena, "In %s, %s", language, step->paragraph->file), 0, BOLD);
    add_c(&page, step->excerpt);
    if (step->printed != NULL) add_printed(&page, step->printed);
    add_counterpart(&page, walker, step);
    draw_page(canvas, &page, view_state, VIEW_READ);
}

const struct walk_view read_view = {
    .bit = VIEW_READ,
    .name = "The text of a step",
    .opened_by = ACT_READ,
    .size = sizeof(struct scrolled),
    .press = scroll_page,
    .draw = draw,
};
