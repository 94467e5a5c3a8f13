#ifndef ONESTEP_SHOW_MARKUP_H
#define ONESTEP_SHOW_MARKUP_H

// Pieces of HTML and SVG. Whatever a token, a file's name or a lesson says, it is text there and never
// markup.

#include "base/text.h"
#include "trace/run/run.h"

// Adds a string as text or as the value of a quoted attribute: & < > " ' are written as entities, and
// characters that XML has no place for become U+FFFD.
void markup_add(struct text *text, const char *string);

// "wrapper.head-1.scores": a step's name in an address, and of its file. Letters, digits and _ . - only.
const char *step_address(struct arena *arena, const struct run *run, const struct step *step);

#endif
