#ifndef ONESTEP_APP_SESSION_DESCRIPTION_H
#define ONESTEP_APP_SESSION_DESCRIPTION_H

// The description of a terminal as curses reads it, term(5): a name, and its capabilities in the order of the
// arrays boolnames, numnames and strnames of term.h.

#include "base/arena.h"

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
