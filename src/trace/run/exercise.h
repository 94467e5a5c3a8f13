#ifndef ONESTEP_TRACE_RUN_EXERCISE_H
#define ONESTEP_TRACE_RUN_EXERCISE_H

// Exercises: steps of a lesson whose PyTorch expression the reader has to find. The statement has a blank in
// place of the expression: "scores = ...".

#include "trace/run/run.h"

// How a printed program shows the lesson's exercises.
enum exercises { NO_EXERCISES, BLANKS, SOLVED };

// The exercise of a step; NULL if it has none.
const struct exercise *exercise_at(struct arena *arena, const struct lesson *lesson,
                                   const struct step *step);

// The line "NAME = ..." of the step's statement whose right side is the exercise. NULL if it has no such line.
const char *line_of_exercise(const struct step *step);

// The expression that is left out: what follows "NAME = " in the step's statement. NULL if the statement has
// no such line.
const char *answer_of(struct arena *arena, const struct step *step);

// The step's statement with `filling` in place of the expression; unchanged if it has no such line.
const char *statement_with(struct arena *arena, const struct step *step, const char *filling);

#endif
