#include "trace/what_if/effects.h"

#include <math.h>
#include <string.h>

#include "trace/tape/graph.h"
#include "trace/what_if/mistaken.h"
#include "trace/what_if/reason.h"

static bool same_view(const struct tensor *a, const struct tensor *b) {
    return a->storage == b->storage && a->offset == b->offset &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0;
}

// Do both read the same bytes in the same way? A model has too many numbers to be compared one by one.
static bool same_bytes(const struct tensor *a, const struct tensor *b) {
    const struct storage *one = a->storage, *other = b->storage;
    return one->dtype == FLOAT32 && other->dtype == FLOAT32 && one->count == other->count &&
           a->offset == b->offset && memcmp(a->stride, b->stride, sizeof a->stride) == 0 &&
           memcmp(one->data, other->data, (size_t)one->count * sizeof(float)) == 0;
}

bool differ(const struct tensor *a, const struct tensor *b) {
    if (same_view(a, b) || same_bytes(a, b)) return false;
    const int64_t count = count_of(shape_of(a));
    for (int64_t i = 0; i < count; i++) {
        const double x = element_at(a, i), y = element_at(b, i);
        if (isnan(x) && isnan(y)) continue;
        if (memcmp(&x, &y, sizeof x) != 0) return true;
    }
    return false;
}

bool are_others(const struct tensor *a, const struct tensor *b) {
    return !is_tensor(a) || a->storage->dtype != b->storage->dtype ||
           !shapes_equal(shape_of(a), shape_of(b)) || differ(a, b);
}

int count_touched(const struct run *right, const struct run *wrong, bool *touched) {
    int count = 0;
    for (int i = 0; i < right->step_count; i++) {
        const bool is_touched = are_others(&right->steps[i].tensor, &wrong->steps[i].tensor);
        if (touched != NULL) touched[i] = is_touched;
        if (is_touched) count++;
    }
    return count;
}

// The mistake changes no number: it found lines to change, or it did not.
static const char *why_idle(struct arena *arena, const struct run *right,
                            const struct mistake *mistake, bool has_found) {
    const char *gone = why_gone(right, mistake->lever);
    if (gone != NULL) return gone;
    if (!has_found) return "no line of this lesson has the form that it changes";
    if (mistake->alone != NULL && has_one_key(arena, right)) return mistake->alone;
    const bool is_sure =
        mistake->alike != NULL && (mistake->is_alike == NULL || mistake->is_alike(arena, right));
    return is_sure ? mistake->alike : "the numbers come out the same";
}

// ---- Running the lines --------------------------------------------------------------------------

// As it is, or a training with few updates.
static const struct run *brief_run(struct arena *arena, const struct run *right) {
    const struct parameters few = {.given = USES_UPDATES, .updates = 2};
    if (!right->lesson->trains || right->parameters.updates <= few.updates) return right;
    const struct parameters parameters = overlaid(&right->parameters, &few, USES_UPDATES);
    struct run *brief = arena_allocate(arena, sizeof *brief);
    run_lesson(brief, arena, right->lesson, &parameters);
    return brief;
}

// Runs of a lesson with mistakes in its lines, and which steps each changes.
struct learning {
    const struct run *right;
    int count;
    struct run edited[MOST_MISTAKES];
    int mistakes[MOST_MISTAKES];
    bool *changes[MOST_MISTAKES];
};

static void note_changes(void *context, int i, const struct line_outcome *outcomes) {
    const struct learning *learning = context;
    const struct run *right = learning->right;
    for (int k = 0; k < right->step_count; k++)
        learning->changes[i][k] = are_others(&outcomes[k].tensor, &right->steps[k].tensor);
}

// What is taken for changed where no line runs: the steps with another line; all where the setup is another.
static void guess_changes(const struct learning *learning) {
    for (int i = 0; i < learning->count; i++) {
        const struct run *edited = &learning->edited[i];
        for (int k = 0; k < edited->step_count; k++)
            learning->changes[i][k] =
                edited->setup != NULL || has_other_line(learning->right, edited, k);
    }
}

// With the mistake in its lines, if it has any there.
static void add_edited(struct learning *learning, const struct effects *effects,
                       struct arena *arena, int mistake) {
    const struct mistake *const alone = &mistake_table[mistake];
    const struct run *right = learning->right;
    struct run *edited = &learning->edited[learning->count];
    bool is_made;
    if (make_mistakes(edited, &is_made, arena, effects->interpreter, right, &alone, 1) == 0) return;
    learning->changes[learning->count] =
        arena_array(effects->words, (size_t)right->step_count, sizeof **learning->changes);
    learning->mistakes[learning->count++] = mistake;
}

static void run_edited(struct learning *learning, const struct effects *effects) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, effects->failure);
    if (learning->count > 0)
        effects->interpreter->compute(m, learning->right, learning->count, learning->edited,
                                      note_changes, learning);
    scratch_close(&scratch);
}

// ---- What a mistake does ------------------------------------------------------------------------

static struct line_pairs kept_pairs(struct arena *arena, const struct line_pairs *pairs) {
    struct line_pairs kept = {pairs->count,
                              arena_array(arena, (size_t)pairs->count, sizeof *kept.all)};
    for (int i = 0; i < pairs->count; i++)
        kept.all[i] =
            (struct line_pair){pairs->all[i].step, arena_copy(arena, pairs->all[i].before),
                               arena_copy(arena, pairs->all[i].after)};
    return kept;
}

static struct effect effect_with_lines(struct arena *words, struct arena *m,
                                       const struct learning *learning, int i) {
    const struct run *right = learning->right, *edited = &learning->edited[i];
    const struct line_pairs pairs = line_pairs_between(m, right, edited);
    bool *is_own = arena_array(words, (size_t)right->step_count, sizeof *is_own);
    struct effect effect = {.first = -1, .changes = learning->changes[i], .is_own = is_own};
    for (int k = right->step_count - 1; k >= 0; k--) {
        is_own[k] = has_other_line(right, edited, k);
        if (effect.changes[k]) effect.first = k;
    }
    effect.lines = kept_pairs(words, &pairs);
    return effect;
}

// Finds out about the mistakes from number `first` to before number `end`.
static void learn(struct effects *effects, const struct run *right, int first, int end) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, effects->failure);
    struct learning *learning = arena_allocate(m, sizeof *learning);
    *learning = (struct learning){.right = brief_run(m, right)};
    bool *is_made = arena_array(m, MOST_MISTAKES, sizeof *is_made);
    for (int i = first; i < end; i++) {
        effects->each[i] = (struct effect){.first = -1};
        add_edited(learning, effects, m, i);
    }
    if (is_long(right))
        guess_changes(learning);
    else
        run_edited(learning, effects);
    for (int i = 0; i < learning->count; i++) {
        is_made[learning->mistakes[i]] = true;
        effects->each[learning->mistakes[i]] = effect_with_lines(effects->words, m, learning, i);
    }
    for (int i = first; i < end; i++) {
        struct effect *effect = &effects->each[i];
        effects->is_known[i] = true;
        if (effect->first < 0)
            effect->why =
                arena_copy(effects->words, why_idle(m, right, &mistake_table[i], is_made[i]));
    }
    scratch_close(&scratch);
}

const struct effect *effect_of(struct effects *effects, const struct run *right, int mistake) {
    if (!effects->is_known[mistake]) learn(effects, right, mistake, mistake + 1);
    return &effects->each[mistake];
}

void learn_all(struct effects *effects, const struct run *right) {
    bool is_known = true;
    for (int i = 0; i < mistake_total; i++) is_known = is_known && effects->is_known[i];
    if (!is_known) learn(effects, right, 0, mistake_total);
}

// With all updates.
static const bool *all_changes(struct effects *effects, const struct run *right, int mistake) {
    if (effects->changes[mistake] != NULL) return effects->changes[mistake];
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, effects->failure);
    struct learning *learning = arena_allocate(m, sizeof *learning);
    *learning = (struct learning){.right = right};
    learning->changes[0] =
        arena_array(effects->words, (size_t)right->step_count, sizeof **learning->changes);
    add_edited(learning, effects, m, mistake);
    run_edited(learning, effects);
    effects->changes[mistake] = learning->changes[0];
    scratch_close(&scratch);
    return effects->changes[mistake];
}

int changed_by(struct effects *effects, const struct run *right, int mistake) {
    const bool *changes = all_changes(effects, right, mistake);
    int count = 0;
    for (int i = 0; i < right->step_count; i++) count += changes[i];
    return count;
}

bool changes_step(struct effects *effects, const struct run *right, int mistake, int step) {
    return all_changes(effects, right, mistake)[step];
}

// ---- Where it is made ---------------------------------------------------------------------------

const bool *operands_of_step(struct effects *effects, const struct run *right, int step) {
    if (effects->operands != NULL && effects->step_of_operands == step) return effects->operands;
    bool *operands = arena_array(effects->words, (size_t)right->step_count, sizeof *operands);
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, effects->failure);
    const struct graph graph = graph_of(m, right);
    const int node = node_of(&graph, &right->steps[step]);
    for (int i = 0; i < graph.edge_count; i++) {
        const struct step *from = graph.nodes[graph.edges[i].from];
        if (graph.edges[i].to == node && from != NULL) operands[from->number - 1] = true;
    }
    scratch_close(&scratch);
    effects->step_of_operands = step;
    effects->operands = operands;
    return operands;
}

void effects_forget(struct effects *effects) {
    effects->operands = NULL;
    memset(effects->changes, 0, sizeof effects->changes);
    memset(effects->is_known, 0, sizeof effects->is_known);
}
