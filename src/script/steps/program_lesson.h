#ifndef ONESTEP_SCRIPT_STEPS_PROGRAM_LESSON_H
#define ONESTEP_SCRIPT_STEPS_PROGRAM_LESSON_H

// A program in Python as a lesson, whose steps are made when it runs (recorder.h).

#include "trace/run/run.h"

enum { MOST_LEFT_OUT = 64 };

// What ended the last run of a program: "file.py:12: ValueError: ...", in one line; "" if it came to its end. Of a notebook
// also the cells that need what onestep does not run, which are left out, and why.
struct outcome {
    char error[1024];
    int left_out_count;
    struct left_out {
        int cell; // from 1
        char why[200];
    } left_out[MOST_LEFT_OUT];
    char summary[2048]; // that names them
};

struct program_lesson {
    struct lesson lesson; // first
    struct source source;
    const char *file, *text;
    bool is_notebook;
    int64_t memory;            // bytes that the program may have at once; 0: 2 GiB
    const volatile bool *stop; // ends the program when it becomes true; or NULL
    struct outcome *outcome;
};

// The lesson of a program: its name is that of the file without its ending, its title the first sentence of its
// docstring, its summary the rest. `file` and `text` are kept. Fails with FAIL_INPUT, in one line, if it is no Python.
struct program_lesson *program_lesson_new(struct arena *arena, const char *file, const char *text);
// The same of the code of a notebook (tensor/file/notebook.h).
struct program_lesson *notebook_lesson_new(struct arena *arena, const char *file, const char *text);

// The program of a lesson; NULL if it is a lesson in C.
const struct program_lesson *program_of(const struct lesson *lesson);

// The names that may stand in the line of a step (from 0) of a program, as `complete` of struct interpreter gives them
// (trace/what_if/changed_line.h): the program runs again up to the line.
const char *const *names_at_step(struct arena *arena, const struct run *run, int step,
                                 const char *begun);

#endif
