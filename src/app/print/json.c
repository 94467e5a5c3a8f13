// The format `json`, for programs: everything that a run knows of its steps.

#include <inttypes.h>

#include "app/print/print.h"
#include "show/json.h"
#include "trace/step.h"
#include "trace/what_if/trial.h"

static void add_member(struct text *text, const char *name, const char *string) {
    text_add_format(text, "\"%s\": ", name);
    json_add_string(text, string);
    text_add(text, ", ");
}

// The seed of the run; a list if the lesson set several different ones.
static void add_seeds(struct text *text, const struct run *run) {
    int64_t first = 0;
    bool is_one = true;
    for (int i = 1; i < run->seed_count; i++) is_one = is_one && run->seeds[i] == run->seeds[first];
    text_add(text, is_one ? "" : "[");
    for (int i = 0; i < (is_one ? 1 : run->seed_count); i++) {
        text_add_format(text, "%s%" PRIu64, i > 0 ? ", " : "", run->seeds[i]);
    }
    text_add(text, is_one ? "" : "]");
}

static void add_parameter(struct text *text, const struct run *run,
                          const struct parameter *parameter) {
    const struct parameters *own = &run->parameters;
    const bool is_given = own->given & parameter->bit;
    text_add_format(text, "\"%s\": ", parameter->name);
    switch (parameter->kind) {
    case IS_SEED:
        if (is_given)
            text_add(text, parameter_text(text->arena, own, parameter));
        else if (parameter->bit == USES_SEED)
            add_seeds(text, run);
        else
            text_add(text, "null");
        break;
    case IS_COUNT:
    case IS_PROBABILITY:
        text_add(text, parameter_text(text->arena, own, parameter));
        break;
    case IS_SWITCH: {
        const char *value = parameter_text(text->arena, own, parameter);
        text_add(text, value[0] == 'y' ? "true" : "false");
        break;
    }
    case IS_TOKEN:
        json_add_string(text, run->inputs.axis[0].labels[run->query]);
        break;
    case IS_STREAM:
        json_add_string(text, parameter_text(text->arena, own, parameter));
        break;
    case IS_FILE:
        json_add_string(text, is_given ? text_safe(text->arena, own->input) : NULL);
        break;
    }
}

static void add_labels(struct text *text, const char *name, const struct tensor *tensor, int back) {
    const int dim = tensor->ndim - back;
    text_add_format(text, "\"%s\": ", name);
    if (dim < 0 || tensor->axis[dim].labels == NULL) {
        text_add(text, "null, ");
        return;
    }
    text_add(text, "[");
    for (int64_t i = 0; i < tensor->shape[dim]; i++) {
        if (i > 0) text_add(text, ", ");
        json_add_string(text, tensor->axis[dim].labels[i]);
    }
    text_add(text, "], ");
}

static void add_source(struct text *text, const struct run *run, const struct step *step) {
    const struct excerpt *excerpt = step->excerpt;
    text_add(text, "\"source\": {");
    add_member(text, "file", run->lesson->source->file);
    text_add_format(text, "\"first_line\": %d, \"last_line\": %d, \"text\": ", excerpt->first_line,
                    excerpt->last_line);
    json_add_string(text, excerpt->text);
    text_add(text, "},\n    ");
}

static void add_axes(struct text *text, const struct tensor *tensor) {
    text_add(text, "\"axes\": [");
    for (int dim = 0; dim < tensor->ndim; dim++) {
        if (dim > 0) text_add(text, ", ");
        json_add_string(text, tensor->axis[dim].name);
    }
    text_add(text, "], ");
}

static void add_step(struct text *text, const struct run *run, const struct step *step) {
    const struct tensor *tensor = &step->tensor;
    text_add_format(text, "   {\"number\": %d, ", step->number);
    add_member(text, "name", step->name);
    add_member(text, "group", step->group);
    add_member(text, "section", step->section);
    add_member(text, "title", step->paragraph->title);
    text_add(text, "\n    ");
    add_member(text, "explanation", step->paragraph->explanation);
    text_add(text, "\n    ");
    add_member(text, "formula", step->formula);
    add_member(text, "pytorch", step_pytorch(text->arena, step));
    text_add(text, "\n    ");
    add_source(text, run, step);
    add_member(text, "dtype", dtype_text(tensor));
    text_add(text, "\"shape\": ");
    json_add_integers(text, tensor->shape, tensor->ndim);
    text_add(text, ", \"strides\": ");
    json_add_integers(text, tensor->stride, tensor->ndim);
    text_add(text, ", ");
    add_axes(text, tensor);
    add_labels(text, "rows", tensor, 2);
    add_labels(text, "columns", tensor, 1);
    text_add(text, "\n    \"values\": ");
    json_add_values(text, tensor);
    text_add(text, "}");
}

static void add_what_if(struct text *text, const struct trial *trial) {
    text_add(text, "\"what_if\": [");
    for (int i = 0; i < trial->mistake_count; i++) {
        if (i > 0) text_add(text, ", ");
        text_add(text, "{");
        add_member(text, "name", trial->mistakes[i]->name);
        add_member(text, "title", trial->mistakes[i]->title);
        text_add(text, "\"changes_nothing_because\": ");
        json_add_string(text, effect_in(trial, mistake_number(trial->mistakes[i]))->why);
        text_add(text, "}");
    }
    text_add(text, "],\n  ");
}

static void add_run(struct text *text, const struct selection *selection,
                    const struct trial *trial) {
    const struct run *run = &trial->run;
    text_add(text, " {");
    add_member(text, "lesson", run->lesson->name);
    add_member(text, "title", run->lesson->title);
    text_add(text, "\n  \"parameters\": {");
    const char *separator = "";
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        if (!(run->lesson->uses & parameter_table[i].bit)) continue;
        text_add(text, separator);
        add_parameter(text, run, &parameter_table[i]);
        separator = ", ";
    }
    text_add(text, "},\n  ");
    add_what_if(text, trial);
    text_add_format(text, "\"is_course\": %s,\n  \"steps\": [\n",
                    differences_text(text->arena, trial) == NULL ? "true" : "false");
    separator = "";
    for (int i = 0; i < run->step_count; i++) {
        if (selection->step != NULL && selection->step != &run->steps[i]) continue;
        text_add(text, separator);
        add_step(text, run, &run->steps[i]);
        separator = ",\n";
    }
    text_add(text, "\n  ]}");
}

void add_json(struct text *text, const struct selection *selection) {
    text_add(text, "{\"onestep\": \"" VERSION "\", \"lessons\": [\n");
    for (int i = 0; i < selection->trial_count; i++) {
        if (i > 0) text_add(text, ",\n");
        add_run(text, selection, &selection->trials[i]);
    }
    text_add(text, "\n]}\n");
}
