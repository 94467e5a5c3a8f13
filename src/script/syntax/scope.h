#ifndef ONESTEP_SCRIPT_SYNTAX_SCOPE_H
#define ONESTEP_SCRIPT_SYNTAX_SCOPE_H

// Where names are bound. A name that a function assigns anywhere is its own, unless it says `global` or `nonlocal`.

#include "base/arena.h"
#include "script/syntax/tree.h"

struct scope_name;

// The names of a function, lambda, class, comprehension or program.
struct scope {
    struct scope *outer; // that it is written in; NULL for a program
    bool is_class, is_program, is_comprehension;
    bool is_generator;        // a function that yields
    struct scope_name *names; // a table with open places
    int count, room;
};

// Sets `scope` of every node below a program's tree that has one, and of the tree. What CPython does not compile is in *error.
void find_scopes(struct arena *arena, struct node *tree, struct syntax_error *error);

// A node's slot: not yet known, in the frame itself, in the globals, in a class body first; SLOT_OUTER + n: n frames out.
enum { SLOT_UNKNOWN, SLOT_LOCAL, SLOT_GLOBAL, SLOT_CLASS, SLOT_OUTER };
int slot_of(const struct scope *scope, const char *name);

// The next name that the scope binds, from *i on, which is 0 at first; NULL behind the last. In no order.
const char *next_bound(const struct scope *scope, int *i);

#endif
