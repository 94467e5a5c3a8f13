#ifndef ONESTEP_APP_TASK_H
#define ONESTEP_APP_TASK_H

// The tasks of `practice`: the exercises of all lessons, in their order, each as a script for PyTorch with
// one expression left out. The script writes what the expression came to into a file beside itself.

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

// A task's step, of a run of its lesson at its course's parameters, which lies in `arena`.
struct posed {
    struct run run;
    const struct step *step;
};
void pose(struct posed *posed, struct arena *arena, const struct task *task);

// The script, of `count` in all, and the file that it writes: its name with the ending .txt.
const char *task_script(struct arena *arena, const struct task *task, int count);

// "scores = ...": the statement with its blank.
const char *task_statement(struct arena *arena, const struct posed *posed);

// Compares a file with the task's step; masks of either stream will do. Fails with FAIL_INPUT for a file that
// can't be read. `posed` must outlive the result.
struct checked check_task(struct arena *arena, const struct posed *posed, const char *path);

#endif
