#ifndef ONESTEP_SHOW_FIGURE_H
#define ONESTEP_SHOW_FIGURE_H

// Parts of a drawing in SVG, in light or dark colours as the reader's screen is. A drawing with a heading is
// a complete file; one without is part of a page that contains the style sheet. Sizes are in pixels. Each
// element has one of the classes of the style sheet, which set its colours:
//
//     line, thick, band, grid, arrow, area, node, dot, ring; for text strong, label, words, quiet; and lit, for highlighted elements

#include "base/text.h"

struct figure_spot {
    double x, y;
};

// Adds the style sheet, without its <style>.
void add_figure_style(struct text *text);

// Begins a drawing. `label` and `description` are its name and its content for screen readers. A heading (not
// NULL) is written above the drawing, which begins below it at y 0.
void figure_open(struct text *text, struct figure_spot size, const char *heading, const char *label,
                 const char *description);
void figure_close(struct text *text);

// Writes words that start at, are centred on, or end at a spot of their baseline ("start", "middle", "end").
void figure_words(struct text *text, struct figure_spot spot, const char *anchor,
                  const char *classes, const char *words);

// An upper bound of the width of words in pixels, in a common sans-serif font at the size of the class
// `words`.
double figure_width(const char *words);

#endif
