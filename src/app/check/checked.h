#ifndef ONESTEP_APP_CHECK_CHECKED_H
#define ONESTEP_APP_CHECK_CHECKED_H

// A student's numbers, checked, and what every answer says of them.

#include "app/check/diagnose.h"

enum verdict { VERDICT_EQUAL, VERDICT_DIFFERENT, VERDICT_SHAPE };

// What came of it.
struct checked {
    const struct run *run;
    const struct step *step;
    const char *file; // its name
    struct numbers numbers;
    enum verdict verdict;
    const double *allowed;         // how far each number may be off; unless the shape is wrong
    struct comparison comparison;  // unless the shape is wrong
    struct diagnosis diagnosis;    // VERDICT_DIFFERENT
    struct shape_diagnosis shaped; // VERDICT_SHAPE
};

// Does the number at a position, counted row by row, agree with the step's?
bool is_right(const struct checked *checked, int64_t position);

// "query journey, key Your (x[1, 0])": what the indices of an element mean.
const char *place_text(struct arena *arena, const struct tensor *tensor, int64_t position);

// What else may be said of numbers that nothing explains, in a sentence; NULL if nothing.
const char *hint_text(struct arena *arena, const struct checked *checked);

#endif
