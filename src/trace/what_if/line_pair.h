#ifndef ONESTEP_TRACE_WHAT_IF_LINE_PAIR_H
#define ONESTEP_TRACE_WHAT_IF_LINE_PAIR_H

// The lines in which two runs of a lesson as a program differ: what a mistake is, for somebody who reads the lesson's Python.

#include "trace/run/run.h"

struct line_pair {
    int step; // whose statement it is, from 0; -1: of the setup, which runs before all steps
    // Each line ends in \n. "": none stands there.
    const char *before, *after;
};

struct line_pairs {
    int count;
    struct line_pair *all; // in the order in which they run
};

// What the statements and the setup of `edited` have in the place of those of `right`, which has the same steps. Lines that stay
// are between two pairs, never in one; blank lines do not count. In the arena.
struct line_pairs line_pairs_between(struct arena *arena, const struct run *right,
                                     const struct run *edited);

// The lines that stand after all pairs of one step, each ending in \n; "" if there are none.
const char *lines_in_step(struct arena *arena, const struct line_pairs *pairs, int step);

// All pairs of one step (-1: of the setup): "- " and each line before, "+ " and each line after. "" if there are none.
const char *pairs_in_step(struct arena *arena, const struct line_pairs *pairs, int step);

// Does a pair before number i have the same lines, as in another head?
bool is_pair_again(const struct line_pairs *pairs, int i);

#endif
