#ifndef ONESTEP_WALK_STEP_FACTS_H
#define ONESTEP_WALK_STEP_FACTS_H

// What can be said of a tensor in one line: its shape and layout, and what is always so of its
// numbers, or why it is not.

#include "show/matrix.h"
#include "tensor/cell.h"
#include "trace/what_if/trial.h"

// "(2, 6, 6) batch × query × key", and the type if it is not float32.
const char *facts_text(struct arena *arena, const struct tensor *tensor);

// Which page of a tensor this is, "batch 1, head 2", and with is_long how to turn it; NULL if there is
// only one.
const char *page_text(struct arena *arena, const struct tensor *tensor, int64_t page, bool is_long);

// Does every row of the page add up to 1, but for rounding?
bool rows_sum_to_one(const struct tensor *tensor, int64_t page);

// Does the step's tensor lie in memory in another way than its operand, as views and copies of them do? There strides
// are the subject.
bool is_about_memory(const struct tensor *tensor);

// What a row of ids says, if it fits into so many columns; else NULL.
const char *sentence_within(struct arena *arena, const struct tensor *tensor, int width);

// "strides (6, 1); every row sums to 1; from 0.0186 to 0.4656", of the page of a matrix, as much as fits
// into `width` columns. Rows of weights that do not sum to 1 are explained by the operation that made
// them so. The row is the one that is looked at. Of a row of ids, what it says, instead. NULL if there is nothing to say.
const char *invariant_text(struct arena *arena, const struct matrix *matrix, int64_t row,
                           int width);

// What there is to say of a step, in two paragraphs: what goes wrong, where mistakes changed its numbers ("" elsewhere);
// and the lesson's words, which speak of the right numbers.

struct prose {
    const char *wrong, *lesson;
};

// Of a step of the trial's run, from 0.
struct prose prose_of(struct arena *arena, const struct trial *trial, int step);

#endif
