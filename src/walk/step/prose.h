#ifndef ONESTEP_WALK_STEP_PROSE_H
#define ONESTEP_WALK_STEP_PROSE_H

// What there is to say of a step, in two paragraphs: what goes wrong, where mistakes changed its numbers ("" elsewhere);
// and the lesson's words, which speak of the right numbers.

#include "trace/what_if/trial.h"

struct prose {
    const char *wrong, *lesson;
};

// Of a step of the trial's run, from 0.
struct prose prose_of(struct arena *arena, const struct trial *trial, int step);

#endif
