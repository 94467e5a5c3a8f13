#ifndef ONESTEP_APP_CHECK_DIAGNOSE_H
#define ONESTEP_APP_CHECK_DIAGNOSE_H

// Why a student's numbers are not those of a step: the known mistakes, or the other tensor, that would give
// them.

#include "app/check/compare.h"
#include "app/check/edited.h"
#include "app/check/relation/relation.h"
#include "trace/run/run.h"
#include "trace/what_if/mistake.h"

enum { MOST_AT_ONCE = 2 }; // mistakes

enum explanation_kind {
    BY_MISTAKES,       // the step with mistakes made
    BY_STEP,           // another step of the same run
    BY_TRANSPOSING,    // the step with two dimensions exchanged
    BY_PARAMETER,      // the step of a lesson run with another parameter
    BY_MASK_TIMES_INF, // a mask of 0 and 1 times inf: 0 * inf is nan
    BY_RELATION,       // a simple relation to the right numbers
    BY_EDIT            // the lesson's program with a line written otherwise
};

struct explanation {
    enum explanation_kind kind;
    int mistake_count;
    const struct mistake *mistakes[MOST_AT_ONCE];
    const struct edit *edit; // BY_MISTAKES: all of them, of the lesson's lines up to the step
    const struct edit *edits[MOST_AT_ONCE]; // and each
    const struct step *step;
    int dims[2];
    const char *parameter;    // BY_PARAMETER: "seed=42"
    struct relation relation; // BY_RELATION
    struct edited edited;     // BY_EDIT; BY_MISTAKES: the lines of all of them
    struct comparison comparison;
    bool is_idle;        // the mistakes leave the step as it is
    bool is_by_autograd; // BY_MISTAKES: and the gradients are those of backward(), not by hand

    // BY_MISTAKES: other sets of as many mistakes that compute the same numbers in this step, except for
    // rounding. They are one explanation with several names; the first name is that of the first row in the
    // table.
    int alike_count;
    struct explanation *alike;
};

// Each has the other's mistakes.
void exchange_names(struct explanation *a, struct explanation *b);

struct diagnosis {
    int count;
    struct explanation *explanations; // all that agree with the file, the best first
    bool has_nearest;                 // if none agrees: there are mistakes whose numbers are
    struct explanation nearest;       // much nearer to the file's than the right numbers are
    int singles, pairs;               // how many mistakes, and pairs of them, were tried
    bool has_tried_pairs;             // of mistakes that each change the step; there may be none
    bool is_cut;                      // time was up before all were tried
    bool is_edits_cut;                // not all edits of the lesson's lines were tried

    // If too few digits differ to identify an explanation: the number of explanations that agree with the
    // file. Then none is given, and `count` is 0.
    int possible;
};

// Looks for what gives the file's numbers in this step of the run. A mistake is made in the lesson's lines (data/edits.txt), which
// then run. Single mistakes come first, then other steps and transpositions. Where none of these explains the file, other
// parameters are tried; then lines that are written in another way (edited.h), what was done at the end of the step's line, pairs
// of mistakes, and relations (relation.h). Among mistakes, the one with the nearest numbers comes first. A pair is left out if one
// of the two explains the file alone, or both change one piece of a line. A mistake that can be made in several ways is listed once.
// The file must have the step's shape; `allowed` is how far each number may differ from the right one. The search stops after
// SEARCH_WORK unless it is thorough.
//
// An explanation counts only if it is unlikely to agree by chance. A number that differs by d from the right
// one, and may differ by h from the number that it agrees with, gives log2(1 + d/h) bits. An explanation
// needs log2(tried) bits, where `tried` counts the mistakes tried that change the step, and three more: then
// about one in eight wrong files without a known cause gets a false explanation. Each wrong number of a
// step of whole numbers, such as a mask, gives eight: digits are no measure there.
struct diagnosis diagnose(struct arena *arena, const struct run *run, const struct step *step,
                          const struct numbers *numbers, const double *allowed, bool is_thorough);

// Are the numbers those of the step with the other published stream of dropout masks?
bool has_other_stream(struct arena *arena, const struct run *run, const struct step *step,
                      const struct numbers *numbers, const double *allowed);

// Finds the mistakes of --what-if with which the step's numbers still agree with the file's: this check cannot
// detect them. Each changes some step of the run, or would with other numbers. `*mistakes` becomes an array of
// them in `arena`. Returns how many, or NOT_SOUGHT if the run is so large that the search would delay the answer.
enum { NOT_SOUGHT = -1 };
int find_unseen(struct arena *arena, const struct run *run, const struct step *step,
                const struct numbers *numbers, const double *allowed, bool is_thorough,
                const struct mistake ***mistakes);

// ---- A wrong shape ------------------------------------------------------------------------------

// How the file's shape is related to the step's.
enum misshape {
    UNRELATED,
    TRANSPOSED, // two dimensions exchanged
    PART,       // the first dimension is missing: one index of it, such as a batch of one
    REFOLDED,   // as many elements, in another shape
};

struct shape_diagnosis {
    enum misshape misshape;
    int dims[2];           // TRANSPOSED
    int64_t index;         // PART
    bool has_numbers;      // the numbers agree after that change of shape
    const char *parameter; // UNRELATED: all numbers are those of a run with it, "d_out=4"; or NULL
    const struct mistake
        *mistake; // TRANSPOSED: they agree with those of this mistake; NULL: of none
    const struct edited
        *edited;  // all numbers are those of the lesson with a line written otherwise; or NULL
    int count;    // of other steps with the file's shape; those with the file's numbers come first
    int agreeing; // how many of these steps have the file's numbers
    const struct step **steps;
};

struct shape_diagnosis diagnose_shape(struct arena *arena, const struct run *run,
                                      const struct step *step, const struct numbers *numbers);

#endif
