#ifndef ONESTEP_WALK_VIEWS_TYPING_H
#define ONESTEP_WALK_VIEWS_TYPING_H

// Text that is being typed, in a view of its own kind or over the view that wants it.

#include "walk/step/screen.h"
#include "walk/walker.h"

enum { TYPED_ROOM = 64 };

struct typing {
    char text[TYPED_ROOM]; // UTF-8
};

// Adds what a key writes, or takes the last character back. Returns false for keys that do neither.
bool types(struct typing *typing, uint32_t key);

// Has a value typed, from `first` on (KEY_NOTHING: from nothing), over the view at the top. That one is
// drawn meanwhile; when the user is done, its typed() gets the text, unless there is none.
void begin_typing(struct walker *walker, uint32_t first);

// Puts what is being typed into the scene; with an arrangement, it stands in place of the line under the
// matrix.
void show_typing(struct walker *walker, struct scene *scene, struct arrangement *arrangement);

// "0.5" as a number. Returns false, and says what would be one, if it is none.
bool read_number(struct walker *walker, const char *text, double *number);

// Is `wanted` somewhere in the text, whatever the case of its letters?
bool holds_word(const char *text, const char *wanted);

#endif
