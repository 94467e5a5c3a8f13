#ifndef ONESTEP_TRACE_WHAT_IF_CHANGED_PROGRAM_H
#define ONESTEP_TRACE_WHAT_IF_CHANGED_PROGRAM_H

// A program with lines that the user changed: it is run again from its beginning, so it may have other steps.

#include "trace/what_if/changed_line.h"

// Runs the program of `right` with the lines in the place of its own: *run. *aligned has as many steps: for each the step of
// `right` with its label, or where there is none itself. is_changed[i] tells whether step i is made by a line of the user.
// Fails as run_lesson does, and with FAIL_INPUT where the lines are no Python.
void run_changed_program(struct run *run, struct run *aligned, bool **is_changed,
                         struct arena *arena, const struct run *right,
                         const struct changed_lines *lines);

#endif
