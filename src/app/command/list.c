#include "app/command/list.h"

#include "app/command/json.h"
#include "app/command/progress.h"
#include "lessons.h"
#include "trace/run/step.h"

// Runs a lesson for the names of its steps at its defaults. A training of two updates has the same steps as one of
// two hundred.
static struct run run_for_names(struct arena *arena, const struct lesson *lesson) {
    const struct parameters few_updates = {.given = USES_UPDATES, .updates = 2}, defaults = {0};
    struct run run;
    run_lesson(&run, arena, lesson, lesson->trains ? &few_updates : &defaults);
    return run;
}

// What is known of it without running it.
static void add_plain_facts(struct text *text, const struct lesson *lesson) {
    text_add_format(text, "%s: %s\n", lesson->name, lesson->title);
    if (lesson->book != NULL) text_add_format(text, "  book: %s\n", lesson->book);
    text_add(text, "  parameters:");
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (lesson->uses & parameter->bit) text_add_format(text, " %s", parameter->option);
    }
    text_add(text, "\n");
}

static void add_plain_steps(struct text *text, const struct lesson *lesson) {
    const struct run run = run_for_names(text->arena, lesson);
    for (int i = 0; i < run.step_count; i++) {
        const struct step *step = &run.steps[i];
        text_add_format(text, "  %2d  %*s", step->number, 2 * depth_in_calls(&run, step), "");
        text_add_padded(text, step_label(text->arena, step), 26, false);
        text_add_format(text, "  %s\n", step->paragraph->title);
    }
}

// Its place in the table; -1 for a model.
static int place_of(const struct lesson *lesson) {
    for (int i = 0; i < lesson_count; i++) {
        if (lesson_table[i] == lesson) return i;
    }
    return -1;
}

// What the reader answered in the walker, where anything is.
static void add_answers(struct text *text, const struct lesson *lesson) {
    const int place = place_of(lesson);
    if (place < 0) return;
    const struct progress progress = progress_read(lesson_table, lesson_count);
    const char *answers = answers_text(text->arena, lesson, &progress.visits[place]);
    if (answers != NULL) text_add_format(text, "  your turn: %s\n", answers);
}

static void add_plain_lesson(struct text *text, const struct lesson *lesson) {
    const int place = place_of(lesson);
    if (place >= 0) text_add_format(text, "%d ", first_number(lesson_table) + place);
    add_plain_facts(text, lesson);
    add_answers(text, lesson);
    if (place < 0 && *lesson->summary != '\0') text_add_format(text, "  %s\n", lesson->summary);
    add_plain_steps(text, lesson);
}

static void add_json_facts(struct json *json, const struct lesson *lesson) {
    json_add_string(json, "lesson", lesson->name);
    json_add_string(json, "title", lesson->title);
    json_add_string(json, "summary", lesson->summary);
    json_add_string(json, "part", part_title(lesson->part));
    json_add_string(json, "book", lesson->book);
    json_line(json);
    json_open_list(json, "parameters");
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        if (lesson->uses & parameter_table[i].bit)
            json_add_string(json, NULL, parameter_table[i].name);
    }
    json_close(json);
}

static void add_json_steps(struct json *json, const struct lesson *lesson) {
    const struct run run = run_for_names(json->text->arena, lesson);
    json_line(json);
    json_open_list(json, "steps");
    for (int i = 0; i < run.step_count; i++) {
        const struct step *step = &run.steps[i];
        json_line(json);
        json_open_object(json, NULL);
        json_add_integer(json, "number", step->number);
        json_add_string(json, "name", step->name);
        json_add_string(json, "group", step->group);
        json_add_string(json, "title", step->paragraph->title);
        json_close(json);
    }
    json_close(json);
}

static void add_json_lesson(struct json *json, const struct lesson *lesson, bool has_steps) {
    const int place = place_of(lesson);
    json_line(json);
    json_open_object(json, NULL);
    if (place >= 0) json_add_integer(json, "number", first_number(lesson_table) + place);
    add_json_facts(json, lesson);
    if (has_steps) add_json_steps(json, lesson);
    json_close(json);
}

// Of one lesson or model, or of all if it is NULL. Drawing a model takes long, so its steps are listed only alone.
static void add_json(struct text *text, const struct lesson *only) {
    struct json json = json_answer(text);
    json_add_string(&json, "numbers", NUMBERS);
    json_open_list(&json, "lessons");
    for (int i = 0; i < lesson_count; i++) {
        if (only == NULL || only == lesson_table[i]) add_json_lesson(&json, lesson_table[i], true);
    }
    json_close(&json);
    json_line(&json);
    json_open_list(&json, "models");
    for (int i = 0; i < model_count; i++) {
        const bool is_only = only == model_table[i];
        if (only == NULL || is_only) add_json_lesson(&json, model_table[i], is_only);
    }
    json_close(&json);
    json_close(&json);
}

// The models at full size that end a part.
static void add_plain_models(struct text *text, enum lesson_part part) {
    for (int i = 0; i < model_count; i++) {
        if (model_table[i]->part != part) continue;
        text_add(text, "\n");
        add_plain_facts(text, model_table[i]);
        text_add_format(text, "  %s\n", model_table[i]->summary);
    }
}

static void add_plain(struct text *text) {
    for (int i = 0; i < lesson_count; i++) {
        const enum lesson_part part = lesson_table[i]->part;
        if (i > 0) text_add(text, "\n");
        if (i == 0 || part != lesson_table[i - 1]->part)
            text_add_format(text, "%s\n\n", part_heading(text->arena, part));
        add_plain_lesson(text, lesson_table[i]);
        const bool ends_part = i + 1 == lesson_count || lesson_table[i + 1]->part != part;
        if (ends_part) add_plain_models(text, part);
    }
}

void add_list(struct text *text, const struct lesson *lesson, enum format format) {
    if (format == FORMAT_JSON)
        add_json(text, lesson);
    else if (lesson != NULL)
        add_plain_lesson(text, lesson);
    else
        add_plain(text);
}
