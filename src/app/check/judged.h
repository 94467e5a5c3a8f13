#ifndef ONESTEP_APP_CHECK_JUDGED_H
#define ONESTEP_APP_CHECK_JUDGED_H

// All tensors of a program judged in the order of the lesson: which is the first wrong one, and which are wrong only because
// it is.

#include "app/check/checked.h"
#include "app/check/handed_in.h"
#include "base/text.h"

enum standing {
    NOT_HANDED_IN,
    STANDS_EQUAL, // the step's numbers
    STANDS_WRONG, // a mistake was made in this step, or between it and the steps before it that were handed in
    STANDS_FOLLOWS, // wrong, but what right operations make of the student's own numbers of earlier steps, or what
                    // the mistakes found before make of the lesson's
    STANDS_ROUNDED, // the step's numbers, as a type with fewer bits holds them
    STANDS_GIVEN,   // a parameter that the student has from elsewhere, as a port has
    STANDING_COUNT
};

struct judged_step {
    const char *name; // the student's
    enum standing standing;
    // Of one that stands wrong, the first one is compared with the lesson's run. A later one is compared with a
    // run that has the student's own numbers in all steps before it, and so is each where parameters are given.
    struct checked checked;
};

struct judged {
    const struct run *run;
    const struct handed_in *handed;
    struct judged_step *steps;         // one for each of the run
    int first;                         // index of the first that stands wrong; -1 if none does
    const struct precision *precision; // in which the numbers were computed; NULL: float32
    int counts[STANDING_COUNT];
};

// Judges what was handed in. Parameters are given where the student handed in two or more, none has the lesson's numbers, no
// mistake or seed explains the first, and a later step is what right operations make of them. If no step is wrong then, the first of them is. Once the searches for causes have taken half of SEARCH_WORK together, ten times that if
// they are thorough, none begins. `options` has what every step's `checked` begins with: min_decimals and the like.
struct judged judge_all(struct arena *arena, const struct run *run, const struct handed_in *handed,
                        const struct checked *options);

// The step that the lesson's class gives, if nothing was handed in from there on; NULL if something was.
const struct step *step_ahead(const struct judged *judged);

// "equal"; "part": nothing is wrong, but a tensor that may be a step was not judged, or there is a step_ahead(); "rounded":
// nothing is wrong, but steps were computed with fewer bits; "wrong".
const char *judged_verdict(const struct judged *judged);

// Is a right step a factor that is 1 everywhere, such as a rescaling that rescales nothing? Then other lines give it as well.
bool is_one_everywhere(const struct judged *judged, int step);

// "equal", "wrong", "follows", "rounded", "given", "missing".
const char *standing_text(enum standing standing);

// For people: a line for each step, then what is wrong with those that stand wrong; `has_all`: with the steps that were
// not handed in.
void add_judged_plain(struct text *text, const struct judged *judged, bool has_all);

// For graders; judged_json.c says what the members are.
void add_judged_json(struct text *text, const struct judged *judged);

#endif
