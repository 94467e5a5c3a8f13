#ifndef ONESTEP_WALK_PAGE_H
#define ONESTEP_WALK_PAGE_H

// Screens that are lines of text to scroll through: help, and all the words of a step.

#include "trace/what_if/trial.h"
#include "walk/canvas.h"
#include "walk/state.h"

struct line {
    const char *text;
    struct style style;
};

struct page {
    struct arena *arena;
    const struct canvas *canvas; // its width and look decide how lines are wrapped
    const char *title;
    int count;
    struct line *lines;
};

struct page page_new(const struct canvas *canvas, const char *title);

// Adds a paragraph, wrapped and indented by some columns; an empty one is a blank line.
void page_add(struct page *page, const char *paragraph, int indent, struct style style);

// Adds one line as it is, cut if it is too long.
void page_add_line(struct page *page, const char *line, struct style style);

// The first line in sight, never so far that less than a screen is left.
int page_first(const struct page *page, int scroll);

void draw_page(struct canvas *canvas, const struct page *page, int scroll, enum mode mode);

// What can be done in a mode and with which keys, and what the marks mean.
struct page help_page(const struct canvas *canvas, enum mode mode);

// The cheat sheet, with the shapes of a lesson.
struct page sheet_page(const struct canvas *canvas, const struct trial *trial);

// Title, explanation, formula, PyTorch and source of a step.
struct page step_page(const struct canvas *canvas, const struct run *run, const struct step *step);

#endif
