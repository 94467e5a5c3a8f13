#include "walk/other_sizes.h"

#include <stdlib.h>
#include <string.h>

#include "trace/run/step.h"
#include "trace/what_if/mistaken.h"

// The lesson runs once more with each of its sizes doubled.
struct other_size {
    struct walker *walker;
    struct parameters chosen;
    bool is_missed;
};

// Whoever stops a line, or lets it take too long, has shown nothing.
static bool is_wrong(const struct trial *trial, int step) {
    const struct line_outcome *failed = failed_outcome(trial, &trial->run.steps[step]);
    const bool says = failed == NULL || strncmp(failed->failure, "RuntimeError", 12) == 0 ||
                      strncmp(failed->failure, "IndexError", 10) == 0;
    return says && !is_line_right(trial, step);
}

// The step has to have the same lines there: the typed one took the place of one of them.
static void run_at_size(void *context) {
    struct other_size *size = context;
    struct walker *walker = size->walker;
    const struct trial *here = &walker->trial;
    const struct step *step = current_step(&walker->state, here->right);
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, &walker->failure);
    struct trial there;
    run_trial(&there, m, here->run.lesson, &size->chosen, &walker->what_ifs);
    const struct step *same = step_called(&there.run, step_label(m, step));
    if (same != NULL) {
        const int i = same->number - 1;
        size->is_missed =
            strcmp(there.right->steps[i].statement, step->statement) == 0 && is_wrong(&there, i);
    }
    scratch_close(&scratch);
}

// False where the lesson cannot have it twice as large.
static bool misses(struct other_size *size, struct arena *arena,
                   const struct parameter *parameter) {
    const struct run *run = &size->walker->trial.run;
    const struct parameter walked = parameter_walked(parameter);
    const char *value = parameter_text(arena, &run->parameters, parameter);
    size->chosen = size->walker->chosen;
    size->is_missed = false;
    return (run->lesson->uses & parameter->bit) && parameter->kind == &size_kind &&
           set_parameter(&size->chosen, &walked,
                         arena_format(arena, "%lld", 2 * strtoll(value, NULL, 10))) &&
           attempt(&size->walker->failure, run_at_size, size) && size->is_missed;
}

const char *size_it_misses(struct walker *walker, struct arena *arena) {
    const struct trial *trial = &walker->trial;
    if (trial->right == NULL || trial->run.lesson->trains || is_long(trial->right)) return NULL;
    struct other_size size = {.walker = walker};
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (misses(&size, arena, parameter))
            return arena_format(arena, "%s %s", parameter->name,
                                parameter_text(arena, &size.chosen, parameter));
    }
    return NULL;
}
