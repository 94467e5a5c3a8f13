#ifndef ONESTEP_APP_CHECK_RELATION_LINE_H
#define ONESTEP_APP_CHECK_RELATION_LINE_H

// A run played again with one of its operations changed, as a slip in one line of a program changes it. The numbers of the
// step are then compared with a student's.
//
//     struct changing c = start_changing(arena, seeking);
//     rewrite(node)->number = 0;
//     if (explains_now(&c)) ...
//     restore(&c, node);

#include "app/check/patience.h"
#include "app/check/relation/proposal.h"
#include "trace/what_if/replay.h"

struct changing {
    struct arena *arena; // younger than the run's
    struct seeking *seeking;
    struct replay replay;
    int step; // its index in the run
    const struct step **
        line; // of each node: the first step that is computed from it; NULL: the step does not depend on it
    struct node *kept; // each node as it was, with operands of its own
    int *made;         // of each step of the run: the place of its node
    struct patience patience;
};

struct changing start_changing(struct arena *arena, struct seeking *seeking);

// Plays the step and asks whether its numbers are now the file's, beyond chance (proposal.h).
bool explains_now(struct changing *c);

// The node as it was before any change.
void restore(struct changing *c, int place);

// Lets a node read other numbers of the same shape as an operand, without another change to the run. read_instead_of keeps the
// meanings of the operand's axes.
void read_instead(struct changing *c, int place, int operand, const struct tensor *numbers);

// Makes these numbers, of the node's shape, the node's result.
void become(struct changing *c, int place, const struct tensor *numbers);

// The right numbers of an operand of a node, or what the run has for them.
const struct tensor *operand_of(const struct changing *c, int place, int operand);

// What the step is called that shows an operand of a node, before the line of the node; "the operand" if there is none.
const char *name_of_operand(const struct changing *c, int place, int operand);
// What the step is called in whose line a node stands.
const char *name_of_line(const struct changing *c, int place);

#endif
