#include "app/list.h"

#include "lessons.h"
#include "show/json.h"
#include "trace/step.h"

// Runs a lesson at its defaults, for the names of its steps.
static struct run run_at_defaults(struct arena *arena, const struct lesson *lesson) {
    const struct parameters none = {0};
    struct run run;
    run_lesson(&run, arena, lesson, &none);
    return run;
}

static void add_plain_lesson(struct text *text, int number, const struct run *run) {
    text_add_format(text, "%d %s: %s\n", number, run->lesson->name, run->lesson->title);
    text_add(text, "  parameters:");
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (run->lesson->uses & parameter->bit) text_add_format(text, " %s", parameter->option);
    }
    text_add(text, "\n");
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        text_add_format(text, "  %2d  ", step->number);
        text_add_padded(text, step_label(text->arena, step), 26, false);
        text_add_format(text, "  %s\n", step->paragraph->title);
    }
}

static void add_json_lesson(struct text *text, int number, const struct run *run) {
    text_add_format(text, "  {\"number\": %d, \"lesson\": ", number);
    json_add_string(text, run->lesson->name);
    text_add(text, ", \"title\": ");
    json_add_string(text, run->lesson->title);
    text_add(text, ", \"summary\": ");
    json_add_string(text, run->lesson->summary);
    text_add(text, ",\n   \"parameters\": [");
    const char *separator = "";
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        if (!(run->lesson->uses & parameter_table[i].bit)) continue;
        text_add(text, separator);
        json_add_string(text, parameter_table[i].name);
        separator = ", ";
    }
    text_add(text, "],\n   \"steps\": [\n");
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        text_add_format(text, "    {\"number\": %d, \"name\": ", step->number);
        json_add_string(text, step->name);
        text_add(text, ", \"group\": ");
        json_add_string(text, step->group);
        text_add(text, ", \"title\": ");
        json_add_string(text, step->paragraph->title);
        text_add(text, i + 1 < run->step_count ? "},\n" : "}\n");
    }
    text_add(text, "   ]}");
}

void add_list(struct text *text, enum format format) {
    if (format == FORMAT_JSON) text_add(text, "{\"onestep\": \"" VERSION "\", \"lessons\": [\n");
    for (int i = 0; i < lesson_count; i++) {
        const struct run run = run_at_defaults(text->arena, lesson_table[i]);
        if (format == FORMAT_JSON) {
            add_json_lesson(text, i + 1, &run);
            text_add(text, i + 1 < lesson_count ? ",\n" : "\n");
        } else {
            if (i > 0) text_add(text, "\n");
            add_plain_lesson(text, i + 1, &run);
        }
    }
    if (format == FORMAT_JSON) text_add(text, "]}\n");
}
