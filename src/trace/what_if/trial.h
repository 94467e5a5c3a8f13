#ifndef ONESTEP_TRACE_WHAT_IF_TRIAL_H
#define ONESTEP_TRACE_WHAT_IF_TRIAL_H

// A lesson as the user asked for it: its run, and where mistakes are made on purpose, what becomes of it.
//
//     struct what_ifs what_ifs = {0};
//     what_ifs.made[mistake_number(find_mistake("no-scale"))] = true;
//     struct trial trial;
//     run_trial(&trial, arena, lesson, &parameters, &what_ifs);
//     trial.run.steps[9].tensor                                   // beside trial.right->steps[9].tensor
//
// The numbers of a wrong run know where they came from, like those of a right one: derive() and order_of()
// work on them. Its steps keep the lesson's names, explanations and source, which is that of the right
// program. Both runs share what the mistakes did not reach.

#include "trace/what_if/effects.h"

// Which mistakes are to be made, by their number in mistake_table.
struct what_ifs {
    bool made[MISTAKE_COUNT];
};
bool any_made(const struct what_ifs *what_ifs);

struct trial {
    struct run run;          // to be shown
    const struct run *right; // the same without the mistakes; NULL if none were to be made
    int mistake_count;
    const struct mistake *const *mistakes;
    const bool *touched;     // steps that the mistakes together change; NULL if none are made
    struct effects *effects; // of all mistakes, each made alone
};

// What a mistake (its number in mistake_table) does to the trial's lesson, whether it is made or not.
const struct effect *effect_in(const struct trial *trial, int mistake);
int changed_in(const struct trial *trial, int mistake); // how many steps

// Runs a lesson with the parameters and the mistakes that the user chose. Fills *trial, all in `arena`.
// Fails as run_lesson does. Whoever runs the same lesson with the same parameters again may put the
// effects that are known already in the place of trial->effects.
void run_trial(struct trial *trial, struct arena *arena, const struct lesson *lesson,
               const struct parameters *chosen, const struct what_ifs *what_ifs);
// The same, after another trial, whose trainings are gone on with where that can be (continue_lesson). It is
// not needed afterwards.
void run_trial_after(struct trial *trial, struct arena *arena, const struct trial *before,
                     const struct lesson *lesson, const struct parameters *chosen,
                     const struct what_ifs *what_ifs);

// "seed 5, d_out 4, what if no-scale", for a trial that is not at the lesson's defaults; NULL for one that
// is.
const char *differences_text(struct arena *arena, const struct trial *trial);

// "no-scale changes nothing here: d_k is 1, and √1 is 1", for mistake `i` of a trial; NULL if it changes a
// step.
const char *idle_text(struct arena *arena, const struct trial *trial, int i);

// Does any of its mistakes change a step?
bool is_touched(const struct trial *trial);

// Is the step (from 0) itself computed otherwise than in the right run, and not only from other numbers?
// Then its lines of code are not the ones that these numbers came from. What lies between it and the steps
// before it counts as its own.
bool is_mistaken(const struct trial *trial, int step);

// The same of a mistake (its number in mistake_table) that would be made alone. Of a training, what comes before its
// updates is looked at.
bool is_made_at(const struct trial *trial, int mistake, int step);

// What a step's tensor is without the mistakes; NULL if they did not change it.
const struct tensor *right_tensor(const struct trial *trial, const struct step *step);

#endif
