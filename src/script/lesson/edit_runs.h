#ifndef ONESTEP_SCRIPT_LESSON_EDIT_RUNS_H
#define ONESTEP_SCRIPT_LESSON_EDIT_RUNS_H

// A lesson's statements up to a step, run many times: each time with other lines.
//
//     struct edit_runs *runs = begin_edit_runs(arena, run, step);
//     const struct tensor tensor = tensor_with(runs, arena, edit);
//     end_edit_runs(runs);

#include "script/lesson/line_edits.h"

struct edit_runs {
    struct arena *arena;
    struct lesson_lines lines;
    struct rehearsal *rehearsal;
    int64_t most; // nodes that one edit may evaluate
    int64_t work; // of all edits so far, in units of work_performed()
};

// In an arena with a disturbance its numbers are others. Where the run has steps whose numbers were handed in, the statements go
// on from these. The step must be one of the run's.
struct edit_runs *begin_edit_runs(struct arena *arena, const struct run *run,
                                  const struct step *step);
// The step's tensor with an edit of runs->lines, in `arena`; NO_TENSOR if a line fails, or it takes much longer than the right
// lines.
struct tensor tensor_with(struct edit_runs *runs, struct arena *arena, const struct edit *edit);
void end_edit_runs(struct edit_runs *runs);

// The step's tensor with the mistake of this name as --what-if makes it, in `arena`; NO_TENSOR if the lesson has no line for it, or
// one fails.
struct tensor tensor_with_mistake(struct arena *arena, const struct run *run,
                                  const struct step *step, const char *mistake);

// Of losses of a training, `numbers` with as many as the step's: are the first ones with the edit others? It takes few updates to
// see that. `allowed`: how far each may differ.
bool begins_otherwise(struct edit_runs *runs, const struct edit *edit, const double *numbers,
                      const double *allowed);

#endif
