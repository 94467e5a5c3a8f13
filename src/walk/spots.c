#include "walk/spots.h"

#include <stddef.h>

void put_spot(struct canvas *canvas, struct spot spot) {
    struct spots *spots = canvas->spots;
    if (spots != NULL && spots->count < MOST_SPOTS) spots->all[spots->count++] = spot;
}

const struct spot *spot_at(const struct spots *spots, int row, int column) {
    for (int i = spots->count - 1; i >= 0; i--) {
        const struct spot *spot = &spots->all[i];
        if (row == spot->row && column >= spot->column && column < spot->column + spot->columns)
            return spot;
    }
    return NULL;
}
