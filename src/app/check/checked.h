#ifndef ONESTEP_APP_CHECK_CHECKED_H
#define ONESTEP_APP_CHECK_CHECKED_H

// A student's numbers, checked, and what every answer says of them.

#include "app/check/diagnose.h"
#include "app/input.h"

// VERDICT_COARSE: equal as far as the file's decimals go, and more of them were asked for.
// VERDICT_STREAM: equal but for dropout masks, which are those of the other published stream.
enum verdict { VERDICT_EQUAL, VERDICT_COARSE, VERDICT_STREAM, VERDICT_DIFFERENT, VERDICT_SHAPE };

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

    // VERDICT_EQUAL and VERDICT_COARSE: mistakes with which the numbers would look the same;
    // NOT_SOUGHT if nobody looked for them.
    int unseen_count;
    const struct mistake **unseen;

    int min_decimals; // that were asked for; 0 if none were
    bool any_stream;  // masks of either stream will do: no VERDICT_STREAM
    bool is_quiet;    // the answer does not give the right numbers away
};

// Does the number at a position, counted row by row, agree with the step's?
bool is_right(const struct checked *checked, int64_t position);

// "query journey, key Your (x[1, 0])": what the indices of an element mean.
const char *place_text(struct arena *arena, const struct tensor *tensor, int64_t position);

// One word for the verdict and what explains it, for those who count: "equal", "coarse", "no-scale",
// "no-scale+mask-zero", "scale-twice/scale-by-dk" (the same arithmetic), "step:scores", "transposed", "seed=42", "stream", "nan", "none"; of a wrong shape "shape-transposed",
// "shape-part", "shape-refolded", "shape-unrelated".
const char *code_of(struct arena *arena, const struct checked *checked);

// What else may be said of numbers that nothing explains, in a sentence; NULL if nothing.
const char *hint_text(struct arena *arena, const struct checked *checked);

// Reads a student's file: "mine.txt", or "mine.ipynb#5", a cell of a notebook. Fails with FAIL_INPUT.
struct numbers read_numbers(struct arena *arena, const char *path, enum file_kind kind);

// Compares checked->numbers with checked->step of checked->run, and fills in what comes of it.
void judge(struct arena *arena, struct checked *checked);

#endif
