// The format `plain`: one fact a line, every line understandable on its own, for screen readers and
// grep. No art, no columns to line up.

#include <inttypes.h>
#include <string.h>

#include "app/print/document.h"
#include "show/table.h"
#include "tensor/text/format.h"
#include "trace/run/step.h"

// "[batch 1, Your]": where a row stands; the dimensions before the last.
static void add_place(struct text *text, const struct tensor *tensor, const int64_t *index) {
    if (!has_rows(tensor)) return;
    text_add(text, "[");
    for (int dim = 0; dim < tensor->ndim - 1; dim++) {
        const char *name = axis_name(tensor, dim);
        const bool is_labelled = has_labels(tensor, dim);
        if (dim > 0) text_add(text, ", ");
        if (name != NULL && !is_labelled) text_add_format(text, "%s ", name);
        text_add(text, label_at(text->arena, tensor, dim, index));
    }
    text_add(text, "]");
}

// "d1 0.4300, d2 0.1500": the elements of a row behind their labels.
static void add_elements(struct text *text, const struct tensor *tensor, int64_t *index,
                         struct number_format format) {
    const int last = tensor->ndim - 1;
    for (int64_t i = 0; i < tensor->shape[last]; i++) {
        index[last] = i;
        const double value = element(tensor, index);
        text_add_format(text, "%s%s %s", i > 0 ? ", " : "",
                        label_at(text->arena, tensor, last, index),
                        number_text(text->arena, format, value));
    }
}

static void add_rows(struct text *text, const struct step *step, int digits) {
    const struct tensor *tensor = &step->tensor;
    const char *label = step_label(text->arena, step);
    const struct number_format format = number_format_of(text->arena, tensor, digits);
    if (tensor->ndim == 0) {
        const char *value = number_text(text->arena, format, element(tensor, NULL));
        text_add_format(text, "%s: %s\n", label, value);
        return;
    }
    struct shape rows = shape_of(tensor);
    rows.size[rows.ndim - 1] = 1;
    const int64_t count = count_of(rows);
    for (int64_t row = 0; row < count; row++) {
        int64_t index[MAX_DIMS];
        index_at(rows, row, index);
        text_add(text, label);
        add_place(text, tensor, index);
        text_add(text, ": ");
        add_elements(text, tensor, index, format);
        text_add(text, "\n");
    }
}

// ---- The document -------------------------------------------------------------------------------

static void add_fact(struct text *text, const char *name, const char *fact) {
    text_add_format(text, "%s: %s\n", name, fact);
}

// A fact called d->how.
static void add_words(const struct document *d) {
    add_fact(d->text, d->how, d->words);
}

static void add_lesson(const struct document *d) {
    if (d->trial != d->selection->trials) text_add(d->text, "\n");
    add_fact(d->text, "lesson", d->trial->run.lesson->name);
    add_fact(d->text, "title", d->words);
}

static void add_differences(const struct document *d) {
    add_fact(d->text, "parameters",
             d->words != NULL
                 ? d->words
                 : arena_format(d->text->arena, "the %s's", standard_of(d->trial->run.lesson)));
}

static void add_mistake(const struct document *d) {
    const struct mistake *mistake = d->trial->mistakes[d->mistake];
    text_add_format(d->text, "what if: %s: %s\n", mistake->name, mistake->title);
    add_fact(d->text, "what goes wrong", d->words != NULL ? d->words : mistake->wrong);
    add_fact(d->text, "how to see it in PyTorch", mistake->pytorch);
}

// "- weights = ..." is a line of the lesson, "+ weights = ..." what ran in its place.
static void add_lines(const struct document *d) {
    for (const char *at = d->words; *at != '\0'; at += strcspn(at, "\n") + 1)
        add_fact(d->text, *at == '-' ? "line of the lesson" : "line that ran",
                 arena_copy_bytes(d->text->arena, at + 2, strcspn(at, "\n") - 2));
}

static void add_step(const struct document *d) {
    const char *label = step_label(d->text->arena, d->step);
    text_add_format(d->text, "\nstep %d: %s\n", d->step->number, label);
    if (d->words != NULL) add_fact(d->text, "title", d->words);
}

static void add_layout(const struct document *d) {
    struct arena *arena = d->text->arena;
    const struct tensor *tensor = &d->step->tensor;
    add_fact(d->text, "axes", axes_text(arena, tensor));
    add_fact(d->text, "shape", shape_text(arena, shape_of(tensor)));
    add_fact(d->text, "strides", sizes_text(arena, tensor->stride, tensor->ndim));
    add_fact(d->text, "type", dtype_text(tensor));
}

static void add_tensor(const struct document *d) {
    add_rows(d->text, d->step, d->selection->digits);
}

static const struct print_part parts[PART_COUNT] = {
    [PART_LESSON] = {add_lesson, NULL},      [PART_SUMMARY] = {add_words, "summary"},
    [PART_BOOK] = {add_words, "book"},       [PART_DIFFERENCES] = {add_differences, NULL},
    [PART_MISTAKE] = {add_mistake, NULL},    [PART_SETUP_LINES] = {add_lines, NULL},
    [PART_STEP] = {add_step, NULL},          [PART_EXPLANATION] = {add_words, "explanation"},
    [PART_FORMULA] = {add_words, "formula"}, [PART_LINES] = {add_lines, NULL},
    [PART_PYTORCH] = {add_words, "PyTorch"}, [PART_LAYOUT] = {add_layout, NULL},
    [PART_TENSOR] = {add_tensor, NULL},
};

void add_plain(struct text *text, const struct selection *selection) {
    if (selection->step == NULL)
        add_document(text, selection, parts, NULL);
    else
        add_rows(text, selection->step, selection->digits);
}
