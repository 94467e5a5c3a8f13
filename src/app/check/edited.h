#ifndef ONESTEP_APP_CHECK_EDITED_H
#define ONESTEP_APP_CHECK_EDITED_H

// A student's numbers as those of the lesson's own program with one line written otherwise.

#include "app/check/patience.h"
#include "script/lesson/line_edits.h"
#include "tensor/text/numbers.h"
#include "trace/run/run.h"

struct edited {
    const char *name, *words; // of a mistake with a name, and what goes wrong; NULL: it has none
    // Of one line or several, each ends in \n. right_line: NULL where it is not to be told.
    const char *line, *right_line;
    const struct step *step; // in whose statement it begins
};

// Which edits are tried. Of those with a name some are of no mistake in the table: only `check` knows them.
enum edits_tried { EDITS_WITH_NAME, EDITS_OF_CHECK, EDITS_WITHOUT_NAME, ALL_EDITS };

struct edits_done {
    bool is_cut;  // the work ended before all were tried
    int tried;    // how many gave numbers of the step's shape, which are not the right ones
    int agreeing; // and how many of them agree with the file, also where they tell too little
};

// Looks for the edit with which the step has all numbers of the file, which must fit it; `allowed` is how far each may differ from
// the right one. NULL: the file has another shape, and so has the step with the edit. An edit has a price in bits (line_edits.h), and a number that agrees tells bits: log2(1 + d / h), where it
// differs by d from the right number and may differ by h from the edit's. Only numbers count that the edit changes, equal ones
// once. An edit is an answer only if they tell clearly more than its price. The cheapest of those that are tried is taken. Each
// edit is work, and so is what it evaluates and computes: without `is_thorough` the search ends when its budget does.
bool find_edited(struct edited *edited, struct arena *arena, const struct run *run,
                 const struct step *step, const struct numbers *numbers, const double *allowed,
                 enum edits_tried tried, bool is_thorough, struct edits_done *done);

// The same, of what is done to the right numbers at the end of the step's line, where the file's numbers tell with which factor or in
// which order (fitted.h). That is known at once.
bool find_fitted(struct edited *edited, struct arena *arena, const struct run *run,
                 const struct step *step, const struct numbers *numbers, const double *allowed);

// Do the numbers agree with another tensor of the step's shape, and tell clearly more than so many bits?
bool are_those_of(const struct tensor *other, double price, const struct step *step,
                  const struct numbers *numbers, const double *allowed);

// A step with an edit of the lines up to it: what find_edited() gives.
struct edited edited_by(struct arena *arena, const struct lesson_lines *lines,
                        const struct edit *edit);

// What goes wrong with a mistake: as the table of mistakes says, or data/edits.txt.
const char *words_of_named(struct arena *arena, const char *name);

#endif
