#include "walk/kit/choices.h"

#include "walk/kit/spots.h"

enum { MORE_COLUMN = 34, WITH_MORE = 60 };

static void draw_choice(struct canvas *canvas, int row, const struct choice *choice,
                        bool is_chosen) {
    struct style style = choice->style;
    style.reverse = is_chosen;
    if (is_chosen) put_blanks(canvas, row, 0, canvas->columns, REVERSE);
    const int used = put_text(canvas, row, 1, canvas->columns - 2, choice->text, style);
    if (choice->more == NULL || canvas->columns < WITH_MORE) return;
    const int column = used + 3 > MORE_COLUMN ? used + 3 : MORE_COLUMN;
    put_text(canvas, row, column, canvas->columns - column - 1, choice->more,
             is_chosen ? REVERSE : DIM);
}

void mark_more(struct canvas *canvas, const struct area *area, int first, int count) {
    if (first > 0) put_text(canvas, area->row, area->column, 1, "…", BOLD);
    if (first + area->rows < count)
        put_text(canvas, area->row + area->rows - 1, area->column, 1, "…", BOLD);
}

void draw_choices(struct canvas *canvas, const struct choice *choices, int count, int chosen) {
    const int rows = canvas->rows - 2;
    const int first = (int)first_visible(chosen, count, rows);
    for (int i = 0; i < rows && first + i < count; i++) {
        draw_choice(canvas, 1 + i, &choices[first + i], first + i == chosen);
        put_line_spot(canvas, &(struct area){1 + i, 0, 1, canvas->columns}, first + i,
                      first + i == chosen);
    }
    if (count > 0) put_cursor(canvas, 1 + chosen - first, 1);
    mark_more(canvas, &(struct area){1, canvas->columns - 1, rows, 1}, first, count);
}
