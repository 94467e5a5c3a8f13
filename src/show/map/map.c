#include "show/map/map.h"

#include <stdlib.h>

// How far another node lies from here in the direction; less than 0 if it does not. Rows count before
// columns where the way is up or down.
static int distance(const struct map_box *here, const struct map_box *there, int down, int right) {
    const int rows = (there->row - here->row) * down;
    const int columns = there->exit - here->exit;
    if (down != 0) return rows > 0 ? rows * 1000 + abs(columns) : -1;
    return there->row == here->row && columns * right > 0 ? columns * right : -1;
}

int map_neighbour(const struct map *map, int node, int down, int right) {
    int nearest = node, least = -1;
    for (int i = 0; i < map->graph.node_count; i++) {
        const int away = distance(&map->places[node], &map->places[i], down, right);
        if (i == node || away < 0 || (least >= 0 && away >= least)) continue;
        nearest = i;
        least = away;
    }
    return nearest;
}
