#ifndef ONESTEP_APP_LINK_H
#define ONESTEP_APP_LINK_H

// A link: a screen of the walker as the end of an address, behind its '#'.
//
//     onestep.html#causal/causal_weights?seed=5&what-if=mask-zero&cell=2,1
//
// names the lesson, the step, parameters, mistakes and the cell under the cursor. It is a command line in
// another spelling: "?seed=5&bias" says what "--seed=5 --bias" says. As in addresses, '+' is a blank and
// %2B a plus. Tokens of the reader's own, which lie in a file, are not in a link.

#include "base/text.h"
#include "walk/walker.h"

// Is an argument a link, or an address that ends in one?
bool is_link(const char *argument);

// What it says, decoded.
struct link {
    const char *lesson; // "" if it names none
    const char *step;   // NULL if it names none
    int count;
    const char **options; // "--seed=5", "--bias"
};

// Reads a link. Fails with FAIL_USAGE at an option that a link cannot have. Whether there is such a
// lesson, step or value, whoever reads the options finds out.
struct link read_link(struct arena *arena, const char *argument);

// Adds the link to what the walker shows: the step and the cell, whatever view is open.
void add_link(struct text *text, const struct walker *walker);

#endif
