#ifndef ONESTEP_TRACE_WHAT_IF_MISTAKE_H
#define ONESTEP_TRACE_WHAT_IF_MISTAKE_H

// The classic mistakes, one row of a table each, made from the words in data/edits.txt. trial.h makes them in a lesson's lines.

#include "trace/run/run.h"

struct mistake {
    const char *name;    // "no-scale"
    const char *title;   // what was done: "Scores not divided by √d_k"
    const char *wrong;   // one sentence: what goes wrong
    const char *pytorch; // one sentence: how to see it in PyTorch code

    // Why it changes nothing (effects.h). Where there is nothing to change: the lesson has no place for it, unless
    // the parameter of this USES_ bit has taken it away. 0: none can.
    uint64_t lever;
    // Where the numbers come out the same: if all weight goes to a single key (NULL: that is no reason); and
    // otherwise, if is_alike holds (NULL: always). Without a reason that holds none is given.
    const char *alone, *alike;
    bool (*is_alike)(struct arena *arena, const struct run *right);

    // What it changes; mistakes that change the same exclude each other. NULL: none does.
    const char *changes;

    // Parameters with which it shows in lessons that hide it at their defaults. Those that the user gave
    // come first.
    struct parameters showing;

    bool is_of_one_lesson; // it is made where one lesson is special, not in what all have in common
};

// The table of them, made from data/edits.txt.
enum { MOST_MISTAKES = 256 };
extern const int mistake_total;
extern const struct mistake mistake_table[];

// The mistake of that name; NULL if there is none.
const struct mistake *find_mistake(const char *name);

// Can't the two be made at once?
bool exclude_each_other(const struct mistake *a, const struct mistake *b);

// Its place in the table, from 0.
int mistake_number(const struct mistake *mistake);

// The parameters, with those added that make the mistake show.
struct parameters showing_parameters(const struct lesson *lesson, const struct parameters *chosen,
                                     const struct mistake *mistake);

#endif
