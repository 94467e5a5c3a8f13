#ifndef ONESTEP_TRACE_EXERCISE_H
#define ONESTEP_TRACE_EXERCISE_H

// Exercises: steps of a lesson of which PyTorch's right side is to be found. The statement stays, with
// a blank where the expression was: "scores = ...".

#include "trace/run.h"

// What becomes of a lesson's exercises where it is printed as a program.
enum exercises { NO_EXERCISES, BLANKS, SOLVED };

// The exercise that a step is; NULL if it is none.
const struct exercise *exercise_at(struct arena *arena, const struct lesson *lesson,
                                   const struct step *step);

// The expression that is left out: what stands behind "NAME = " in the step's statement. NULL if the
// statement has no such line.
const char *answer_of(struct arena *arena, const struct step *step);

// The step's statement with `filling` in place of the expression; as it is, if it has no such line.
const char *statement_with(struct arena *arena, const struct step *step, const char *filling);

#endif
