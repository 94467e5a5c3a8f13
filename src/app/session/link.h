#ifndef ONESTEP_APP_SESSION_LINK_H
#define ONESTEP_APP_SESSION_LINK_H

// A link: a screen of the walker as the part of an address after '#'.
//
//     onestep.html#causal/causal_weights?seed=5&what-if=mask-zero&cell=2,1
//
// names the lesson, the step, parameters, mistakes and the cell under the cursor. It is a command line in
// another spelling: "?seed=5&bias" means "--seed=5 --bias". As in addresses, '+' is a blank and %2B a plus. A
// link does not contain the reader's own tokens, which are in a file.

#include "base/text.h"
#include "walk/walker.h"

// Is an argument a link, or an address that ends in one?
bool is_link(const char *argument);

// The parts of a link, decoded.
struct link {
    const char *lesson; // "" if it names none
    const char *step;   // NULL if it names none
    int count;
    const char **options; // "--seed=5", "--bias"
};

// Reads a link. Fails with FAIL_USAGE at an option that a link cannot have. It does not check whether the
// lesson, step or value exists; the reader of the options does.
struct link read_link(struct arena *arena, const char *argument);

// Adds a link to what the walker shows: the step and the cell, whatever view is open.
void add_link(struct text *text, const struct walker *walker);

// Adds the command that shows the lesson on screen with its changed lines, for a shell; nothing where no line is changed, or
// for a program.
void add_lines_command(struct text *text, const struct walker *walker);

// ---- Keys on a command line ---------------------------------------------------------------------

// Each character is one, and those that are none have names in angle brackets: "n", "ii<Down><Right>", "/mask<Enter>".
// Reads the next key of *keys and moves the pointer behind it; KEY_NOTHING at the end. Fails with FAIL_USAGE at a
// name that no key has, and says which there are. What is in angle brackets and no word is two characters.
uint32_t next_key(struct arena *arena, const char **keys);

#endif
