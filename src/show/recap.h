#ifndef ONESTEP_SHOW_RECAP_H
#define ONESTEP_SHOW_RECAP_H

// How a lesson begins, and how it ends: what it showed, the whole class in PyTorch, what is new in it against an earlier lesson, three
// questions, and where to go on. As a document, and as what the walker draws.

#include "base/text.h"
#include "trace/run/run.h"

// "The complete code in PyTorch (+ new, - gone since lesson causal)": what stands above the class.
const char *classes_title(struct arena *arena, const struct recap *recap);

// Stands above the function of C that a lesson ends with.
#define FUNCTION_TITLE "The lesson as one function in C"

// What the lesson is for, and what is new in it.
const char *opening_text(struct arena *arena, const struct lesson *lesson);

// Adds the end of the run's lesson, which has one, as text of 80 columns. With colour, lines that stay are dim.
void add_recap(struct text *text, const struct run *run, bool has_color);

// Adds the classes and their use as a program that runs and prints the tensor that it gives.
void add_recap_program(struct text *text, const struct run *run);

#endif
