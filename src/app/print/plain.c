// The format `plain`: one fact a line, every line understandable on its own, for screen readers and
// grep. No art, no columns to line up.

#include <inttypes.h>

#include "app/print/print.h"
#include "app/what_if.h"
#include "tensor/file/format.h"
#include "trace/step.h"

static void add_fact(struct text *text, const char *name, const char *fact) {
    text_add_format(text, "%s: %s\n", name, fact);
}

// "[batch 1, Your]": where a row stands; the dimensions before the last.
static void add_place(struct text *text, const struct tensor *tensor, const int64_t *index) {
    if (tensor->ndim < 2) return;
    text_add(text, "[");
    for (int dim = 0; dim + 1 < tensor->ndim; dim++) {
        const char *name = tensor->axis[dim].name;
        const bool is_labelled = tensor->axis[dim].labels != NULL;
        if (dim > 0) text_add(text, ", ");
        if (name != NULL && !is_labelled) text_add_format(text, "%s ", name);
        text_add(text, label_of(text->arena, tensor, dim, index[dim]));
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
        text_add_format(text, "%s%s %s", i > 0 ? ", " : "", label_of(text->arena, tensor, last, i),
                        number_text(text->arena, tensor, format, value));
    }
}

static void add_rows(struct text *text, const char *label, const struct tensor *tensor,
                     int digits) {
    const struct number_format format = number_format_of(text->arena, tensor, digits);
    if (tensor->ndim == 0) {
        const char *value = number_text(text->arena, tensor, format, element(tensor, NULL));
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

static void add_step(struct text *text, const struct run *run, const struct step *step,
                     int digits) {
    struct arena *arena = text->arena;
    const struct tensor *tensor = &step->tensor;
    const char *label = step_label(arena, step);
    text_add_format(text, "\nstep %d: %s\n", step->number, label);
    if (!continues_paragraph(run, step)) {
        add_fact(text, "title", step->paragraph->title);
        add_fact(text, "explanation", step->paragraph->explanation);
    }
    add_fact(text, "formula", step->formula);
    add_fact(text, "PyTorch", step_pytorch(arena, step));
    add_fact(text, "axes", axes_text(arena, tensor));
    add_fact(text, "shape", shape_text(arena, shape_of(tensor)));
    add_fact(text, "strides", sizes_text(arena, tensor->stride, tensor->ndim));
    add_fact(text, "type", dtype_text(tensor));
    add_rows(text, label, tensor, digits);
}

static void add_mistake(struct text *text, const struct trial *trial, int i) {
    const struct mistake *mistake = trial->mistakes[i];
    const char *idle = idle_text(text->arena, trial, i);
    text_add_format(text, "what if: %s: %s\n", mistake->name, mistake->title);
    add_fact(text, "what goes wrong", idle != NULL ? idle : mistake->wrong);
    add_fact(text, "how to see it in PyTorch", mistake->pytorch);
}

static void add_trial(struct text *text, const struct trial *trial, int digits) {
    const struct run *run = &trial->run;
    add_fact(text, "lesson", run->lesson->name);
    add_fact(text, "title", run->lesson->title);
    add_fact(text, "summary", run->lesson->summary);
    const char *differences = differences_text(text->arena, trial);
    add_fact(text, "parameters", differences != NULL ? differences : "the course's");
    for (int i = 0; i < trial->mistake_count; i++) add_mistake(text, trial, i);
    for (int i = 0; i < run->step_count; i++) add_step(text, run, &run->steps[i], digits);
}

void add_plain(struct text *text, const struct selection *selection) {
    if (selection->step != NULL) {
        const char *label = step_label(text->arena, selection->step);
        add_rows(text, label, &selection->step->tensor, selection->digits);
        return;
    }
    for (int i = 0; i < selection->trial_count; i++) {
        if (i > 0) text_add(text, "\n");
        add_trial(text, &selection->trials[i], selection->digits);
    }
}
