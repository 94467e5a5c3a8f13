#ifndef ONESTEP_APP_PRINT_HTML_H
#define ONESTEP_APP_PRINT_HTML_H

// Parts of the HTML handout. Every function adds complete elements.

#include "base/text.h"
#include "trace/what_if/trial.h"

// A step's tensor as tables with headings: one a leaf (paper.h), each number on its colour, and behind
// it, where it is of a readable length, the arithmetic that made it, which shows when the number is
// pointed at or focused. Where the run makes a mistake on purpose, numbers that it changed have a frame.
void html_add_tensor(struct text *text, const struct trial *trial, const struct step *step,
                     int digits);

// The lines of C that computed a step, numbered as in their file, and the same in PyTorch.
void html_add_source(struct text *text, const struct run *run, const struct step *step);

// The cheat sheet of show/sheet.h as a section with a heading of level 2, address "formulas".
void html_add_formulas(struct text *text, int trial_count, const struct trial *trials);

// The style sheet, without its <style>: handout.css, embedded when the program is built, and the
// colours of heat.h.
void html_add_style(struct text *text);

#endif
