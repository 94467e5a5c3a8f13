// The map of a lesson: every step and every edge is on it, and can be followed.

#include <stdlib.h>
#include <string.h>

#include "attempts.h"
#include "fixture.h"
#include "lesson.h"
#include "show/map/map.h"
#include "trace/run/step.h"

#include <check.h> // last: defines a macro fail

static const struct parameters sets[] = {
    {.given = 0},
    {.given = USES_BIAS | USES_DROPOUT, .bias = true, .dropout = 0.5},
    {.given = USES_HEADS | USES_D_OUT | USES_BATCH, .heads = 4, .d_out = 8, .batch = 4},
};

static struct run run;

static struct map map_with(int lesson, int set) {
    ck_assert_msg(try_lesson(&run, &arena, lesson_table[lesson], &sets[set]), "%s",
                  failure.message);
    return map_of(&arena, &run);
}

// Each test below is of every lesson with every set of parameters.
enum { SETS = sizeof sets / sizeof *sets };
#define EACH_MAP map_with(_i / SETS, _i % SETS)

// ---- Where nodes stand ---------------------------------------------------------------------------

static bool overlap(const struct map_box *a, const struct map_box *b) {
    return a->row == b->row && a->column < b->column + b->width && b->column < a->column + a->width;
}

START_TEST(test_every_step_has_a_place) {
    const struct map map = EACH_MAP;
    for (int i = 0; i < run.step_count; i++)
        ck_assert_int_ge(node_of(&map.graph, &run.steps[i]), 0);
    for (int i = 0; i < map.graph.node_count; i++) {
        const struct map_box *place = &map.places[i];
        ck_assert(place->row >= 0 && place->row < map.rows);
        ck_assert(place->column >= 0 && place->column + place->width <= map.columns);
        for (int j = 0; j < i; j++) ck_assert(!overlap(place, &map.places[j]));
    }
}
END_TEST

START_TEST(test_every_edge_leads_down) {
    const struct map map = EACH_MAP;
    for (int i = 0; i < map.graph.edge_count; i++) {
        const struct edge *edge = &map.graph.edges[i];
        ck_assert_int_lt(map.places[edge->from].row, map.places[edge->to].row);
    }
}
END_TEST

// ---- Lines ---------------------------------------------------------------------------------------

static const struct map_hop *arrow_of(const struct map *map, int edge) {
    const struct map_hop *arrow = NULL;
    for (int i = 0; i < map->hop_count; i++) {
        if (map->hops[i].edge != edge) continue;
        ck_assert_ptr_null(arrow);
        arrow = &map->hops[i];
    }
    ck_assert_ptr_nonnull(arrow);
    return arrow;
}

// The hop of the same line that ends where this one begins; NULL if it begins at its node.
static const struct map_hop *hop_before(const struct map *map, const struct map_hop *hop) {
    const struct map_box *from = &map->places[hop->from];
    if (hop->top == from->row + 1) {
        ck_assert_int_eq(hop->exit, from->exit);
        return NULL;
    }
    for (int i = 0; i < map->hop_count; i++) {
        const struct map_hop *other = &map->hops[i];
        if (other->from == hop->from && other->edge < 0 && other->bottom == hop->top &&
            other->entry == hop->exit)
            return other;
    }
    ck_abort_msg("a line that begins nowhere");
}

START_TEST(test_every_edge_can_be_followed) {
    const struct map map = EACH_MAP;
    for (int i = 0; i < map.graph.edge_count; i++) {
        const struct edge *edge = &map.graph.edges[i];
        const struct map_box *to = &map.places[edge->to];
        const struct map_hop *hop = arrow_of(&map, i);
        ck_assert_int_eq(hop->from, edge->from);
        ck_assert_int_eq(hop->bottom, to->row - 1);
        ck_assert(hop->entry >= to->column && hop->entry < to->column + to->width);
        int hops = 1;
        while ((hop = hop_before(&map, hop)) != NULL) hops++;
        ck_assert_int_le(hops, map.graph.node_count);
    }
}
END_TEST

// Which node's line goes down through each cell, and which along it; -1 if none.
struct ways {
    const struct map *map;
    int *down, *along;
};

static void take(const struct ways *ways, int *way, int row, int column, int node) {
    ck_assert(row >= 0 && row < ways->map->rows && column >= 0 && column < ways->map->columns);
    int *cell = &way[row * ways->map->columns + column];
    ck_assert_msg(*cell < 0 || *cell == node, "lines of %s and %s share row %d, column %d",
                  ways->map->places[node].label, ways->map->places[*cell].label, row, column);
    *cell = node;
}

static void take_hop(const struct ways *ways, const struct map_hop *hop) {
    const bool is_straight = hop->exit == hop->entry;
    const int turn = is_straight ? hop->bottom : hop->turn;
    ck_assert(turn >= hop->top && turn <= hop->bottom);
    for (int row = hop->top; row <= turn; row++) take(ways, ways->down, row, hop->exit, hop->from);
    for (int row = turn; row <= hop->bottom; row++)
        take(ways, ways->down, row, hop->entry, hop->from);
    const int first = hop->exit < hop->entry ? hop->exit : hop->entry;
    const int last = hop->exit + hop->entry - first;
    for (int column = first; column <= last && !is_straight; column++)
        take(ways, ways->along, hop->turn, column, hop->from);
}

START_TEST(test_lines_only_cross) {
    const struct map map = EACH_MAP;
    const size_t count = (size_t)map.rows * (size_t)map.columns;
    const struct ways ways = {&map, arena_array(&arena, count, sizeof(int)),
                              arena_array(&arena, count, sizeof(int))};
    for (size_t i = 0; i < count; i++) ways.down[i] = ways.along[i] = -1;
    for (int i = 0; i < map.hop_count; i++) take_hop(&ways, &map.hops[i]);
}
END_TEST

// ---- Words ---------------------------------------------------------------------------------------

static void check_words(const struct sketch *sketch, int row, int column, const char *words,
                        int of) {
    while (*words != '\0') {
        const uint32_t character = utf8_next(&words);
        const struct sketch_cell *cell = sketch_at(sketch, row, column);
        ck_assert(cell != NULL && cell->is_words && cell->of == of);
        ck_assert_uint_eq(cell->character, character);
        column += character_width(character);
    }
}

// No words lie over others, or under a line.
START_TEST(test_all_words_can_be_read) {
    const struct map map = EACH_MAP;
    const struct sketch sketch = map_sketch(&arena, &map);
    for (int i = 0; i < map.graph.node_count; i++) {
        const struct map_box *place = &map.places[i];
        const int blank = (place->width - 2 - text_width(place->label)) / 2;
        check_words(&sketch, place->row, place->column + 1 + blank, place->label, i);
        if (place->shape != NULL)
            check_words(&sketch, place->row + 1, place->exit + 2, place->shape, i);
    }
    for (int i = 0; i < map.hop_count; i++) {
        const struct map_hop *hop = &map.hops[i];
        if (hop->shape == NULL) continue;
        check_words(&sketch, hop->bottom, hop->entry + 2, hop->shape, hop->from);
    }
}
END_TEST

START_TEST(test_ascii_has_all_its_characters) {
    const struct map map = EACH_MAP;
    const struct sketch sketch = map_sketch(&arena, &map);
    for (int i = 0; i < sketch.rows * sketch.columns; i++) {
        char bytes[5];
        utf8_encode(sketch.cells[i].character, bytes);
        ck_assert_uint_eq(strlen(text_to_ascii(&arena, bytes)), 1);
    }
}
END_TEST

// ---- The whole -------------------------------------------------------------------------------------

START_TEST(test_facts) {
    const struct map map = map_with(lesson_number("causal"), 0);
    struct text text = text_new(&arena);
    add_map_facts(&text, &map);
    ck_assert_ptr_nonnull(
        strstr(text.bytes, "\n7 scores (6, 6): computed from queries (6, 2), keys (2, 6)\n"));
    ck_assert_ptr_nonnull(strstr(text.bytes, "inputs (6, 3)\n1 W_query (2, 3)\n"));
}
END_TEST

START_TEST(test_text) {
    const struct map map = map_with(lesson_number("causal"), 0);
    struct text text = text_new(&arena);
    add_map(&text, &map);
    static const char part[] = "             └──┐ ┌────────┘                │              │\n"
                               "                ▼ ▼ (2, 6)                  │              │\n"
                               "              [ 7 scores  ]                 │              │\n";
    ck_assert_msg(strstr(text.bytes, part) != NULL, "%s", text.bytes);
    ck_assert_int_le(map.columns, 80);
}
END_TEST

// From every node every other can be reached by the arrows, as far as there is a way at all: up and down
// change the layer, left and right go along it.
START_TEST(test_neighbours) {
    const struct map map = EACH_MAP;
    bool *seen = arena_array(&arena, (size_t)map.graph.node_count, sizeof *seen);
    seen[0] = true;
    bool has_grown = true;
    while (has_grown) {
        has_grown = false;
        for (int i = 0; i < map.graph.node_count; i++) {
            static const int ways[][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
            for (int way = 0; way < 4 && seen[i]; way++) {
                const int next = map_neighbour(&map, i, ways[way][0], ways[way][1]);
                const int rows = map.places[next].row - map.places[i].row;
                ck_assert(next == i || rows * ways[way][0] > 0 || (rows == 0 && ways[way][1] != 0));
                has_grown = has_grown || !seen[next];
                seen[next] = true;
            }
        }
    }
    for (int i = 0; i < map.graph.node_count; i++)
        ck_assert_msg(seen[i], "%s cannot be reached", map.places[i].label);
}
END_TEST

Suite *map_suite(void) {
    Suite *suite = suite_create("map");
    TCase *all = add_case(suite, "every lesson", set_up_arena, tear_down_arena),
          *one = add_case(suite, "one lesson", set_up_arena, tear_down_arena);
    const int maps = lesson_count * SETS;
    tcase_add_loop_test(all, test_every_step_has_a_place, 0, maps);
    tcase_add_loop_test(all, test_every_edge_leads_down, 0, maps);
    tcase_add_loop_test(all, test_every_edge_can_be_followed, 0, maps);
    tcase_add_loop_test(all, test_lines_only_cross, 0, maps);
    tcase_add_loop_test(all, test_all_words_can_be_read, 0, maps);
    tcase_add_loop_test(all, test_ascii_has_all_its_characters, 0, maps);
    tcase_add_loop_test(all, test_neighbours, 0, maps);
    tcase_add_test(one, test_facts);
    tcase_add_test(one, test_text);
    return suite;
}
