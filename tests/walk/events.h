#ifndef ONESTEP_TESTS_WALK_EVENTS_H
#define ONESTEP_TESTS_WALK_EVENTS_H

// What happens on a walk, as data and as a line of text: keys, clicks and resizes from a step of a lesson on.
//
//     causal 7 80x24 x Enter Esc resize:120x40 click:20,61 again:8 n
//
// A key is written as the program calls it (key_text), in one word: wheel-down. `again` leaves the walk and begins it anew
// at a step, on a screen of the first size. `to:8` closes all views and goes to a step, and keeps what was changed.

#include "walk/model/action.h"
#include "walk/model/state.h"

// In the place of a key: the screen gets event.row rows and event.column columns; the walk begins anew at step event.row,
// from 0; the walk goes to this step.
enum { RESIZE = PRESS_WHEEL_DOWN + 1, AGAIN, TO };

enum { MOST_EVENTS = 1024 };

struct events {
    int lesson, step; // from 0; in the text a lesson's name, and a step's number from 1
    int rows, columns;
    int count;
    struct press all[MOST_EVENTS];
};

// Adds one; more than there is room for are left out.
void add_event(struct events *events, struct press event);
void add_key(struct events *events, uint32_t key);

// Adds what a text says ("x Enter"). Returns false at a word that is no event.
bool add_events(struct events *events, const char *text);

// The whole line, in `arena`; and what such a line says: false if it is none.
const char *events_text(struct arena *arena, const struct events *events);
bool read_events(struct events *events, const char *text);

#endif
