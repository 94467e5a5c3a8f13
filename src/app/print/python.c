#include "app/print/document.h"

#include <math.h>
#include <string.h>

#include "show/json.h"
#include "tensor/operation/operation.h"
#include "tensor/text/format.h"
#include "trace/run/step.h"
#include "trace/tape/tape.h"

// A string as Python writes it, in double quotes.
static const char *python_string(struct arena *arena, const char *string) {
    struct text text = text_new(arena);
    struct json json = json_new(&text);
    json_add_string(&json, NULL, string);
    return text.bytes;
}

// ---- Statements ---------------------------------------------------------------------------------

const struct exercise *exercise_here(const struct document *d) {
    if (d->selection->exercises == NO_EXERCISES) return NULL;
    return exercise_at(d->text->arena, d->trial->run.lesson, d->step);
}

const char *statements_before(const struct document *d) {
    const struct step *steps = d->trial->run.steps;
    int first = d->step->number - 1;
    while (first > 0 && !is_selected(d->selection, &steps[first - 1])) first--;
    struct text text = text_new(d->text->arena);
    text_add(&text, "");
    for (int i = first; i < d->step->number - 1; i++) {
        if (*steps[i].statement != '\0') text_add_format(&text, "%s\n", steps[i].statement);
    }
    return text.bytes;
}

const char *statement_here(const struct document *d) {
    if (exercise_here(d) == NULL || d->selection->exercises == SOLVED) return d->step->statement;
    return statement_with(d->text->arena, d->step, "...");
}

// ---- Checks -------------------------------------------------------------------------------------

// How the dropout masks behind a step were drawn: an operation that draws and reads is a dropout. NULL if
// there are none.
static const char *masks_behind(struct arena *arena, const struct step *step) {
    const struct tape tape = tape_of(arena, 1, &step->tensor);
    for (int i = 0; i < tape.count; i++) {
        const struct origin *origin = tape.storages[i]->origin;
        if (origin->operand_count > 0 && origin->draws.count > 0)
            return origin->draws.stream == MT19937 ? "mt19937" : "mcg31m1";
    }
    return NULL;
}

static const struct spread *spread_here(const struct document *d) {
    struct measured *measured = d->measured;
    const struct run *run = d->trial->right != NULL ? d->trial->right : &d->trial->run;
    if (measured->trial != d->trial)
        *measured = (struct measured){d->trial, spreads_of(d->text->arena, run)};
    return &measured->spreads[d->step->number - 1];
}

// How far a number of the step may lie from another machine's, if that is more than compare.py's MARGIN: what
// was trained drifts apart, and so does what comes out of many layers. 0 if it is not.
static double margin_here(const struct document *d) {
    static const double MARGIN = 2e-6;
    if (!d->trial->run.lesson->trains) return d->trial->run.lesson->within;
    const struct spread *spread = spread_here(d);
    double largest = 0;
    for (int64_t i = 0; i < spread->count; i++) largest = fmax(largest, moved_at(spread, i));
    return largest > MARGIN ? largest : 0;
}

// The parameters that were given, as arguments; a file is none.
static void add_parameters(struct text *text, const struct run *run) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (!(run->parameters.given & parameter->bit) || is_file(parameter)) continue;
        const char *value = parameter_text(text->arena, &run->parameters, parameter);
        const enum value_form form = parameter->kind->form;
        if (form == FORM_WORDS || form == FORM_NUMBERS || strcmp(value, "none") == 0)
            value = python_string(text->arena, value);
        if (is_switch(parameter)) value = "True";
        text_add_format(text, ", %s=%s", parameter->name, value);
    }
}

const char *check_here(const struct document *d) {
    struct arena *arena = d->text->arena;
    const struct run *run = &d->trial->run;
    struct text text = text_new(arena);
    text_add_format(&text, "check(\"%s\", \"%s\", %s, \"\"\"%s\"\"\"", run->lesson->name,
                    step_label(arena, d->step), d->step->expression,
                    torch_text(arena, &d->step->tensor, d->selection->digits));
    const char *masks = masks_behind(arena, d->step);
    if (masks != NULL) text_add_format(&text, ", masks=\"%s\"", masks);
    const double margin = margin_here(d);
    if (margin > 0) text_add_format(&text, ", within=%.1e", margin);
    add_parameters(&text, run);
    text_add(&text, ")");
    return text.bytes;
}

// ---- What stands above all ----------------------------------------------------------------------

static void add_hints(struct text *text, const struct lesson *lesson,
                      const struct exercise *exercise) {
    text_add_format(text, "    (\"%s\", \"%s\"): [\n", lesson->name, exercise->step);
    for (int i = 0; i < HINTS; i++)
        text_add_format(text, "        %s,\n", python_string(text->arena, exercise->hints[i]));
    text_add(text, "    ],\n");
}

const char *hints_of(struct arena *arena, const struct selection *selection) {
    struct text text = text_new(arena);
    text_add(&text, "");
    if (selection->exercises == NO_EXERCISES) return text.bytes;
    text_add(&text, "HINTS.update({\n");
    for (int i = 0; i < selection->trial_count; i++) {
        const struct run *run = &selection->trials[i].run;
        for (int j = 0; j < run->step_count; j++) {
            const struct exercise *exercise = exercise_at(arena, run->lesson, &run->steps[j]);
            if (exercise != NULL && is_selected(selection, &run->steps[j]))
                add_hints(&text, run->lesson, exercise);
        }
    }
    text_add(&text, "})\n");
    return text.bytes;
}

// ---- What notebooks with blanks carry --------------------------------------------------------------

static const char *base64(struct arena *arena, const char *bytes) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct text text = text_new(arena);
    const size_t length = strlen(bytes);
    for (size_t i = 0; i < length; i += 3) {
        unsigned bits = 0;
        for (size_t j = 0; j < 3; j++)
            bits = bits << 8 | (i + j < length ? (unsigned char)bytes[i + j] : 0);
        for (size_t j = 0; j < 4; j++) {
            const char letter = i + j <= length ? letters[bits >> (18 - 6 * j) & 63] : '=';
            text_add_bytes(&text, &letter, 1);
        }
    }
    return text.bytes;
}

// Lesson("causal", dict(seed=5), "import torch...", [("scores", "scores = ..."), ...], {"scores": ["hint", ...]}, "class ...",
// "attention = ...", "context"): what exercises.py has to know of a lesson.
static const char *lesson_call(struct arena *arena, const struct run *run) {
    const struct lesson *lesson = run->lesson;
    const struct recap *recap = lesson->source->recap;
    struct text parameters = text_new(arena), text = text_new(arena);
    text_add(&parameters, "");
    add_parameters(&parameters, run);
    text_add_format(&text, "Lesson(\"%s\", dict(%s), %s, [", lesson->name,
                    parameters.bytes + strspn(parameters.bytes, ", "),
                    python_string(arena, run_setup(arena, run)));
    for (int i = 0; i < run->step_count; i++)
        text_add_format(&text, "(%s, %s), ",
                        python_string(arena, step_label(arena, &run->steps[i])),
                        python_string(arena, run->steps[i].statement));
    text_add(&text, "], {");
    for (int i = 0; i < recap->exercise_count; i++) {
        const struct exercise *exercise = &recap->exercises[i];
        text_add_format(&text, "%s: [", python_string(arena, exercise->step));
        for (int j = 0; j < HINTS; j++)
            text_add_format(&text, "%s, ", python_string(arena, exercise->hints[j]));
        text_add(&text, "], ");
    }
    text_add_format(&text, "}, %s, %s, %s)\n", python_string(arena, recap->classes),
                    python_string(arena, run_statement(arena, run, recap->use)),
                    python_string(arena, recap->gives));
    return text.bytes;
}

const char *exercises_line(struct arena *arena, const struct run *run, bool is_first) {
    const char *call = lesson_call(arena, run);
    const char *code = is_first ? arena_format(arena, "%s\n%s", data_exercises, call) : call;
    return arena_format(arena, "exec(base64.b64decode(\"%s\"), %s)\n", base64(arena, code),
                        is_first ? "{\"student\": globals()}" : "check.__globals__");
}

const char *print_options(struct arena *arena, const struct selection *selection) {
    enum { PYTORCHS_OWN = 4 };
    if (selection->digits == PYTORCHS_OWN) return "";
    return arena_format(arena, "torch.set_printoptions(precision=%d)\n", selection->digits);
}
