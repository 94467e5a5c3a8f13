#include "walk/step/screen.h"

#include "base/text.h"
#include "walk/kit/spots.h"

enum { BETWEEN = 3 };

// "-0.46 to 0.47"
static const char *range_text(struct arena *arena, const struct scene *scene,
                              const struct step *step) {
    enum { DIGITS = 2 };
    const struct matrix *matrix =
        cached_matrix(scene->matrix_cache, &step->tensor, 0, scene->digits);
    return arena_format(arena, "%s to %s", number_in_digits(arena, matrix->least, DIGITS),
                        number_in_digits(arena, matrix->most, DIGITS));
}

// Columns of the longest name, and of the longest shape.
struct widths {
    int name, shape, range;
};

static void widen(const struct canvas *canvas, int *width, const char *text) {
    const int needed = shown_width(canvas, text);
    if (needed > *width) *width = needed;
}

static struct widths widths_of(const struct canvas *canvas, const struct scene *scene,
                               struct stop stop) {
    struct widths widths = {0};
    for (int i = stop.first; i < stop.first + stop.count; i++) {
        const struct step *step = &scene->run->steps[i];
        widen(canvas, &widths.name, step->name);
        widen(canvas, &widths.shape, shape_text(canvas->arena, shape_of(&step->tensor)));
        widen(canvas, &widths.range, range_text(canvas->arena, scene, step));
    }
    return widths;
}

struct inventory inventory_of(const struct canvas *canvas, const struct scene *scene) {
    enum { MARK = 3, LEAST_FOR_MATRIX = 36 };
    struct inventory inventory = {.stop = stop_at(scene->run, scene->state->step)};
    if (!lists_parameters(scene->run, inventory.stop)) return inventory;
    const struct widths widths = widths_of(canvas, scene, inventory.stop);
    const int least = MARK + widths.name + 1 + widths.shape + BETWEEN;
    const int left = canvas->columns - LEAST_FOR_MATRIX;
    inventory.has_range = least + 1 + widths.range <= left;
    inventory.columns = inventory.has_range ? least + 1 + widths.range : least <= left ? least : 0;
    return inventory;
}

// In the first and the last line in sight, whether the list goes on.
static const char *mark_of(const struct canvas *canvas, bool is_open, bool is_cut) {
    const bool is_ascii = canvas->look.is_ascii;
    if (is_open) return is_ascii ? ">" : "›";
    return !is_cut ? " " : is_ascii ? ":" : "⋮";
}

void draw_inventory(struct canvas *canvas, struct area area, const struct scene *scene,
                    const struct inventory *inventory) {
    struct arena *arena = canvas->arena;
    const struct stop stop = inventory->stop;
    const struct widths widths = widths_of(canvas, scene, stop);
    const int open = scene->state->step - stop.first;
    const int first = (int)first_visible(open, stop.count, area.rows);
    const int end = first + area.rows < stop.count ? first + area.rows : stop.count;
    for (int i = first; i < end; i++) {
        const struct step *step = &scene->run->steps[stop.first + i];
        const int row = area.row + i - first, width = inventory->columns - BETWEEN;
        const bool is_cut = (i == first && i > 0) || (i == end - 1 && end < stop.count);
        const char *line = arena_format(
            arena, " %s %s%*s %s%*s %s", mark_of(canvas, i == open, is_cut), step->name,
            widths.name - shown_width(canvas, step->name), "",
            shape_text(arena, shape_of(&step->tensor)),
            widths.shape - shown_width(canvas, shape_text(arena, shape_of(&step->tensor))), "",
            inventory->has_range ? range_text(arena, scene, step) : "");
        put_text(canvas, row, area.column, width, line, i == open ? BOLD : PLAIN);
        put_spot(canvas, (struct spot){row, area.column, width, SPOT_STEP, stop.first + i});
    }
}
