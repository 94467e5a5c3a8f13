#include "trace/what_if/trial.h"

#include <string.h>

#include "base/text.h"

bool any_made(const struct what_ifs *what_ifs) {
    for (int i = 0; i < MISTAKE_COUNT; i++) {
        if (what_ifs->made[i]) return true;
    }
    return false;
}

static void choose_mistakes(struct trial *trial, struct arena *arena,
                            const struct what_ifs *what_ifs) {
    const struct mistake **mistakes = arena_array(arena, MISTAKE_COUNT, sizeof *mistakes);
    struct effect *effects = arena_array(arena, MISTAKE_COUNT, sizeof *effects);
    for (int i = 0; i < MISTAKE_COUNT; i++) {
        if (!what_ifs->made[i]) continue;
        effects[trial->mistake_count] = effect_on(arena, trial->right, &mistake_table[i]);
        mistakes[trial->mistake_count++] = &mistake_table[i];
    }
    trial->mistakes = mistakes;
    trial->effects = effects;
}

void run_trial(struct trial *trial, struct arena *arena, const struct lesson *lesson,
               const struct parameters *chosen, const struct what_ifs *what_ifs) {
    *trial = (struct trial){.right = NULL};
    run_lesson(&trial->run, arena, lesson, chosen);
    if (!any_made(what_ifs)) return;
    struct run *right = arena_allocate(arena, sizeof *right);
    *right = trial->run;
    trial->right = right;
    choose_mistakes(trial, arena, what_ifs);
    replay_run(&trial->run, arena, right, trial->mistakes, trial->mistake_count);
    bool *touched = arena_array(arena, (size_t)right->step_count, sizeof *touched);
    count_touched(right, &trial->run, touched);
    trial->touched = touched;
}

const char *differences_text(struct arena *arena, const struct trial *trial) {
    struct text text = text_new(arena);
    const char *parameters = parameters_text(arena, &trial->run);
    if (parameters != NULL) text_add(&text, parameters);
    for (int i = 0; i < trial->mistake_count; i++) {
        if (text.length > 0) text_add(&text, ", ");
        text_add_format(&text, "what if %s", trial->mistakes[i]->name);
        if (trial->effects[i].count == 0) text_add(&text, " (changes nothing here)");
    }
    return text.length > 0 ? text.bytes : NULL;
}

const char *idle_text(struct arena *arena, const struct trial *trial, int i) {
    if (trial->effects[i].count > 0) return NULL;
    return arena_format(arena, "%s changes nothing here: %s", trial->mistakes[i]->name,
                        trial->effects[i].why);
}

bool is_touched(const struct trial *trial) {
    for (int i = 0; trial->touched != NULL && i < trial->run.step_count; i++) {
        if (trial->touched[i]) return true;
    }
    return false;
}

const struct tensor *right_tensor(const struct trial *trial, const struct step *step) {
    if (trial->touched == NULL || !trial->touched[step->number - 1]) return NULL;
    return &trial->right->steps[step->number - 1].tensor;
}
