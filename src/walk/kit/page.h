#ifndef ONESTEP_WALK_KIT_PAGE_H
#define ONESTEP_WALK_KIT_PAGE_H

// Views that are lines of text to scroll through: help, the cheat sheet, all the words of a step.

#include "walk/kit/canvas.h"
#include "walk/model/action.h"

struct page_line {
    const char *text;
    struct style style;
    uint32_t key; // that a click is as good as; KEY_NOTHING: none
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

// ---- The view of a page --------------------------------------------------------------------------

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
