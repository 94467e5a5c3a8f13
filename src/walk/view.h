#ifndef ONESTEP_WALK_VIEW_H
#define ONESTEP_WALK_VIEW_H

// A view: one thing that the screen can show, such as help or the map, with everything about it in one
// struct. Views are on a stack above the step's screen; the view at the top gets the keys and draws. A new
// view is a file in views/, a bit and rows in the table of keys (action.h), and its name here and in views.c.

#include <stdbool.h>
#include <stddef.h> // defines: size_t

#include "base/text.h"
#include "walk/kit/canvas.h"
#include "walk/model/action.h"

struct walker;

// `view_state` is what a view keeps while it is open, a struct of its own: all zeros when it is opened, freed when it is closed.
struct walk_view {
    enum view_bit bit;
    const char *name;      // in the help
    enum action opened_by; // in any view that has a key for it; ACT_NOTHING: only by other views
    const struct walk_view
        *shares;      // a view whose keys it shares, so that the help does not repeat them; or NULL
    size_t size;      // of its own struct
    bool has_lines;   // lines of which one is chosen, also by a click
    size_t chosen_at; // offset of the chosen line, an int, in its own struct

    void (*open)(struct walker *walker, void *view_state);  // NULL: zeros are enough
    void (*close)(struct walker *walker, void *view_state); // NULL: nothing to restore
    bool (*takes)(struct walker *walker, void *view_state,
                  uint32_t key); // takes a key as text; NULL: only the keys of the table
    void (*press)(struct walker *walker, void *view_state, const struct pressed *pressed);
    void (*typed)(struct walker *walker, void *view_state,
                  const char *text); // the text typed after it opened the typing view
    void (*draw)(struct walker *walker, void *view_state, struct canvas *canvas);
    // Adds what it shows, in words, for a reader who cannot see it. NULL: its rows are already words.
    void (*say)(struct walker *walker, void *view_state, struct text *text);
};

extern const struct walk_view step_view, inside_view, where_from_view, settings_view, estimate_view,
    typing_view, list_view, search_view, read_view, help_view, mistakes_view, sheet_view, map_view,
    picture_view, palette_view, both_ways_view, summary_view, input_view, save_view, overview_view,
    line_view;

#endif
