#ifndef ONESTEP_SCRIPT_EDIT_VISIT_H
#define ONESTEP_SCRIPT_EDIT_VISIT_H

// The nodes of a program, where edits are looked for.

#include "script/edit/edit.h"
#include "script/syntax/tree.h"

struct edits {
    struct arena *arena;
    const struct program *program;
    const bool *closed;             // by line
    const struct edit_judge *judge; // NULL: all are sensible
    int count;
    struct edit *all;
};

// The sources of edits; they append.
void add_named_edits(struct edits *edits);
void add_named_mistakes(
    struct edits *edits); // the other way: the named mistakes made in a right program
void add_usual_edits(struct edits *edits);
void add_changed_values(struct edits *edits); // what is done to a right value afterwards
void add_lacking_pieces(struct edits *edits);
// Of one name.
void add_mistakes_named(struct edits *edits, const char *name);

// Appends an edit, unless its line is closed, the judge takes it for no sensible one, its text is what stands
// there, or an equal one is there already: of two the cheaper stays.
void add_edit(struct edits *edits, struct edit edit);

// An edit of a whole node.
struct edit edit_of_node(const struct edits *edits, const struct node *node, const char *text,
                         const char *words, double price);

// Names that a line may read: those that its function binds (parameters too), or the program; and what its class gives self.
enum { MOST_IN_SIGHT = 128 };
struct sight {
    int name_count, attribute_count;
    const char *names[MOST_IN_SIGHT];
    int lines[MOST_IN_SIGHT];              // where each was first bound
    const char *attributes[MOST_IN_SIGHT]; // "self.W_query"
};
// The i-th name that is bound before a line, the nearest first; NULL behind the last.
const char *name_before(const struct sight *sight, int line, int i);
// What it costs more than the nearest, in bits.
double price_of_name(int i);

struct visited {
    const struct node *node, *parent, *statement;
    const struct node *const *siblings; // of the statement: those of its block
    int position, sibling_count;
    const struct sight *sight;
};

// Usual edits of a call's function and of what it is given, and of a value that a name is bound to.
void change_function(struct edits *edits, const struct visited *visited);
void wrap_value(struct edits *edits, const struct node *value);

// Calls `visit` for each node of the program, outer ones first.
void visit_nodes(const struct edits *edits,
                 void (*visit)(void *context, const struct visited *visited), void *context);

#endif
