#ifndef ONESTEP_TRACE_RUN_STEP_H
#define ONESTEP_TRACE_RUN_STEP_H

// Finding and describing the steps of a run.

#include "tensor/cell.h"
#include "trace/run/run.h"

// "head 1: scores", or "scores" for a step without a group.
const char *step_label(struct arena *arena, const struct step *step);

// The step in PyTorch: its statement, and behind it the expression that shows it, if that is not its name.
const char *step_pytorch(struct arena *arena, const struct step *step);

// Does the step stand in one paragraph with the step before it? Then they share title and explanation.
bool continues_paragraph(const struct run *run, const struct step *step);

// The other one of two softmaxes of one shape that are all of a paragraph, to be compared with each other rather than with
// their scores; NULL if the step is none of two such.
const struct step *weights_beside(const struct run *run, const struct step *step);

// Around a step of a program: the step that shows the result of the call in which it was computed, which comes behind it;
// NULL outside of calls. And how many such calls are around it.
const struct step *call_around(const struct run *run, const struct step *step);
int depth_in_calls(const struct run *run, const struct step *step);

// Of the step of a call's result: the step inside the call that computed its numbers; NULL of any other step.
const struct step *computed_in_call(const struct run *run, const struct step *step);

// The step that a user means: by number from 1, name, or "GROUP: NAME". A bare name means the step
// without a group where there is one. NULL if there is none or the name is borne by several groups.
const struct step *step_called(const struct run *run, const char *wanted);
// The first step that has the name, in whatever group; NULL if none has.
const struct step *first_named(const struct run *run, const char *name);

// The same, but fails with FAIL_USAGE if there is none, and says which names there are.
const struct step *find_step(const struct run *run, const char *wanted, struct failure *failure);

// The step of `run` that shows the storage of `tensor`, or the very number: the last one with a number
// below `before`, or the first of all if there is none below it; NULL if no step shows it.
// step_of_cell also finds the cell in that step's tensor (`found` may be NULL).
const struct step *step_showing(const struct run *run, const struct tensor *tensor, int before);
const struct step *step_of_cell(const struct run *run, const struct cell *cell, int before,
                                struct cell *found);

// Is the step's tensor a view of numbers that an earlier step showed?
bool shows_view(const struct run *run, const struct step *step);

// Does each number of a tensor of one dimension come from one row of a matrix? Then it is read as a column beside it.
bool stands_upright(const struct tensor *tensor);

#endif
