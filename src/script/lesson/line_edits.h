#ifndef ONESTEP_SCRIPT_LESSON_LINE_EDITS_H
#define ONESTEP_SCRIPT_LESSON_LINE_EDITS_H

// A lesson's own lines, one of them written otherwise: the program that somebody may have run who has other numbers.

#include "script/edit/edit.h"
#include "script/lesson/statements.h"

// The statements of a lesson's steps up to one, in one piece, and where each begins.
struct lesson_lines {
    const struct run *run;
    int step;           // the last, from 0
    const char *source; // the setup, and the statements
    size_t *starts;     // of each step's statement; behind the last one: the end
};
struct lesson_lines lines_of_lesson(struct arena *arena, const struct run *run, int step);

// What may stand there instead: usual slips, the likeliest first. Their prices, in bits, are such that the 2^-price of all add up
// to 1.
struct edit_list edits_of_lines(struct arena *arena, const struct lesson_lines *lines);

// The mistakes of data/edits.txt, each as it is made in the whole lesson, as far as the last step, or the expression `also`,
// needs its lines. In the order of the rows.
struct edit_list mistakes_of_lines(struct arena *arena, const struct lesson_lines *lines,
                                   const char *also);

// An edit without the pieces in lines that the last step does not need; all of it if that leaves none.
const struct edit *pieces_needed(struct arena *arena, const struct lesson_lines *lines,
                                 const struct edit *edit);

// Two edits as one; NULL if their pieces overlap.
const struct edit *both_edits(struct arena *arena, const struct edit *a, const struct edit *b);

// The run with the statements that an edit makes of its steps' own; what it does not change is the same text. Its setup is NULL
// where the edit leaves it as it is.
struct run edited_run(struct arena *arena, const struct lesson_lines *lines,
                      const struct edit *edit);

// The run with a mistake of data/edits.txt in its statements, and in its setup: the first edit that a row of that name makes.
// False if no row matches; then *result is not touched. `result` may be `run`. other-bernoulli is no line, but the other stream.
bool make_in_lines(struct run *result, struct arena *arena, const struct run *run,
                   const char *mistake);

// Runs the statements with an edit: the last step's tensor, in `arena`; NO_TENSOR if one fails, or more than `most` would run.
// *work: how many ran.
struct tensor play_edit(struct rehearsal *rehearsal, struct arena *arena,
                        const struct lesson_lines *lines, const struct edit *edit, int64_t most,
                        int64_t *work);

// The lines that an edit changes, as they are, and as they are with it; each ends in \n. Of equal ones the first stands for all.
const char *lines_before(struct arena *arena, const struct lesson_lines *lines,
                         const struct edit *edit);
const char *lines_after(struct arena *arena, const struct lesson_lines *lines,
                        const struct edit *edit);

// The step in whose statement an edit begins, from 0.
int step_of_edit(const struct lesson_lines *lines, const struct edit *edit);

#endif
