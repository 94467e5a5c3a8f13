// Blocks around the others: where in the lesson we are, and which keys there are.

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "trace/run/step.h"
#include "walk/kit/canvas.h"
#include "walk/kit/lines.h"
#include "walk/step/screen.h"

static int want_one(struct screen *screen, struct slot *slot) {
    (void)screen, (void)slot;
    return 1;
}

// ---- The title ----------------------------------------------------------------------------------

// ", row 2/6", ", moment 7/36", ", moment 7/36, term 2/6": where inside the step we are; "" for the whole step.
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
    if (state->grain == GRAIN_TERM) {
        const int64_t count = screen->terms.count > 0 ? screen->terms.count : 1;
        return arena_format(arena, ", moment %" PRId64 "/%" PRId64 ", term %" PRId64 "/%" PRId64,
                            state->moment + 1, order->moment_count,
                            state->term < count ? state->term + 1 : count, count);
    }
    const int64_t row = moment_at(order, state->moment).row;
    return arena_format(arena, ", row %" PRId64 "/%" PRId64, row + 1, order->row_count);
}

// " (2-9 inside)": the steps of the calls that a stop of a program closes, which n passes over; else "".
static const char *inside_text(const struct screen *screen) {
    const struct run *run = screen->scene->run;
    int first = screen->stop.first;
    while (first > 0) {
        const struct step *step = &run->steps[first - 1];
        while (step != NULL && step->number <= screen->stop.first) step = call_around(run, step);
        if (step == NULL || step->number > screen->stop.first + screen->stop.count) break;
        first--;
    }
    const int last = screen->stop.first;
    return first == last ? ""
           : first == last - 1
               ? arena_format(screen->canvas->arena, " (%d inside)", last)
               : arena_format(screen->canvas->arena, " (%d-%d inside)", first + 1, last);
}

static void draw_step_title(struct screen *screen, const struct slot *slot) {
    (void)slot;
    const struct scene *scene = screen->scene;
    struct arena *arena = screen->canvas->arena;
    const char *at =
        arena_format(arena, "step %d/%d%s%s  %s", scene->state->step + 1, scene->run->step_count,
                     inside_text(screen), grain_text(screen), step_label(arena, screen->step));
    const struct lesson *lesson = scene->run->lesson;
    const char *title =
        lesson->source->recap == NULL // a model, which is none of the numbered lessons
            ? lesson->title
            : arena_format(arena, "%d %s", number_of_lesson(scene->state, scene->state->lesson),
                           lesson->title);
    const bool is_tight = shown_width(screen->canvas, title) + shown_width(screen->canvas, at) >
                          screen->canvas->columns - 3;
    if (is_tight) title = arena_format(arena, "%.*s", (int)strcspn(title, ":"), title);
    if (scene->badge != NULL) title = arena_format(arena, "CHANGED: %s. %s", scene->badge, title);
    draw_title(screen->canvas, title, at);
}

const struct block title_block = {.wants = want_one, .draw = draw_step_title};

// ---- The timeline -------------------------------------------------------------------------------

const char *stop_mark(const struct screen *screen, struct stop stop, bool marks_repeats) {
    const struct scene *scene = screen->scene;
    const struct state *state = scene->state;
    const bool is_ascii = screen->canvas->look.is_ascii;
    bool is_here = false, is_followed = false, is_touched = false, was_seen = false;
    for (int i = stop.first; i < stop.first + stop.count; i++) {
        int64_t index[MAX_DIMS];
        is_here |= i == state->step;
        is_followed |= scene->followed != NULL &&
                       first_reached(scene->followed, &scene->run->steps[i].tensor, index);
        is_touched |= scene->touched != NULL && scene->touched[i];
        was_seen |= is_seen(state, state->lesson, i);
    }
    if (is_here) return is_ascii ? "#" : "◆";
    if (is_followed) return is_ascii ? "^" : "→"; // the number that is followed goes there
    if (is_touched) return is_ascii ? "!" : "≠";
    if (was_seen) return is_ascii ? "*" : "●";
    if (marks_repeats && repeats(scene->run, stop)) return is_ascii ? "." : "·";
    return is_ascii ? "o" : "○";
}

// The stops of the lesson in order; `here` is the number of this one, from 0.
struct stops {
    int count, here;
    struct stop *stops;
};

static struct stops stops_of(const struct screen *screen) {
    const struct run *run = screen->scene->run;
    struct stops stops = {.count = 0};
    stops.stops = arena_array(screen->canvas->arena, (size_t)run->step_count, sizeof *stops.stops);
    for (int step = 0; step < run->step_count; stops.count++) {
        if (step <= screen->scene->state->step) stops.here = stops.count;
        stops.stops[stops.count] = stop_at(run, step);
        step += stops.stops[stops.count].count;
    }
    return stops;
}

// One mark a stop: seen, not yet, here, changed by a mistake; a line between two sections. At most `most`
// stops around here.
static void add_marks(struct text *text, const struct screen *screen, const struct stops *stops,
                      int most, int row) {
    const struct step *steps = screen->scene->run->steps;
    const int first = (int)first_visible(stops->here, stops->count, most);
    const int last = first + most < stops->count ? first + most : stops->count;
    text_add(text, first > 0 ? "…" : "");
    for (int i = first; i < last; i++) {
        const int step = stops->stops[i].first;
        if (i > first && steps[step].section != steps[step - 1].section) text_add(text, "│");
        const int column = 1 + text_width(text->bytes);
        put_spot(screen->canvas, (struct spot){row, column, 1, SPOT_STEP, step});
        text_add(text, stop_mark(screen, stops->stops[i], true));
    }
    if (last < stops->count) text_add(text, "…");
}

// The stops before and after this one, by their names; with their titles on a line of its own each.
static void draw_neighbour(struct screen *screen, const char *mark, const struct step *step,
                           int row) {
    struct canvas *canvas = screen->canvas;
    const int used = put_text(
        canvas, row, 1, screen->width,
        arena_format(canvas->arena, "%s %s  ", mark, step_label(canvas->arena, step)), PLAIN);
    const char *title = step->paragraph->title;
    put_spot(canvas, (struct spot){row, 1, screen->width, SPOT_STEP, step->number - 1});
    if (shown_width(canvas, title) <= screen->width - used)
        put_text(canvas, row, 1 + used, screen->width - used, title, DIM);
}

static int want_timeline(struct screen *screen, struct slot *slot) {
    (void)slot;
    return screen->canvas->rows >= TALL_ROWS ? 3 : 1;
}

static void draw_timeline(struct screen *screen, const struct slot *slot) {
    struct canvas *canvas = screen->canvas;
    const struct step *steps = screen->scene->run->steps;
    const char *section = screen->step->section;
    const struct stops stops = stops_of(screen);
    const struct stop *here = &stops.stops[stops.here];
    const struct step *before = stops.here > 0 ? &steps[here[-1].first] : NULL;
    const struct step *after = stops.here < stops.count - 1 ? &steps[here[1].first] : NULL;
    const bool is_tall = slot->rows >= 3;
    struct text text = text_new(canvas->arena);
    add_marks(&text, screen, &stops, screen->width / 4, slot->row);
    if (before != NULL && !is_tall)
        text_add_format(&text, "  ‹ %s", step_label(canvas->arena, before));
    if (after != NULL && !is_tall)
        text_add_format(&text, "  › %s", step_label(canvas->arena, after));
    const int used = put_text(canvas, slot->row, 1, screen->width, text.bytes, PLAIN);
    const int left = screen->width - used - 2;
    if (section != NULL && shown_width(canvas, section) <= left)
        put_right(canvas, slot->row, used + 3, left, section, DIM);
    if (is_tall && before != NULL) draw_neighbour(screen, "‹", before, slot->row + 1);
    if (is_tall && after != NULL)
        draw_neighbour(screen, "›", after, slot->row + (before != NULL ? 2 : 1));
}

const struct block timeline_block = {.wants = want_timeline, .draw = draw_timeline};

// ---- The keys -----------------------------------------------------------------------------------

// Where everyone begins, the tour stands in the place of the way back, which there is none. Where words or
// lines of code are left out, the key that shows them says so.
static void draw_keys(struct screen *screen, const struct slot *slot) {
    (void)slot;
    const struct state *state = screen->scene->state;
    const bool is_of_course =
        screen->scene->run->lesson->source->recap != NULL && // the tour's lessons
        screen->scene->companion == NULL;
    const bool is_first = is_of_course && state->lesson == 0 && screen->stop.first == 0;
    const bool is_walking = screen->scene->keys & (VIEW_STEP | VIEW_INSIDE | VIEW_BESIDE);
    struct key_hint hint = {ACT_NOTHING, NULL, ACT_NOTHING, false};
    if (is_walking && is_first)
        hint = (struct key_hint){ACT_TOUR, NULL, ACT_BACK, false};
    else if (is_walking && what_is_left_out(screen) != NULL)
        hint = (struct key_hint){ACT_READ, what_is_left_out(screen), ACT_NOTHING, false};
    draw_key_bar_here(screen->canvas, screen->scene->keys, &hint);
}

const struct block keys_block = {.wants = want_one, .draw = draw_keys};
