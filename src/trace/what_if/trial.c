#include "trace/what_if/trial.h"

#include <string.h>

#include "base/text.h"

bool any_made(const struct what_ifs *what_ifs) {
    for (int i = 0; i < MISTAKE_COUNT; i++) {
        if (what_ifs->made[i]) return true;
    }
    return false;
}

const struct effect *effect_in(const struct trial *trial, int mistake) {
    const struct run *right = trial->right != NULL ? trial->right : &trial->run;
    return effect_of(trial->effects, right, mistake);
}

static void choose_mistakes(struct trial *trial, struct arena *arena,
                            const struct what_ifs *what_ifs) {
    const struct mistake **mistakes = arena_array(arena, MISTAKE_COUNT, sizeof *mistakes);
    for (int i = 0; i < MISTAKE_COUNT; i++) {
        if (what_ifs->made[i]) mistakes[trial->mistake_count++] = &mistake_table[i];
    }
    trial->mistakes = mistakes;
}

void run_trial(struct trial *trial, struct arena *arena, const struct lesson *lesson,
               const struct parameters *chosen, const struct what_ifs *what_ifs) {
    *trial = (struct trial){.effects = arena_allocate(arena, sizeof *trial->effects)};
    *trial->effects = (struct effects){.failure = arena->failure, .words = arena};
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
        if (idle_text(arena, trial, i) != NULL) text_add(&text, " (changes nothing here)");
    }
    return text.length > 0 ? text.bytes : NULL;
}

const char *idle_text(struct arena *arena, const struct trial *trial, int i) {
    const struct mistake *mistake = trial->mistakes[i];
    const struct effect *effect = effect_in(trial, mistake_number(mistake));
    if (effect->count > 0) return NULL;
    return arena_format(arena, "%s changes nothing here: %s", mistake->name, effect->why);
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
