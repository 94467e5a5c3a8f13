// The terminal of a build without ncurses (meson's -Dterminal=disabled): there is none.

#include "app/session/terminal.h"

void terminal_open(struct terminal *terminal, bool wants_color, struct failure *failure) {
    (void)wants_color;
    *terminal = (struct terminal){0};
    fail(failure, FAIL_INPUT,
         "this onestep was built without the walker; see 'onestep print --help'");
}

// Where terminal_open has failed, nothing below has anything to do.

void terminal_close(struct terminal *terminal) {
    (void)terminal;
}

void terminal_show(struct terminal *terminal, const struct canvas *canvas) {
    (void)terminal;
    (void)canvas;
}

bool terminal_has_input(void) {
    return false;
}

struct press terminal_read(struct terminal *terminal, bool waits) {
    (void)terminal;
    (void)waits;
    return (struct press){0};
}

const volatile bool *terminal_begin_work(void) {
    return NULL;
}

void terminal_end_work(void) {
}

void terminal_set_paste(struct terminal *terminal, bool is_on) {
    (void)terminal;
    (void)is_on;
}

void terminal_set_mouse(struct terminal *terminal, bool is_on) {
    (void)terminal;
    (void)is_on;
}
