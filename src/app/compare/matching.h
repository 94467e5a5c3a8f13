#ifndef ONESTEP_APP_COMPARE_MATCHING_H
#define ONESTEP_APP_COMPARE_MATCHING_H

// Which tensors of two runs belong together. A tensor of B is known by its numbers, in whatever layout (layout.h); its name only
// decides between several.

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

struct matching match_sides(struct arena *arena, const struct side *a, const struct side *b,
                            int alias_count, const struct alias *aliases);

// Is all that B made a place of known? Then more numbers than A has are a larger table, and not wrong ones.
bool is_made_of_known(const struct matching *m, int b);

// Does a run say what its tensors were made of? A dump has no operations, and of those of a recording not all are known.
bool knows_operations(const struct side *side);

// Are they whole numbers, as ids and positions are? Whole numbers, or the same number everywhere, tell nothing of what they were
// made of, nor does a single number.
bool is_whole(const struct place *place);
bool tells_little(const struct place *place);

// How much two names of tensors say the same, from 0 to 4: "block 1: scores" and "self.scores" have the same last word. The same of
// two places; a recorded operation without a name has none in common.
int likeness_of_names(struct arena *arena, const char *a, const char *b);
int likeness(struct arena *arena, const struct place *a, const struct place *b);

#endif
