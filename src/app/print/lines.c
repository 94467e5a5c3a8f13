// The format `lines`: a lesson's lines of PyTorch, and a print of each step. PyTorch runs it, and so does `onestep run`.

#include "app/command/program.h"
#include "app/print/document.h"
#include "trace/run/step.h"

static void begin_lesson(const struct document *d) {
    text_add_format(d->text, "# %s\n", text_safe(d->text->arena, d->words));
}

static void add_differences(const struct document *d) {
    if (d->words == NULL) return;
    text_add_format(d->text, "# Not the %s's numbers: %s.\n", standard_of(d->trial->run.lesson),
                    text_safe(d->text->arena, d->words));
}

static void add_setup(const struct document *d) {
    struct arena *arena = d->text->arena;
    text_add_format(d->text, "%s%s", run_setup(arena, &d->trial->run),
                    print_options(arena, d->selection));
}

static void begin_step(const struct document *d) {
    text_add_format(d->text, "\n%s# %d. %s\n", statements_before(d), d->step->number,
                    step_label(d->text->arena, d->step));
}

static void add_statement(const struct document *d) {
    if (*d->step->statement != '\0') text_add_format(d->text, "%s\n", d->step->statement);
    text_add_format(d->text, "print(%s)\n", d->step->expression);
}

static const struct print_part parts[PART_COUNT] = {
    [PART_LESSON] = {begin_lesson, NULL},   [PART_DIFFERENCES] = {add_differences, NULL},
    [PART_STEPS] = {add_setup, NULL},       [PART_STEP] = {begin_step, NULL},
    [PART_PYTORCH] = {add_statement, NULL},
};

// A program is one already: its file, with the lines that were changed.
void add_lesson_lines(struct text *text, const struct selection *selection) {
    const struct lesson *lesson = selection->trials[0].run.lesson;
    if (is_program(lesson)) {
        text_add(text, program_text(lesson));
        return;
    }
    add_document(text, selection, parts, NULL);
}
