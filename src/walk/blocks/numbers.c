// Blocks of numbers: the matrices of a step and what is true of them.

#include "walk/blocks/blocks.h"
#include "walk/facts.h"
#include "walk/memory.h"

// ---- Facts --------------------------------------------------------------------------------------

static int want_facts(struct screen *screen, struct slot *slot) {
    (void)slot;
    return screen->step->tensor.ndim > 0 ? 2 : 1;
}

// "2 of 3, batch 1, head 2": which step of the stop this is and which page of its tensor, and with is_long
// how to turn them; NULL if there is but one.
static const char *which_text(const struct screen *screen, bool is_long) {
    struct arena *arena = screen->canvas->arena;
    const struct state *state = screen->scene->state;
    const struct stop stop = stop_at(screen->scene->run, state->step);
    const char *page = page_text(arena, &screen->step->tensor, state->page, is_long);
    if (stop.count == 1) return page;
    const char *step = arena_format(arena, "%d of %d%s", state->step - stop.first + 1, stop.count,
                                    is_long ? " (; turns)" : "");
    return page == NULL ? step : arena_format(arena, "%s, %s", step, page);
}

// What is always so of the numbers would tell what is hidden.
static void draw_facts(struct screen *screen, const struct slot *slot) {
    struct canvas *canvas = screen->canvas;
    struct arena *arena = canvas->arena;
    const char *facts = facts_text(arena, &screen->step->tensor);
    const char *which = which_text(screen, true);
    int width = screen->width;
    if (which != NULL) {
        if (shown_width(canvas, facts) + shown_width(canvas, which) + 2 > width)
            which = which_text(screen, false);
        put_right(canvas, slot->row, 1, width, which, BOLD);
        width -= shown_width(canvas, which) + 2;
    }
    put_text(canvas, slot->row, 1, width, facts, DIM);
    if (slot->rows < 2 || screen->arrangement->hide != NULL) return;
    const char *invariant =
        invariant_text(arena, screen->matrix, screen->scene->state->row, screen->width);
    if (invariant != NULL) put_text(canvas, slot->row + 1, 1, screen->width, invariant, DIM);
}

const struct block facts_block = {.wants = want_facts, .draw = draw_facts, .likes_gap = true};

// ---- Matrices -----------------------------------------------------------------------------------

static int want_matrices(struct screen *screen, struct slot *slot) {
    (void)slot;
    return shows_memory(screen) ? memory_rows(screen->canvas, &screen->step->tensor, screen->matrix)
                                : exhibit_rows(&screen->exhibit);
}

static void draw_matrices(struct screen *screen, const struct slot *slot) {
    const struct area area = {slot->row, 0, slot->rows, screen->canvas->columns};
    if (shows_memory(screen))
        draw_memory(screen->canvas, area, &screen->cell, screen->matrix);
    else
        draw_exhibit(screen->canvas, area, &screen->exhibit);
}

const struct block matrices_block = {.wants = want_matrices, .draw = draw_matrices};
