// Saving the screen as a file: in which form? The walker only notes what is wanted; a file is the terminal's
// business.

#include "walk/kit/lines.h"
#include "walk/walker.h"

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    (void)view_state;
    static const struct {
        enum action action;
        enum saving saving;
    } forms[] = {{ACT_SAVE_SVG, SAVE_SVG},
                 {ACT_SAVE_HTML, SAVE_HTML},
                 {ACT_SAVE_TEXT, SAVE_TEXT},
                 {ACT_SAVE_PROGRAM, SAVE_PROGRAM}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (forms[i].action == pressed->action) walker->state.saves = forms[i].saving;
    }
    close_view(walker);
}

// The screen that is to be saved, with other keys.
static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    (void)view_state;
    const struct open_view *below = view_below(walker);
    below->view->draw(walker, below->view_state, canvas);
    put_blanks(canvas, canvas->rows - 1, 0, canvas->columns, PLAIN);
    draw_key_bar(canvas, VIEW_SAVE);
}

const struct walk_view save_view = {
    .bit = VIEW_SAVE,
    .name = "Saving the screen",
    .opened_by = ACT_SAVE,
    .size = 1,
    .press = press,
    .draw = draw,
};
