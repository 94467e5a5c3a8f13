// Making the classic mistakes, and what comes of them. The mistakes themselves are next door, in rule.c.

#include "trace/what_if/mistake.h"

#include <string.h>

#include "base/text.h"
#include "tensor/operation/rows.h"
#include "trace/tape/tape.h"
#include "trace/tape/training.h"

const struct mistake *find_mistake(const char *name) {
    for (int i = 0; i < mistake_total; i++) {
        if (strcmp(mistake_table[i].name, name) == 0) return &mistake_table[i];
    }
    return NULL;
}

bool exclude_each_other(const struct mistake *a, const struct mistake *b) {
    return a != b && a->place != NULL && b->place != NULL && strcmp(a->place, b->place) == 0;
}

int mistake_number(const struct mistake *mistake) {
    return (int)(mistake - mistake_table);
}

// ---- Making them --------------------------------------------------------------------------------

// Applies a rule to every node and every view that the tape had before. Returns whether anything was
// its own.
static bool make(struct replay *replay, const struct mistake *mistake) {
    const int count = replay->count;
    struct node **nodes = arena_array(replay->arena, (size_t)count, sizeof *nodes);
    if (count > 0) memcpy(nodes, replay->nodes, (size_t)count * sizeof *nodes);
    bool has_changed = false;
    for (int i = 0; mistake->change != NULL && i < count; i++) {
        if (mistake->change(replay, nodes[i])) has_changed = true;
    }
    if (mistake->reread == NULL) return has_changed;
    for (int i = 0; i < replay->step_count; i++) {
        if (mistake->reread(replay, &replay->steps[i], false)) has_changed = true;
    }
    for (int i = 0; i < count; i++) {
        const struct operation *operation = nodes[i]->origin.operation;
        const bool is_factor = operation == &linear_row || operation == &matmul_row;
        for (int j = 0; j < nodes[i]->origin.operand_count; j++) {
            if (!mistake->reread(replay, &nodes[i]->operands[j], is_factor)) continue;
            has_changed = true;
            (void)rewrite(nodes[i]);
        }
    }
    return has_changed;
}

static bool comes_before(const struct mistake *a, const struct mistake *b) {
    return a->is_early != b->is_early ? a->is_early : a < b;
}

// The mistakes in the order in which their rules are applied, whatever the order they were given in.
static const struct mistake **in_order(struct arena *arena, const struct mistake *const *mistakes,
                                       int count) {
    const struct mistake **sorted = arena_array(arena, (size_t)count, sizeof *sorted);
    for (int i = 0; i < count; i++) {
        int place = i;
        for (; place > 0 && comes_before(mistakes[i], sorted[place - 1]); place--) {
            sorted[place] = sorted[place - 1];
        }
        sorted[place] = mistakes[i];
    }
    return sorted;
}

// What is to be replayed.
struct making {
    struct arena *arena;
    const struct run *right;
    const struct mistake *const *mistakes;
    int count;
    int step;           // or ALL_STEPS
    bool is_update;     // `right` is one of a training
    struct run *result; // where the steps go; NULL if only one is asked for
    struct replay replay;
    bool has_changed; // some rule found something to change
};

static void make_mistakes(struct making *r) {
    r->replay = replay_of(r->arena, r->right);
    r->replay.is_update = r->is_update;
    const struct mistake **sorted = in_order(r->arena, r->mistakes, r->count);
    for (int i = 0; i < r->count; i++) {
        if (make(&r->replay, sorted[i])) r->has_changed = true;
    }
}

// The seeds as the rules left them.
static void note_seeds(const struct replay *replay, struct run *result) {
    for (int i = 0; i < replay->count; i++) {
        const struct draws *draws = &replay->nodes[i]->origin.draws;
        const bool is_noted = draws->sequence >= 1 && draws->sequence <= MAX_SEEDS;
        if (is_noted) result->seeds[draws->sequence - 1] = draws->seed;
    }
}

static void fill_result(const struct making *r, struct run *result) {
    *result = *r->right;
    result->memory = r->arena;
    result->steps = arena_array(r->arena, (size_t)r->right->step_count, sizeof *result->steps);
    for (int i = 0; i < r->right->step_count; i++) {
        result->steps[i] = r->right->steps[i];
        result->steps[i].tensor = played(&r->replay.steps[i]);
    }
    note_seeds(&r->replay, result);
}

// Makes the mistakes in one update of a training.
static void amend_update(const struct amendment *amendment, const struct run *run,
                         struct arena *arena, struct update *update) {
    if (amendment->count == 0) return; // only fewer updates were asked for
    struct run inner = *run;
    inner.step_count = update->count;
    inner.steps = arena_array(arena, (size_t)update->count, sizeof *inner.steps);
    for (int i = 0; i < update->count; i++)
        inner.steps[i] = (struct step){.number = i + 1, .name = "", .tensor = update->tensors[i]};
    struct making making = {
        arena, &inner, amendment->mistakes, amendment->count, .step = ALL_STEPS, .is_update = true};
    make_mistakes(&making);
    play(&making.replay, ALL_STEPS, ONLY_CHANGES);
    for (int i = 0; i < update->count; i++) update->tensors[i] = played(&making.replay.steps[i]);
}

static bool is_behind(const struct tape *tape, const struct tensor *tensor) {
    for (int i = 0; is_tensor(tensor) && i < tape->count; i++) {
        if (tape->storages[i] == tensor->storage) return true;
    }
    return false;
}

// How many updates of a training what is to be played depends on; 1 at least, so that there is a first.
static int64_t updates_behind(const struct making *r, const struct tape *tape,
                              const struct trained *trained) {
    const int64_t all = r->right->parameters.updates;
    bool is_any = r->step == ALL_STEPS || is_behind(tape, &trained->losses);
    for (int i = 0; i < MOST_TRAINED; i++)
        is_any = is_any || is_behind(tape, &trained->parameters[i]);
    return is_any || all < 1 ? all : 1;
}

static const int64_t *all_updates_behind(const struct making *r) {
    const struct run *right = r->right;
    struct tape tape = {0};
    if (r->step != ALL_STEPS) tape = tape_of(r->arena, 1, &right->steps[r->step].tensor);
    int64_t *updates = arena_array(r->arena, (size_t)right->training_count, sizeof *updates);
    for (int i = 0; i < right->training_count; i++)
        updates[i] = updates_behind(r, &tape, right->trainings[i]);
    return updates;
}

// A lesson that trains is run once more, with the mistakes in every update that matters; then all else is
// played again.
static void amend_trainings(struct making *r) {
    struct amendment *amendment = arena_allocate(r->arena, sizeof *amendment);
    *amendment = (struct amendment){amend_update, r->mistakes, r->count, all_updates_behind(r)};
    struct run *amended = arena_allocate(r->arena, sizeof *amended);
    run_amended(amended, r->arena, r->right, amendment);
    r->right = amended;
}

// Was a step made by an update?
static bool is_updated(struct arena *arena, const struct step *step) {
    const struct tape tape = tape_of(arena, 1, &step->tensor);
    for (int i = 0; i < tape.count; i++) {
        if (tape.storages[i]->origin->operation == &zero_grad_row) return true;
    }
    return false;
}

// Does what is to be played depend on an update?
static bool is_trained(const struct making *r) {
    if (!r->right->lesson->trains || r->step == ALL_STEPS) return r->right->lesson->trains;
    return is_updated(r->arena, &r->right->steps[r->step]);
}

// The first update is on the tape of a run, whole, and the others are like it: what finds nothing to change
// in a run finds nothing in any update.
static bool changes_updates(const struct making *r) {
    for (int i = 0; i < r->count; i++) {
        if (finds_anything(r->arena, r->right, r->mistakes[i])) return true;
    }
    return false;
}

static void replay_steps(struct making *r) {
    if (is_trained(r) && changes_updates(r)) amend_trainings(r);
    make_mistakes(r);
    play(&r->replay, r->step, ONLY_CHANGES);
    if (r->result != NULL) fill_result(r, r->result);
}

void replay_run(struct run *result, struct arena *arena, const struct run *right,
                const struct mistake *const *mistakes, int count) {
    struct making making = {arena, right, mistakes, count, .step = ALL_STEPS, .result = result};
    replay_steps(&making);
}

void replay_handed(struct run *result, struct arena *arena, const struct run *right,
                   const struct handed *handed, const struct mistake *const *mistakes, int count) {
    struct making making = {arena, right, mistakes, count, .step = ALL_STEPS};
    if (is_trained(&making) && changes_updates(&making)) amend_trainings(&making);
    make_mistakes(&making);
    for (int i = 0; i < handed->count; i++)
        graft(&making.replay, handed->steps[i], handed->values[i]);
    play(&making.replay, ALL_STEPS, ONLY_CHANGES);
    fill_result(&making, result);
}

bool replay_untrained(struct run *result, struct arena *arena, const struct run *right,
                      const struct mistake *mistake) {
    struct run start = *right;
    if (right->lesson->trains) start.step_count = 0;
    while (start.step_count < right->step_count &&
           !is_updated(arena, &right->steps[start.step_count]))
        start.step_count++;
    struct making making = {arena, &start, &mistake, 1, .step = ALL_STEPS};
    make_mistakes(&making);
    *result = start;
    if (!making.has_changed) return false;
    play(&making.replay, ALL_STEPS, ONLY_CHANGES);
    fill_result(&making, result);
    return true;
}

void replay_step(struct tensor *result, struct arena *arena, const struct run *right,
                 const struct mistake *const *mistakes, int count, int step) {
    struct making making = {arena, right, mistakes, count, .step = step};
    replay_steps(&making);
    *result = played(&making.replay.steps[step]);
}

void recompute_step(struct tensor *result, struct arena *arena, const struct run *right,
                    const struct mistake *const *mistakes, int count, int step) {
    struct making making = {arena, right, mistakes, count, .step = step};
    const bool is_run_again = is_trained(&making);
    if (is_run_again) amend_trainings(&making);
    make_mistakes(&making);
    play(&making.replay, step, is_run_again ? ONLY_CHANGES : EVERYTHING);
    *result = played(&making.replay.steps[step]);
}

bool finds_anything(struct arena *arena, const struct run *right, const struct mistake *mistake) {
    struct making making = {arena, right, &mistake, 1, .step = ALL_STEPS};
    make_mistakes(&making);
    return making.has_changed;
}

// Would the heads that the lesson has, or was given, divide the width?
static bool fits_heads(const struct lesson *lesson, const struct parameters *chosen,
                       int64_t width) {
    const int64_t heads = chosen->given & USES_HEADS ? chosen->heads : lesson->defaults.heads;
    return !lesson->splits_heads || width % heads == 0;
}

struct parameters showing_parameters(const struct lesson *lesson, const struct parameters *chosen,
                                     const struct mistake *mistake) {
    uint64_t added = mistake->showing.given & lesson->uses & ~chosen->given;
    if (!fits_heads(lesson, chosen, mistake->showing.d_out)) added &= ~(uint64_t)USES_D_OUT;
    struct parameters result = overlaid(chosen, &mistake->showing, added);
    result.given = chosen->given | added;
    return result;
}
