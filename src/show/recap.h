#ifndef ONESTEP_SHOW_RECAP_H
#define ONESTEP_SHOW_RECAP_H

// How a lesson begins, and how it ends: what it showed, the whole class in PyTorch, what is new in it against the lesson before, three
// questions, and where to go on. As a document, and as what the walker draws.

#include "base/text.h"
#include "trace/run/run.h"

// Stands above the function of C that a lesson ends with.
#define FUNCTION_TITLE "The lesson as one function in C"

// What the lesson is for, and what is new in it against the one before.
const char *opening_text(struct arena *arena, const struct lesson *lesson);

// Adds the end of the run's lesson, which has one, as text of 80 columns. With colour, lines that stay are dim.
void add_recap(struct text *text, const struct run *run, bool has_color);

// Adds the classes and their use as a program that runs and prints the tensor that it gives.
void add_recap_program(struct text *text, const struct run *run);

#endif
