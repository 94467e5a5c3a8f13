#ifndef ONESTEP_APP_CHECK_CHANGED_RUN_H
#define ONESTEP_APP_CHECK_CHANGED_RUN_H

// A lesson run with a parameter that a student may have changed: another learning rate, another seed.

#include "app/check/patience.h"
#include "trace/run/run.h"

// Whoever looks for a run with certain numbers in a step.
struct seeker {
    const struct run *run;   // which was run with the parameters that were asked for
    const struct step *step; // of this run
    struct patience *patience;
    // Are these the numbers? `tensor` is the step in the changed run. `how` is what was changed: "lr=0.001".
    bool (*found)(struct seeker *seeker, const struct tensor *tensor, const char *how);
    // Do the numbers begin with those of the row? Only asked of losses; NULL: they always do.
    bool (*begins)(struct seeker *seeker, const struct tensor *row);
};

// Tries one change at a time: the course's own parameters, switches, and for each other parameter the values that students
// take most often; ten usual seeds are among them. `arena` keeps what `how` points to.
void try_changed_runs(struct seeker *seeker, struct arena *arena);

// The same for what concerns training alone: the optimizer, its learning rate, the number of updates. For losses, two
// changes at a time as well: "optimizer=sgd lr=0.1".
void try_changed_training(struct seeker *seeker, struct arena *arena);

// The same for what makes tensors larger: d_out, heads, batch, updates. Tries the sizes in `shape`, too.
void try_changed_sizes(struct seeker *seeker, struct arena *arena, struct shape shape);

// Tries all seeds from 0 to 9,999 until one is found, while there is work left. Does nothing if no seed changes the step,
// or if it was trained: then its lesson's first drawn tensor is the one to check.
void try_all_seeds(struct seeker *seeker, struct arena *arena);

// "your numbers are those of lr 0.001", for `how` as above.
const char *changed_text(struct arena *arena, const char *how);

#endif
