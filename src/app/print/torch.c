// The format `torch`: what PyTorch's print() shows, with each step's explanation around it.

#include "app/print/print.h"
#include "app/what_if.h"
#include "tensor/file/format.h"
#include "trace/step.h"

enum { WIDTH = 80, INDENT = 2 };

#define BOLD "\x1b[1m"
#define FAINT "\x1b[2m"
#define PLAIN "\x1b[0m"

static void add_styled(struct text *text, const struct selection *selection, const char *style,
                       const char *string) {
    if (selection->color)
        text_add_format(text, "%s%s%s", style, string, PLAIN);
    else
        text_add(text, string);
}

static void add_wrapped(struct text *text, const char *paragraph, int indent) {
    char **lines;
    const int count = text_wrap(text->arena, paragraph, WIDTH - indent, &lines);
    for (int i = 0; i < count; i++) {
        text_add_repeated(text, " ", indent);
        text_add_format(text, "%s\n", lines[i]);
    }
}

static void add_mistake(struct text *text, const struct trial *trial, int i) {
    const struct mistake *mistake = trial->mistakes[i];
    const char *idle = idle_text(text->arena, trial, i);
    const char *said =
        arena_format(text->arena, "What if: %s (%s). %s In PyTorch: %s", mistake->title,
                     mistake->name, mistake->wrong, mistake->pytorch);
    add_wrapped(text, idle != NULL ? arena_format(text->arena, "%s.", idle) : said, 0);
}

static void add_lesson_heading(struct text *text, const struct selection *selection,
                               const struct trial *trial) {
    struct arena *arena = text->arena;
    const struct run *run = &trial->run;
    const char *heading = arena_format(arena, "%s: %s", run->lesson->name, run->lesson->title);
    add_styled(text, selection, BOLD, heading);
    text_add(text, "\n");
    add_wrapped(text, run->lesson->summary, 0);
    const char *differences = differences_text(arena, trial);
    if (differences == NULL) return;
    add_wrapped(text, arena_format(arena, "Not the course's numbers: %s.", differences), 0);
    for (int i = 0; i < trial->mistake_count; i++) add_mistake(text, trial, i);
    if (trial->mistake_count > 0) {
        add_wrapped(text, "Titles, explanations and formulas are those of the right program.", 0);
    }
}

static void add_step(struct text *text, const struct selection *selection, const struct run *run,
                     const struct step *step) {
    struct arena *arena = text->arena;
    const struct tensor *tensor = &step->tensor;
    const char *heading = arena_format(arena, "%d. %s", step->number, step_label(arena, step));
    add_styled(text, selection, BOLD, heading);
    if (continues_paragraph(run, step)) {
        text_add(text, "\n");
    } else {
        text_add_format(text, " - %s\n", step->paragraph->title);
        add_wrapped(text, step->paragraph->explanation, INDENT);
    }
    add_wrapped(text, step->formula, 2 * INDENT);
    const char *layout = arena_format(arena, "%s %s: %s; strides %s", dtype_text(tensor),
                                      shape_text(arena, shape_of(tensor)), axes_text(arena, tensor),
                                      sizes_text(arena, tensor->stride, tensor->ndim));
    text_add_repeated(text, " ", INDENT);
    add_styled(text, selection, FAINT, layout);
    text_add_format(text, "\n%s\n", torch_text(arena, tensor, selection->digits));
}

void add_torch(struct text *text, const struct selection *selection) {
    if (selection->step != NULL) {
        const char *printed = torch_text(text->arena, &selection->step->tensor, selection->digits);
        text_add_format(text, "%s\n", printed);
        return;
    }
    for (int i = 0; i < selection->trial_count; i++) {
        const struct run *run = &selection->trials[i].run;
        if (i > 0) text_add(text, "\n\n");
        add_lesson_heading(text, selection, &selection->trials[i]);
        for (int j = 0; j < run->step_count; j++) {
            text_add(text, "\n");
            add_step(text, selection, run, &run->steps[j]);
        }
    }
}
