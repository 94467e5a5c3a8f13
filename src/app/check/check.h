#ifndef ONESTEP_APP_CHECK_CHECK_H
#define ONESTEP_APP_CHECK_CHECK_H

// The command `check`: a student's numbers against a step, or those of a class.

#include "app/check/checked.h"
#include "app/command.h"
#include "base/text.h"

// Reads the command's file, compares it with the command's step, and adds the answer in the
// command's format. Returns whether the file holds the step's numbers; with a roster, whether all files
// do (roster.h). Fails with FAIL_INPUT if it can't be read, with FAIL_USAGE for a parameter that does not
// fit or a step that is not there.
bool add_check(struct text *text, const struct command *command);

// Reads a student's file: "mine.txt", or "mine.ipynb#5", a cell of a notebook. Fails with FAIL_INPUT.
struct numbers read_numbers(struct arena *arena, const char *path);

// Compares checked->numbers with checked->step of checked->run, and fills in what comes of it.
void judge(struct arena *arena, struct checked *checked);

#endif
