#ifndef ONESTEP_APP_COMPARE_TWO_RUNS_H
#define ONESTEP_APP_COMPARE_TWO_RUNS_H

// The two runs that are compared, what they are called, and which of their tensors belong together.

#include "app/compare/parting.h"

struct two_runs {
    struct arena *arena;
    struct side a, b;                         // B should be as A is
    const struct lesson *lesson_a, *lesson_b; // NULL: a dump
    struct matching matching;
    struct parting parting;
};

// What a command calls a run: a lesson, a program or a recording; NULL: a dump. Its tensors; those of a lesson with these
// parameters. Both fail with FAIL_INPUT if the file can't be read, the other also with FAIL_USAGE for parameters that do not fit.
const struct lesson *lesson_compared(struct arena *arena, const char *argument);
struct side side_compared(struct arena *arena, const char *argument, const struct lesson *lesson,
                          const struct parameters *parameters);

// The tensors of a lesson's run, whose steps are explained first.
struct side side_of_lesson(struct arena *arena, const char *name, struct run *run);

// Matches the two sides, which are read by then, and finds where they part. `names`: "a=b,c=d", what A calls a tensor, and what B
// does; NULL: none. Fails with FAIL_USAGE if they are no such pairs.
void match_runs(struct two_runs *runs, const char *names);

// "port.py"; "scores", or "matmul, inside the line of scores" for what no step shows; "port.py, line 12".
const char *run_name(const struct two_runs *runs, bool is_b);
const char *place_name(const struct two_runs *runs, bool is_b, int number);
const char *place_where(const struct two_runs *runs, bool is_b, int number);

// The line in which a tensor is made, as it is written: of one line or several; "" of a dump.
const char *line_compared(const struct two_runs *runs, const struct place *place);

// Of a recording, the call that PyTorch ran for a tensor, which the line may leave to a module; else NULL.
const char *call_compared(const struct two_runs *runs, bool is_b, int number);

#endif
