#ifndef ONESTEP_SCRIPT_EDIT_CANDIDATES_H
#define ONESTEP_SCRIPT_EDIT_CANDIDATES_H

// Where the edits of a program come from.

#include "script/edit/edit.h"

// The edits that may mend a program, in no order:
//
// - those that mend a mistake with a name: the mistakes are the rows of data/edits.txt, right -> wrong; where the program has
//   the wrong form, the right one takes its place, in the program's own names;
// - those that mend a usual slip: another dim, another name in sight, operands exchanged, something left out or there twice, a
//   related function, another number, a line moved;
// - those that put in what the program lacks: a piece, an item, a line, a layer that it makes and never uses.
//
// `closed`: by line, from 1: no edit begins in it. The program must be one that can be parsed.
struct edit_list edits_of_program(struct arena *arena, const char *file, const char *source,
                                  const bool *closed);

// What somebody may have written in the place of a right program: the rows of data/edits.txt the other way, all matches
// together, or one; and usual slips, as far as the judge takes them for sensible.
struct edit_list mistakes_in_program(struct arena *arena, const char *file, const char *source,
                                     const bool *closed, const struct edit_judge *judge);

// Of these, the ones of one row's name, in the order of the rows: all matches together before each by itself. The
// first is the mistake. Of all rows where `name` is NULL.
struct edit_list mistakes_named(struct arena *arena, const char *file, const char *source,
                                const char *name);

// What goes wrong with a mistake of data/edits.txt; NULL if nothing is said there.
const char *words_of_mistake(struct arena *arena, const char *name);

// An edit, as yet without a text, of what the assignment or the return in a line gives; false if there is none.
bool edit_of_value(struct edit *edit, struct arena *arena, const char *file, const char *source,
                   int line);

// An edit of what a program's last statement gives a name: `text` with the value at its %s, "%s * 2". Where it gives the name
// nothing, a line behind it does. False if the program is empty.
bool edit_around_value(struct edit *edit, struct arena *arena, const char *source, const char *name,
                       const char *text);

#endif
