// The map of the lesson, to see where one is and to go elsewhere.

#include "show/map/map.h"
#include "base/text.h"
#include "trace/step.h"
#include "walk/bar.h"
#include "walk/sketched.h"
#include "walk/walker.h"

struct map_shown {
    struct map map; // in the view's memory
    struct sketch sketch;
    int chosen; // node
};

static void open(struct walker *walker, void *own) {
    struct map_shown *shown = own;
    struct arena *arena = &top_view(walker)->memory;
    const struct run *run = &walker->trial.run;
    shown->map = map_of(arena, run);
    shown->sketch = map_sketch(arena, &shown->map);
    shown->chosen = node_of(&shown->map.graph, &run->steps[walker->state.step]);
}

// ---- Keys ---------------------------------------------------------------------------------------

static void move(struct map_shown *shown, enum action action) {
    const struct map *map = &shown->map;
    const int down = action == ACT_DOWN ? 1 : action == ACT_UP ? -1 : 0;
    const int right = action == ACT_RIGHT ? 1 : action == ACT_LEFT ? -1 : 0;
    if (down != 0 || right != 0) shown->chosen = map_neighbour(map, shown->chosen, down, right);
    const int by = action == ACT_NEXT ? 1 : action == ACT_BACK ? -1 : 0;
    const int next = shown->chosen + by;
    if (next >= 0 && next < map->graph.node_count) shown->chosen = next;
}

static void press(struct walker *walker, void *own, const struct pressed *pressed) {
    struct map_shown *shown = own;
    move(shown, pressed->action);
    const struct step *step = shown->map.graph.nodes[shown->chosen];
    if (pressed->action != ACT_CHOOSE || step == NULL) return;
    go_to_step(&walker->state, &walker->trial.run, step->number - 1);
    close_views(walker);
}

// ---- The screen ---------------------------------------------------------------------------------

// What a frame needs to know.
struct frame {
    const struct walker *walker;
    const struct map_shown *shown;
};

static bool is_here(const struct frame *frame, int node) {
    const struct step *step = frame->shown->map.graph.nodes[node];
    return step != NULL && step->number - 1 == frame->walker->state.step;
}

static bool was_seen(const struct frame *frame, int node) {
    const struct step *step = frame->shown->map.graph.nodes[node];
    const struct state *state = &frame->walker->state;
    return step != NULL && is_seen(state, state->lesson, step->number - 1);
}

// The marks of the timeline: here, seen, not yet, changed by a mistake.
static const char *mark_of(const struct frame *frame, int node) {
    const struct step *step = frame->shown->map.graph.nodes[node];
    const bool *touched = frame->walker->trial.touched;
    if (step == NULL) return " ";
    if (is_here(frame, node)) return "◆";
    if (touched != NULL && touched[step->number - 1]) return "≠";
    return was_seen(frame, node) ? "●" : "○";
}

static struct style style_of(const void *own, const struct sketch_cell *cell) {
    const struct frame *frame = own;
    if (cell->of == frame->shown->chosen) return cell->is_words ? REVERSE : BOLD;
    if (!cell->is_words) return DIM;
    if (is_here(frame, cell->of)) return BOLD;
    return was_seen(frame, cell->of) ? PLAIN : DIM;
}

// The first row or column in sight, so that the middle of what is chosen is in the middle where it can be.
static int first_shown(int middle, int room, int all) {
    if (all <= room || middle < room / 2) return 0;
    return middle - room / 2 > all - room ? all - room : middle - room / 2;
}

// A step's words, with its mark in place of the first bracket and a blank in place of the last.
static void put_marks(struct canvas *canvas, const struct frame *frame, const struct area *area,
                      int first_row, int first_column) {
    const struct map *map = &frame->shown->map;
    for (int i = 0; i < map->graph.node_count; i++) {
        const struct map_place *place = &map->places[i];
        const int blank = (place->width - 2 - text_width(place->label)) / 2;
        const int row = place->row - first_row, left = place->column - first_column;
        const struct sketch_cell words = {' ', i, true};
        const struct style style = style_of(frame, &words);
        if (row < 0 || row >= area->rows) continue;
        put_text(canvas, area->row + row, area->column + left, 1, " ", style);
        put_text(canvas, area->row + row, area->column + left + blank, 1, mark_of(frame, i), style);
        put_text(canvas, area->row + row, area->column + left + place->width - 1, 1, " ", style);
        if (i == frame->shown->chosen)
            put_cursor(canvas, area->row + row, area->column + left + blank);
    }
}

enum { CHOSEN_ROWS = 2 };

// "17 causal_weights (6, 6), seen: Causal weights in one softmax".
static void put_chosen(struct canvas *canvas, const struct frame *frame, int row) {
    struct arena *arena = canvas->arena;
    const struct map *map = &frame->shown->map;
    const int node = frame->shown->chosen;
    const struct step *step = map->graph.nodes[node];
    const struct tensor *tensor = step != NULL ? &step->tensor : &map->run->inputs;
    const char *seen = is_here(frame, node)    ? ", where you are"
                       : step == NULL          ? ""
                       : was_seen(frame, node) ? ", seen"
                                               : ", not seen yet";
    const char *title =
        step != NULL ? step->paragraph->title : "The rows that the lesson starts from";
    const char *words = arena_format(arena, "%s %s%s: %s", map->places[node].label,
                                     shape_text(arena, shape_of(tensor)), seen, title);
    char **lines;
    const int count = wrap_shown(canvas, words, canvas->columns - 2, &lines);
    for (int i = 0; i < count && i < CHOSEN_ROWS; i++)
        put_text(canvas, row + i, 1, canvas->columns - 2, lines[i], PLAIN);
}

// Where the map goes on beyond the edges.
static void put_edges(struct canvas *canvas, const struct area *area, const struct map *map,
                      int row, int column) {
    if (row > 0) put_text(canvas, area->row, canvas->columns - 1, 1, "↑", BOLD);
    if (row + area->rows < map->rows)
        put_text(canvas, area->row + area->rows - 1, canvas->columns - 1, 1, "↓", BOLD);
    if (column > 0) put_text(canvas, area->row + area->rows / 2, 0, 1, "‹", BOLD);
    if (column + area->columns < map->columns)
        put_text(canvas, area->row + area->rows / 2, canvas->columns - 1, 1, "›", BOLD);
}

static void draw(struct walker *walker, void *own, struct canvas *canvas) {
    const struct map_shown *shown = own;
    const struct frame frame = {walker, shown};
    const struct map *map = &shown->map;
    const struct map_place *chosen = &map->places[shown->chosen];
    const struct area area = {1, 0, canvas->rows - 2 - CHOSEN_ROWS, canvas->columns};
    const int row = first_shown(chosen->row, area.rows, map->rows);
    const int column = first_shown(chosen->column + chosen->width / 2, area.columns, map->columns);
    draw_title(canvas, arena_format(canvas->arena, "Map: %s", map->run->lesson->title),
               "◆ here  ● seen  ○ not yet");
    put_sketch(canvas, &area, &shown->sketch, row, column, style_of, &frame);
    put_marks(canvas, &frame, &area, row, column);
    put_edges(canvas, &area, map, row, column);
    put_chosen(canvas, &frame, canvas->rows - 1 - CHOSEN_ROWS);
    draw_key_bar(canvas, VIEW_MAP);
}

const struct walk_view map_view = {
    .bit = VIEW_MAP,
    .name = "On the map",
    .opened_by = ACT_MAP,
    .size = sizeof(struct map_shown),
    .open = open,
    .press = press,
    .draw = draw,
};
