// Blocks around the others: where in the lesson we are, and which keys there are.

#include <inttypes.h>

#include "base/text.h"
#include "trace/step.h"
#include "walk/bar.h"
#include "walk/blocks/blocks.h"

static int want_one(struct screen *screen, struct slot *slot) {
    (void)screen, (void)slot;
    return 1;
}

// ---- The title ----------------------------------------------------------------------------------

// ", row 2/6", ", moment 7/36": where inside the step we are; "" for the whole step.
static const char *grain_text(const struct screen *screen) {
    const struct state *state = screen->scene->state;
    const struct order *order = &screen->order;
    struct arena *arena = screen->canvas->arena;
    if (state->grain == GRAIN_STEP) return "";
    if (order->moment_count == 0) return ", nothing inside";
    if (state->grain == GRAIN_CELL) {
        return arena_format(arena, ", moment %" PRId64 "/%" PRId64, state->moment + 1,
                            order->moment_count);
    }
    const int64_t row = moment_at(order, state->moment).row;
    return arena_format(arena, ", row %" PRId64 "/%" PRId64, row + 1, order->row_count);
}

static void draw_step_title(struct screen *screen, const struct slot *slot) {
    (void)slot;
    const struct scene *scene = screen->scene;
    struct arena *arena = screen->canvas->arena;
    const char *place =
        arena_format(arena, "step %d/%d%s  %s", scene->state->step + 1, scene->run->step_count,
                     grain_text(screen), step_label(arena, screen->step));
    const char *title =
        arena_format(arena, "%d %s", scene->state->lesson + 1, scene->run->lesson->title);
    if (scene->badge != NULL) title = arena_format(arena, "CHANGED: %s. %s", scene->badge, title);
    draw_title(screen->canvas, title, place);
}

const struct block title_block = {.wants = want_one, .draw = draw_step_title};

// ---- The timeline -------------------------------------------------------------------------------

// One column each, whatever stands beside it.
static const char *step_mark(const struct screen *screen, int step) {
    const struct state *state = screen->scene->state;
    const bool *touched = screen->scene->trial->touched;
    const bool is_ascii = screen->canvas->look.is_ascii;
    if (step == state->step) return is_ascii ? "#" : "◆";
    if (touched != NULL && touched[step]) return is_ascii ? "!" : "≠";
    if (is_seen(state, state->lesson, step)) return is_ascii ? "*" : "●";
    return is_ascii ? "o" : "○";
}

// One mark a step: seen, not yet, here, changed by a mistake; a line between two sections. At most `most`
// steps around here.
static void add_marks(struct text *text, const struct screen *screen, int most) {
    const struct run *run = screen->scene->run;
    int first = screen->scene->state->step - most / 2;
    if (first > run->step_count - most) first = run->step_count - most;
    if (first < 0) first = 0;
    const int last = first + most < run->step_count ? first + most : run->step_count;
    if (first > 0) text_add(text, "…");
    for (int i = first; i < last; i++) {
        if (i > first && run->steps[i].section != run->steps[i - 1].section) text_add(text, "│");
        text_add(text, step_mark(screen, i));
    }
    if (last < run->step_count) text_add(text, "…");
}

static void draw_timeline(struct screen *screen, const struct slot *slot) {
    struct canvas *canvas = screen->canvas;
    const struct step *step = screen->step;
    struct text text = text_new(canvas->arena);
    add_marks(&text, screen, screen->width / 4);
    if (step->number > 1) text_add_format(&text, "  ‹ %s", step_label(canvas->arena, step - 1));
    if (step->number < screen->scene->run->step_count)
        text_add_format(&text, "  › %s", step_label(canvas->arena, step + 1));
    const int used = put_text(canvas, slot->row, 1, screen->width, text.bytes, PLAIN);
    const int left = screen->width - used - 2;
    if (step->section != NULL && shown_width(canvas, step->section) <= left)
        put_right(canvas, slot->row, used + 3, left, step->section, DIM);
}

const struct block timeline_block = {.wants = want_one, .draw = draw_timeline};

// ---- The keys -----------------------------------------------------------------------------------

static void draw_keys(struct screen *screen, const struct slot *slot) {
    (void)slot;
    draw_key_bar(screen->canvas, screen->scene->keys);
}

const struct block keys_block = {.wants = want_one, .draw = draw_keys};
