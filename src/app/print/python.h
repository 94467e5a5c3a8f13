#ifndef ONESTEP_APP_PRINT_PYTHON_H
#define ONESTEP_APP_PRINT_PYTHON_H

// Pieces of Python, for the formats that PyTorch runs: scripts and notebooks.

#include "app/print/document.h"
#include "trace/run/exercise.h"

// python/compare.py, embedded when the program is built: the function check() that scripts carry, and what
// it needs. And python/exercises.py, which notebooks with blanks carry.
extern const char data_compare[], data_exercises[];

// The exercise that the document's step is, if it has exercises at all; else NULL.
const struct exercise *exercise_here(const struct document *document);

// The statements of the steps between the step that was written before and the document's, which are
// left out: "" if there are none. And the step's own statement, with a blank if it is an exercise's.
const char *statements_before(const struct document *document);
const char *statement_here(const struct document *document);

// check("causal", "scores", scores, """tensor(...)"""): compares the step's expression with its print.
const char *check_here(const struct document *document);

// A line that makes check(), hint(), points() and show() for a lesson: exec(...). What it runs is encoded, so that neither
// hints nor answers are in sight. The first lesson's line holds python/exercises.py; the others' need it.
const char *exercises_line(struct arena *arena, const struct run *run, bool is_first);

// HINTS.update({...}): the hints of the exercises that are printed; "" without any.
const char *hints_of(struct arena *arena, const struct selection *selection);

// torch.set_printoptions(...), if the digits are not PyTorch's own; else "".
const char *print_options(struct arena *arena, const struct selection *selection);

#endif
