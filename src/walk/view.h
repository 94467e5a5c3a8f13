#ifndef ONESTEP_WALK_VIEW_H
#define ONESTEP_WALK_VIEW_H

// A view: what the screen is busy with, and all that is known of it in one place. Views lie on a stack over
// the step's screen; the one at the top gets the keys and draws. A new view is a file in views/, a bit and
// rows in the table of keys (action.h), and its name here and in views.c.

#include <stdbool.h>
#include <stddef.h> // defines: size_t

#include "base/text.h"
#include "walk/action.h"
#include "walk/canvas.h"

struct walker;

// `own` is the view's own struct: all zeros when the view is opened, gone when it is closed.
struct walk_view {
    enum view_bit bit;
    const char *name;      // in the help
    enum action opened_by; // in any view that has a key for it; ACT_NOTHING: only by other views
    const struct walk_view
        *shares;      // the keys of this one, which the help need not say again; or NULL
    size_t size;      // of its own struct
    bool has_lines;   // one of which is chosen, by a click too:
    size_t chosen_at; // where its own struct has the chosen line, an int

    void (*open)(struct walker *walker, void *own);  // NULL: zeros will do
    void (*close)(struct walker *walker, void *own); // NULL: nothing is to be put back
    bool (*takes)(struct walker *walker, void *own,
                  uint32_t key); // text; NULL: no key but the table's
    void (*press)(struct walker *walker, void *own, const struct pressed *pressed);
    void (*typed)(struct walker *walker, void *own,
                  const char *text); // what it had opened typing for
    void (*draw)(struct walker *walker, void *own, struct canvas *canvas);
    // Adds what it shows, in words, for a reader who cannot see it. NULL: its rows are words already.
    void (*say)(struct walker *walker, void *own, struct text *text);
};

extern const struct walk_view step_view, inside_view, where_from_view, settings_view, estimate_view,
    typing_view, list_view, search_view, read_view, help_view, mistakes_view, sheet_view, map_view,
    picture_view, palette_view, both_ways_view, summary_view, input_view, save_view;

#endif
