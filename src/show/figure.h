#ifndef ONESTEP_SHOW_FIGURE_H
#define ONESTEP_SHOW_FIGURE_H

// Parts of a drawing in SVG, light or dark as its reader's screen is. Under a heading it stands alone, complete in
// itself; without one it stands in a page, which has the style sheet. Sizes are pixels. What is drawn has one
// of the classes of that sheet, which give it its colours:
//
//     line, thick, band, grid, arrow, area, node, dot, ring; for text strong, label, words, quiet; and lit, for what stands out

#include "base/text.h"

struct figure_spot {
    double x, y;
};

// Adds the style sheet, without its <style>.
void add_figure_style(struct text *text);

// Begins a drawing. `label` is what it is called for whoever can't see it, `description` what it shows. With a
// heading (not NULL) these words stand above it; what is drawn then begins below, at y 0.
void figure_open(struct text *text, struct figure_spot size, const char *heading, const char *label,
                 const char *description);
void figure_close(struct text *text);

// Words from, around or to a spot on their baseline ("start", "middle", "end").
void figure_words(struct text *text, struct figure_spot spot, const char *anchor,
                  const char *classes, const char *words);

// Columns of words in pixels, at most: what a common sans-serif needs at the size of `words`.
double figure_width(const char *words);

#endif
