#ifndef ONESTEP_SCRIPT_STEPS_WORDS_H
#define ONESTEP_SCRIPT_STEPS_WORDS_H

// What a program says of itself: the text of a node, the lines of a statement, the comment above it.

#include "base/arena.h"
#include "script/syntax/tree.h"
#include "trace/run/source.h"

// The place in the source of a line (from 1) and a column (from 0, in characters).
const char *place_in_source(const char *source, int line, int column);

// A node's text on one line, without the comments inside.
const char *text_of_node(struct arena *arena, const struct program *program,
                         const struct node *node);

// The lines of a statement as they are written, indented no more than needed; each ends in \n.
const char *lines_of_span(struct arena *arena, const struct program *program,
                          const struct span *span);

// The paragraph of a statement: the comment directly above it, or behind it, is its title (the first sentence) and its
// explanation. Without one the title says which line it is, and of which function ("" for the program itself).
const struct paragraph *paragraph_of_statement(struct arena *arena, const struct program *program,
                                               const struct node *statement, const char *function);

// Of the code of a notebook (tensor/file/notebook.h): the number of the cell in which a line stands, and the line in it, from 1.
// 0, and the line itself, in any other program.
int cell_of_line(const char *source, int line, int *within);

// Bytes of the first sentence of a text, its full stop included; all of it if it has no other.
size_t first_sentence(const char *text);

// Where a word first stands in the text, and not in a longer one; NULL if nowhere.
const char *find_word(const char *text, const char *word);

#endif
