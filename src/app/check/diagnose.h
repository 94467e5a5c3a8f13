#ifndef ONESTEP_APP_CHECK_DIAGNOSE_H
#define ONESTEP_APP_CHECK_DIAGNOSE_H

// Why a student's numbers are not those of a step: which known mistakes, or which other tensor,
// would give them.

#include "app/check/compare.h"
#include "trace/run.h"
#include "trace/what_if/mistake.h"

enum { MOST_AT_ONCE = 2 }; // mistakes

enum explanation_kind {
    BY_MISTAKES,      // the step with mistakes made
    BY_STEP,          // another step of the same run
    BY_TRANSPOSING,   // the step with two dimensions exchanged
    BY_PARAMETER,     // the step of a lesson run with another parameter
    BY_MASK_TIMES_INF // a mask of 0 and 1 times inf: 0 * inf is nan
};

struct explanation {
    enum explanation_kind kind;
    int mistake_count;
    const struct mistake *mistakes[MOST_AT_ONCE];
    const struct step *step;
    int dims[2];
    const char *parameter; // BY_PARAMETER: "seed=42"
    struct comparison comparison;
    bool is_idle; // the mistakes leave the step as it is

    // BY_MISTAKES: others as many, which compute the same numbers in this step, but for rounding. They are
    // one explanation with several names; the first is that of the first row in the table.
    int alike_count;
    struct explanation *alike;
};

struct diagnosis {
    int count;
    struct explanation *explanations; // all that agree with the file, the best first
    bool has_nearest;                 // without any that agrees: mistakes that come much nearer
    struct explanation nearest;       // than the right numbers do
    int singles, pairs;               // that were tried, of all ways to make a mistake
    bool is_cut;                      // time was up before all were tried

    // Where the file differs in too few digits to tell what explains it: how many of the explanations agree
    // with it. None of them is given then, and `count` is 0.
    int possible;
};

// Looks for the mistake, or the two together, that give the file's numbers in this step of the run;
// single ones come first, then other steps and transpositions, then pairs; among equals the one
// whose numbers lie nearest. A pair is no explanation where one of the two is, and a mistake that
// can be made in several ways explains the file in one of them. The file has the step's shape; `allowed` is
// how far each number may lie from the right one. The search takes SEARCH_SECONDS, or as long as it has to
// if it is thorough.
//
// An explanation that agrees is worth something only if it hardly would by chance. A number that lies d off the
// right one and may lie h off what it agrees with tells log2(1 + d/h) bits; what was tried and changes the step
// takes log2(tried) of them, and three more are asked for: a false one in eight wrong files that nothing known
// explains.
struct diagnosis diagnose(struct arena *arena, const struct run *run, const struct step *step,
                          const struct numbers *numbers, const double *allowed, bool is_thorough);

// Are the numbers those of the step with the other published stream of dropout masks?
bool has_other_stream(struct arena *arena, const struct run *run, const struct step *step,
                      const struct numbers *numbers, const double *allowed);

// Mistakes that have something to change in the run, and with which the step's numbers would still agree
// with the file's: here they can't be seen. `*mistakes` is an array of them in `arena`; returns how many, or
// NOT_SOUGHT where the run is so large that looking for them takes longer than the answer may.
enum { NOT_SOUGHT = -1 };
int find_unseen(struct arena *arena, const struct run *run, const struct step *step,
                const struct numbers *numbers, const double *allowed, bool is_thorough,
                const struct mistake ***mistakes);

// ---- A wrong shape ------------------------------------------------------------------------------

// How the file's shape comes from the step's.
enum misshape {
    UNRELATED,
    TRANSPOSED, // two dimensions exchanged
    PART,       // one index of the first dimension, which is gone: a batch of one without it
    REFOLDED,   // as many elements, in another shape
};

struct shape_diagnosis {
    enum misshape misshape;
    int dims[2];      // TRANSPOSED
    int64_t index;    // PART
    bool has_numbers; // the numbers agree, seen that way
    int count;        // other steps of the file's shape, those with the file's numbers first
    int agreeing;     // of them
    const struct step **steps;
};

struct shape_diagnosis diagnose_shape(struct arena *arena, const struct run *run,
                                      const struct step *step, const struct numbers *numbers);

#endif
