#include "app/session/saving.h"

#include "app/session/screen.h"

struct saved {
    struct walker *walker;
    int rows, columns;
    struct look look;
    struct failure failure; // why it is not
};

static void save_now(void *context) {
    static const enum format formats[] = {[SAVE_SVG] = FORMAT_SVG,
                                          [SAVE_HTML] = FORMAT_HTML,
                                          [SAVE_TEXT] = FORMAT_TEXT,
                                          [SAVE_PROGRAM] = FORMAT_LINES};
    struct saved *saved = context;
    struct walker *walker = saved->walker;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, &saved->failure);
    struct canvas canvas = canvas_new(m, saved->rows, saved->columns, saved->look);
    walker_draw(walker, &canvas);
    const char *name = save_screen(m, &canvas, walker, formats[walker->state.saves]);
    tell_at_foot(&walker->state, "Saved as %s.", name);
    scratch_close(&scratch);
}

void save_if_asked(struct walking *walking, int rows, int columns, struct look look) {
    struct state *state = &walking->walker.state;
    if (state->saves == SAVE_NOTHING) return;
    struct saved saved = {&walking->walker, rows, columns, look, {0}};
    if (!attempt(&saved.failure, save_now, &saved))
        tell_at_foot(state, "Not saved: %s.", saved.failure.message);
    state->saves = SAVE_NOTHING;
}
