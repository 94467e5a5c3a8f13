#include "trace/what_if/effects.h"

#include <math.h>
#include <string.h>

#include "trace/what_if/reason.h"

static bool same_view(const struct tensor *a, const struct tensor *b) {
    return a->storage == b->storage && a->offset == b->offset &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0;
}

bool differ(const struct tensor *a, const struct tensor *b) {
    if (same_view(a, b)) return false;
    const int64_t count = count_of(shape_of(a));
    for (int64_t i = 0; i < count; i++) {
        const double x = element_at(a, i), y = element_at(b, i);
        if (isnan(x) && isnan(y)) continue;
        if (memcmp(&x, &y, sizeof x) != 0) return true;
    }
    return false;
}

int count_touched(const struct run *right, const struct run *wrong, bool *touched) {
    int count = 0;
    for (int i = 0; i < right->step_count; i++) {
        const bool is_touched = differ(&right->steps[i].tensor, &wrong->steps[i].tensor);
        if (touched != NULL) touched[i] = is_touched;
        if (is_touched) count++;
    }
    return count;
}

// The mistake changes no number: it found something to change, or it did not.
static const char *why_idle(struct arena *arena, const struct run *right,
                            const struct mistake *mistake, bool has_found) {
    if (!has_found) {
        const char *gone = why_gone(right, mistake->lever);
        return gone != NULL ? gone : "what it changes is not in this lesson";
    }
    if (mistake->alone != NULL && has_one_key(arena, right)) return mistake->alone;
    const bool is_sure =
        mistake->alike != NULL && (mistake->is_alike == NULL || mistake->is_alike(arena, right));
    return is_sure ? mistake->alike : "the numbers come out the same";
}

// The first step of the wrong run that is another than the right one's; -1 if there is none.
static int first_touched(const struct run *right, const struct run *wrong) {
    for (int i = 0; i < wrong->step_count; i++) {
        if (differ(&right->steps[i].tensor, &wrong->steps[i].tensor)) return i;
    }
    return -1;
}

struct effect effect_on(struct arena *arena, const struct run *right,
                        const struct mistake *mistake) {
    struct run wrong;
    bool has_found = replay_untrained(&wrong, arena, right, mistake);
    struct effect effect = {.first = has_found ? first_touched(right, &wrong) : -1};
    if (effect.first < 0 && wrong.step_count < right->step_count) {
        has_found = finds_anything(arena, right, mistake);
        if (has_found) replay_run(&wrong, arena, right, &mistake, 1);
        effect.first = has_found ? first_touched(right, &wrong) : -1;
    }
    if (effect.first < 0) effect.why = why_idle(arena, right, mistake, has_found);
    return effect;
}

int count_changed(struct arena *arena, const struct run *right, const struct mistake *mistake,
                  bool *touched) {
    struct run wrong;
    replay_run(&wrong, arena, right, &mistake, 1);
    return count_touched(right, &wrong, touched);
}

static void learn(struct effects *effects, const struct run *right, int mistake) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, effects->failure);
    struct effect *effect = &effects->each[mistake];
    *effect = effect_on(m, right, &mistake_table[mistake]);
    if (effect->why != NULL) effect->why = arena_copy(effects->words, effect->why);
    effects->is_known[mistake] = true;
    scratch_close(&scratch);
}

const struct effect *effect_of(struct effects *effects, const struct run *right, int mistake) {
    if (!effects->is_known[mistake]) learn(effects, right, mistake);
    return &effects->each[mistake];
}

int changed_by(struct effects *effects, const struct run *right, int mistake) {
    if (effects->is_counted[mistake]) return effects->changed[mistake];
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, effects->failure);
    const size_t steps = (size_t)right->step_count;
    bool *changes = arena_array(effects->words, steps, sizeof *changes);
    effects->changed[mistake] = count_changed(m, right, &mistake_table[mistake], changes);
    effects->changes[mistake] = changes;
    effects->is_counted[mistake] = true;
    scratch_close(&scratch);
    return effects->changed[mistake];
}

bool changes_step(struct effects *effects, const struct run *right, int mistake, int step) {
    return changed_by(effects, right, mistake) > 0 && effects->changes[mistake][step];
}

void effects_forget(struct effects *effects) {
    memset(effects->is_written, 0, sizeof effects->is_written);
    memset(effects->is_counted, 0, sizeof effects->is_counted);
    memset(effects->is_known, 0, sizeof effects->is_known);
}
