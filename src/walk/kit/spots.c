#include "walk/kit/spots.h"

#include <stddef.h>

#include "walk/model/action.h"

void put_spot(struct canvas *canvas, struct spot spot) {
    struct spots *spots = canvas->spots;
    if (spots != NULL && spots->count < MOST_SPOTS) spots->all[spots->count++] = spot;
}

void put_line_spot(struct canvas *canvas, const struct area *row, int line, bool is_chosen) {
    const struct spot spot = {
        .row = row->row,
        .column = row->column,
        .columns = row->columns,
        .kind = is_chosen ? SPOT_KEY : SPOT_LINE,
        .number = is_chosen ? (int)PRESS_ENTER : line,
    };
    put_spot(canvas, spot);
}

const struct spot *spot_at(const struct spots *spots, int row, int column) {
    for (int i = spots->count - 1; i >= 0; i--) {
        const struct spot *spot = &spots->all[i];
        if (row == spot->row && column >= spot->column && column < spot->column + spot->columns)
            return spot;
    }
    return NULL;
}
