#include "app/print/document.h"

#include <string.h>

#include "trace/run/step.h"

static void visit(struct document *d, enum part part, const char *words) {
    d->words = words;
    d->how = d->parts[part].how;
    if (d->parts[part].add != NULL) d->parts[part].add(d);
}

// Several lessons stand below that title.
static int lesson_level(const struct document *d) {
    return d->selection->trial_count == 1 ? 1 : 2;
}

const char *mistake_text(const struct document *d) {
    const struct mistake *mistake = d->trial->mistakes[d->mistake];
    if (d->words != NULL) return arena_format(d->text->arena, "%s.", d->words);
    return arena_format(d->text->arena, "%s In PyTorch: %s", mistake->wrong, mistake->pytorch);
}

// ---- Steps --------------------------------------------------------------------------------------

static const char *layout_text(struct arena *arena, const struct tensor *tensor) {
    return arena_format(arena, "%s %s: %s; strides %s", dtype_text(tensor),
                        shape_text(arena, shape_of(tensor)), axes_text(arena, tensor),
                        sizes_text(arena, tensor->stride, tensor->ndim));
}

// The heading of a section, where one begins. Sets the level of what stands below.
static void visit_section(struct document *d, const char *section) {
    d->level = lesson_level(d) + 1;
    if (section != NULL && (d->section == NULL || strcmp(section, d->section) != 0)) {
        d->section = section;
        visit(d, PART_SECTION, section);
    }
    if (d->section != NULL) d->level++;
}

// Is it the first step that a mistake of the trial changes? Then the right program did not compute it.
static const struct mistake *mistake_at(const struct trial *trial, const struct step *step) {
    for (int i = 0; i < trial->mistake_count; i++) {
        const struct effect *effect = effect_in(trial, mistake_number(trial->mistakes[i]));
        if (effect->first == step->number - 1) return trial->mistakes[i];
    }
    return NULL;
}

static void visit_code(struct document *d, const struct step *step) {
    const enum programs code = d->selection->code;
    const struct mistake *mistake = mistake_at(d->trial, step);
    const char *lines = pairs_in_step(d->text->arena, &d->trial->lines, step->number - 1);
    const bool has_lines = *lines != '\0';
    const bool is_wrong = (mistake != NULL || has_lines) && d->parts[PART_WRONG].add != NULL;
    if (has_lines) visit(d, PART_LINES, lines);
    if (is_wrong && !has_lines) visit(d, PART_WRONG, mistake->pytorch);
    if (!is_wrong && code != CODE_PYTORCH && code != CODE_NONE)
        visit(d, PART_SOURCE, step->excerpt->text);
    if (!is_wrong && code != CODE_C && code != CODE_NONE)
        visit(d, PART_PYTORCH, step_pytorch(d->text->arena, step));
}

// A step; `opening` is the paragraph that it is the first of, or NULL.
static void visit_step(struct document *d, const struct step *step,
                       const struct paragraph *opening) {
    struct arena *arena = d->text->arena;
    visit_section(d, step->section);
    d->step = step;
    visit(d, PART_STEP, opening != NULL ? opening->title : NULL);
    if (opening != NULL) visit(d, PART_EXPLANATION, opening->explanation);
    visit(d, PART_FORMULA, formula_text(arena, d->trial, step));
    visit_code(d, step);
    visit(d, PART_LAYOUT, layout_text(arena, &step->tensor));
    visit(d, PART_TENSOR, NULL);
    visit(d, PART_STEP_END, NULL);
}

// The steps of one paragraph, from number i of the run on, as far as they are selected. Returns the
// number behind them.
static int visit_paragraph(struct document *d, int i) {
    const struct run *run = &d->trial->run;
    const struct paragraph *opening = run->steps[i].paragraph;
    do {
        if (!is_selected(d->selection, &run->steps[i])) continue;
        visit_step(d, &run->steps[i], opening);
        opening = NULL;
    } while (++i < run->step_count && continues_paragraph(run, &run->steps[i]));
    return i;
}

// ---- Lessons ------------------------------------------------------------------------------------

static void visit_lesson(struct document *d, const struct trial *trial) {
    struct arena *arena = d->text->arena;
    d->trial = trial;
    d->section = NULL;
    d->level = lesson_level(d);
    visit(d, PART_LESSON, trial->run.lesson->title);
    visit(d, PART_SUMMARY, trial->run.lesson->summary);
    const char *book = trial->run.lesson->book;
    if (book != NULL) visit(d, PART_BOOK, arena_format(arena, "Follows %s: %s.", THE_BOOK, book));
    visit(d, PART_DIFFERENCES, differences_text(arena, trial));
    for (d->mistake = 0; d->mistake < trial->mistake_count; d->mistake++)
        visit(d, PART_MISTAKE, idle_text(arena, trial, d->mistake));
    const char *lines = pairs_in_step(arena, &trial->lines, -1);
    if (*lines != '\0') visit(d, PART_SETUP_LINES, lines);
    visit(d, PART_STEPS, NULL);
    for (int i = 0; i < trial->run.step_count;) i = visit_paragraph(d, i);
    visit(d, PART_LESSON_END, NULL);
}

static void visit_sheet(struct document *d) {
    const struct sheet_table *tables;
    const int count =
        sheet_tables(d->text->arena, d->selection->trial_count, d->selection->trials, &tables);
    d->level = 2;
    visit(d, PART_SHEET, "Cheat sheet");
    d->level = 3;
    for (d->table_number = 1; d->table_number <= count; d->table_number++) {
        d->table = &tables[d->table_number - 1];
        visit(d, PART_SHEET_TABLE, d->table->title);
    }
    visit(d, PART_SHEET_END, NULL);
}

void add_document(struct text *text, const struct selection *selection,
                  const struct print_part parts[PART_COUNT], void *state) {
    struct document d = {
        .text = text, .selection = selection, .parts = parts, .level = 1, .state = state};
    d.measured = arena_allocate(text->arena, sizeof *d.measured);
    *d.measured = (struct measured){0};
    visit(&d, PART_BEGIN,
          selection->trial_count == 1 ? selection->trials[0].run.lesson->title
                                      : "Attention, one step at a time");
    for (int i = 0; i < selection->trial_count; i++) visit_lesson(&d, &selection->trials[i]);
    if (selection->step == NULL && selection->chosen == NULL && parts[PART_SHEET_TABLE].add != NULL)
        visit_sheet(&d);
    visit(&d, PART_END, NULL);
}

// ---- Words for Markdown -------------------------------------------------------------------------

// Adds text with a backslash before each of `specials`.
static void add_escaped(struct text *text, const char *string, const char *specials) {
    for (;;) {
        const size_t length = strcspn(string, specials);
        text_add_bytes(text, string, length);
        if (string[length] == '\0') return;
        text_add_format(text, "\\%c", string[length]);
        string += length + 1;
    }
}

void add_prose(struct text *text, const char *string) {
    add_escaped(text, string, "\\`*_[]<>|~$&#");
}

void add_label(struct text *text, const char *string) {
    add_escaped(text, string, "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");
}
