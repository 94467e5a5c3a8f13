// The format `json`, for programs: everything that a run knows of its steps.

#include <inttypes.h>

#include "app/command/json.h"
#include "app/print/formats.h"
#include "show/json.h"
#include "trace/run/step.h"
#include "trace/what_if/trial.h"

static void add_labels(struct json *json, const char *name, const struct tensor *tensor, int back) {
    const int dim = tensor->ndim - back, batch = find_axis(tensor, AXIS_BATCH);
    const struct axis axis = dim >= 0 ? tensor->axis[dim] : (struct axis){0};
    if (dim < 0 || !has_labels(tensor, dim)) {
        json_add_raw(json, name, "null");
    } else if (axis.labels == NULL) { // the words of ids
        json_open_list(json, name);
        for (int64_t i = 0; i < tensor->shape[dim]; i++)
            json_add_string(json, NULL, label_of(json->text->arena, tensor, dim, i));
        json_close(json);
    } else if (axis.apart == 0 || batch < 0) {
        json_add_strings(json, name, axis.labels, tensor->shape[dim]);
    } else { // a list a sentence
        json_open_list(json, name);
        for (int64_t i = 0; i < tensor->shape[batch]; i++)
            json_add_strings(json, NULL, axis.labels + i * axis.apart, tensor->shape[dim]);
        json_close(json);
    }
}

static void add_source(struct json *json, const struct step *step) {
    json_open_object(json, "source");
    json_add_string(json, "file", step->paragraph->file);
    json_add_integer(json, "first_line", step->excerpt->first_line);
    json_add_integer(json, "last_line", step->excerpt->last_line);
    json_add_string(json, "text", step->excerpt->text);
    json_close(json);
}

static void add_layout(struct json *json, const struct tensor *tensor) {
    json_add_string(json, "dtype", dtype_text(tensor));
    json_add_integers(json, "shape", tensor->shape, tensor->ndim);
    json_add_integers(json, "strides", tensor->stride, tensor->ndim);
    json_open_list(json, "axes");
    for (int dim = 0; dim < tensor->ndim; dim++)
        json_add_string(json, NULL, axis_name(tensor, dim));
    json_close(json);
    add_labels(json, "rows", tensor, 2);
    add_labels(json, "columns", tensor, 1);
}

// What the step's numbers were drawn from: the seed set before, and which 32-bit draws after it.
static void add_draws(struct json *json, const struct tensor *tensor) {
    const struct origin *origin = tensor->storage->origin;
    const struct draws *draws = &origin->draws;
    if (draws->count == 0) {
        json_add_raw(json, "seed", "null");
        json_add_raw(json, "draws", "null");
        return;
    }
    json_add_raw(json, "seed", arena_format(json->text->arena, "%" PRIu64, draws->seed));
    json_open_object(json, "draws");
    json_add_integer(json, "first", (int64_t)draws->first);
    json_add_integer(json, "count", (int64_t)draws->count);
    json_close(json);
}

static void add_step(struct json *json, const struct step *step) {
    json_open_object(json, NULL);
    json_add_integer(json, "number", step->number);
    json_add_string(json, "name", step->name);
    json_add_string(json, "group", step->group);
    json_add_string(json, "section", step->section);
    json_add_string(json, "title", step->paragraph->title);
    json_line(json);
    json_add_string(json, "explanation", step->paragraph->explanation);
    json_line(json);
    json_add_string(json, "formula", step->formula);
    json_add_string(json, "pytorch", step_pytorch(json->text->arena, step));
    json_line(json);
    json_add_string(json, "statement", step->statement);
    json_add_string(json, "expression", step->expression);
    add_draws(json, &step->tensor);
    json_line(json);
    add_source(json, step);
    json_line(json);
    add_layout(json, &step->tensor);
    json_line(json);
    json_add_values(json, "values", &step->tensor);
    json_close(json);
}

// What one mistake alone is in the lesson's Python. A pair of the setup has no step.
static void add_lines(struct json *json, const struct trial *trial, int mistake) {
    const struct line_pairs *pairs = lines_with(trial, mistake);
    json_open_list(json, "lines");
    for (int i = 0; i < pairs->count; i++) {
        const struct line_pair *pair = &pairs->all[i];
        json_open_object(json, NULL);
        json_add_string(
            json, "step",
            pair->step < 0 ? NULL : step_label(json->text->arena, &trial->run.steps[pair->step]));
        json_add_string(json, "before", pair->before);
        json_add_string(json, "after", pair->after);
        json_close(json);
    }
    json_close(json);
}

static void add_what_if(struct json *json, const struct trial *trial) {
    json_open_list(json, "what_if");
    for (int i = 0; i < trial->mistake_count; i++) {
        json_open_object(json, NULL);
        json_add_string(json, "name", trial->mistakes[i]->name);
        json_add_string(json, "title", trial->mistakes[i]->title);
        json_add_string(json, "changes_nothing_because",
                        effect_in(trial, mistake_number(trial->mistakes[i]))->why);
        add_lines(json, trial, mistake_number(trial->mistakes[i]));
        json_close(json);
    }
    json_close(json);
}

static void add_trial(struct json *json, const struct selection *selection,
                      const struct trial *trial) {
    const struct run *run = &trial->run;
    json_open_object(json, NULL);
    json_add_string(json, "lesson", run->lesson->name);
    json_add_string(json, "title", run->lesson->title);
    json_line(json);
    json_add_parameters(json, run);
    json_line(json);
    json_add_string(json, "setup", run_setup(json->text->arena, run));
    json_line(json);
    add_what_if(json, trial);
    json_add_bool(json, "is_course", differences_text(json->text->arena, trial) == NULL);
    json_line(json);
    json_open_list(json, "steps");
    for (int i = 0; i < run->step_count; i++) {
        if (!is_selected(selection, &run->steps[i])) continue;
        json_line(json);
        add_step(json, &run->steps[i]);
    }
    json_close(json);
    json_close(json);
}

void add_json(struct text *text, const struct selection *selection) {
    struct json json = json_answer(text);
    json_open_list(&json, "lessons");
    for (int i = 0; i < selection->trial_count; i++) {
        json_line(&json);
        add_trial(&json, selection, &selection->trials[i]);
    }
    json_close(&json);
    json_close(&json);
}
