// The format `torch`: what PyTorch's print() shows, with each step's explanation around it.

#include <inttypes.h>
#include <string.h>

#include "app/print/document.h"
#include "tensor/text/format.h"
#include "trace/run/step.h"
#include "trace/tape/autograd.h"

enum { WIDTH = 80 };

#define INDENT "  "
#define BOLD "\x1b[1m"
#define FAINT "\x1b[2m"
#define PLAIN "\x1b[0m"

static void add_styled(const struct document *d, const char *style, const char *string) {
    if (d->selection->color)
        text_add_format(d->text, "%s%s%s", style, string, PLAIN);
    else
        text_add(d->text, string);
}

static void add_lines(const struct document *d, const char *paragraph, const char *indent) {
    char **lines;
    const int count = text_wrap(d->text->arena, paragraph, WIDTH - text_width(indent), &lines);
    for (int i = 0; i < count; i++) text_add_format(d->text, "%s%s\n", indent, lines[i]);
}

// Indented by d->how.
static void add_words(const struct document *d) {
    add_lines(d, d->words, d->how);
}

static void add_lesson(const struct document *d) {
    const char *name = d->trial->run.lesson->name;
    if (d->trial != d->selection->trials) text_add(d->text, "\n\n");
    add_styled(d, BOLD, arena_format(d->text->arena, "%s: %s", name, d->words));
    text_add(d->text, "\n");
}

static void add_differences(const struct document *d) {
    if (d->words == NULL) return;
    add_lines(d,
              arena_format(d->text->arena, "Not the %s's numbers: %s.",
                           standard_of(d->trial->run.lesson), d->words),
              "");
}

static void add_mistake(const struct document *d) {
    const struct mistake *mistake = d->trial->mistakes[d->mistake];
    const char *said = mistake_text(d);
    if (d->words == NULL)
        said = arena_format(d->text->arena, "What if: %s (%s). %s", mistake->title, mistake->name,
                            said);
    add_lines(d, said, "");
}

static void end_introduction(const struct document *d) {
    if (d->trial->mistake_count > 0) add_lines(d, d->how, "");
}

// The lesson's lines and those that ran, as they are.
static void add_code(const struct document *d) {
    for (const char *at = d->words; *at != '\0'; at += strcspn(at, "\n") + 1)
        text_add_format(d->text, "%s%.*s\n", d->how, (int)strcspn(at, "\n"), at);
}

static void add_step(const struct document *d) {
    struct arena *arena = d->text->arena;
    text_add(d->text, "\n");
    add_styled(d, BOLD, arena_format(arena, "%d. %s", d->step->number, step_label(arena, d->step)));
    text_add_format(d->text, "%s%s\n", d->words != NULL ? " - " : "",
                    d->words != NULL ? d->words : "");
}

static void add_layout(const struct document *d) {
    text_add(d->text, INDENT);
    add_styled(d, FAINT, d->words);
    text_add(d->text, "\n");
}

// "torch.Size([6, 2])"
static void add_tensor(const struct document *d) {
    struct arena *arena = d->text->arena;
    const struct selection *selection = d->selection;
    const struct tensor *tensor = &d->step->tensor;
    struct printing_options options = standard_printing;
    options.digits = selection->digits;
    const char *suffix = selection->requires_grad ? autograd_text(arena, d->step) : NULL;
    if (suffix != NULL && is_whole_parameter(d->step)) text_add(d->text, "Parameter containing:\n");
    text_add(d->text, selection->python != NULL ? selection->python
                                                : torch_text_as(arena, tensor, &options, suffix));
    text_add(d->text, "\n");
}

static const struct print_part parts[PART_COUNT] = {
    [PART_LESSON] = {add_lesson, NULL},
    [PART_SUMMARY] = {add_words, ""},
    [PART_BOOK] = {add_words, ""},
    [PART_DIFFERENCES] = {add_differences, NULL},
    [PART_MISTAKE] = {add_mistake, NULL},
    [PART_SETUP_LINES] = {add_code, INDENT},
    [PART_STEPS] = {end_introduction,
                    "Titles, explanations and formulas are those of the right program."},
    [PART_STEP] = {add_step, NULL},
    [PART_EXPLANATION] = {add_words, INDENT},
    [PART_FORMULA] = {add_words, INDENT INDENT},
    [PART_LINES] = {add_code, INDENT INDENT},
    [PART_LAYOUT] = {add_layout, NULL},
    [PART_TENSOR] = {add_tensor, NULL},
};

// One step alone is exactly what print(tensor) shows.
void add_torch(struct text *text, const struct selection *selection) {
    if (selection->step == NULL)
        add_document(text, selection, parts, NULL);
    else
        add_tensor(&(struct document){.text = text,
                                      .selection = selection,
                                      .trial = selection->trials,
                                      .step = selection->step});
}
