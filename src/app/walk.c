#include "app/walk.h"

#include <stdio.h>

#include "app/terminal.h"
#include "lessons.h"
#include "walk/walker.h"

struct walking {
    struct walker *walker;
    struct terminal *terminal;
    struct arena frame; // all that one frame needs
};

static int index_of(const struct lesson *lesson) {
    for (int i = 0; i < lesson_count; i++) {
        if (lesson_table[i] == lesson) return i;
    }
    return 0;
}

static void show_frame(struct walking *walking) {
    const struct terminal *terminal = walking->terminal;
    struct canvas canvas =
        canvas_new(&walking->frame, terminal->rows, terminal->columns, terminal->look);
    walker_draw(walking->walker, &canvas);
    terminal_set_mouse(walking->terminal, walking->walker->state.has_mouse);
    terminal_show(walking->terminal, &canvas);
    arena_free(&walking->frame);
}

static void walk_until_quit(void *context) {
    struct walking *walking = context;
    while (!walking->walker->state.has_quit && !walking->terminal->is_gone) {
        show_frame(walking);
        const struct press press = terminal_read(walking->terminal);
        if (press.key != KEY_NOTHING)
            walker_press(walking->walker, press, walking->terminal->rows);
    }
}

static int complain(const struct failure *failure) {
    fprintf(stderr, "onestep: %s\n", failure->message);
    return (int)failure->status;
}

// With the lesson ready: takes the terminal, walks, gives it back.
static int walk_on_terminal(struct walker *walker, struct failure *failure, bool wants_color) {
    struct terminal terminal;
    if (!terminal_open(&terminal, wants_color, failure)) return complain(failure);
    struct walking walking = {walker, &terminal, arena_new(failure)};
    const bool went_well = attempt(failure, walk_until_quit, &walking);
    terminal_close(&terminal);
    arena_free(&walking.frame);
    return went_well ? 0 : complain(failure);
}

int walk_command(const struct walk_options *options) {
    struct failure failure = {0};
    struct walker walker;
    const int lesson = index_of(options->lesson);
    const bool has_started = walker_start(&walker, lesson_table, lesson_count, lesson, options->step,
                                          options->parameters, options->digits, NULL, &failure);
    const int status = has_started ? walk_on_terminal(&walker, &failure, options->wants_color)
                                   : complain(&walker.failure);
    walker_free(&walker);
    return status;
}
