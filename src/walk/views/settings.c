// The settings: a line for each parameter that the lesson uses, over the step that they change.

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "walk/kit/canvas.h"
#include "walk/kit/lines.h"
#include "walk/step/screen.h"
#include "walk/views/views.h"

struct settings {
    int chosen; // line, from 0
};

struct settable settable_in(const struct lesson *lesson) {
    struct settable settable = {0};
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (lesson->uses & parameter->bit && !is_file(parameter))
            settable.parameters[settable.count++] = parameter;
    }
    return settable;
}

bool is_setting_given(const struct run *run, const struct parameter *parameter) {
    return run->parameters.given & parameter->bit;
}

// ---- Changing -----------------------------------------------------------------------------------

static void change(struct walker *walker, const struct parameter *parameter, const char *value) {
    struct parameters chosen = walker->chosen;
    const struct parameter walked = parameter_walked(parameter);
    const bool turns_off = is_switch(parameter) && strcmp(value, "no") == 0;
    if (turns_off)
        chosen.given &= ~parameter->bit;
    else if (!set_parameter(&chosen, &walked, arena_copy(&walker->words, value))) {
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, walker->memory_failure);
        tell(&walker->state, "%s takes %s, not '%s'", walked.name, possible_values(m, &walked),
             text_safe(m, value));
        scratch_close(&scratch);
        return;
    }
    run_again(walker, &chosen, &walker->what_ifs);
}

// The value before (by -1) or after (by 1) the one that the run uses, as text; NULL if there is none.
static const char *neighbour(struct arena *arena, const struct run *run,
                             const struct parameter *parameter, int by) {
    if (parameter->bit == USES_QUERY) {
        const int64_t rows = size_along(&run->inputs, AXIS_TOKEN);
        return arena_format(arena, "%" PRId64, (run->query + by + rows) % rows + 1);
    }
    const char *value = parameter_text(arena, &run->parameters, parameter);
    if (unset_value(run, parameter) != NULL && !is_setting_given(run, parameter)) {
        if (parameter->kind == &choice_kind) return value; // of several the first
        value = arena_format(arena, "%" PRIu64, run->seeds[0]);
    }
    return parameter->kind->next != NULL ? parameter->kind->next(arena, parameter, value, by)
                                         : NULL;
}

static void nudge(struct walker *walker, const struct parameter *parameter, int by) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const char *value = neighbour(m, &walker->trial.run, parameter, by);
    if (value != NULL) change(walker, parameter, value);
    scratch_close(&scratch);
}

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    struct settings *settings = view_state;
    const struct settable settable = settable_in(walker->trial.run.lesson);
    if (settable.count == 0) return;
    const struct parameter *parameter = settable.parameters[settings->chosen];
    const bool cycles = is_switch(parameter) || parameter->kind == &choice_kind;
    const int line = settings->chosen + lines_moved(pressed);
    if (line >= 0 && line < settable.count) settings->chosen = line;
    if (pressed->action == ACT_LEFT) nudge(walker, parameter, -1);
    if (pressed->action == ACT_RIGHT || (pressed->action == ACT_CHOOSE && cycles))
        nudge(walker, parameter, 1);
    else if (pressed->action == ACT_CHOOSE)
        begin_typing(walker, KEY_NOTHING);
}

static void typed(struct walker *walker, void *view_state, const char *text) {
    const struct settings *settings = view_state;
    const struct settable settable = settable_in(walker->trial.run.lesson);
    if (settable.count > 0) change(walker, settable.parameters[settings->chosen], text);
}

// ---- Drawing ------------------------------------------------------------------------------------

static int want_heading(struct screen *screen, struct slot *slot) {
    return add_paragraph(screen, slot, "Settings", screen->width);
}

static const struct block settings_heading = {
    .wants = want_heading, .draw = draw_bold_lines, .likes_gap = true};

// A line a parameter and two that explain; the matrix has what they leave.
static int want_settings(struct screen *screen, struct slot *slot) {
    slot->needed = settable_in(screen->scene->run->lesson).count + 2;
    return slot->needed;
}

const char *setting_text(struct arena *arena, const struct run *run,
                         const struct parameter *parameter) {
    if (is_setting_given(run, parameter))
        return text_safe(arena, parameter_text(arena, &run->parameters, parameter));
    if (parameter->bit == USES_QUERY) return label_of(arena, &run->inputs, 0, run->query);
    const char *unset = unset_value(run, parameter);
    return unset != NULL ? unset
                         : text_safe(arena, parameter_text(arena, &run->parameters, parameter));
}

static void draw_setting(struct screen *screen, const struct parameter *parameter, int row,
                         bool is_chosen) {
    enum { NAME_COLUMN = 2, VALUE_COLUMN = 18, ORIGIN_COLUMN = 40 };
    struct canvas *canvas = screen->canvas;
    const char *typed = is_chosen ? screen->scene->typed : NULL;
    const bool was_given = is_setting_given(screen->scene->run, parameter);
    const struct style style = {.reverse = is_chosen, .bold = was_given};
    const char *value = typed != NULL ? arena_format(canvas->arena, "%s_", typed)
                                      : setting_text(canvas->arena, screen->scene->run, parameter);
    put_blanks(canvas, row, 1, screen->width, style);
    put_text(canvas, row, NAME_COLUMN, VALUE_COLUMN - NAME_COLUMN - 1, parameter->name, style);
    const int used =
        put_text(canvas, row, VALUE_COLUMN, ORIGIN_COLUMN - VALUE_COLUMN, value, style);
    put_text(canvas, row, ORIGIN_COLUMN, screen->width - ORIGIN_COLUMN,
             was_given ? "changed"
                       : arena_format(canvas->arena, "as in the %s",
                                      standard_of(screen->scene->run->lesson)),
             style);
    if (is_chosen)
        put_cursor(canvas, row, VALUE_COLUMN + (typed != NULL && used > 0 ? used - 1 : 0));
}

static void draw_settings(struct screen *screen, const struct slot *slot) {
    struct canvas *canvas = screen->canvas;
    const struct settings *settings = screen->view;
    const struct settable settable = settable_in(screen->scene->run->lesson);
    const int count = settable.count, row = slot->row, rows = slot->rows;
    const char *standard = standard_of(screen->scene->run->lesson);
    if (count == 0) {
        put_text(canvas, row, 1, screen->width, "This lesson has nothing to set.", PLAIN);
        return;
    }
    int first = settings->chosen - (rows - 1) / 2;
    if (first > count - rows) first = count - rows;
    if (first < 0) first = 0;
    for (int i = first; i < count && i - first < rows; i++) {
        draw_setting(screen, settable.parameters[i], row + i - first, i == settings->chosen);
        put_line_spot(canvas, &(struct area){row + i - first, 1, 1, screen->width}, i,
                      i == settings->chosen);
    }
    mark_more(canvas, &(struct area){row, 0, rows, 1}, first, count);
    if (count < rows)
        put_text(canvas, row + count, 2, screen->width - 2,
                 settable.parameters[settings->chosen]->help, PLAIN);
    if (count + 1 < rows)
        put_text(
            canvas, row + count + 1, 2, screen->width - 2,
            arena_format(canvas->arena,
                         "Each change runs everything again. u undoes all, c compares with the %s.",
                         standard),
            DIM);
}

static const struct block settings_block = {
    .wants = want_settings, .draw = draw_settings, .has_cursor = true};

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    struct scene scene = scene_for(walker, canvas);
    static const struct arrangement arrangement = {
        .blocks = {[SLOT_TITLE] = &title_block,
                   [SLOT_HEADING] = &settings_heading,
                   [SLOT_WORDS] = &settings_block,
                   [SLOT_FACTS] = &facts_block,
                   [SLOT_MATRIX] = &matrices_block,
                   [SLOT_CELL] = &cell_block,
                   [SLOT_KEYS] = &keys_block},
    };
    show_typing(walker, &scene, NULL);
    walker->shown = draw_screen(canvas, &scene, &arrangement, view_state);
}

const struct walk_view settings_view = {
    .bit = VIEW_SETTINGS,
    .name = "Settings",
    .opened_by = ACT_SETTINGS,
    .size = sizeof(struct settings),
    .has_lines = true,
    .chosen_at = offsetof(struct settings, chosen),
    .press = press,
    .typed = typed,
    .draw = draw,
};
