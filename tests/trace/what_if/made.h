#ifndef ONESTEP_TESTS_TRACE_WHAT_IF_MADE_H
#define ONESTEP_TESTS_TRACE_WHAT_IF_MADE_H

// The cases of data/mistakes.txt and data/grouped.txt: mistakes that PyTorch made in the lessons (pytorch_mistakes.py, which says how a line
// looks). All of them use the arena of the fixture.

#include "trace/what_if/trial.h"

// The lines of one case, in the text of the file.
struct case_lines {
    const char *names;    // of the lesson's steps: "A | B | ..."
    const char *heading;  // "case LESSON OPTIONS... : MISTAKE..."
    const char *verdicts; // one for each name
};

// A case, and the lesson's run without its mistakes.
struct made {
    const char *heading; // a copy
    struct run right;
    struct trial *trial; // with the mistakes in the lesson's lines, once trial_of was called
    const struct mistake *mistakes[8];
    int count;
    double tolerance; // of numbers that have other bits than PyTorch's: relative to them, or to 1
};

// What PyTorch has in a step of a case. NULL as digest: it is as in the right run but for rounding.
struct made_step {
    const struct step *right;
    const char *digest;
};

// Moves *text behind the next case; false at the end. *lines keeps the names of the cases before it.
bool next_case(const char **text, struct case_lines *lines);

// Runs it with two updates, unless the case has another number.
struct made make_case(const struct case_lines *lines);

// The case's mistakes, made in the lesson's lines.
const struct trial *trial_of(struct made *made);

// Moves *lines behind its next step; false at the end. Steps that PyTorch does not reach are left out.
bool next_made_step(struct case_lines *lines, const struct made *made, struct made_step *step);

// Has a tensor PyTorch's numbers of the step? NULL if it has, or how it differs. With a digest it has PyTorch's bits, but for those
// numbers that the file lists since they have other last bits; these are near. *numbers, if it is not NULL, becomes PyTorch's. With
// ONESTEP_TESTS_OWN=FILE it appends the tensor's numbers to FILE and compares nothing.
const char *unlike_pytorch(const struct made *made, const struct made_step *step,
                           const struct tensor *tensor, const float **numbers);

#endif
