#include "app/walk.h"

#include <stdio.h>
#include <string.h>

#include "app/progress.h"
#include "app/terminal.h"
#include "lessons.h"
#include "walk/walker.h"

struct walking {
    struct walker walker;
    struct terminal terminal;
    struct arena frame;       // all that one frame needs
    struct progress progress; // as read or last written
    struct progress now;      // to be written
    struct failure unsaved;   // why it was not, if its message is not empty
};

static void show_frame(struct walking *walking) {
    struct terminal *terminal = &walking->terminal;
    struct canvas canvas =
        canvas_new(&walking->frame, terminal->rows, terminal->columns, terminal->look);
    walker_draw(&walking->walker, &canvas);
    terminal_set_mouse(terminal, walking->walker.state.has_mouse);
    terminal_show(terminal, &canvas);
    arena_free(&walking->frame);
}

static void write_now(void *context) {
    struct walking *walking = context;
    progress_write(&walking->progress, &walking->now, &walking->unsaved);
}

// Writes the place down as soon as it is another one: the terminal may be closed at any moment. What
// cannot be written now is tried again after the next key.
static void remember_place(struct walking *walking) {
    const struct state *state = &walking->walker.state;
    const struct progress *before = &walking->progress;
    bool is_same = before->lesson == state->lesson;
    for (int i = 0; i < MAX_LESSONS; i++)
        is_same = is_same && same_visit(&before->visits[i], &state->visits[i]);
    if (is_same) return;
    walking->now.lesson = state->lesson;
    memcpy(walking->now.visits, state->visits, sizeof walking->now.visits);
    if (!attempt(&walking->unsaved, write_now, walking)) return;
    walking->progress = walking->now;
    walking->unsaved.message[0] = '\0';
}

static void walk_until_quit(struct walking *walking) {
    while (!walking->walker.state.has_quit && !walking->terminal.is_gone) {
        show_frame(walking);
        remember_place(walking);
        const struct press press = terminal_read(&walking->terminal);
        if (press.key != KEY_NOTHING) walker_press(&walking->walker, press, walking->terminal.rows);
    }
    remember_place(walking);
}

// Gives back the terminal first: what is said goes there too. That the place is not kept spoils nothing
// of the walk, but the next one will start elsewhere.
static void end_walk(void *context) {
    struct walking *walking = context;
    terminal_close(&walking->terminal);
    arena_free(&walking->frame);
    walker_free(&walking->walker);
    if (walking->unsaved.message[0] == '\0') return;
    fprintf(stderr, "onestep: note: your place in the lessons is not kept: %s\n",
            walking->unsaved.message);
}

// The lesson asked for, else the one walked last, else the first.
static int first_lesson(const struct lesson *lesson, const struct progress *progress) {
    for (int i = 0; i < lesson_count; i++) {
        if (lesson_table[i] == lesson) return i;
    }
    return progress->lesson >= 0 ? progress->lesson : 0;
}

void walk_command(const struct walk_options *options, struct failure *failure) {
    struct walking walking = {.frame = arena_new(failure),
                              .progress = progress_read(lesson_table, lesson_count)};
    walking.now = walking.progress;
    struct cleanup cleanup;
    cleanup_open(&cleanup, failure, end_walk, &walking);
    const struct walk_start start = {
        .lessons = lesson_table,
        .lesson_count = lesson_count,
        .lesson = first_lesson(options->lesson, &walking.progress),
        .step = options->step,
        .cell = options->cell,
        .cell_dims = options->cell_dims,
        .chosen = options->parameters,
        .what_ifs = options->what_ifs,
        .digits = options->digits,
        .visits = walking.progress.visits,
    };
    walker_start(&walking.walker, &start, failure);
    terminal_open(&walking.terminal, options->wants_color, failure);
    walk_until_quit(&walking);
    cleanup_close(&cleanup);
}
