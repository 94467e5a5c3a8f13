#ifndef ONESTEP_APP_COMPARE_PARTING_H
#define ONESTEP_APP_COMPARE_PARTING_H

// Where two runs part: the first tensor of B whose operands A has, and which A has not.
// What A has not is no difference by itself: a copy, another order of operations, several layers in one. It is one if B's result is
// made of it by nothing that A has.

#include "app/compare/matching.h"

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

// Finds it.
struct parting parting_of(struct arena *arena, const struct matching *m);

// The same, where b is known: the first place of B that shows a line's tensor that an edit changes.
struct parting parting_at(struct arena *arena, const struct matching *m, int b);

#endif
