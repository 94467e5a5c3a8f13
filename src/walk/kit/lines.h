#ifndef ONESTEP_WALK_KIT_LINES_H
#define ONESTEP_WALK_KIT_LINES_H

// What screens made of lines share: the title and the line of keys of every screen, a list with a chosen line, a page of
// text to scroll through.

#include "walk/kit/canvas.h"
#include "walk/model/action.h"

// ---- The first and the last line ----------------------------------------------------------------

// The line at the head: `left`, and `right` at its end.
void draw_title(struct canvas *canvas, const char *left, const char *right);

// What is special about the keys of one screen.
struct key_hint {
    enum action helps;        // it stands in the bar for certain
    const char *label;        // in bold, instead of its usual one; NULL: the usual one
    enum action does_nothing; // it is left out
    bool only_closes;         // only help and the way out are left
};

// The line of keys at the foot: as many as fit, help and the way out always; with what is special here; with keys that are only
// sometimes of use: `offered` has the bits OFFERED(action) of those that are now.
void draw_key_bar(struct canvas *canvas, enum view_bit view);
void draw_key_bar_here(struct canvas *canvas, enum view_bit view, const struct key_hint *hint);
void draw_key_bar_offering(struct canvas *canvas, enum view_bit view, const struct key_hint *hint,
                           unsigned offered);

// ---- A list -------------------------------------------------------------------------------------

struct choice {
    const char *text;
    struct style style;
    const char *more; // beside the text where there is room; NULL: nothing
};

// Draws the lines between title and keys, the chosen one in sight and with the cursor.
void draw_choices(struct canvas *canvas, const struct choice *choices, int count, int chosen);

// Marks an area that shows items of a list from `first` on, where there are more above or below.
void mark_more(struct canvas *canvas, const struct area *area, int first, int count);

// ---- A page: help, the cheat sheet, all the words of a step -------------------------------------

struct page_line {
    const char *text;
    struct style style;
    uint32_t key;           // that a click is as good as; KEY_NOTHING: none
    bool is_words, goes_on; // of a paragraph; not its first line
};

struct page {
    struct arena *arena;
    const struct canvas *canvas; // its width and look decide how lines are wrapped
    const char *title;
    int count;
    struct page_line *lines;
};

struct page page_new(const struct canvas *canvas, const char *title);

// Adds a paragraph, wrapped and indented by some columns; an empty one is a blank line.
void page_add(struct page *page, const char *paragraph, int indent, struct style style);

// Adds one line as it is, cut if it is too long.
void page_add_line(struct page *page, const char *line, struct style style);

// Fills the screen that was begun with blank lines, so that the next line begins another one.
void page_break(struct page *page);

// Keeps the lines from `first` on together on one screen, if they fit on one, with a blank line before them.
void page_keep(struct page *page, int first);

// ---- For who shows such screens in another way ---------------------------------------------------

// What a screen is made of, before it is cut to rows and columns.
struct noted_line {
    const char *text, *more; // what stands beside it; or NULL
    const char *marks;       // before it; or NULL
    struct style style;
    uint32_t key;
    bool is_choice, is_chosen;
    int number;             // of a choice, as a click would choose it
    bool is_words, goes_on; // as a page's line
};

struct matrices;

struct noted {
    const char *title, *right; // of its first line
    int count;
    struct noted_line *lines;
    const struct matrices *matrices; // as they were drawn; NULL: none
    const char *svg;                 // a figure above the lines; NULL: none
    const char *asked, *answer;      // a number that can be typed, and what it is; NULL: none
};

// Adds a line where somebody collects them; a paragraph.
void note_line(struct canvas *canvas, struct noted_line line);
void note_words(struct canvas *canvas, const char *words, struct style style);

struct walker;

// Its own struct: how far it is scrolled.
struct scrolled {
    int first; // line in sight
};

// Its press: scrolls by a line or by a whole screen.
void scroll_page(struct walker *walker, void *view_state, const struct pressed *pressed);

// Draws the page, scrolled so that no less than a screen is left, and the keys of the view.
void draw_page(struct canvas *canvas, const struct page *page, struct scrolled *scrolled,
               enum view_bit view);

#endif
