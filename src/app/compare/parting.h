#ifndef ONESTEP_APP_COMPARE_PARTING_H
#define ONESTEP_APP_COMPARE_PARTING_H

// Where two runs part: the first tensor of B whose operands A has, and which A has not.
//
// A tensor of B is known by its numbers, in whatever layout (layout.h). What A has not is no difference by itself: a copy, another
// order of operations, several layers in one. It is one if B's result is made of it by nothing that A has.

#include "app/compare/layout.h"

// "scores=S": the name in A, and that in B.
struct alias {
    const char *a, *b;
};

struct matching {
    const struct side *a, *b;
    int alias_count;
    const struct alias *aliases;
    int *first_same; // by place of A: the first place with the same numbers
    bool *is_had;    // by place of A: B has its numbers
    bool *is_needed; // by place of A: its result is made of it by nothing that B has
    int *match;      // by place of B: a place of A with its numbers; NOWHERE
    bool *is_known;  // by place of B: A has its numbers, in one tensor or in parts
};

struct parting {
    bool is_same;
    bool is_shorter; // the same, and A goes on
    int a, b;        // places; a is NOWHERE if nothing of A stands for b
    bool is_ended;   // the same until one of them was ended, before the other's result
    bool
        is_exchanged; // b has the numbers of a with dimensions exchanged, and is read as if it had not
    int meant;        // of A: b has its name, and the numbers of a; NOWHERE
    int used_b, wanted_a; // b reads this, where A reads that; NOWHERE
    struct difference difference;
    int follow; // shown tensors of B that are made of b, or stand behind it in a dump, and which A has not
    int next; // another place where they part, which is not made of b; NOWHERE: none is known
    int shown, same; // tensors of B that are shown, and those that A has
};

// How much two names of tensors say the same, from 0 to 4: "block 1: scores" and "self.scores" have the same last word.
int likeness_of_names(struct arena *arena, const char *a, const char *b);

// Whole numbers that are few, or the same number everywhere, tell nothing of what they were made of.
bool tells_little(const struct place *place);

struct matching match_sides(struct arena *arena, const struct side *a, const struct side *b,
                            int alias_count, const struct alias *aliases);
struct parting parting_of(struct arena *arena, const struct matching *m);

// The same, where b is known: the first place of B that shows a line's tensor that an edit changes.
struct parting parting_at(struct arena *arena, const struct matching *m, int b);

#endif
