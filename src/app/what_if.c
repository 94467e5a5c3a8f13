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
struct effect {
    struct run wrong;
    const char *options; // "--d-out 4"; NULL if it shows at the defaults
    int touched_count;   // steps
    bool *touched;
};

static struct effect effect_with(struct arena *arena, const struct lesson *lesson,
                                 struct parameters parameters, const struct mistake *mistake) {
    struct effect effect = {.options = NULL};
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
static struct effect effect_on(struct arena *arena, const struct lesson *lesson,
                               const struct mistake *mistake) {
    const struct parameters none = {0};
    const struct effect effect = effect_with(arena, lesson, none, mistake);
    const struct parameters showing = showing_parameters(lesson, &none, mistake);
    if (effect.touched_count > 0 || showing.given == 0) return effect;
    struct effect shown = effect_with(arena, lesson, showing, mistake);
    shown.options = options_text(arena, &showing);
    return shown;
}

static void add_plain_effect(struct text *text, const struct effect *effect) {
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
        const struct effect effect = effect_on(text->arena, lesson_table[i], mistake);
        if (effect.touched_count > 0) add_plain_effect(text, &effect);
    }
}

static void add_json_effect(struct text *text, const struct effect *effect) {
    text_add(text, "     {\"lesson\": ");
    json_add_string(text, effect->wrong.lesson->name);
    text_add(text, ", \"options\": ");
    json_add_string(text, effect->options);
    text_add(text, ", \"steps\": [");
    const char *separator = "";
    for (int i = 0; i < effect->wrong.step_count; i++) {
        if (!effect->touched[i]) continue;
        text_add(text, separator);
        json_add_string(text, step_label(text->arena, &effect->wrong.steps[i]));
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
        const struct effect effect = effect_on(text->arena, lesson_table[i], mistake);
        if (effect.touched_count == 0) continue;
        text_add(text, separator);
        add_json_effect(text, &effect);
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
