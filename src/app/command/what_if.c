#include "app/command/what_if.h"

#include "app/command/json.h"
#include "lessons.h"
#include "script/lesson/interpreter.h"
#include "trace/run/step.h"

// ---- Beside a result ----------------------------------------------------------------------------

void add_notes(struct text *notes, const struct trial *trial, const struct step *step) {
    const char *lesson = trial->run.lesson->name;
    for (int i = 0; i < trial->mistake_count; i++) {
        const char *idle = idle_text(notes->arena, trial, i);
        if (idle != NULL) text_add_format(notes, "onestep: note: %s: %s\n", lesson, idle);
    }
    if (step == NULL || !is_touched(trial) || right_tensor(trial, step) != NULL) return;
    text_add_format(notes, "onestep: note: %s: the %s changes other steps, but not '%s'\n", lesson,
                    trial->line_count > 0 ? "changed line" : "what-if",
                    step_label(notes->arena, step));
}

// ---- The list -----------------------------------------------------------------------------------

// A lesson with a mistake in it, and what has to be typed for it to show.
struct showing {
    struct trial trial;
    const char *options; // "--d-out 4"; NULL if it shows at the defaults
};

// Does the run draw or choose words by numbers that it computed?
static bool chooses_words(const struct run *run) {
    for (int i = 0; i < run->step_count; i++) {
        const struct tensor *tensor = &run->steps[i].tensor;
        if (tensor->storage->dtype == INT64 && tensor->storage->origin->operand_count > 0)
            return true;
    }
    return false;
}

// The lessons as they are without a mistake. Two updates show what two hundred do, but for words that are chosen at the
// end of a training.
static const struct run *right_runs(struct arena *arena) {
    struct run *runs = arena_array(arena, (size_t)lesson_count, sizeof *runs);
    for (int i = 0; i < lesson_count; i++) {
        const struct lesson *lesson = lesson_table[i];
        const struct parameters few_updates = {.given = USES_UPDATES, .updates = 2}, defaults = {0};
        run_lesson(&runs[i], arena, lesson, lesson->trains ? &few_updates : &defaults);
        if (lesson->trains && chooses_words(&runs[i]))
            run_lesson(&runs[i], arena, lesson, &defaults);
    }
    return runs;
}

static const char *options_text(struct arena *arena, const struct parameters *parameters) {
    struct text text = text_new(arena);
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (!(parameters->given & parameter->bit)) continue;
        text_add_format(&text, "%s%s", text.length > 0 ? " " : "", parameter->option);
        if (is_switch(parameter)) continue;
        const char *mark = parameter->kind == &text_kind ? "'" : "";
        text_add_format(&text, " %s%s%s", mark, parameter_text(arena, parameters, parameter), mark);
    }
    return text.bytes;
}

// What a mistake does to a lesson at its defaults; if that is nothing, with the parameters that show it.
static struct showing showing_in(struct arena *arena, const struct run *right,
                                 const struct mistake *mistake) {
    struct showing showing = {.options = NULL};
    struct what_ifs what_ifs = {.lines.interpreter = &python_interpreter};
    what_ifs.made[mistake_number(mistake)] = true;
    run_trial_in(&showing.trial, arena, right, &what_ifs);
    const struct parameters *chosen = &right->parameters;
    const struct parameters parameters = showing_parameters(right->lesson, chosen, mistake);
    if (is_touched(&showing.trial) || parameters.given == chosen->given) return showing;
    run_trial(&showing.trial, arena, right->lesson, &parameters, &what_ifs);
    showing.options = options_text(arena, &parameters);
    return showing;
}

static void add_plain_showing(struct text *text, const struct showing *showing) {
    text_add_format(text, "  changes %s", showing->trial.run.lesson->name);
    if (showing->options != NULL) text_add_format(text, " %s", showing->options);
    const char *separator = ": ";
    for (int i = 0; i < showing->trial.run.step_count; i++) {
        if (!showing->trial.touched[i]) continue;
        const struct step *step = &showing->trial.run.steps[i];
        text_add_format(text, step->group != NULL ? "%s'%s'" : "%s%s", separator,
                        step_label(text->arena, step));
        separator = ", ";
    }
    text_add(text, "\n");
}

static void add_plain_mistake(struct text *text, const struct run *runs,
                              const struct mistake *mistake) {
    text_add_format(text, "%s: %s\n", mistake->name, mistake->title);
    text_add_format(text, "  what goes wrong: %s\n", mistake->wrong);
    text_add_format(text, "  in PyTorch: %s\n", mistake->pytorch);
    for (int i = 0; i < lesson_count; i++) {
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, text->arena->failure);
        const struct showing showing = showing_in(m, &runs[i], mistake);
        if (is_touched(&showing.trial)) add_plain_showing(text, &showing);
        scratch_close(&scratch);
    }
}

static void add_json_showing(struct json *json, const struct showing *showing) {
    const struct run *run = &showing->trial.run;
    json_open_object(json, NULL);
    json_add_string(json, "lesson", run->lesson->name);
    json_add_string(json, "options", showing->options);
    json_open_list(json, "steps");
    for (int i = 0; i < run->step_count; i++) {
        if (showing->trial.touched[i])
            json_add_string(json, NULL, step_label(json->text->arena, &run->steps[i]));
    }
    json_close(json);
    json_close(json);
}

static void add_json_mistake(struct json *json, const struct run *runs,
                             const struct mistake *mistake) {
    json_open_object(json, NULL);
    json_add_string(json, "name", mistake->name);
    json_add_string(json, "title", mistake->title);
    json_line(json);
    json_add_string(json, "wrong", mistake->wrong);
    json_line(json);
    json_add_string(json, "pytorch", mistake->pytorch);
    json_line(json);
    json_open_list(json, "changes");
    for (int i = 0; i < lesson_count; i++) {
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, json->text->arena->failure);
        const struct showing showing = showing_in(m, &runs[i], mistake);
        if (is_touched(&showing.trial)) {
            json_line(json);
            add_json_showing(json, &showing);
        }
        scratch_close(&scratch);
    }
    json_close(json);
    json_close(json);
}

static void add_json_mistakes(struct text *text, const struct run *runs) {
    struct json json = json_answer(text);
    json_open_list(&json, "what_ifs");
    for (int i = 0; i < mistake_total; i++) {
        json_line(&json);
        add_json_mistake(&json, runs, &mistake_table[i]);
    }
    json_close(&json);
    json_close(&json);
}

void add_mistakes(struct text *text, enum format format) {
    const struct run *runs = right_runs(text->arena);
    if (format == FORMAT_JSON) {
        add_json_mistakes(text, runs);
        return;
    }
    for (int i = 0; i < mistake_total; i++) {
        if (i > 0) text_add(text, "\n");
        add_plain_mistake(text, runs, &mistake_table[i]);
    }
}
