// The list of parameters at the left of the open one.

#include "base/text.h"
#include "walk/kit/canvas.h"
#include "walk/step/screen.h"

enum { BETWEEN = 3 };

// "-0.46 to 0.47"
static const char *range_text(const struct screen *screen, const struct step *step) {
    enum { DIGITS = 2 };
    struct arena *arena = screen->canvas->arena;
    const struct matrix *matrix =
        cached_matrix(screen->scene->matrix_cache, &step->tensor, 0, screen->scene->digits);
    return arena_format(arena, "%s to %s", number_in_digits(arena, matrix->least, DIGITS),
                        number_in_digits(arena, matrix->most, DIGITS));
}

static void widen(const struct canvas *canvas, int *width, const char *text) {
    const int needed = shown_width(canvas, text);
    if (needed > *width) *width = needed;
}

struct inventory inventory_of(const struct screen *screen) {
    enum { MARK = 3, LEAST_FOR_MATRIX = 36 };
    const struct canvas *canvas = screen->canvas;
    const struct stop stop = screen->stop;
    struct inventory inventory = {0};
    int range = 0;
    if (!lists_parameters(screen->scene->run, stop)) return inventory;
    for (int i = stop.first; i < stop.first + stop.count; i++) {
        const struct step *step = &screen->scene->run->steps[i];
        widen(canvas, &inventory.name_width, step->name);
        widen(canvas, &inventory.shape_width, shape_text(canvas->arena, shape_of(&step->tensor)));
        widen(canvas, &range, range_text(screen, step));
    }
    const int least = MARK + inventory.name_width + 1 + inventory.shape_width + BETWEEN;
    const int left = canvas->columns - LEAST_FOR_MATRIX;
    inventory.has_range = least + 1 + range <= left;
    inventory.columns = inventory.has_range ? least + 1 + range : least <= left ? least : 0;
    return inventory;
}

void draw_inventory(const struct screen *screen, struct area area) {
    struct canvas *canvas = screen->canvas;
    const bool is_ascii = canvas->look.is_ascii;
    const struct inventory *inventory = &screen->inventory;
    const struct stop stop = screen->stop;
    const int open = screen->scene->state->step - stop.first;
    const int first = (int)first_visible(open, stop.count, area.rows);
    const int end = first + area.rows < stop.count ? first + area.rows : stop.count;
    for (int i = first; i < end; i++) {
        const struct step *step = &screen->scene->run->steps[stop.first + i];
        const int row = area.row + i - first, width = inventory->columns - BETWEEN;
        const bool is_cut = (i == first && i > 0) || (i == end - 1 && end < stop.count);
        const char *mark = i == open ? (is_ascii ? ">" : "›")
                           : is_cut  ? (is_ascii ? ":" : "⋮")
                                     : " ";
        const char *shape = shape_text(canvas->arena, shape_of(&step->tensor));
        const char *line = arena_format(canvas->arena, " %s %s%*s %s%*s %s", mark, step->name,
                                        inventory->name_width - shown_width(canvas, step->name), "",
                                        shape, inventory->shape_width - shown_width(canvas, shape),
                                        "", inventory->has_range ? range_text(screen, step) : "");
        put_text(canvas, row, area.column, width, line, i == open ? BOLD : PLAIN);
        put_spot(canvas, (struct spot){row, area.column, width, SPOT_STEP, stop.first + i});
    }
}
