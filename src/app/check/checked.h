#ifndef ONESTEP_APP_CHECK_CHECKED_H
#define ONESTEP_APP_CHECK_CHECKED_H

// A student's numbers, checked, and what every answer says of them.

#include "app/check/diagnose.h"
#include "app/command/input.h"
#include "trace/tape/spread.h"

// VERDICT_COARSE: equal as far as the file's decimals show, but it has fewer than --min-decimals, or none.
// VERDICT_UNJUDGED: no number is wrong, but some cannot be judged: rounding alone changes them by as much as
// their own size. VERDICT_STREAM: equal, except that the dropout masks are those of the other published
// stream. VERDICT_ROUNDED: equal as far as a type with fewer bits holds them (narrowed.h).
enum verdict {
    VERDICT_EQUAL,
    VERDICT_COARSE,
    VERDICT_UNJUDGED,
    VERDICT_STREAM,
    VERDICT_ROUNDED,
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
    struct spread spread; // how far rounding moved each in a few runs, if any
    int64_t unjudged;     // numbers that cannot be judged
    struct comparison
        comparison; // of the numbers that can be judged; not set if the shape is wrong
    const struct precision *
        precision; // in which the numbers were computed, and by which they were judged; NULL: float32
    struct diagnosis diagnosis;    // VERDICT_DIFFERENT
    struct shape_diagnosis shaped; // VERDICT_SHAPE

    // VERDICT_EQUAL and VERDICT_COARSE: mistakes with which the numbers would look the same;
    // NOT_SOUGHT if nobody looked for them.
    int unseen_count;
    const struct mistake **unseen;

    int min_decimals;                 // of --min-decimals; 0 if not given
    const struct precision *accepted; // of --dtype; NULL if not given
    bool is_thorough;                 // the search may take ten times as much work
    bool has_all;                     // the answer lists all explanations
    bool is_of_all;                   // it is a part of the answer about all steps at once
    bool is_exercise;                 // the answer is read beside the script that wrote the file
    bool any_stream;                  // accepts masks of either stream: no VERDICT_STREAM
    bool is_quiet;                    // the answer does not contain the right numbers
};

// "equal", "coarse", "unjudged", "stream", "rounded", "different", "shape".
const char *verdict_text(enum verdict verdict);

// Is the file accepted: no wrong number, and enough decimals?
bool is_accepted(const struct checked *checked);

// Do the file's numbers fit the step, in a shape that has more or fewer dimensions of size 1? A list of one number and a
// table have no shape of their own.
bool has_another_shape(const struct checked *checked);

// Does the number at a position, counted row by row, agree with the step's, as far as it can be judged?
bool is_right(const struct checked *checked, int64_t position);

// How far the number at a position may differ.
double allowed_at(const struct checked *checked, int64_t position);

// Can the number not be judged? That is so if it differs by more than the file's digits explain but by no
// more than rounding changes it, and rounding changes it by at least its own size.
bool is_unjudged(const struct checked *checked, int64_t position);

// "query journey, key Your (x[1, 0])": what the indices of an element mean.
const char *place_text(struct arena *arena, const struct tensor *tensor, int64_t position);

// One word for the verdict or its explanation, for statistics over a class: "equal", "coarse", "no-scale",
// "no-scale+mask-zero", "scale-twice/scale-by-dk" (the same arithmetic), "step:scores", "transposed",
// "seed=42", "factor" or another relation (relation.h), "unjudged", "stream", "bfloat16" or another type (VERDICT_ROUNDED), "mask-times-inf", "nan", "unclear" (too few digits differ to tell),
// "none"; of a wrong shape "shape-transposed", "shape-part", "shape-refolded", "shape-unrelated",
// or the parameter that gives it: "d_out=4".
const char *code_of(struct arena *arena, const struct checked *checked);

// A hint about numbers that no mistake explains, in a sentence; NULL if there is none.
const char *hint_text(struct arena *arena, const struct checked *checked);

// Reads a student's file: "mine.txt", or "mine.ipynb#5", a cell of a notebook. Fails with FAIL_INPUT.
struct numbers read_numbers(struct arena *arena, const char *path, enum file_kind kind);

// The same for a step. Where that is a list of tokens, the file may hold their words instead of their ids: the ids are
// those of the vocabulary, and -1 for any other word.
struct numbers read_numbers_for(struct arena *arena, const char *path, enum file_kind kind,
                                const struct step *step);

// Compares checked->numbers with checked->step of checked->run, and fills in the answer; explain_checked() finds the cause of
// numbers that were found wrong.
void compare_checked(struct arena *arena, struct checked *checked);
void explain_checked(struct arena *arena, struct checked *checked);

// Fills in the mistakes that right numbers would not show.
void note_unseen(struct arena *arena, struct checked *checked);

#endif
