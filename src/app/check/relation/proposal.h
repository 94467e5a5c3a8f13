#ifndef ONESTEP_APP_CHECK_RELATION_PROPOSAL_H
#define ONESTEP_APP_CHECK_RELATION_PROPOSAL_H

// What a student's numbers may be, and whether they are that, beyond chance.

#include "tensor/file/numbers.h"
#include "trace/run/run.h"

struct relation {
    const char *code; // one word: "factor"
    const char *text; // a sentence about all numbers, and the usual cause
    bool
        is_place; // it says where the wrong numbers are, or how they look, not where they come from
    bool is_certain; // it says no more than anybody sees in the file
};

// A search for the relation of a file's numbers to those of a step.
struct seeking {
    struct arena *arena;
    const struct run *run;
    const struct step *step;
    const struct tensor *right;
    const struct numbers *numbers;
    const double *allowed; // how far each may differ from the right one
    int64_t count;         // numbers
    double size;           // of the file's numbers: the root of their mean square
    int tried;             // proposals so far
    struct relation *relation;
};

// factor · number of a tensor + offset.
struct proposal {
    struct tensor of; // of the step's shape
    double factor, offset;

    // Along dimension `dim`, the numbers at index i are those at index order[i] of the tensor; -1: nothing is
    // proposed there. NULL: each is at its own place.
    const int64_t *order;
    int dim;

    // What was fitted to the file, which then tells less.
    int64_t fitted; // position of the number that the factor or offset was fitted to; -1: none was
    double slack;   // how far a fitted factor may be off, as a part of it
    double shift;   // how far a fitted offset may be off
    double cost;    // bits, of an order
    int least;      // so many numbers have to tell; 0: two, or three if one was fitted
    double of_infinity; // bits that a number tells whose distance from the right one is infinite
};

// Begins a search; returns false if the step has only whole numbers, or the file only zeros, which have no relation. The answer goes
// into *relation.
bool start_seeking(struct seeking *seeking, struct arena *arena, const struct run *run,
                   const struct step *step, const struct numbers *numbers, const double *allowed,
                   struct relation *relation);

// The tensor itself.
struct proposal as_it_is(const struct tensor *tensor);

// What is proposed for a position, and how far the number of the file may lie from it.
double proposed_at(const struct proposal *proposal, int64_t position);
double width_at(const struct seeking *seeking, const struct proposal *proposal, int64_t position,
                double wanted);

// Does the number of the file agree with it?
bool agrees_at(const struct seeking *seeking, const struct proposal *proposal, int64_t position);

// Do all numbers agree with the proposal, and do those that are not right tell enough? It counts what was tried;
// relation.h says what is enough.
bool explains(struct seeking *seeking, const struct proposal *proposal);

// "head 2 (x[:, 1])": what is at one index of a dimension of the step.
const char *slice_words(const struct seeking *seeking, int dim, int64_t index);

// Fills in the answer; returns true.
bool is_related(struct seeking *seeking, const char *code, const char *text);

#endif
