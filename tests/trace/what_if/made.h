#ifndef ONESTEP_TESTS_TRACE_WHAT_IF_MADE_H
#define ONESTEP_TESTS_TRACE_WHAT_IF_MADE_H

// The cases of data/mistakes.txt and data/grouped.txt: mistakes that PyTorch made in the lessons (pytorch_mistakes.py, which says how a line
// looks). All of them use the arena of the fixture.

#include "trace/run/run.h"
#include "trace/what_if/mistake.h"

// The lines of one case, in the text of the file.
struct case_lines {
    const char *names;    // of the lesson's steps: "A | B | ..."
    const char *heading;  // "case LESSON OPTIONS... : MISTAKE..."
    const char *verdicts; // one for each name
};

// A case: the lesson's run without the mistakes, and with them.
struct made {
    const char *heading; // a copy
    struct run right, wrong;
    const struct mistake *mistakes[8];
    int count;
    double tolerance; // of numbers that have other bits than PyTorch's: relative to them, or to 1
};

// What PyTorch has in a step of a case. NULL as digest: it is as in the right run but for rounding.
struct made_step {
    const struct step *right, *wrong;
    const char *digest;
};

// Moves *text behind the next case; false at the end. *lines keeps the names of the cases before it.
bool next_case(const char **text, struct case_lines *lines);

// Runs it with two updates, unless the case has another number.
struct made make_case(const struct case_lines *lines);

// Moves *lines behind its next step; false at the end. Steps that PyTorch does not reach are left out.
bool next_made_step(struct case_lines *lines, const struct made *made, struct made_step *step);

// PyTorch's numbers for a step that has a digest: those of the wrong run, with PyTorch's own in the place of numbers that
// the file lists since they have other last bits. It fails if one of these is not near, or if the digest is another.
// With ONESTEP_TESTS_OWN=FILE it appends the numbers of the wrong run to FILE and compares nothing.
const float *pytorchs_numbers(const struct made *made, const struct made_step *step);

// Fails unless PyTorch's number is near the one at this place of the wrong run.
void check_made_number(const struct made *made, const struct step *step, int64_t place,
                       double expected);

#endif
