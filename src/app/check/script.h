#ifndef ONESTEP_APP_CHECK_SCRIPT_H
#define ONESTEP_APP_CHECK_SCRIPT_H

// The scripts of `practice`: the exercises of all lessons, in their order, each for PyTorch with
// one expression left out. The script writes the value of the expression into a file in the same folder.

#include "app/check/checked.h"
#include "base/text.h"

struct script {
    int number;
    const char *name; // of its files: "05_simplified_scores"
    const struct lesson *lesson;
    const struct exercise *exercise;
};

// All scripts, numbered from 1, in `arena`; `*scripts` becomes the array of them. Returns how many.
int scripts_of(struct arena *arena, const struct script **scripts);

// What a script leaves out: a step, in a run of its lesson with the course's parameters.
struct solution {
    struct run run;
    const struct step *step;
};
void solve(struct solution *solution, struct arena *arena, const struct script *script);

// How the file of a script that crashed begins; the last line of the traceback follows.
#define SCRIPT_CRASH "crash: "

// The text of the script; `count` is the number of all scripts. The script writes a file of the same name with
// the ending .txt.
const char *script_text(struct arena *arena, const struct script *script, int count);

// "scores = ...": the statement with its blank.
const char *script_statement(struct arena *arena, const struct solution *solution);

// Compares a file with the step left out; masks of either stream are accepted. Fails with FAIL_INPUT for a file
// that can't be read. `solution` must outlive the result.
struct checked check_script(struct arena *arena, const struct solution *solution, const char *path);

#endif
