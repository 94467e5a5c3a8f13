#ifndef ONESTEP_TRACE_WHAT_IF_TRIAL_H
#define ONESTEP_TRACE_WHAT_IF_TRIAL_H

// A lesson as the user chose it: its run, or its run with mistakes made on purpose.
//
//     struct what_ifs what_ifs = {0};
//     what_ifs.made[mistake_number(find_mistake("no-scale"))] = true;
//     struct trial trial;
//     run_trial(&trial, arena, lesson, &parameters, &what_ifs);
//     trial.run.steps[9].tensor                                   // beside trial.right->steps[9].tensor
//
// The numbers of a wrong run can be traced like those of a right one: derive() and order_of() work on them.
// The steps keep the names, explanations and source of the right program. Both runs share the numbers that no
// mistake reaches.
//
// A mistake is made in the lesson's lines (data/edits.txt), which what_ifs.lines.interpreter runs: trial.edited has them. Where the
// lesson has no such line, it changes nothing. A step whose line fails then has no numbers (failed_outcome).

#include "trace/what_if/changed_line.h"
#include "trace/what_if/effects.h"
#include "trace/what_if/line_pair.h"

// Which mistakes are to be made, by their number in mistake_table; and which lines are changed. In one lesson it is either
// mistakes or lines: a lesson with a changed line has no mistakes.
struct what_ifs {
    bool made[MOST_MISTAKES];
    struct changed_lines lines;
};
bool any_made(const struct what_ifs *what_ifs);
// Is a line of this lesson changed?
bool any_changed(const struct what_ifs *what_ifs, const struct lesson *lesson);

struct trial {
    struct run run;          // to be shown
    const struct run *right; // the same without mistakes and changed lines; NULL if there are none
    int mistake_count;
    const struct mistake *const *mistakes;
    const bool *is_made; // by mistake: it has a line in the lesson that the others leave it
    const bool *touched; // steps that the mistakes or lines together change; NULL if there are none
    int line_count;      // steps with a changed line
    const bool *
        is_changed; // by step: its line is changed, by the user or by the mistakes; NULL if there are none
    const struct line_outcome *outcomes; // by step; NULL if no line is another
    const struct run
        *edited; // the statements and the setup with the mistakes; NULL if none are made
    struct line_pairs lines; // in which it differs from the lesson
    const bool
        *is_absent; // by step: its value is None there, and 0 stands for it; NULL if edited is
    struct effects *effects;               // of all mistakes, each made alone
    const struct interpreter *interpreter; // NULL: none is there
};

// The lesson's run without mistakes and changed lines.
const struct run *right_run(const struct trial *trial);

// What a mistake (its number in mistake_table) does to the trial's lesson, whether it is made or not.
const struct effect *effect_in(const struct trial *trial, int mistake);
int changed_in(const struct trial *trial, int mistake); // how many steps
void learn_effects(const struct trial *trial);          // of all mistakes: quicker than one by one

// Runs a lesson with the parameters, the mistakes and the lines that the user chose. Fills *trial, all in `arena`. Fails
// as run_lesson does, and with FAIL_USAGE where a line is changed of a step that the lesson does not have. A caller that runs the same lesson with the same parameters again may replace
// trial->effects by effects that are already known.
void run_trial(struct trial *trial, struct arena *arena, const struct lesson *lesson,
               const struct parameters *chosen, const struct what_ifs *what_ifs);
// The same, and continues the trainings of the trial `before` if possible (continue_lesson). `before` is not
// needed afterwards.
void run_trial_after(struct trial *trial, struct arena *arena, const struct trial *before,
                     const struct lesson *lesson, const struct parameters *chosen,
                     const struct what_ifs *what_ifs);
// Only makes the mistakes, in a right run that is there already. It must last as long as the trial does.
void run_trial_in(struct trial *trial, struct arena *arena, const struct run *right,
                  const struct what_ifs *what_ifs);

// "seed 5, d_out 4, what if no-scale", for a trial that differs from the lesson's defaults; NULL if it does
// not.
const char *differences_text(struct arena *arena, const struct trial *trial);

// "no-scale changes nothing here: d_k is 1, and √1 is 1", for mistake `i` of a trial; NULL if it changes a
// step.
const char *idle_text(struct arena *arena, const struct trial *trial, int i);

// Why the step could not be computed with the mistakes or the changed lines; NULL if it could, or no line is another.
const struct line_outcome *failed_outcome(const struct trial *trial, const struct step *step);

// Do its mistakes or lines change a step?
bool is_touched(const struct trial *trial);

// The lines of a step (from 0) as they ran with the mistakes, as far as they are others than the lesson's; each ends in \n. "" where
// none is: the mistakes are in other lines.
const char *mistaken_lines(struct arena *arena, const struct trial *trial, int step);

// The lesson's lines with one mistake (its number in mistake_table) made alone, whether it is made or not. None where the lesson
// has no line for it.
const struct line_pairs *lines_with(const struct trial *trial, int mistake);

// Is the step (from 0) itself computed differently than in the right run, and not only from other numbers? Then its own line is
// another, or a line before it that no step shows, such as a seed's.
bool is_mistaken(const struct trial *trial, int step);

// The same for one mistake (its number in mistake_table) made alone.
bool is_made_at(const struct trial *trial, int mistake, int step);

// The step's formula, with what the mistakes did to it: "W = softmax(S / √d_k). With the mistake: Scores not divided by
// √d_k". The formula alone where they changed nothing. Of several mistakes it names those that change the step when each is
// made alone; all, where only together they do. Where is_absent, it says so.
const char *formula_text(struct arena *arena, const struct trial *trial, const struct step *step);

// The step's tensor without the mistakes and lines; NULL if they did not change it. A changed line may give another shape.
const struct tensor *right_tensor(const struct trial *trial, const struct step *step);

#endif
