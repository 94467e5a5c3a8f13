#ifndef ONESTEP_APP_CHECK_CHECK_H
#define ONESTEP_APP_CHECK_CHECK_H

// The command `check`: a student's numbers against a step.

#include "app/check/diagnose.h"
#include "app/command.h"
#include "base/text.h"

enum verdict { VERDICT_EQUAL, VERDICT_DIFFERENT, VERDICT_SHAPE };

// What came of it.
struct checked {
    const struct run *run;
    const struct step *step;
    const char *file; // its name
    struct numbers numbers;
    enum verdict verdict;
    struct comparison comparison;  // unless the shape is wrong
    struct diagnosis diagnosis;    // VERDICT_DIFFERENT
    struct shape_diagnosis shaped; // VERDICT_SHAPE
};

// Reads the command's file, compares it with the command's step, and adds the answer in the
// command's format. Returns whether the file holds the step's numbers. Fails with FAIL_INPUT if it
// can't be read, with FAIL_USAGE for a parameter that does not fit or a step that is not there.
bool add_check(struct text *text, const struct command *command);

// The formats. JSON has the same members whatever the verdict; json.c says what they are.
void add_check_plain(struct text *text, const struct checked *checked);
void add_check_json(struct text *text, const struct checked *checked);

// "query journey, key Your": what the indices of an element mean.
const char *place_text(struct arena *arena, const struct tensor *tensor, int64_t position);

// What else may be said of numbers that nothing explains, in a sentence; NULL if nothing.
const char *hint_text(struct arena *arena, const struct checked *checked);

#endif
