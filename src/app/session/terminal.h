#ifndef ONESTEP_APP_SESSION_TERMINAL_H
#define ONESTEP_APP_SESSION_TERMINAL_H

// The terminal: taken, given back, drawn on and read from. terminal.c is the only file that knows
// curses. While the terminal is taken, a signal that ends the program gives it back first.

#include "base/arena.h"
#include "base/fail.h"
#include "walk/kit/canvas.h"
#include "walk/model/action.h"

struct terminal {
    bool is_taken;
    struct look look;
    int rows, columns; // as of the last terminal_read
    bool marks_frames; // for tests: see terminal_show
    unsigned long frames;
    bool has_mouse;
    bool takes_paste, is_pasting; // see terminal_set_paste
    bool is_gone;                 // hung up: nothing more will come
    struct canvas shown;          // the last one, with glyphs of its own; none before the first
};

// Takes the terminal of standard input and output. Fails with FAIL_INPUT if there is none, or none that
// can be drawn on, and says in one line what is wrong and what to do instead; then not a byte was
// written. `wants_color` false: no colour at all, whatever the terminal can do.
void terminal_open(struct terminal *terminal, bool wants_color, struct failure *failure);

// Gives it back as it was; does nothing with one that was not taken.
void terminal_close(struct terminal *terminal);

// Puts a canvas on the screen; only what differs from the last one is written. With the environment
// variable ONESTEP_FRAME_TITLE set, each frame ends with the window's title set to
// "onestep frame N", so that a test knows that it is complete.
void terminal_show(struct terminal *terminal, const struct canvas *canvas);

// Is there more to be read already, as while a text is pasted?
bool terminal_has_input(void);

// Waits for a key; with waits false, takes one that is there. KEY_NOTHING: draw again, the size may be another or no key
// is there. After a hang-up: is_gone.
struct press terminal_read(struct terminal *terminal, bool waits);

// Around work that may take long, while the terminal is taken: *(the result) becomes true at Ctrl-C, and, once the work has
// taken a second and the last row says so, at Esc. Asked a second time, the program ends. Work may hold other work: it is one
// until the outer one ends.
const volatile bool *terminal_begin_work(void);
void terminal_end_work(void);

// Shall pasted text come as text? Then its lines end in '\n', which is no PRESS_ENTER, its tabs are '\t', and nothing in it is
// a key. A terminal that does not say what was pasted is known by several lines that are there at once.
void terminal_set_paste(struct terminal *terminal, bool is_on);

// Shall the mouse's clicks come here? Where they do not, the terminal selects text with them.
void terminal_set_mouse(struct terminal *terminal, bool is_on);

// ---- What a terminal can do ---------------------------------------------------------------------

// The description of a terminal as curses reads it, term(5): a name, and its capabilities in the order of the
// arrays boolnames, numnames and strnames of term.h.

struct description {
    const char *name; // "xterm-256color"
    int flag_count, number_count, string_count;
    bool *flags;
    int *numbers;         // -1: it has none
    const char **strings; // NULL: it has none
    // Two that are not in the arrays: RGB, a colour is a number 0xrrggbb; XM, how the mouse is switched on, or NULL.
    bool has_rgb;
    const char *mouse;
};

// The compiled description as the environment variable TERMINFO may hold it: "hex:1e02...". ncurses reads that from
// 6.1 on; an older one finds no such folder and goes on to the system's descriptions.
const char *description_text(struct arena *arena, const struct description *description);

#endif
