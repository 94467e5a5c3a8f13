// Making the classic mistakes, and what comes of them. The mistakes themselves are next door, in rule.c.

#include "trace/what_if/mistake.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

const struct mistake *find_mistake(const char *name) {
    for (int i = 0; i < MISTAKE_COUNT; i++) {
        if (strcmp(mistake_table[i].name, name) == 0) return &mistake_table[i];
    }
    return NULL;
}

uint32_t mistake_bit(const struct mistake *mistake) {
    return UINT32_C(1) << (mistake - mistake_table);
}

const char *mistake_names(struct arena *arena) {
    struct text text = text_new(arena);
    for (int i = 0; i < MISTAKE_COUNT; i++) {
        text_add_format(&text, "%s%s", i > 0 ? ", " : "", mistake_table[i].name);
    }
    return text.bytes;
}

// ---- Making them --------------------------------------------------------------------------------

// Applies a rule to every node and every view that the tape had before. Returns whether anything was
// its own.
static bool make(struct tape *tape, const struct mistake *mistake) {
    const int count = tape->count;
    struct node **nodes = arena_array(tape->arena, (size_t)count, sizeof *nodes);
    if (count > 0) memcpy(nodes, tape->nodes, (size_t)count * sizeof *nodes);
    bool has_changed = false;
    for (int i = 0; mistake->change != NULL && i < count; i++) {
        if (mistake->change(tape, nodes[i])) has_changed = true;
    }
    if (mistake->reread == NULL) return has_changed;
    for (int i = 0; i < tape->right->step_count; i++) {
        if (mistake->reread(&tape->steps[i], true)) has_changed = true;
    }
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < nodes[i]->origin.operand_count; j++) {
            if (!mistake->reread(&nodes[i]->operands[j], false)) continue;
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
struct replay {
    struct arena *arena;
    const struct run *right;
    const struct mistake *const *mistakes;
    int count;
    int step;           // or ALL_STEPS
    struct run *result; // where the steps go; NULL if only one is asked for
    struct tape tape;
    bool has_changed; // some rule found something to change
};

static void make_mistakes(struct replay *r) {
    r->tape = tape_of(r->arena, r->right);
    const struct mistake **sorted = in_order(r->arena, r->mistakes, r->count);
    for (int i = 0; i < r->count; i++) {
        if (make(&r->tape, sorted[i])) r->has_changed = true;
    }
}

// The seeds as the rules left them.
static void note_seeds(const struct tape *tape, struct run *result) {
    for (int i = 0; i < tape->count; i++) {
        const struct draws *draws = &tape->nodes[i]->origin.draws;
        const bool is_noted = draws->sequence >= 1 && draws->sequence <= MAX_SEEDS;
        if (is_noted) result->seeds[draws->sequence - 1] = draws->seed;
    }
}

static void fill_result(const struct replay *r, struct run *result) {
    *result = *r->right;
    result->memory = r->arena;
    result->steps = arena_array(r->arena, (size_t)r->right->step_count, sizeof *result->steps);
    for (int i = 0; i < r->right->step_count; i++) {
        result->steps[i] = r->right->steps[i];
        result->steps[i].tensor = played(&r->tape.steps[i]);
    }
    const struct mistake **copy = arena_array(r->arena, (size_t)r->count, sizeof *copy);
    for (int i = 0; i < r->count; i++) {
        copy[i] = r->mistakes[i];
        result->parameters.what_ifs |= mistake_bit(copy[i]);
    }
    result->mistakes = copy;
    result->mistake_count = r->count;
    result->right = r->right;
    note_seeds(&r->tape, result);
}

static void replay_steps(struct replay *r) {
    make_mistakes(r);
    play(&r->tape, r->step, ONLY_CHANGES);
    if (r->result != NULL) fill_result(r, r->result);
}

void replay_run(struct run *result, struct arena *arena, const struct run *right,
                const struct mistake *const *mistakes, int count) {
    struct replay replay = {arena, right, mistakes, count, .step = ALL_STEPS, .result = result};
    replay_steps(&replay);
}

void replay_step(struct tensor *result, struct arena *arena, const struct run *right,
                 const struct mistake *const *mistakes, int count, int step) {
    struct replay replay = {arena, right, mistakes, count, .step = step};
    replay_steps(&replay);
    *result = played(&replay.tape.steps[step]);
}

// ---- What they do -------------------------------------------------------------------------------

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

const char *why_untouched(struct arena *arena, const struct run *right,
                          const struct mistake *mistake) {
    struct run wrong;
    struct replay replay = {arena, right, &mistake, 1, .step = ALL_STEPS, .result = &wrong};
    replay_steps(&replay);
    if (!replay.has_changed) return mistake->absent;
    if (count_touched(right, &wrong, NULL) > 0) return NULL;
    if (right->inputs.shape[0] == 1 && mistake->alone != NULL) return mistake->alone;
    return mistake->alike != NULL ? mistake->alike : "the numbers come out the same";
}

struct parameters showing_parameters(const struct lesson *lesson, const struct parameters *chosen,
                                     const struct mistake *mistake) {
    const unsigned added = mistake->showing.given & lesson->uses & ~chosen->given;
    struct parameters result = overlay(chosen, &mistake->showing, added);
    result.given = chosen->given | added;
    return result;
}
