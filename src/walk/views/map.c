// The map of the lesson, to see where one is and to go elsewhere.

#include "show/map/map.h"
#include "base/text.h"
#include "trace/run/step.h"
#include "walk/kit/lines.h"
#include "walk/step/screen.h"
#include "walk/walker.h"

struct map_shown {
    struct map map; // in the view's memory
    struct sketch sketch;
    int chosen; // node
};

static void open(struct walker *walker, void *view_state) {
    struct map_shown *shown = view_state;
    struct arena *arena = &top_view(walker)->memory;
    const struct run *run = &walker->trial.run;
    shown->map = map_of_call(arena, run, run->steps[walker->state.step].within);
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

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    struct map_shown *shown = view_state;
    move(shown, pressed->action);
    const struct step *step = shown->map.graph.nodes[shown->chosen];
    if (pressed->action != ACT_CHOOSE || step == NULL) return;
    go_to_step(&walker->state, &walker->trial.run, step->number - 1);
    close_views(walker);
}

// ---- The screen ---------------------------------------------------------------------------------

enum { CHOSEN_ROWS = 2 };

// "17 causal_weights (6, 6), seen: Causal weights in one softmax".
static const char *chosen_words(struct arena *arena, const struct map_drawing *drawing) {
    const struct map *map = drawing->map;
    const int node = drawing->chosen;
    const struct step *step = map->graph.nodes[node];
    const struct tensor *tensor = step != NULL ? &step->tensor : &map->run->inputs;
    const char *seen = is_node_here(drawing, node)    ? ", where you are"
                       : step == NULL                 ? ""
                       : was_node_seen(drawing, node) ? ", seen"
                                                      : ", not seen yet";
    const char *title =
        step != NULL ? step->paragraph->title : "The rows that the lesson starts from";
    return arena_format(arena, "%s %s%s: %s", map->places[node].label,
                        shape_text(arena, shape_of(tensor)), seen, title);
}

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    const struct map_shown *shown = view_state;
    const struct scene scene = scene_for(walker, canvas);
    const struct map_drawing drawing = {&shown->map, &shown->sketch, &scene, shown->chosen};
    const struct area area = {1, 0, canvas->rows - 2 - CHOSEN_ROWS, canvas->columns};
    const struct step *step = current_step(&walker->state, scene.run);
    const char *group = step->within > 0 ? step->group : NULL;
    draw_title(canvas,
               arena_format(canvas->arena, "%s%s", group != NULL ? "Map of " : "Map: ",
                            group != NULL ? group : scene.run->lesson->title),
               "◆ here  ● seen  ○ not yet");
    draw_map(canvas, &area, &drawing, true);
    char **lines;
    const char *words = chosen_words(canvas->arena, &drawing);
    const int count = wrap_shown(canvas, words, canvas->columns - 2, &lines);
    for (int i = 0; i < count && i < CHOSEN_ROWS; i++)
        put_text(canvas, 1 + area.rows + i, 1, canvas->columns - 2, lines[i], PLAIN);
    draw_key_bar(canvas, VIEW_MAP);
    if (canvas->noted == NULL) return;
    struct text svg = text_new(canvas->arena);
    add_map_svg(&svg, &shown->map, NULL, true);
    canvas->noted->svg = svg.bytes;
    note_words(canvas, words, PLAIN);
}

static void say(struct walker *walker, void *view_state, struct text *text) {
    const struct map_shown *shown = view_state;
    const struct scene scene = {.state = &walker->state};
    const struct map_drawing drawing = {&shown->map, &shown->sketch, &scene, shown->chosen};
    text_add_format(text, "%s\n", chosen_words(text->arena, &drawing));
    add_map_fact(text, &shown->map, shown->chosen);
}

const struct walk_view map_view = {
    .bit = VIEW_MAP,
    .name = "On the map",
    .opened_by = ACT_MAP,
    .size = sizeof(struct map_shown),
    .open = open,
    .press = press,
    .draw = draw,
    .say = say,
};
