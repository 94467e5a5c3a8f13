#ifndef ONESTEP_APP_COMMAND_PROGRAM_H
#define ONESTEP_APP_COMMAND_PROGRAM_H

// A program in Python in the place of a lesson: walk, print, screen and list take its file.

#include "base/text.h"
#include "trace/run/run.h"

// Is it the name of such a file: does it end in .py, or is it - for standard input?
bool is_program_name(const char *argument);
// The same of a notebook, whose code cells are a program: does it end in .ipynb?
bool is_notebook_name(const char *argument);
// Either, but not standard input.
bool names_program(const char *argument);

// The lesson of the program in the file, in the arena. From now on Ctrl-C ends the program that runs, not onestep; its
// steps until then can be seen. Fails with FAIL_INPUT if the file can't be read or is no Python.
const struct lesson *read_program(struct arena *arena, const char *path);

// Where it runs again in a terminal, `stop` ends it when it becomes true.
void stop_program_by(const volatile bool *stop);

// Is the lesson a program?
bool is_program(const struct lesson *lesson);

// Its code.
const char *program_text(const struct lesson *lesson);

// Did the program come to its end when it last ran? If not, adds a line that says why.
bool program_ended_well(const struct lesson *lesson, struct text *notes);

// No program runs any more: Ctrl-C ends onestep again.
void release_programs(void);

#endif
