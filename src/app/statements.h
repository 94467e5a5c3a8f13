#ifndef ONESTEP_APP_STATEMENTS_H
#define ONESTEP_APP_STATEMENTS_H

// The lessons' lines of PyTorch, run as programs.

#include "base/text.h"

// Runs the statements of every lesson in onestep's own Python, each lesson as a program, and says in a line how many steps
// they give with the step's shape, type and bits; a line about each lesson whose program does not. Returns whether all do.
bool add_statements(struct text *text);

#endif
