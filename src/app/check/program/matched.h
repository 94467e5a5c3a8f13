#ifndef ONESTEP_APP_CHECK_PROGRAM_MATCHED_H
#define ONESTEP_APP_CHECK_PROGRAM_MATCHED_H

// A student's program beside a lesson: which of its tensors are steps of the lesson.

#include "app/check/program/tensors.h"
#include "script/steps/sighting.h"

struct wanted wanted_of(struct arena *arena, const struct run *run);

enum { MOST_BYTES_OF_PROGRAM = 1 << 30 }; // at once

// Runs the program and matches it. Where `before` is not NULL, the program is an edited one: it ends at its first
// suspect, or behind the place of the tensor that was wrong before if nothing was gained there.
// On a machine of its own, or the viewer's.
struct matched *match_program(struct arena *arena, struct viewer *viewer,
                              const struct wanted *wanted, const char *file, const char *source,
                              const struct matched *before);

// Did the program end at something that PyTorch has and onestep has not?
bool is_beyond_us(const struct matched *matched);

// The first tensor that is not as it should be: one with a step's name and other numbers; without one, the last, if it is no
// step of the lesson. -1: all is right, as far as onestep could run it.
int first_wrong(const struct matched *matched);

#endif
