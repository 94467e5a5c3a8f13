#ifndef ONESTEP_SCRIPT_LESSON_INTERPRETER_H
#define ONESTEP_SCRIPT_LESSON_INTERPRETER_H

#include "trace/what_if/changed_line.h"

// The interpreter that a trial with changed lines needs, and one that is to show the lines of mistakes.
extern const struct interpreter python_interpreter;

#endif
