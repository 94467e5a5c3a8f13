#ifndef ONESTEP_TRACE_RUN_H
#define ONESTEP_TRACE_RUN_H

// A run of a lesson leaves a trace: an array of steps, each with its tensor, whose numbers know where
// they came from. Everything else in the program reads this trace.

#include "tensor/number/generator.h"
#include "tensor/tensor.h"
#include "trace/parameters.h"

// One paragraph of a lesson's file, cut when the program was built.
struct paragraph {
    int first_line, last_line; // of the source shown, counted from 1
    int end_line;              // of the paragraph with its STEP
    const char *title;         // first sentence of the comment, without its full stop
    const char *explanation;   // the other sentences
    const char *text;          // the lines of C, indented no more than needed, each closed by \n
};

struct source {
    const char *file; // "lessons/causal.c"
    int paragraph_count;
    const struct paragraph *paragraphs; // in order of lines
};

struct run;
struct mistake;

struct lesson {
    const char *name;    // "split_head"
    const char *title;   // "Split heads"
    const char *summary; // one or two sentences
    unsigned uses;       // USES_ bits: the parameters that it reads
    bool splits_heads;   // d_out is the width of all heads together: heads must divide it
    struct parameters defaults;
    void (*teach)(struct run *r); // computes, STEP by STEP
    const struct source *source;
};

struct step {
    int number; // from 1
    const char *name;
    const char *group;   // NULL if none
    const char *section; // NULL if none
    const char *formula;
    const char *pytorch;
    const struct paragraph *paragraph;
    struct tensor tensor;
};

enum { MAX_SEEDS = 8 };

struct run {
    struct arena *memory; // all that the run computes
    struct generator generator;
    const struct lesson *lesson;
    struct parameters parameters; // the lesson's own, with the user's in their place
    struct tensor inputs;         // (tokens, features), axes "token" and "feature"
    int64_t query;                // row of the query that is followed on its own

    struct step *steps;
    int step_count;

    uint64_t seeds[MAX_SEEDS]; // every seed set so far, in order
    int seed_count;
    uint64_t sequences; // how many seeds were set, also beyond MAX_SEEDS

    // What was done wrong on purpose (mistake.h), and the run without that; NULL if nothing was.
    const struct mistake *const *mistakes;
    int mistake_count;
    const char *const *idle; // of run_lesson: for each, why it changes nothing; NULL if it does
    const struct run *right;

    // where the next step goes
    const char *group;
    const char *section;
};

// Runs a lesson with the parameters that the user chose (those that the lesson does not use are
// ignored) and with the mistakes that they name made. Fills *run, all in `arena`. Fails with FAIL_USAGE
// if the parameters do not fit the lesson or each other; the arena is then to be freed as well.
void run_lesson(struct run *run, struct arena *arena, const struct lesson *lesson,
                const struct parameters *chosen);

// "seed 5, d_out 4, what if no-scale", for a run that is not at the lesson's defaults; NULL for one that is.
const char *differences_text(struct arena *arena, const struct run *run);

// ---- Called by lessons --------------------------------------------------------------------------

// torch.manual_seed: starts the generator at `seed`, or at the one that the user gave in its place
// (for reseed_dropout, --dropout-seed comes before --seed).
void reseed(struct run *r, uint64_t seed);
void reseed_dropout(struct run *r, uint64_t seed);

// Shows the run this dropout stream? Both unless the user asked for one.
bool shows_stream(const struct run *r, enum bernoulli stream);

// Behind STEP, GROUP and SECTION: see lesson.h.
void record_step(struct run *r, struct tensor tensor, const char *name, const char *formula,
                 const char *pytorch, int line);
void begin_group(struct run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void begin_section(struct run *r, const char *title);

#endif
