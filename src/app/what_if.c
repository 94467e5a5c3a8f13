#include "app/what_if.h"

#include "lessons.h"
#include "show/json.h"
#include "trace/step.h"

// ---- Beside a result ----------------------------------------------------------------------------

void add_notes(struct text *notes, const struct trial *trial, const struct step *step) {
    const char *lesson = trial->run.lesson->name;
    for (int i = 0; i < trial->mistake_count; i++) {
        const char *idle = idle_text(notes->arena, trial, i);
        if (idle != NULL) text_add_format(notes, "onestep: note: %s: %s\n", lesson, idle);
    }
    if (step == NULL || !is_touched(trial) || right_tensor(trial, step) != NULL) return;
    text_add_format(notes, "onestep: note: %s: the what-if changes other steps, but not '%s'\n",
                    lesson, step_label(notes->arena, step));
}

// ---- The list -----------------------------------------------------------------------------------

// A lesson with a mistake in it, and what has to be typed for it to show.
struct showing {
    struct trial trial;
    const char *options; // "--d-out 4"; NULL if it shows at the defaults
};

static struct showing show(struct arena *arena, const struct lesson *lesson,
                           const struct parameters *parameters, const struct mistake *mistake) {
    struct showing showing = {.options = NULL};
    struct what_ifs what_ifs = {0};
    what_ifs.made[mistake_number(mistake)] = true;
    if (!run_trial(&showing.trial, arena, lesson, parameters, &what_ifs))
        fail_again(arena->failure);
    return showing;
}

static const char *options_text(struct arena *arena, const struct parameters *parameters) {
    struct text text = text_new(arena);
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (!(parameters->given & parameter->bit)) continue;
        text_add_format(&text, "%s%s", text.length > 0 ? " " : "", parameter->option);
        if (parameter->kind == IS_SWITCH) continue;
        text_add_format(&text, " %s", parameter_text(arena, parameters, parameter));
    }
    return text.bytes;
}

// What a mistake does to a lesson at its defaults; if that is nothing, with the parameters that show it.
static struct showing showing_in(struct arena *arena, const struct lesson *lesson,
                                 const struct mistake *mistake) {
    const struct parameters none = {0};
    const struct showing own = show(arena, lesson, &none, mistake);
    const struct parameters parameters = showing_parameters(lesson, &none, mistake);
    if (is_touched(&own.trial) || parameters.given == 0) return own;
    struct showing showing = show(arena, lesson, &parameters, mistake);
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

static void add_plain_mistake(struct text *text, const struct mistake *mistake) {
    text_add_format(text, "%s: %s\n", mistake->name, mistake->title);
    text_add_format(text, "  what goes wrong: %s\n", mistake->wrong);
    text_add_format(text, "  in PyTorch: %s\n", mistake->pytorch);
    for (int i = 0; i < lesson_count; i++) {
        const struct showing showing = showing_in(text->arena, lesson_table[i], mistake);
        if (is_touched(&showing.trial)) add_plain_showing(text, &showing);
    }
}

static void add_json_showing(struct text *text, const struct showing *showing) {
    text_add(text, "     {\"lesson\": ");
    json_add_string(text, showing->trial.run.lesson->name);
    text_add(text, ", \"options\": ");
    json_add_string(text, showing->options);
    text_add(text, ", \"steps\": [");
    const char *separator = "";
    for (int i = 0; i < showing->trial.run.step_count; i++) {
        if (!showing->trial.touched[i]) continue;
        text_add(text, separator);
        json_add_string(text, step_label(text->arena, &showing->trial.run.steps[i]));
        separator = ", ";
    }
    text_add(text, "]}");
}

static void add_json_mistake(struct text *text, const struct mistake *mistake) {
    text_add(text, "  {\"name\": ");
    json_add_string(text, mistake->name);
    text_add(text, ", \"title\": ");
    json_add_string(text, mistake->title);
    text_add(text, ",\n   \"wrong\": ");
    json_add_string(text, mistake->wrong);
    text_add(text, ",\n   \"pytorch\": ");
    json_add_string(text, mistake->pytorch);
    text_add(text, ",\n   \"changes\": [");
    const char *separator = "\n";
    for (int i = 0; i < lesson_count; i++) {
        const struct showing showing = showing_in(text->arena, lesson_table[i], mistake);
        if (!is_touched(&showing.trial)) continue;
        text_add(text, separator);
        add_json_showing(text, &showing);
        separator = ",\n";
    }
    text_add(text, "]}");
}

void add_mistakes(struct text *text, enum format format) {
    const bool is_json = format == FORMAT_JSON;
    if (is_json) text_add(text, "{\"onestep\": \"" VERSION "\", \"what_ifs\": [\n");
    for (int i = 0; i < MISTAKE_COUNT; i++) {
        if (i > 0) text_add(text, is_json ? ",\n" : "\n");
        if (is_json)
            add_json_mistake(text, &mistake_table[i]);
        else
            add_plain_mistake(text, &mistake_table[i]);
    }
    if (is_json) text_add(text, "\n]}\n");
}
