#ifndef ONESTEP_APP_COMPARE_MENDING_H
#define ONESTEP_APP_COMPARE_MENDING_H

// The edit of one run that gives the other's result. Edits are tried one by one, the likeliest first: the edited program runs, and
// its result must have the other's numbers.

#include "app/compare/parting.h"

struct mending {
    bool is_found;
    bool
        is_of_b; // b's line, and what A's numbers are made by; else A's line, and what gives b's numbers
    bool is_partial;            // it gives the tensor where they part, and another result
    const char *parameter;      // of a lesson, which gives b's numbers: "base=10000"; NULL
    const char *name;           // of a mistake with a name; NULL
    const char *words;          // what goes wrong, or what the edit changes
    const char *where;          // "line 12"; "" of a lesson
    const char *before, *after; // lines
    int changed;                // the place of B that the edit changes first; NOWHERE
    int tried;
    bool is_cut; // not all were tried
};

// An edit of program B, whose text is `source`, with which its result is a tensor of A that it lacks.
struct mending mend_program_of_b(struct arena *arena, const struct matching *m,
                                 const struct parting *parting, const char *file,
                                 const char *source, bool is_thorough);

// An edit of A, a lesson or a program whose text is `source` (NULL: a lesson), with which it computes B's result.
struct mending mend_a(struct arena *arena, const struct matching *m, const struct parting *parting,
                      const char *source, bool is_thorough);

#endif
