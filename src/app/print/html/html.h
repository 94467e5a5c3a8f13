#ifndef ONESTEP_APP_PRINT_HTML_HTML_H
#define ONESTEP_APP_PRINT_HTML_HTML_H

// Parts of the HTML handout. Every function adds complete elements.

#include <stddef.h> // defines: size_t

#include "app/print/document.h"

// A step's tensor as tables with headings: one a leaf (paper.h), each number on its colour, and behind
// it, where it is of a readable length, the arithmetic that made it, which shows when the number is
// pointed at or focused. Where the run makes a mistake on purpose, numbers that it changed have a frame.
// Its layout stands above.
void html_add_tensor(const struct document *document);

// The lines of C that computed a step, numbered as in their file, and the same in PyTorch.
void html_add_source(const struct document *document);

// A table of the cheat sheet.
void html_add_sheet_table(const struct document *document);

// handout.css, embedded when the program is built.
extern const char data_handout_css[];
extern const size_t data_handout_css_length;

#endif
