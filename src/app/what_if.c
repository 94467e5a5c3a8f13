#include "app/what_if.h"

#include "lessons.h"
#include "show/json.h"
#include "trace/step.h"

// ---- Beside a result ----------------------------------------------------------------------------

const char *idle_text(struct arena *arena, const struct run *run, int i) {
    if (run->idle[i] == NULL) return NULL;
    return arena_format(arena, "%s changes nothing here: %s", run->mistakes[i]->name, run->idle[i]);
}

void add_notes(struct text *notes, const struct run *run, const struct step *step) {
    if (run->right == NULL) return;
    const char *lesson = run->lesson->name;
    for (int i = 0; i < run->mistake_count; i++) {
        const char *idle = idle_text(notes->arena, run, i);
        if (idle != NULL) text_add_format(notes, "onestep: note: %s: %s\n", lesson, idle);
    }
    if (step == NULL || count_touched(run->right, run, NULL) == 0) return;
    if (differ(&step->tensor, &run->right->steps[step->number - 1].tensor)) return;
    text_add_format(notes, "onestep: note: %s: the what-if changes other steps, but not '%s'\n",
                    lesson, step_label(notes->arena, step));
}

// ---- The list -----------------------------------------------------------------------------------

// A lesson with a mistake in it, and what has to be typed for it to show.
struct shown_effect {
    struct run wrong;
    const char *options; // "--d-out 4"; NULL if it shows at the defaults
    int touched_count;   // steps
    bool *touched;
};

static struct shown_effect effect_with(struct arena *arena, const struct lesson *lesson,
                                       struct parameters parameters,
                                       const struct mistake *mistake) {
    struct shown_effect effect = {.options = NULL};
    parameters.what_ifs = mistake_bit(mistake);
    run_lesson(&effect.wrong, arena, lesson, &parameters);
    effect.touched = arena_array(arena, (size_t)effect.wrong.step_count, sizeof *effect.touched);
    effect.touched_count = count_touched(effect.wrong.right, &effect.wrong, effect.touched);
    return effect;
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
static struct shown_effect effect_on(struct arena *arena, const struct lesson *lesson,
                                     const struct mistake *mistake) {
    const struct parameters none = {0};
    const struct shown_effect effect = effect_with(arena, lesson, none, mistake);
    const struct parameters showing = showing_parameters(lesson, &none, mistake);
    if (effect.touched_count > 0 || showing.given == 0) return effect;
    struct shown_effect shown = effect_with(arena, lesson, showing, mistake);
    shown.options = options_text(arena, &showing);
    return shown;
}

static void add_plain_effect(struct text *text, const struct shown_effect *effect) {
    text_add_format(text, "  changes %s", effect->wrong.lesson->name);
    if (effect->options != NULL) text_add_format(text, " %s", effect->options);
    const char *separator = ": ";
    for (int i = 0; i < effect->wrong.step_count; i++) {
        if (!effect->touched[i]) continue;
        const struct step *step = &effect->wrong.steps[i];
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
        const struct shown_effect effect = effect_on(text->arena, lesson_table[i], mistake);
        if (effect.touched_count > 0) add_plain_effect(text, &effect);
    }
}

static void add_json_effect(struct json *json, const struct shown_effect *effect) {
    json_open_object(json, NULL);
    json_add_string(json, "lesson", effect->wrong.lesson->name);
    json_add_string(json, "options", effect->options);
    json_open_list(json, "steps");
    for (int i = 0; i < effect->wrong.step_count; i++) {
        if (!effect->touched[i]) continue;
        json_add_string(json, NULL, step_label(json->text->arena, &effect->wrong.steps[i]));
    }
    json_close(json);
    json_close(json);
}

static void add_json_mistake(struct json *json, const struct mistake *mistake) {
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
        const struct shown_effect effect = effect_on(json->text->arena, lesson_table[i], mistake);
        if (effect.touched_count == 0) continue;
        json_line(json);
        add_json_effect(json, &effect);
    }
    json_close(json);
    json_close(json);
}

static void add_json_mistakes(struct text *text) {
    struct json json = json_new(text);
    json_open_object(&json, NULL);
    json_add_string(&json, "onestep", VERSION);
    json_open_list(&json, "what_ifs");
    for (int i = 0; i < MISTAKE_COUNT; i++) {
        json_line(&json);
        add_json_mistake(&json, &mistake_table[i]);
    }
    json_close(&json);
    json_close(&json);
}

void add_mistakes(struct text *text, enum format format) {
    if (format == FORMAT_JSON) {
        add_json_mistakes(text);
        return;
    }
    for (int i = 0; i < MISTAKE_COUNT; i++) {
        if (i > 0) text_add(text, "\n");
        add_plain_mistake(text, &mistake_table[i]);
    }
}
