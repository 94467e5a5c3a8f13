#include "walk/step/screen.h"

#include "base/text.h"
#include "trace/run/step.h"
#include "walk/kit/canvas.h"

void put_sketch(struct canvas *canvas, const struct area *area, const struct sketch *sketch,
                int row, int column,
                struct style (*style_of)(const void *context, const struct sketch_cell *cell),
                const void *context) {
    for (int i = 0; i < area->rows; i++) {
        for (int j = 0; j < area->columns; j++) {
            const struct sketch_cell *cell = sketch_at(sketch, row + i, column + j);
            if (cell == NULL || cell->character == 0) continue;
            if (cell->character == ' ' && !cell->is_words)
                continue; // a blank of words has their style
            char bytes[5];
            utf8_encode(cell->character, bytes);
            put_text(canvas, area->row + i, area->column + j, character_width(cell->character),
                     bytes, style_of(context, cell));
        }
    }
}

// ---- Marks ---------------------------------------------------------------------------------------

static const struct step *step_of(const struct map_drawing *drawing, int node) {
    return drawing->map->graph.nodes[node];
}

bool is_node_here(const struct map_drawing *drawing, int node) {
    const struct step *step = step_of(drawing, node);
    return step != NULL && step->number - 1 == drawing->scene->state->step;
}

bool was_node_seen(const struct map_drawing *drawing, int node) {
    const struct step *step = step_of(drawing, node);
    const struct state *state = drawing->scene->state;
    return step != NULL && is_seen(state, state->lesson, step->number - 1);
}

// The marks of the timeline: here, seen, not yet, changed by a mistake.
static const char *mark_of(const struct map_drawing *drawing, int node) {
    const struct step *step = step_of(drawing, node);
    const bool *touched = drawing->scene->touched;
    if (step == NULL) return " ";
    if (is_node_here(drawing, node)) return "◆";
    if (touched != NULL && touched[step->number - 1]) return "≠";
    return was_node_seen(drawing, node) ? "●" : "○";
}

static struct style style_of(const void *context, const struct sketch_cell *cell) {
    const struct map_drawing *drawing = context;
    if (cell->of == drawing->chosen) return cell->is_words ? REVERSE : BOLD;
    if (!cell->is_words) return DIM;
    if (is_node_here(drawing, cell->of)) return BOLD;
    return was_node_seen(drawing, cell->of) ? PLAIN : DIM;
}

// ---- Drawing -------------------------------------------------------------------------------------

// The first row or column in sight, so that the middle of what is chosen is in the middle where it can be.
static int first_shown(int middle, int room, int all) {
    if (all <= room || middle < room / 2) return 0;
    return middle - room / 2 > all - room ? all - room : middle - room / 2;
}

// Writes a character of a node where it is in the area.
static void put_mark(struct canvas *canvas, const struct area *area, int row, int column,
                     const char *mark, struct style style) {
    if (row < 0 || row >= area->rows || column < 0 || column >= area->columns) return;
    put_text(canvas, area->row + row, area->column + column, 1, mark, style);
}

// A step's words, with its mark in place of the first bracket and a blank in place of the last.
static void put_marks(struct canvas *canvas, const struct area *area,
                      const struct map_drawing *drawing, int first_row, int first_column,
                      bool has_cursor) {
    const struct map *map = drawing->map;
    for (int i = 0; i < map->graph.node_count; i++) {
        const struct map_box *box = &map->places[i];
        const int blank = (box->width - 2 - text_width(box->label)) / 2;
        const int row = box->row - first_row, left = box->column - first_column;
        const struct sketch_cell words = {' ', i, true};
        const struct style style = style_of(drawing, &words);
        const struct step *step = step_of(drawing, i);
        if (step != NULL && row >= 0 && row < area->rows)
            put_spot(canvas, (struct spot){area->row + row, area->column + left, box->width,
                                           SPOT_STEP, step->number - 1});
        put_mark(canvas, area, row, left, " ", style);
        put_mark(canvas, area, row, left + blank, mark_of(drawing, i), style);
        put_mark(canvas, area, row, left + box->width - 1, " ", style);
        if (has_cursor && i == drawing->chosen)
            put_cursor(canvas, area->row + row, area->column + left + blank);
    }
}

void draw_map(struct canvas *canvas, const struct area *area, const struct map_drawing *drawing,
              bool has_cursor) {
    const struct map *map = drawing->map;
    const struct map_box *chosen = &map->places[drawing->chosen];
    const int row = first_shown(chosen->row, area->rows, map->rows);
    const int column = first_shown(chosen->column + chosen->width / 2, area->columns, map->columns);
    put_sketch(canvas, area, drawing->sketch, row, column, style_of, drawing);
    put_marks(canvas, area, drawing, row, column, has_cursor);
    const int right = area->column + area->columns - 1, middle = area->row + area->rows / 2;
    if (row > 0) put_text(canvas, area->row, right, 1, "↑", BOLD); // it goes on there
    if (row + area->rows < map->rows)
        put_text(canvas, area->row + area->rows - 1, right, 1, "↓", BOLD);
    if (column > 0) put_text(canvas, middle, area->column, 1, "‹", BOLD);
    if (column + area->columns < map->columns) put_text(canvas, middle, right, 1, "›", BOLD);
}

// ---- Laid out once -------------------------------------------------------------------------------

const struct map_cache *cached_map(struct map_cache *cache, const struct run *run,
                                   const struct step *step) {
    enum { MOST_STEPS_BESIDE = 48 };
    if (run->step_count > MOST_STEPS_BESIDE) return NULL;
    if (cache->is_known && cache->within != step->within) forget_map(cache);
    if (!cache->is_known) {
        cache->within = step->within;
        cache->map = map_of_call(&cache->memory, run, step->within);
        cache->sketch = map_sketch(&cache->memory, &cache->map);
        cache->is_known = true;
    }
    return cache;
}

void forget_map(struct map_cache *cache) {
    arena_free(&cache->memory);
    cache->is_known = false;
}
