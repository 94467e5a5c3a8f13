// Blocks of numbers: the matrices of a step and what is true of them.

#include <string.h>

#include "show/picture/curve.h"
#include "trace/run/step.h"
#include "walk/step/blocks.h"
#include "walk/step/facts.h"
#include "walk/step/inventory.h"
#include "walk/step/memory.h"
#include "walk/step/sketch_drawing.h"

// ---- Facts --------------------------------------------------------------------------------------

const char *which_text(const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    const struct state *state = screen->scene->state;
    const struct stop stop = stop_at(screen->scene->run, state->step);
    const char *page = page_text(arena, &screen->step->tensor, state->page, true);
    if (stop.count == 1) return page;
    const char *step =
        arena_format(arena, "%d of %d (press ;)", state->step - stop.first + 1, stop.count);
    return page == NULL ? step : arena_format(arena, "%s, %s", step, page);
}

bool has_room_beside_heading(const struct screen *screen, const char *words) {
    const char *title = screen->step->paragraph->title;
    return shown_width(screen->canvas, title) + 2 + shown_width(screen->canvas, words) <=
           screen->width;
}

// The second line of the facts: strides and sums where memory is the subject, elsewhere what a row of ids says. What is
// always so of the numbers would tell what is hidden.
static const char *second_fact(const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    if (screen->arrangement->hide != NULL) return NULL;
    if (!shows_memory(screen) && !is_about_memory(&screen->step->tensor))
        return sentence_within(arena, &screen->step->tensor, screen->width);
    return invariant_text(arena, screen->matrix, screen->scene->state->row, screen->width);
}

static int want_facts(struct screen *screen, struct slot *slot) {
    if (screen->failure != NULL) return 0;
    const char *which = which_text(screen);
    slot->needed = which != NULL && !has_room_beside_heading(screen, which) ? 1 : 0;
    return second_fact(screen) != NULL ? 2 : 1;
}

static void draw_facts(struct screen *screen, const struct slot *slot) {
    struct canvas *canvas = screen->canvas;
    struct arena *arena = canvas->arena;
    const char *facts = facts_text(arena, &screen->step->tensor);
    int width = screen->width;
    if (slot->needed > 0) {
        const char *which = which_text(screen);
        put_right(canvas, slot->row, 1, width, which, BOLD);
        width -= shown_width(canvas, which) + 2;
    }
    if (shown_width(canvas, facts) <= width) put_text(canvas, slot->row, 1, width, facts, DIM);
    const char *second = slot->rows < 2 ? NULL : second_fact(screen);
    if (second != NULL) put_text(canvas, slot->row + 1, 1, screen->width, second, DIM);
}

const struct block facts_block = {.wants = want_facts, .draw = draw_facts, .likes_gap = true};

// ---- A curve ------------------------------------------------------------------------------------

// A list too long to be read as numbers has a curve above them: losses, update by update. Inside the step its place is kept.
static bool has_curve(const struct screen *screen) {
    enum { FEWEST = 32 };
    const struct table table = screen->matrix->table;
    return !shows_memory(screen) && screen->arrangement->hide == NULL &&
           !screen->matrices.is_composed && table.rows == 1 && table.columns >= FEWEST &&
           why_no_curve(screen->canvas->arena, &screen->step->tensor) == NULL;
}

static struct style style_on_curve(const void *own, const struct sketch_cell *cell) {
    const struct screen *screen = own;
    if (cell->of == PART_OF_NOTHING) return DIM;
    return cell->of == screen->scene->state->column ? REVERSE : PLAIN;
}

static void draw_curve(const struct screen *screen, struct area area) {
    const struct sketch sketch =
        curve_sketch(screen->canvas->arena, &screen->step->tensor,
                     curve_beside(screen->scene->run, screen->step), area.rows, area.columns,
                     screen->canvas->look.is_ascii);
    put_sketch(screen->canvas, &area, &sketch, 0, 0, style_on_curve, screen);
}

// ---- Matrices -----------------------------------------------------------------------------------

// Why there are none, in place of the numbers: all lines of the message.
static int want_failure(const struct screen *screen, struct slot *slot) {
    struct arena *arena = screen->canvas->arena;
    const struct line_outcome *failure = screen->failure;
    const char *words = arena_format(arena, "Not computed. %s", failure->failure);
    if (failure->behind >= 0) {
        const struct step *step = &screen->scene->run->steps[failure->behind];
        words = arena_format(arena, "Not computed: it needs what failed at step %d, %s.",
                             step->number, step_label(arena, step));
    }
    char **paragraphs;
    const int count = split_shown(screen->canvas, words, &paragraphs);
    slot->lines = arena_array(arena, strlen(words) + 1, sizeof *slot->lines);
    int lines = 0;
    for (int i = 0; i < count; i++) {
        struct slot part = {0};
        const int wrapped = want_lines(screen, &part, paragraphs[i], screen->width);
        for (int k = 0; k < wrapped; k++) slot->lines[lines++] = part.lines[k];
    }
    slot->needed = lines;
    return lines;
}

static int want_matrices(struct screen *screen, struct slot *slot) {
    if (screen->failure != NULL) return want_failure(screen, slot);
    enum { LEAST = 4, MOST_OF_CURVE = 16 };
    const int most = screen->room.comfortable > LEAST ? screen->room.comfortable : LEAST;
    arrange_matrices(screen);
    if (has_curve(screen)) return most < MOST_OF_CURVE ? most : MOST_OF_CURVE;
    const bool is_composed = !shows_memory(screen) && screen->matrices.is_composed;
    const int rows = shows_memory(screen)
                         ? memory_rows(screen->canvas, &screen->step->tensor, screen->matrix)
                         : rows_of_panels(&screen->matrices);
    const int wanted = is_composed || rows < most ? rows : most;
    if (screen->inventory.columns == 0) return wanted;
    const int lines = screen->inventory.stop.count;
    const int listed = lines < screen->room.most ? lines : screen->room.most;
    return listed > wanted ? listed : wanted;
}

static void draw_matrices(struct screen *screen, const struct slot *slot) {
    enum { LEAST_OF_CURVE = 4 };
    if (screen->failure != NULL) {
        struct slot words = *slot; // some views give it rows unasked
        words.wanted = want_failure(screen, &words);
        draw_bold_lines(screen, &words);
        return;
    }
    struct area area = {slot->row, 0, slot->rows, screen->canvas->columns};
    const int left = slot->rows - rows_of_panels(&screen->matrices);
    if (screen->inventory.columns > 0)
        draw_inventory(screen->canvas, area, screen->scene, &screen->inventory);
    area.column += screen->inventory.columns;
    area.columns -= screen->inventory.columns;
    if (has_curve(screen) && left >= LEAST_OF_CURVE) {
        if (screen->scene->state->grain == GRAIN_STEP)
            draw_curve(screen, (struct area){slot->row, 1, left, screen->width});
        area.row += left;
        area.rows -= left;
    }
    if (shows_memory(screen))
        draw_memory(screen->canvas, area, &screen->cell, screen->matrix);
    else
        draw_panels(screen->canvas, area, &screen->matrices);
}

const struct block matrices_block = {.wants = want_matrices, .draw = draw_matrices};
