#include "walk/bar.h"

#include "base/text.h"
#include "walk/spots.h"

void draw_title(struct canvas *canvas, const char *left, const char *right) {
    put_blanks(canvas, 0, 0, canvas->columns, REVERSE);
    int room = canvas->columns - 2 - shown_width(canvas, right);
    if (room < 0) room = 0;
    put_text(canvas, 0, 1, room - 1, left, REVERSE);
    put_right(canvas, 0, room, canvas->columns - 1 - room, right, REVERSE);
}

// "n next", the way a binding stands in the key bar.
static const char *key_label(struct canvas *canvas, const struct binding *binding) {
    char buffer[5];
    const char *key = key_text(binding->keys[0], buffer);
    return shown(canvas, arena_format(canvas->arena, "%s %s", key, binding->label));
}

static int weight_of(const struct binding *binding, enum action helps) {
    enum { HEAVIEST = 1000 };
    return binding->action == helps ? HEAVIEST : binding->weight;
}

// Chooses the heaviest that fit into the row: for each binding, is it among them?
static const bool *choose_keys(struct canvas *canvas, enum view_bit view, enum action helps,
                               enum action does_nothing) {
    bool *chosen = arena_array(canvas->arena, (size_t)binding_count, sizeof *chosen);
    int room = canvas->columns;
    for (;;) {
        int best = -1;
        for (int i = 0; i < binding_count; i++) {
            const struct binding *binding = &bindings[i];
            const bool fits = binding->views & (unsigned)view && binding->label != NULL &&
                              binding->action != does_nothing && !chosen[i];
            if (fits && (best < 0 || weight_of(binding, helps) > weight_of(&bindings[best], helps)))
                best = i;
        }
        if (best < 0) return chosen;
        room -= text_width(key_label(canvas, &bindings[best])) + 2;
        if (room < -1) return chosen;
        chosen[best] = true;
    }
}

void draw_key_bar(struct canvas *canvas, enum view_bit view) {
    draw_key_bar_here(canvas, view, ACT_NOTHING, ACT_NOTHING);
}

void draw_key_bar_here(struct canvas *canvas, enum view_bit view, enum action helps,
                       enum action does_nothing) {
    const bool *chosen = choose_keys(canvas, view, helps, does_nothing);
    int column = 0;
    for (int i = 0; i < binding_count; i++) {
        if (!chosen[i]) continue;
        char buffer[5];
        const char *key = shown(canvas, key_text(bindings[i].keys[0], buffer));
        const int row = canvas->rows - 1, first = column;
        column += put_text(canvas, row, column, canvas->columns - column, key, BOLD) + 1;
        column += put_text(canvas, row, column, canvas->columns - column, bindings[i].label, PLAIN);
        put_spot(canvas,
                 (struct spot){row, first, column - first, SPOT_KEY, (int)bindings[i].keys[0]});
        column += 2;
    }
}
