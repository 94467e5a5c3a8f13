#include "walk/step/sketch_drawing.h"

#include "base/text.h"

void put_sketch(struct canvas *canvas, const struct area *area, const struct sketch *sketch,
                int row, int column,
                struct style (*style_of)(const void *own, const struct sketch_cell *cell),
                const void *own) {
    for (int i = 0; i < area->rows; i++) {
        for (int j = 0; j < area->columns; j++) {
            const struct sketch_cell *cell = sketch_at(sketch, row + i, column + j);
            if (cell == NULL || cell->character == ' ' || cell->character == 0) continue;
            char bytes[5];
            utf8_encode(cell->character, bytes);
            put_text(canvas, area->row + i, area->column + j, character_width(cell->character),
                     bytes, style_of(own, cell));
        }
    }
}
