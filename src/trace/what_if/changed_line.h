#ifndef ONESTEP_TRACE_WHAT_IF_CHANGED_LINE_H
#define ONESTEP_TRACE_WHAT_IF_CHANGED_LINE_H

// Lines of PyTorch that the user puts in the place of a lesson's own. The lesson is then run as a program: what its statements
// need, all statements in order, and each step's expression. What runs it is on a floor above (script/lesson/statements.h), so
// whoever makes a trial hands it over.

#include "trace/run/run.h"

struct changed_line {
    const char *lesson; // its name
    const char *step;   // as step_called takes it
    const char *
        code; // in the place of the step's statement, or of its expression where it has no statement
};

// What became of a step of the program.
struct line_outcome {
    struct tensor tensor; // NO_TENSOR: it could not be computed
    const char *failure; // why not: "RuntimeError: ...", of several lines perhaps; NULL if it could
    const char *printed; // by the line; NULL: nothing
    bool is_unreached;   // the step `behind` did not come to an end
    int behind; // the step (from 0) that failed before it and that it needs; -1: it failed by itself
};

struct interpreter {
    // Runs the statements of all steps of `run`, which is `right` with some of them changed, and fills outcomes[i] for each
    // step i. It takes the setup, parameters and streams of dropout from the run. The tensors are in `arena`; their axes have
    // no meaning.
    void (*play)(struct line_outcome *outcomes, struct arena *arena, const struct run *right,
                 const struct run *run);
    // Runs the statements of each of `count` runs, which are `right` with some statements, the setup or the stream changed. Gives
    // `take` what became of run number i; its tensors do not say what they were computed from, and are gone when it returns.
    void (*compute)(struct arena *arena, const struct run *right, int count, const struct run *runs,
                    void (*take)(void *context, int i, const struct line_outcome *outcomes),
                    void *context);
    // The names that may stand in the line of a step (from 0) where "tor", "torch.soft" or "scores.ma" is begun: the last
    // part in full, sorted, NULL behind the last. In the arena.
    const char *const *(*complete)(struct arena *arena, const struct run *run, int step,
                                   const char *begun);
    // The run with the statements, and the setup, of a program with that mistake; what it does not change is the same text. False
    // where the mistake has no line in it, or nobody knows which. `result` may be `run`.
    bool (*make_mistake)(struct run *result, struct arena *arena, const struct run *run,
                         const char *mistake);
};

struct changed_lines {
    int count;
    struct changed_line *all; // in the order in which they were typed: of one step the last counts
    const struct interpreter *interpreter; // NULL: none is there, so none may be changed
};

#endif
