// The line under the matrix: what there is to say of the number under the cursor, or what the last key led
// to.

#include "base/text.h"
#include "walk/blocks/blocks.h"

const char *focus_name(const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    return arena_format(arena, "%s%s", screen->step->name, cell_label(arena, &screen->cell));
}

static bool fits(const struct screen *screen, const char *line) {
    return shown_width(screen->canvas, line) <= screen->width;
}

// "scores[journey, starts]: 0.5500·0.5700 + ... = 1.4754", "weights row starts: max = 1.4754"; where that is
// too long, without the name. A cell may do without its place as well; NULL if not even then.
static const char *fitting_moment(const struct screen *screen, struct happening happening,
                                  bool is_cell) {
    struct arena *arena = screen->canvas->arena;
    const bool has_place = *happening.where != '\0';
    const char *whole =
        arena_format(arena, "%s%s%s: %s", screen->step->name, is_cell || !has_place ? "" : " ",
                     happening.where, happening.what);
    if (fits(screen, whole)) return whole;
    const char *placed =
        has_place ? arena_format(arena, "%s: %s", happening.where, happening.what) : happening.what;
    if (fits(screen, placed) || !is_cell) return placed;
    return fits(screen, happening.what) ? happening.what : NULL;
}

// The moment inside the step, if the cursor is on what it computes.
static const char *moment_line(const struct screen *screen) {
    const struct state *state = screen->scene->state;
    const struct order *order = &screen->order;
    if (order->moment_count == 0) return NULL;
    const struct moment moment = moment_at(order, state->moment);
    if (moment_of(order, screen->cell.index) > state->moment && moment.part == COMPUTES_CELL)
        return "This cell is not computed yet.";
    if (state->grain == GRAIN_ROW || !same_element(&moment.cell, &screen->cell)) return NULL;
    if (!is_readable(&screen->step->tensor)) return NULL;
    const struct happening happening =
        what_happens(screen->canvas->arena, order, state->moment, screen->scene->digits);
    return fitting_moment(screen, happening, moment.part == COMPUTES_CELL);
}

// "weights[one, step] = 0.1295, in the course 0.1210, difference 0.0085"; without the name where that
// is too long (labels in bold say which cell it is).
static const char *difference_line(const struct screen *screen, double here, double there) {
    const struct scene *scene = screen->scene;
    struct arena *arena = screen->canvas->arena;
    const char *line = arena_format(arena, "%s, %s %s, difference %s",
                                    number_in_digits(arena, here, scene->digits), scene->other_word,
                                    number_in_digits(arena, there, scene->digits),
                                    number_in_digits(arena, here - there, scene->digits));
    const char *whole = arena_format(arena, "%s = %s", focus_name(screen), line);
    return fits(screen, whole) ? whole : line;
}

// What the course, or the lesson without the mistake, has in this cell. Where a mistake changes
// nothing there is nothing to compare.
static const char *comparison(const struct screen *screen) {
    const struct scene *scene = screen->scene;
    if (scene->other == NULL) return NULL;
    if (screen->other == NULL) return "The course has no such step.";
    if (!screen->has_other) {
        return arena_format(screen->canvas->arena,
                            "In the course this tensor has another shape, %s.",
                            shape_text(screen->canvas->arena, shape_of(screen->other)));
    }
    const double here = cell_value(&screen->cell);
    const double there = element(screen->other, screen->cell.index);
    if (is_other_number(here, there)) return difference_line(screen, here, there);
    const bool is_course = scene->other != scene->trial->right;
    return is_course ? "The same number as in the course." : NULL;
}

// "scores[journey, starts] = 0.5500·0.5700 + ... = 1.4754"; where that is too long, without the name
// (labels in bold say which cell it is), or else without the arithmetic.
static const char *arithmetic(const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    const struct derivation *derivation = &screen->derivation;
    if (derivation->operand_count > 0 && derivation->line_count > 0) {
        const char *conclusion = derivation->lines[derivation->line_count - 1];
        const char *line = arena_format(arena, "%s = %s", focus_name(screen), conclusion);
        if (fits(screen, line)) return line;
        if (fits(screen, conclusion)) return conclusion;
    }
    const char *number = cell_number(arena, &screen->cell, screen->scene->digits);
    const char *line = arena_format(arena, "%s = %s", focus_name(screen), number);
    return fits(screen, line) ? line : number;
}

static int want_one(const struct screen *screen, struct slot *slot, const char *line) {
    slot->lines = arena_array(screen->canvas->arena, 1, sizeof *slot->lines);
    slot->lines[0] = arena_copy(screen->canvas->arena, line);
    return 1;
}

// Messages and moments may take several lines.
static int want_cell(struct screen *screen, struct slot *slot) {
    const char *message = screen->scene->state->message;
    if (*message != '\0') return want_lines(screen, slot, message, screen->width);
    if (is_hidden(screen))
        return want_one(screen, slot,
                        arena_format(screen->canvas->arena, "%s = ?", focus_name(screen)));
    const char *moment = moment_line(screen);
    if (moment != NULL) {
        const int count = want_lines(screen, slot, moment, screen->width);
        return count > 1 ? count : want_one(screen, slot, moment);
    }
    const char *line = comparison(screen);
    return want_one(screen, slot, line != NULL ? line : arithmetic(screen));
}

static void draw_cell(struct screen *screen, const struct slot *slot) {
    const bool has_message = *screen->scene->state->message != '\0';
    if (has_message || slot->wanted > 1)
        put_lines(screen, slot, 1, has_message ? BOLD : PLAIN);
    else
        put_text(screen->canvas, slot->row, 1, screen->width, slot->lines[0], PLAIN);
}

const struct block cell_block = {.wants = want_cell, .draw = draw_cell};
