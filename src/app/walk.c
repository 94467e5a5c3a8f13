#include "app/walk.h"

#include <stdio.h>
#include <string.h>

#include "app/progress.h"
#include "app/terminal.h"
#include "lessons.h"
#include "walk/walker.h"

struct walking {
    struct walker *walker;
    struct terminal *terminal;
    struct arena frame;        // all that one frame needs
    struct progress *progress; // as read or last written
    struct failure unsaved;    // why it was not written, if its message is not empty
};

static void show_frame(struct walking *walking) {
    struct terminal *terminal = walking->terminal;
    struct canvas canvas =
        canvas_new(&walking->frame, terminal->rows, terminal->columns, terminal->look);
    walker_draw(walking->walker, &canvas);
    terminal_set_mouse(terminal, walking->walker->state.has_mouse);
    terminal_show(terminal, &canvas);
    arena_free(&walking->frame);
}

// Writes the place down as soon as it is another one: the terminal may be closed at any moment.
static void remember_place(struct walking *walking) {
    const struct state *state = &walking->walker->state;
    struct progress *before = walking->progress;
    bool is_same = before->lesson == state->lesson;
    for (int i = 0; i < MAX_LESSONS; i++)
        is_same = is_same && same_visit(&before->visits[i], &state->visits[i]);
    if (is_same) return;
    struct progress now = {.lesson = state->lesson};
    memcpy(now.visits, state->visits, sizeof now.visits);
    if (!progress_write(lesson_table, lesson_count, before, &now, &walking->unsaved))
        return; // and again after the next key
    *before = now;
    walking->unsaved.message[0] = '\0';
}

static void walk_until_quit(void *context) {
    struct walking *walking = context;
    while (!walking->walker->state.has_quit && !walking->terminal->is_gone) {
        show_frame(walking);
        remember_place(walking);
        const struct press press = terminal_read(walking->terminal);
        if (press.key != KEY_NOTHING) walker_press(walking->walker, press, walking->terminal->rows);
    }
    remember_place(walking);
}

static int complain(const struct failure *failure) {
    fprintf(stderr, "onestep: %s\n", failure->message);
    return (int)failure->status;
}

// That the place is not kept spoils nothing of the walk, but the next one will start elsewhere.
static void mention(const struct failure *unsaved) {
    if (unsaved->message[0] == '\0') return;
    fprintf(stderr, "onestep: note: your place in the lessons is not kept: %s\n", unsaved->message);
}

// With the lesson ready: takes the terminal, walks, gives it back.
static int walk_on_terminal(struct walker *walker, struct progress *progress,
                            struct failure *failure, bool wants_color) {
    struct terminal terminal;
    if (!terminal_open(&terminal, wants_color, failure)) return complain(failure);
    struct walking walking = {
        .walker = walker, .terminal = &terminal, .frame = arena_new(failure), .progress = progress};
    const bool went_well = attempt(failure, walk_until_quit, &walking);
    terminal_close(&terminal);
    arena_free(&walking.frame);
    mention(&walking.unsaved);
    return went_well ? 0 : complain(failure);
}

// The lesson asked for, else the one walked last, else the first.
static int first_lesson(const struct lesson *lesson, const struct progress *progress) {
    for (int i = 0; i < lesson_count; i++) {
        if (lesson_table[i] == lesson) return i;
    }
    return progress->lesson >= 0 ? progress->lesson : 0;
}

int walk_command(const struct walk_options *options) {
    struct failure failure = {0};
    struct progress progress = progress_read(lesson_table, lesson_count);
    struct walker walker;
    const struct walk_start start = {
        .lessons = lesson_table,
        .lesson_count = lesson_count,
        .lesson = first_lesson(options->lesson, &progress),
        .step = options->step,
        .chosen = options->parameters,
        .what_ifs = options->what_ifs,
        .digits = options->digits,
        .visits = progress.visits,
    };
    const bool has_started = walker_start(&walker, &start, &failure);
    const int status = has_started
                           ? walk_on_terminal(&walker, &progress, &failure, options->wants_color)
                           : complain(&walker.failure);
    walker_free(&walker);
    return status;
}
