#include "walk/panel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/step.h"

int panel_parameters(const struct lesson *lesson, const struct parameter **parameters) {
    int count = 0;
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (lesson->uses & parameter->bit && parameter->kind != IS_FILE)
            parameters[count++] = parameter;
    }
    return count;
}

int panel_rows(const struct scene *scene) {
    const struct parameter *parameters[PARAMETER_COUNT];
    return panel_parameters(scene->run->lesson, parameters) + 2;
}

static bool is_given(const struct run *run, const struct parameter *parameter) {
    return run->parameters.given & parameter->bit;
}

// The value on screen: what the run uses, in words where the lesson has no value of its own.
static const char *value_text(const struct canvas *canvas, const struct scene *scene,
                              const struct parameter *parameter, bool is_chosen) {
    const struct run *run = scene->run;
    if (is_chosen && scene->state->mode == MODE_TYPE)
        return arena_format(canvas->arena, "%s_", scene->state->typed);
    if (!is_given(run, parameter)) {
        if (parameter->kind == IS_TOKEN)
            return label_of(canvas->arena, &run->inputs, 0, run->query);
        if (parameter->kind == IS_SEED) return "the lesson's own";
        if (parameter->kind == IS_STREAM) return "both";
    }
    const char *text = parameter_text(canvas->arena, &run->parameters, parameter);
    return parameter->kind == IS_PROBABILITY
               ? arena_format(canvas->arena, "%g", run->parameters.dropout)
               : text_safe(canvas->arena, text);
}

void draw_panel(struct canvas *canvas, const struct scene *scene, struct area area) {
    enum { NAME_COLUMNS = 16, VALUE_COLUMNS = 22 };
    const struct parameter *parameters[PARAMETER_COUNT];
    const int count = panel_parameters(scene->run->lesson, parameters);
    const int selected = scene->state->selected < count ? scene->state->selected : count - 1;
    if (count == 0) {
        put_text(canvas, area.row, 1, area.columns, "This lesson has nothing to set.", PLAIN);
        return;
    }
    int first = selected - (area.rows - 1) / 2;
    if (first > count - area.rows) first = count - area.rows;
    if (first < 0) first = 0;
    for (int i = first; i < count && i - first < area.rows; i++) {
        const int row = area.row + i - first;
        const bool is_chosen = i == selected;
        const struct style style = {.reverse = is_chosen,
                                    .bold = is_given(scene->run, parameters[i])};
        const char *value = value_text(canvas, scene, parameters[i], is_chosen);
        put_blanks(canvas, row, 1, area.columns, style);
        put_text(canvas, row, 2, NAME_COLUMNS - 1, parameters[i]->name, style);
        const int used = put_text(canvas, row, 2 + NAME_COLUMNS, VALUE_COLUMNS, value, style);
        const bool was_given = is_given(scene->run, parameters[i]);
        put_text(canvas, row, 2 + NAME_COLUMNS + VALUE_COLUMNS, area.columns - 40,
                 was_given ? "changed" : "as in the course", style);
        const bool is_typing = scene->state->mode == MODE_TYPE;
        if (is_chosen)
            put_cursor(canvas, row, 2 + NAME_COLUMNS + (is_typing && used > 0 ? used - 1 : 0));
    }
    if (first > 0) put_text(canvas, area.row, 0, 1, "…", BOLD);
    if (first + area.rows < count)
        put_text(canvas, area.row + area.rows - 1, 0, 1, "…", BOLD);
    else if (count < area.rows)
        put_text(canvas, area.row + count, 2, area.columns - 2, parameters[selected]->help, PLAIN);
    if (count + 1 < area.rows)
        put_text(canvas, area.row + count + 1, 2, area.columns - 2,
                 "Each change runs the lesson again. u undoes all, c compares with the course.",
                 DIM);
}

const char *panel_neighbour(struct arena *arena, const struct run *run,
                            const struct parameter *parameter, int by) {
    const char *text = parameter_text(arena, &run->parameters, parameter);
    switch (parameter->kind) {
    case IS_COUNT:
        return arena_format(arena, "%lld", strtoll(text, NULL, 10) + by);
    case IS_SEED: {
        const uint64_t seed = is_given(run, parameter) ? strtoull(text, NULL, 10) : run->seeds[0];
        return arena_format(arena, "%" PRIu64, seed + (uint64_t)(int64_t)by);
    }
    case IS_PROBABILITY: {
        const double p = run->parameters.dropout + by * 0.1;
        return arena_format(arena, "%.1f", p < 0.05 ? 0 : p > 0.95 ? 1 : p);
    }
    case IS_STREAM:
        return strcmp(text, "mt19937") == 0 && is_given(run, parameter) ? "mcg31m1" : "mt19937";
    case IS_SWITCH:
        return strcmp(text, "yes") == 0 ? "no" : "yes";
    case IS_TOKEN: {
        const int64_t rows = run->inputs.shape[0];
        return arena_format(arena, "%" PRId64, (run->query + by + rows) % rows + 1);
    }
    case IS_FILE:
        break;
    }
    return NULL;
}
