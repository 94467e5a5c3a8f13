#ifndef ONESTEP_TESTS_ATTEMPTS_H
#define ONESTEP_TESTS_ATTEMPTS_H

// What a test expects to fail, or wants to hear of if it does. Each returns whether it went well; else
// the reason is in the failure.

#include "trace/run/run.h"

// run_lesson, with the reason in arena->failure.
bool try_lesson(struct run *run, struct arena *arena, const struct lesson *lesson,
                const struct parameters *chosen);

// The run of a lesson that must go well.
struct run must_run(struct arena *arena, const struct lesson *lesson,
                    const struct parameters *chosen);

// find_step; *step may be NULL.
bool try_step(const struct step **step, const struct run *run, const char *wanted,
              struct failure *failure);

#endif
