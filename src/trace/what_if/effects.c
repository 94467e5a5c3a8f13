#include "trace/what_if/effects.h"

static void learn(struct effects *effects, const struct run *right, const struct mistake *mistake,
                  struct effect *effect) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, effects->failure);
    struct run wrong;
    replay_run(&wrong, m, right, &mistake, 1);
    bool *touched = arena_array(m, (size_t)right->step_count, sizeof *touched);
    effect->count = count_touched(right, &wrong, touched);
    for (int i = right->step_count - 1; i >= 0; i--) {
        if (touched[i]) effect->first = i;
    }
    if (effect->count == 0)
        effect->why = arena_copy(effects->words, why_untouched(m, right, mistake));
    effect->is_known = true;
    scratch_close(&scratch);
}

const struct effect *effect_of(struct effects *effects, const struct run *run, int mistake) {
    struct effect *effect = &effects->each[mistake];
    const struct run *right = run->right != NULL ? run->right : run;
    if (!effect->is_known) learn(effects, right, &mistake_table[mistake], effect);
    return effect;
}

void effects_forget(struct effects *effects) {
    for (int i = 0; i < MISTAKE_COUNT; i++) effects->each[i] = (struct effect){.is_known = false};
}
