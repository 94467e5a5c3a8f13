#ifndef ONESTEP_WALK_KIT_BAR_H
#define ONESTEP_WALK_KIT_BAR_H

// The first and the last line of every screen.

#include "walk/kit/canvas.h"
#include "walk/model/action.h"

// The line at the head: `left`, and `right` at its end.
void draw_title(struct canvas *canvas, const char *left, const char *right);

// The line of keys at the foot: as many as fit, help and the way out always.
void draw_key_bar(struct canvas *canvas, enum view_bit view);

// What is special about the keys of one screen.
struct key_hint {
    enum action helps;        // it stands in the bar for certain
    const char *label;        // in bold, instead of its usual one; NULL: the usual one
    enum action does_nothing; // it is left out
    bool only_closes;         // only help and the way out are left
};

// The line of keys, with what is special here.
void draw_key_bar_here(struct canvas *canvas, enum view_bit view, const struct key_hint *hint);

// The same, with keys that are only sometimes of use: `offered` has the bits OFFERED(action) of those that are now.
void draw_key_bar_offering(struct canvas *canvas, enum view_bit view, const struct key_hint *hint,
                           unsigned offered);

#endif
