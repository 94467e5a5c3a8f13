#ifndef ONESTEP_APP_CHECK_CHECKED_H
#define ONESTEP_APP_CHECK_CHECKED_H

// A student's numbers, checked, and what every answer says of them.

#include "app/check/diagnose.h"
#include "app/input.h"
#include "trace/what_if/spread.h"

// VERDICT_COARSE: equal as far as the file's decimals go, and more of them were asked for, or there are none.
// VERDICT_UNJUDGED: no number is wrong, but some cannot be judged: rounding alone moves them by as much as they
// are large. VERDICT_STREAM: equal but for dropout masks, which are those of the other published stream.
enum verdict {
    VERDICT_EQUAL,
    VERDICT_COARSE,
    VERDICT_UNJUDGED,
    VERDICT_STREAM,
    VERDICT_DIFFERENT,
    VERDICT_SHAPE
};

// What came of it.
struct checked {
    const struct run *run;
    const struct step *step;
    const char *file; // its name
    struct numbers numbers;
    enum verdict verdict;
    const struct tensor
        *right;      // the numbers that the file's are compared with: the step's, or those of 1.13
    bool is_of_1_13; // the step's as PyTorch 1.13 rounds them, and the file is nearer to them
    double *allowed; // how far the digits let each number be off; unless the shape is wrong
    struct spread spread;          // how far rounding moved each in a few runs, if any
    int64_t unjudged;              // numbers that cannot be judged
    struct comparison comparison;  // unless the shape is wrong; of those that can be judged
    struct diagnosis diagnosis;    // VERDICT_DIFFERENT
    struct shape_diagnosis shaped; // VERDICT_SHAPE

    // VERDICT_EQUAL and VERDICT_COARSE: mistakes with which the numbers would look the same;
    // NOT_SOUGHT if nobody looked for them.
    int unseen_count;
    const struct mistake **unseen;

    int min_decimals; // that were asked for; 0 if none were
    bool is_thorough; // the search goes on until all is tried
    bool any_stream;  // masks of either stream will do: no VERDICT_STREAM
    bool is_quiet;    // the answer does not give the right numbers away
};

// "equal", "coarse", "unjudged", "stream", "different", "shape".
const char *verdict_text(enum verdict verdict);

// Is there nothing to complain of: no difference, and as many decimals as were asked for?
bool is_accepted(const struct checked *checked);

// Does the number at a position, counted row by row, agree with the step's, as far as it can be judged?
bool is_right(const struct checked *checked, int64_t position);

// How far the number there may be off.
double allowed_at(const struct checked *checked, int64_t position);

// Is the number there off by more than the digits of the file explain, and by no more than rounding moves it,
// while rounding moves it by as much as it is large? Then it cannot be judged.
bool is_unjudged(const struct checked *checked, int64_t position);

// "query journey, key Your (x[1, 0])": what the indices of an element mean.
const char *place_text(struct arena *arena, const struct tensor *tensor, int64_t position);

// One word for the verdict and what explains it, for those who count: "equal", "coarse", "no-scale",
// "no-scale+mask-zero", "scale-twice/scale-by-dk" (the same arithmetic), "step:scores", "transposed", "seed=42", "unjudged", "stream", "mask-times-inf", "nan", "unclear" (too few digits differ to tell), "none"; of a wrong shape "shape-transposed",
// "shape-part", "shape-refolded", "shape-unrelated".
const char *code_of(struct arena *arena, const struct checked *checked);

// What else may be said of numbers that nothing explains, in a sentence; NULL if nothing.
const char *hint_text(struct arena *arena, const struct checked *checked);

// Reads a student's file: "mine.txt", or "mine.ipynb#5", a cell of a notebook. Fails with FAIL_INPUT.
struct numbers read_numbers(struct arena *arena, const char *path, enum file_kind kind);

// Compares checked->numbers with checked->step of checked->run, and fills in what comes of it.
void judge(struct arena *arena, struct checked *checked);

#endif
