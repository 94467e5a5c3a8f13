// The map: the whole lesson as a data-flow diagram. The cursor goes from step to step along it.

#include "show/map/map.h"

#include "trace/step.h"
#include "walk/bar.h"
#include "walk/cells.h"
#include "walk/walker.h"

struct map_view {
    int node; // with the cursor
};

static void open(struct walker *walker, void *own) {
    struct map_view *view = own;
    const struct run *run = &walker->trial.run;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->broken);
    const struct graph graph = graph_of(m, run);
    view->node = node_of(&graph, current_step(&walker->state, run));
    scratch_close(&scratch);
}

// The inputs, where no step shows them, are no place to go.
static void go_there(struct walker *walker, const struct map *map, int node) {
    const struct step *step = map->graph.nodes[node];
    if (step == NULL) {
        tell(&walker->state, "No step shows the inputs of this lesson.");
        return;
    }
    go_to_step(&walker->state, &walker->trial.run, step->number - 1);
    close_views(walker);
}

static void press(struct walker *walker, void *own, const struct pressed *pressed) {
    struct map_view *view = own;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->broken);
    const struct map map = map_of(m, &walker->trial.run);
    const int node = view->node;
    int chosen = -1;
    if (pressed->action == ACT_UP) view->node = map_neighbour(&map, node, -1, 0);
    if (pressed->action == ACT_DOWN) view->node = map_neighbour(&map, node, 1, 0);
    if (pressed->action == ACT_LEFT) view->node = map_neighbour(&map, node, 0, -1);
    if (pressed->action == ACT_RIGHT) view->node = map_neighbour(&map, node, 0, 1);
    if (pressed->action == ACT_CHOOSE) chosen = node;
    if (chosen >= 0) go_there(walker, &map, chosen);
    scratch_close(&scratch);
}

// Where a step belongs that was seen; the one we stand on; the chosen one with its line.
static struct style style_of(const struct walker *walker, const struct map *map,
                             const struct map_view *view, const struct sketch_cell *cell) {
    if (cell->of < 0) return DIM;
    const struct step *step = map->graph.nodes[cell->of];
    const bool is_chosen = cell->of == view->node;
    if (!cell->is_words) return is_chosen ? BOLD : DIM;
    if (is_chosen) return REVERSE;
    if (step == NULL) return PLAIN;
    if (step->number - 1 == walker->state.step) return BOLD;
    return is_seen(&walker->state, walker->state.lesson, step->number - 1) ? PLAIN : DIM;
}

static void draw(struct walker *walker, void *own, struct canvas *canvas) {
    const struct map_view *view = own;
    const struct run *run = &walker->trial.run;
    const struct map map = map_of(canvas->arena, run);
    const struct sketch sketch = map_sketch(canvas->arena, &map);
    const struct map_place *place = &map.places[view->node];
    const int rows = canvas->rows - 2;
    const int top = (int)first_in_sight(place->row, sketch.rows, rows);
    const int left =
        (int)first_in_sight(place->column + place->width / 2, sketch.columns, canvas->columns);
    draw_title(canvas, run->lesson->title, node_label(canvas->arena, &map.graph, view->node));
    for (int row = 0; row < rows && top + row < sketch.rows; row++) {
        for (int column = 0; column < canvas->columns && left + column < sketch.columns; column++) {
            const struct sketch_cell *cell = sketch_at(&sketch, top + row, left + column);
            char bytes[5];
            if (cell->character == 0 || (cell->character == ' ' && cell->of < 0)) continue;
            utf8_encode(cell->character, bytes);
            put_text(canvas, 1 + row, column, 2, shown(canvas, bytes),
                     style_of(walker, &map, view, cell));
        }
    }
    draw_key_bar(canvas, VIEW_MAP);
    put_cursor(canvas, 1 + place->row - top, place->column - left);
}

const struct walk_view map_view = {
    .bit = VIEW_MAP,
    .name = "On the map",
    .opened_by = ACT_MAP,
    .size = sizeof(struct map_view),
    .open = open,
    .press = press,
    .draw = draw,
};
