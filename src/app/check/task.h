#ifndef ONESTEP_APP_CHECK_TASK_H
#define ONESTEP_APP_CHECK_TASK_H

// The tasks of `practice`: the exercises of all lessons, in their order, each as a script for PyTorch with
// one expression left out. The script writes the value of the expression into a file in the same folder.

#include "app/check/checked.h"
#include "base/text.h"

struct task {
    int number;
    const char *name; // of its files: "05_simplified_scores"
    const struct lesson *lesson;
    const struct exercise *exercise;
};

// All tasks, numbered from 1, in `arena`; `*tasks` becomes the array of them. Returns how many.
int tasks_of(struct arena *arena, const struct task **tasks);

// A task's step, in a run of its lesson with the course's parameters.
struct posed {
    struct run run;
    const struct step *step;
};
void pose(struct posed *posed, struct arena *arena, const struct task *task);

// How the file of a script that crashed begins; the last line of the traceback follows.
#define TASK_CRASH "crash: "

// The text of the script; `count` is the number of all tasks. The script writes a file of the same name with
// the ending .txt.
const char *task_script(struct arena *arena, const struct task *task, int count);

// "scores = ...": the statement with its blank.
const char *task_statement(struct arena *arena, const struct posed *posed);

// Compares a file with the task's step; masks of either stream are accepted. Fails with FAIL_INPUT for a file
// that can't be read. `posed` must outlive the result.
struct checked check_task(struct arena *arena, const struct posed *posed, const char *path);

#endif
