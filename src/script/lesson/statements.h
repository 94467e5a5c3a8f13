#ifndef ONESTEP_SCRIPT_STATEMENTS_H
#define ONESTEP_SCRIPT_STATEMENTS_H

// A lesson run as a program: its setup, the statements of its steps, and their expressions.

#include "trace/what_if/changed_line.h"

// The interpreter that a trial with changed lines needs.
extern const struct interpreter python_interpreter;

// Its `play`, which ends when *stop becomes true (NULL: never).
void play_statements(struct line_outcome *outcomes, struct arena *arena, const struct run *right,
                     const struct run *run, const volatile bool *stop);

#endif
