#include "walk/kit/bar.h"

#include "base/text.h"
#include "walk/kit/spots.h"

void draw_title(struct canvas *canvas, const char *left, const char *right) {
    put_blanks(canvas, 0, 0, canvas->columns, REVERSE);
    int room = canvas->columns - 2 - shown_width(canvas, right);
    if (room < 0) room = 0;
    put_text(canvas, 0, 1, room - 1, left, REVERSE);
    put_right(canvas, 0, room, canvas->columns - 1 - room, right, REVERSE);
}

static const char *label_here(const struct binding *binding, const struct key_hint *hint) {
    const bool is_special = binding->action == hint->helps && hint->label != NULL;
    return is_special ? hint->label : binding->label;
}

// "n next", the way a binding stands in the key bar.
static const char *key_label(struct canvas *canvas, const struct binding *binding,
                             const struct key_hint *hint) {
    char buffer[5];
    const char *key = key_text(binding->keys[0], buffer);
    return shown(canvas, arena_format(canvas->arena, "%s %s", key, label_here(binding, hint)));
}

static int weight_of(const struct binding *binding, const struct key_hint *hint) {
    enum { OFFERED_NOW = 89, HEAVIEST = 1000 };
    if (binding->weight == 0) return OFFERED_NOW;
    return binding->action == hint->helps ? HEAVIEST : binding->weight;
}

static bool is_offered(const struct binding *binding, unsigned offered) {
    return binding->label != NULL &&
           (binding->weight > 0 || (offered & OFFERED(binding->action)) != 0);
}

// Chooses the heaviest that fit into the row: for each binding, is it among them?
static const bool *choose_keys(struct canvas *canvas, enum view_bit view,
                               const struct key_hint *hint, unsigned offered) {
    bool *chosen = arena_array(canvas->arena, (size_t)binding_count, sizeof *chosen);
    int room = canvas->columns;
    for (;;) {
        int best = -1;
        for (int i = 0; i < binding_count; i++) {
            const struct binding *binding = &bindings[i];
            const bool fits =
                binding->views & (unsigned)view && is_offered(binding, offered) &&
                binding->action != hint->does_nothing && !chosen[i] &&
                (!hint->only_closes || binding->action == ACT_CLOSE || binding->action == ACT_HELP);
            if (fits && (best < 0 || weight_of(binding, hint) > weight_of(&bindings[best], hint)))
                best = i;
        }
        if (best < 0) return chosen;
        room -= text_width(key_label(canvas, &bindings[best], hint)) + 2;
        if (room < -1) return chosen;
        chosen[best] = true;
    }
}

void draw_key_bar(struct canvas *canvas, enum view_bit view) {
    const struct key_hint none = {ACT_NOTHING, NULL, ACT_NOTHING, false};
    draw_key_bar_here(canvas, view, &none);
}

void draw_key_bar_here(struct canvas *canvas, enum view_bit view, const struct key_hint *hint) {
    draw_key_bar_offering(canvas, view, hint, 0);
}

void draw_key_bar_offering(struct canvas *canvas, enum view_bit view, const struct key_hint *hint,
                           unsigned offered) {
    const bool *chosen = choose_keys(canvas, view, hint, offered);
    int column = 0;
    for (int i = 0; i < binding_count; i++) {
        if (!chosen[i]) continue;
        char buffer[5];
        const char *key = shown(canvas, key_text(bindings[i].keys[0], buffer));
        const int row = canvas->rows - 1, first = column;
        column += put_text(canvas, row, column, canvas->columns - column, key, BOLD) + 1;
        const char *label = label_here(&bindings[i], hint);
        column += put_text(canvas, row, column, canvas->columns - column, label,
                           label == bindings[i].label ? PLAIN : BOLD);
        put_spot(canvas,
                 (struct spot){row, first, column - first, SPOT_KEY, (int)bindings[i].keys[0]});
        column += 2;
    }
}
