#ifndef ONESTEP_APP_PRINT_PROSE_H
#define ONESTEP_APP_PRINT_PROSE_H

// Words for Markdown, in which nothing is markup.

#include "base/text.h"

// Adds words of ours: what Markdown would take for markup has a backslash before it.
void add_prose(struct text *text, const char *string);

// Adds what may come from a file: all punctuation has one, so that it can't even become a link.
void add_label(struct text *text, const char *string);

#endif
