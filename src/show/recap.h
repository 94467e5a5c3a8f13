#ifndef ONESTEP_SHOW_RECAP_H
#define ONESTEP_SHOW_RECAP_H

// How a lesson begins, and how it ends: what it showed, the whole class in PyTorch, what is new in it against the lesson before, three
// questions, and where to go on. As a document, and as what the walker draws.

#include "base/text.h"
#include "trace/run.h"

// What the lesson is for, and what is new in it against the one before.
const char *opening_text(struct arena *arena, const struct lesson *lesson);

// A line of the classes, against those of the lesson before.
struct change {
    enum { LINE_STAYS, LINE_IS_NEW, LINE_IS_GONE } kind;
    const char *line; // without its newline
};

// The lines of `now`, with those of `before` that are gone where they stood, in `arena`; returns how many. Without
// a lesson before (NULL) every line stays. As few lines as possible are new or gone: a longest common
// subsequence, by the table of Wagner and Fischer (1974).
int changes_since(struct arena *arena, const struct recap *before, const struct recap *now,
                  struct change **changes);

// Adds the end of a lesson that has one as text of 80 columns. With colour, lines that stay are dim.
void add_recap(struct text *text, const struct lesson *lesson, const struct recap *before,
               bool has_color);

// Adds the classes and their use as a program that runs and prints the tensor that it gives.
void add_recap_program(struct text *text, const struct run *run);

#endif
