#include "app/session/session.h"

#include <stdio.h>

#include "app/command/program.h"
#include "app/session/link.h"
#include "app/session/terminal.h"
#include "lessons.h"
#include "script/lesson/interpreter.h"
#include "script/lesson/statements.h"

struct session {
    struct walking walking;
    struct interpreter interpreter; // which can be stopped
    struct terminal terminal;
    struct arena frame; // all that one frame needs
};

static void end_work(void *context) {
    (void)context;
    terminal_end_work();
}

// A changed line may never end.
static void play_until_stopped(struct line_outcome *outcomes, struct arena *arena,
                               const struct run *right, const struct run *run) {
    struct cleanup cleanup;
    const volatile bool *stop = terminal_begin_work();
    cleanup_open(&cleanup, arena->failure, end_work, NULL);
    play_statements(outcomes, arena, right, run, stop);
    cleanup_close(&cleanup);
}

// A program runs again for some keys, and may never end.
static bool runs_program(const struct walker *walker) {
    return is_program(walker->trial.run.lesson);
}

// A line that was typed is run, and judged after that.
static bool runs_line(struct walker *walker, const struct press *press) {
    return press->key == PRESS_ENTER && top_view(walker)->view == &line_view;
}

// A key whose work can be stopped, until its verdict is there.
static void press_with_work(struct session *session, struct press press, struct failure *failure) {
    struct cleanup cleanup;
    stop_program_by(terminal_begin_work());
    cleanup_open(&cleanup, failure, end_work, NULL);
    walker_press(&session->walking.walker, press, session->terminal.rows);
    cleanup_close(&cleanup);
}

static void show_frame(struct session *session) {
    struct terminal *terminal = &session->terminal;
    terminal->look.is_light = session->walking.walker.state.is_light;
    struct canvas canvas =
        canvas_new(&session->frame, terminal->rows, terminal->columns, terminal->look);
    walker_draw(&session->walking.walker, &canvas);
    terminal_set_mouse(terminal, session->walking.walker.state.has_mouse);
    terminal_set_paste(terminal, top_view(&session->walking.walker)->view == &line_view);
    terminal_show(terminal, &canvas);
    arena_free(&session->frame);
}

// The place is written down as soon as it is another one: the terminal may be closed at any moment. Of pasted text only
// every so many characters bring a frame. A click is always at what stands on the screen.
static void walk_until_quit(struct session *session, struct failure *failure) {
    enum { MOST_UNSHOWN = 256 };
    struct walker *walker = &session->walking.walker;
    int unshown = 0;
    while (!walker->state.has_quit && !session->terminal.is_gone) {
        const bool is_unshown = unshown++ < MOST_UNSHOWN && terminal_has_input();
        if (!is_unshown) {
            show_frame(session);
            walking_remember(&session->walking);
            unshown = 0;
        }
        const struct press press = terminal_read(&session->terminal, !is_unshown);
        if (press.key == KEY_NOTHING) continue;
        if (is_unshown && press.key >= PRESS_CLICK) show_frame(session);
        if (runs_program(walker) || runs_line(walker, &press))
            press_with_work(session, press, failure);
        else
            walker_press(walker, press, session->terminal.rows);
        save_if_asked(&session->walking, session->terminal.rows, session->terminal.columns,
                      session->terminal.look);
    }
    walking_remember(&session->walking);
}

// Gives back the terminal first: what is said goes there too. Changed lines are not kept, so the command that shows them again
// is said. That the place is not kept spoils nothing of the walk, but the next one will start elsewhere.
static void end_walk(void *context) {
    struct session *session = context;
    terminal_close(&session->terminal);
    struct text text = text_new(&session->frame);
    if (session->walking.walker.state.has_quit) add_lines_command(&text, &session->walking.walker);
    if (text.length > 0) printf("Your lines again: %s\n", text.bytes);
    arena_free(&session->frame);
    walker_free(&session->walking.walker);
    if (session->walking.unsaved.message[0] == '\0') return;
    fprintf(stderr, "onestep: note: your place in the lessons is not kept: %s\n",
            session->walking.unsaved.message);
}

void walk_command(const struct command *command, const struct companion_source *companions,
                  struct failure *failure) {
    struct scratch scratch; // a session is too large for a stack
    struct session *session = arena_allocate(scratch_open(&scratch, failure), sizeof *session);
    session->frame = arena_new(failure);
    struct cleanup cleanup;
    cleanup_open(&cleanup, failure, end_walk, session);
    const bool walks_model = command->lesson != NULL && is_model(command->lesson);
    if (companions != NULL || (command->lesson != NULL && stands_alone(command->lesson)))
        walking_start(&session->walking, &command->lesson, 1, command, companions, failure);
    else
        walking_start(&session->walking, lesson_table, lesson_count, command, NULL, failure);
    if (walks_model && command->step == NULL) open_view(&session->walking.walker, &overview_view);
    release_programs();
    terminal_open(&session->terminal, wants_color(command->color), failure);
    session->interpreter = python_interpreter;
    session->interpreter.play = play_until_stopped;
    session->walking.walker.interpreter = &session->interpreter;
    if (companions == NULL) walking_offer_tour(&session->walking);
    walk_until_quit(session, failure);
    cleanup_close(&cleanup);
    scratch_close(&scratch);
}
