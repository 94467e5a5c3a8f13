#include "app/check/diagnose.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "app/check/changed_run.h"
#include "app/check/patience.h"
#include "base/text.h"
#include "script/lesson/edit_runs.h"
#include "script/lesson/interpreter.h"
#include "show/table.h"
#include "tensor/operation/disturbance.h"
#include "tensor/operation/operation.h" // defines: work_performed
#include "tensor/operation/tolerance.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"
#include "trace/tape/replay.h"
#include "trace/tape/spread.h"
#include "trace/tape/tape.h"
#include "trace/what_if/effects.h"
#include "trace/what_if/reason.h"

// ---- What is looked at --------------------------------------------------------------------------

// How the lines with a mistake are run: with the gradients by hand or by autograd, rounded as in PyTorch 2.6 or 1.13.
enum manner { BY_HAND, BY_AUTOGRAD, BY_HAND_IN_1_13, BY_AUTOGRAD_IN_1_13, MANNER_COUNT };

// A mistake in the lesson's lines, in one of its ways.
struct made {
    const struct mistake *mistake;
    const struct edit *edit;
    bool is_idle; // alone it does not change the step
};

struct diagnosing {
    struct arena *arena;
    const struct run *run;
    const struct step *step;
    const struct numbers *numbers;
    const double *allowed;
    bool is_rounded_otherwise; // in the step, by PyTorch 1.13
    struct comparison right;   // how the right numbers compare
    struct patience patience;
    int changing; // explanations that were tried and change the step; of mistakes, each other numbers
    int also;     // that agree with the file beside those found, and tell too little
    uint64_t *digests; // of the numbers that mistakes made
    int digest_count;
    bool has_tried_edits;                 // of all lines
    struct edit_runs *runs[MANNER_COUNT]; // each begun when it is needed
    int made_count;
    struct made *made; // mistakes in the lesson's lines
    struct diagnosis diagnosis;
};

static void add_explanation(struct diagnosing *search, const struct explanation *explanation) {
    struct diagnosis *diagnosis = &search->diagnosis;
    const size_t size = sizeof *explanation, used = (size_t)diagnosis->count * size;
    diagnosis->explanations = arena_grow(search->arena, diagnosis->explanations, used, size);
    diagnosis->explanations[diagnosis->count++] = *explanation;
}

// Puts an explanation behind all those from `first` on that lie nearer.
static void insert(struct diagnosing *search, int first, const struct explanation *explanation) {
    add_explanation(search, explanation);
    struct explanation *all = search->diagnosis.explanations;
    int position = search->diagnosis.count - 1;
    for (;
         position > first && explanation->comparison.largest < all[position - 1].comparison.largest;
         position--) {
        all[position] = all[position - 1];
    }
    all[position] = *explanation;
}

static bool is_nearer(const struct comparison *a, const struct comparison *b) {
    if (a->different != b->different) return a->different < b->different;
    return a->largest < b->largest;
}

// Much nearer than the right numbers: half of those that differ there agree here.
static void consider_nearest(struct diagnosing *search, const struct explanation *explanation) {
    struct diagnosis *diagnosis = &search->diagnosis;
    if (explanation->comparison.different * 2 > search->right.different) return;
    if (diagnosis->has_nearest &&
        !is_nearer(&explanation->comparison, &diagnosis->nearest.comparison))
        return;
    diagnosis->nearest = *explanation;
    diagnosis->has_nearest = true;
}

// ---- Mistakes -----------------------------------------------------------------------------------

// What another order of operations makes, as a part of the numbers' size.
static const double REORDERED = 1e-5;
static const double NEAR = 1e-3; // as near may rounding bring numbers

static bool are_alike(const struct tensor *a, const struct tensor *b) {
    const double size = size_of(a);
    const int64_t count = count_of(shape_of(a));
    for (int64_t i = 0; i < count; i++) {
        const double x = element_at(a, i), y = element_at(b, i);
        if (!agree(x, y, REORDERED * fmax(size, fabs(y)))) return false;
    }
    return true;
}

// How the step as it is in another run compares with the file, if no more than `most` numbers differ.
static struct comparison compare_other(const struct diagnosing *search, const struct tensor *other,
                                       int64_t most) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, search->arena->failure);
    const double *allowed =
        allowed_beside(m, search->numbers, other, &search->step->tensor, search->allowed);
    const struct comparison comparison = compare_within(search->numbers, other, allowed, most);
    scratch_close(&scratch);
    return comparison;
}

// ---- Lines with mistakes ------------------------------------------------------------------------

// The expression of the step that has this storage; NULL if none before the last has.
static const char *expression_of(const struct diagnosing *search, const struct storage *storage) {
    for (const struct step *step = search->run->steps; step < search->step; step++) {
        if (step->tensor.storage == storage) return step->expression;
    }
    return NULL;
}

// What autograd has in the place of a gradient by hand, as an expression; NULL where the step is no gradient.
static const char *asked_of_autograd(const struct diagnosing *search) {
    const struct purpose *purpose = &search->step->tensor.storage->purpose;
    const struct step *loss = search->step;
    while (loss > search->run->steps && role_of(&loss->tensor) != ROLE_LOSS) loss--;
    const char *of = purpose->role == ROLE_GRADIENT ? expression_of(search, purpose->of) : NULL;
    if (of == NULL || role_of(&loss->tensor) != ROLE_LOSS) return NULL;
    return arena_format(search->arena, "torch.autograd.grad(%s, [%s], retain_graph=True)[0]",
                        loss->expression, of);
}

// The same run; the step has another expression.
static const struct run *run_with_expression(const struct diagnosing *search,
                                             const char *expression) {
    const struct run *right = search->run;
    struct run *run = arena_allocate(search->arena, sizeof *run);
    *run = *right;
    run->steps = arena_array(search->arena, (size_t)right->step_count, sizeof *run->steps);
    memcpy(run->steps, right->steps, (size_t)right->step_count * sizeof *run->steps);
    run->steps[search->step - right->steps].expression = expression;
    return run;
}

// In an arena with a disturbance its numbers are others.
static struct edit_runs *begin_runs(const struct diagnosing *search, struct arena *arena,
                                    enum manner manner) {
    static struct disturbance older = {.is_of_1_13 = true};
    const struct run *run = search->run;
    const bool is_by_autograd = manner == BY_AUTOGRAD || manner == BY_AUTOGRAD_IN_1_13;
    if (is_by_autograd) run = run_with_expression(search, asked_of_autograd(search));
    if (manner >= BY_HAND_IN_1_13 && arena->disturbance == NULL) arena->disturbance = &older;
    return begin_edit_runs(arena, run, &run->steps[search->step - search->run->steps]);
}

static struct edit_runs *runs_in(struct diagnosing *search, enum manner manner) {
    if (search->runs[manner] == NULL)
        search->runs[manner] = begin_runs(search, arena_child(search->arena), manner);
    return search->runs[manner];
}

static void end_runs(struct diagnosing *search) {
    for (int i = 0; i < MANNER_COUNT; i++) {
        if (search->runs[i] != NULL) end_edit_runs(search->runs[i]);
        search->runs[i] = NULL;
    }
}

static void find_made(struct diagnosing *search) {
    const char *also = asked_of_autograd(search);
    const struct edit_list edits = mistakes_of_lines(
        search->arena, &runs_in(search, BY_HAND)->lines, also != NULL ? also : "");
    search->made = arena_array(search->arena, (size_t)edits.count + 1, sizeof *search->made);
    for (int i = 0; i < edits.count; i++) {
        const struct mistake *mistake = find_mistake(edits.edits[i].name);
        if (mistake != NULL)
            search->made[search->made_count++] = (struct made){mistake, &edits.edits[i], false};
    }
}

// What rounding alone moves the step's numbers by, with the edit.
static struct spread spread_with(const struct diagnosing *search, struct arena *arena,
                                 enum manner manner, const struct edit *edit,
                                 const struct tensor *wrong) {
    struct spread spread = spread_of(arena, search->step);
    for (int i = 0; i < FEW_DISTURBED; i++) {
        struct disturbance disturbance = {.number = (uint64_t)i + 1,
                                          .precision = search->run->precision,
                                          .is_of_1_13 = manner >= BY_HAND_IN_1_13};
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, arena->failure);
        m->disturbance = &disturbance;
        struct edit_runs *runs = begin_runs(search, m, manner);
        const struct tensor other = tensor_with(runs, m, edit);
        if (is_tensor(&other) && shapes_equal(shape_of(&other), shape_of(wrong)))
            widen_spread_by(&spread, wrong, &other);
        end_edit_runs(runs);
        scratch_close(&scratch);
    }
    return spread;
}

// How a step with an edit, `wrong`, compares with the file, if no more than `most` numbers differ. What rounding moves it by is
// measured if it is near.
static struct comparison compare_measured(const struct diagnosing *search, enum manner manner,
                                          const struct edit *edit, const struct tensor *wrong,
                                          int64_t most) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, search->arena->failure);
    double *allowed = least_allowed(m, search->numbers, wrong);
    if (search->run->is_handed != NULL) { // those are not rounded otherwise, and the student's are
        const double *beside =
            allowed_beside(m, search->numbers, wrong, &search->step->tensor, search->allowed);
        for (int64_t i = 0; i < count_of(shape_of(wrong)); i++)
            allowed[i] = fmax(allowed[i], beside[i]);
    }
    const bool is_near = count_apart(search->numbers, wrong, NEAR) <= most;
    if (is_near && !all_agree(search->numbers, wrong, allowed)) {
        const struct spread spread = spread_with(search, m, manner, edit, wrong);
        for (int64_t i = 0; i < spread.count; i++) allowed[i] += moved_at(&spread, i);
    }
    const struct comparison comparison = compare_within(search->numbers, wrong, allowed, most);
    scratch_close(&scratch);
    return comparison;
}

static enum manner manner_of(const struct explanation *explanation) {
    return explanation->is_by_autograd ? BY_AUTOGRAD : BY_HAND;
}

// The step with the explanation's mistakes. NO_TENSOR if a line fails, or gives another shape.
static struct tensor tensor_by(struct diagnosing *search, struct arena *arena,
                               const struct explanation *explanation, enum manner manner) {
    const struct tensor tensor = tensor_with(runs_in(search, manner), arena, explanation->edit);
    const struct tensor *right = &search->step->tensor;
    const bool fits_step = is_tensor(&tensor) && shapes_equal(shape_of(&tensor), shape_of(right)) &&
                           tensor.storage->dtype == right->storage->dtype;
    return fits_step ? tensor : NO_TENSOR;
}

// Counts numbers that no mistake before it has made.
static void note_numbers(struct diagnosing *search, const struct tensor *wrong) {
    const size_t used = (size_t)search->digest_count * sizeof *search->digests;
    uint64_t digest = UINT64_C(14695981039346656037);
    for (int64_t i = 0; i < count_of(shape_of(wrong)); i++) {
        uint64_t bits;
        const double number = element_at(wrong, i);
        memcpy(&bits, &number, sizeof bits);
        digest = (digest ^ bits ^ bits >> 32) * UINT64_C(1099511628211);
    }
    if (!differ(&search->step->tensor, wrong)) return;
    for (int i = 0; i < search->digest_count; i++) {
        if (search->digests[i] == digest) return;
    }
    search->digests = arena_grow(search->arena, search->digests, used, sizeof *search->digests);
    search->digests[search->digest_count++] = digest;
    search->changing++;
}

static struct comparison compare_in(struct diagnosing *search, struct explanation *explanation,
                                    enum manner manner) {
    struct edit_runs *runs = runs_in(search, manner);
    struct comparison comparison = search->right;
    if (begins_otherwise(runs, explanation->edit, search->numbers->values, search->allowed))
        return comparison;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, search->arena->failure);
    const struct tensor wrong = tensor_by(search, m, explanation, manner);
    if (is_tensor(&wrong)) note_numbers(search, &wrong);
    if (manner == BY_HAND)
        explanation->is_idle = !is_tensor(&wrong) || !differ(&search->step->tensor, &wrong);
    if (manner == BY_AUTOGRAD)
        explanation->is_idle = !is_tensor(&wrong) || are_alike(&search->step->tensor, &wrong);
    const int64_t most = search->right.different / 2; // more is not even near
    if (is_tensor(&wrong))
        comparison = compare_measured(search, manner, explanation->edit, &wrong, most);
    scratch_close(&scratch);
    return comparison;
}

// How the step with these mistakes compares with the file, as either PyTorch rounds them.
static struct comparison compare_either(struct diagnosing *search,
                                        struct explanation *explanation) {
    const enum manner manner = manner_of(explanation);
    const struct comparison comparison = compare_in(search, explanation, manner);
    const bool is_wrong = comparison.different > 0 && !explanation->is_idle;
    if (!is_wrong || !search->is_rounded_otherwise) return comparison;
    const struct comparison older =
        compare_in(search, explanation, manner + BY_HAND_IN_1_13 - BY_HAND);
    return older.different < comparison.different ? older : comparison;
}

// The same, and where the step is a gradient by hand, a student may have asked autograd.
static struct comparison compare_mistakes(struct diagnosing *search,
                                          struct explanation *explanation) {
    const struct comparison by_hand = compare_either(search, explanation);
    if (by_hand.different == 0 || asked_of_autograd(search) == NULL) return by_hand;
    struct explanation other = *explanation;
    other.is_by_autograd = true;
    const struct comparison by_autograd = compare_either(search, &other);
    explanation->is_idle = explanation->is_idle && other.is_idle;
    if (by_autograd.different >= by_hand.different) return by_hand;
    explanation->is_by_autograd = true;
    return by_autograd;
}

static bool has_name(const struct explanation *explanation, const char *name) {
    for (int i = 0; i < explanation->mistake_count; i++) {
        if (strcmp(explanation->mistakes[i]->name, name) == 0) return true;
    }
    return false;
}

// Do these mistakes, made in one of their ways, explain the file already?
static bool is_explained(const struct diagnosing *search, int count,
                         const struct made *const *made) {
    for (int i = 0; i < search->diagnosis.count; i++) {
        const struct explanation *explanation = &search->diagnosis.explanations[i];
        bool has_all = explanation->mistake_count == count;
        for (int j = 0; j < count; j++)
            has_all = has_all && has_name(explanation, made[j]->mistake->name);
        if (has_all) return true;
    }
    return false;
}

// Makes the mistakes, unless they explain the file in another way. Explanations from `first` on are
// ranked.
static void try_mistakes(struct diagnosing *search, int first, int count, struct made *const *made,
                         const struct edit *edit) {
    if (is_explained(search, count, (const struct made *const *)made)) return;
    struct explanation explanation = {.kind = BY_MISTAKES, .mistake_count = count, .edit = edit};
    for (int i = 0; i < count; i++) {
        explanation.mistakes[i] = made[i]->mistake;
        explanation.edits[i] = made[i]->edit;
    }
    explanation.comparison = compare_mistakes(search, &explanation);
    if (count == 1) made[0]->is_idle = explanation.is_idle;
    if (explanation.comparison.different == 0)
        insert(search, first, &explanation);
    else
        consider_nearest(search, &explanation);
}

static void try_singles(struct diagnosing *search) {
    const int first = search->diagnosis.count;
    for (int i = 0; i < search->made_count; i++) {
        struct made *made = &search->made[i];
        if (!has_time(&search->patience, made->mistake->name, i, search->made_count)) return;
        search->diagnosis.singles++;
        try_mistakes(search, first, 1, &made, made->edit);
    }
}

// Can the two together explain what neither explains alone?
static bool is_worth_while(const struct diagnosing *search, const struct made *a,
                           const struct made *b) {
    return !a->is_idle && !b->is_idle && strcmp(a->mistake->name, b->mistake->name) != 0 &&
           !exclude_each_other(a->mistake, b->mistake) && !is_explained(search, 1, &a) &&
           !is_explained(search, 1, &b);
}

static void try_pairs(struct diagnosing *search, bool is_thorough) {
    enum { MOST_PAIRS = 20000, MOST_WORK = 300000000, THOROUGH = 10 };
    const int first = search->diagnosis.count, count = search->made_count;
    search->diagnosis.has_tried_pairs = true;
    const struct edit_runs *runs = runs_in(search, BY_HAND);
    const int64_t until = runs->work + (int64_t)MOST_WORK * (is_thorough ? THOROUGH : 1);
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            struct made *both[] = {&search->made[i], &search->made[j]};
            if (!is_worth_while(search, both[0], both[1])) continue;
            const struct edit *edit = both_edits(search->arena, both[0]->edit, both[1]->edit);
            if (edit == NULL) continue;
            if (runs->work > until || search->diagnosis.pairs == MOST_PAIRS)
                search->patience.is_over = true;
            if (!has_time(&search->patience, "two mistakes together", search->diagnosis.pairs,
                          count * (count - 1) / 2))
                return;
            search->diagnosis.pairs++;
            try_mistakes(search, first, 2, both, edit);
        }
    }
}

// ---- The same arithmetic -------------------------------------------------------------------------

// Do both compute the same in the step? Those that lie at another distance from the file do not.
static bool compute_alike(struct diagnosing *search, const struct explanation *a,
                          const struct explanation *b) {
    const double same_distance = 10 * REORDERED * fmax(size_of(&search->step->tensor), 1e-6);
    if (a->kind != BY_MISTAKES || b->kind != BY_MISTAKES) return false;
    if (a->mistake_count != b->mistake_count) return false;
    if (fabs(a->comparison.largest - b->comparison.largest) > same_distance) return false;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, search->arena->failure);
    const struct tensor of_a = tensor_by(search, m, a, manner_of(a));
    const struct tensor of_b = tensor_by(search, m, b, manner_of(b));
    const bool is_same = is_tensor(&of_a) && is_tensor(&of_b) && are_alike(&of_a, &of_b);
    scratch_close(&scratch);
    return is_same;
}

void exchange_names(struct explanation *a, struct explanation *b) {
    const struct explanation before = *a;
    memcpy(a->mistakes, b->mistakes, sizeof a->mistakes);
    memcpy(b->mistakes, before.mistakes, sizeof b->mistakes);
    memcpy(a->edits, b->edits, sizeof a->edits);
    memcpy(b->edits, before.edits, sizeof b->edits);
    a->mistake_count = b->mistake_count;
    b->mistake_count = before.mistake_count;
    a->edit = b->edit;
    b->edit = before.edit;
}

// Adds it to those that `first` is another name of.
static void join(struct arena *arena, struct explanation *first,
                 const struct explanation *explanation) {
    const size_t used = (size_t)first->alike_count * sizeof *first->alike;
    first->alike = arena_grow(arena, first->alike, used, sizeof *first->alike);
    first->alike[first->alike_count] = *explanation;
    struct explanation *added = &first->alike[first->alike_count++];
    if (explanation->mistakes[0] < first->mistakes[0]) exchange_names(first, added);
}

// Makes one of what is the same arithmetic.
static void join_alike(struct diagnosing *search) {
    struct explanation *all = search->diagnosis.explanations;
    const int count = search->diagnosis.count;
    search->diagnosis.count = 0;
    for (int i = 0; i < count; i++) {
        int first = 0;
        while (first < search->diagnosis.count && !compute_alike(search, &all[first], &all[i]))
            first++;
        if (first < search->diagnosis.count)
            join(search->arena, &all[first], &all[i]);
        else
            all[search->diagnosis.count++] = all[i];
    }
}

// ---- Other tensors ------------------------------------------------------------------------------

// What rounding moves the other step by is measured if it is near.
static struct comparison compare_step(const struct diagnosing *search, const struct step *step) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, search->arena->failure);
    double *allowed = least_allowed(m, search->numbers, &step->tensor);
    if (count_apart(search->numbers, &step->tensor, NEAR) == 0 &&
        !all_agree(search->numbers, &step->tensor, allowed)) {
        struct spread spread = spread_of(m, step);
        for (int i = 0; i < FEW_DISTURBED; i++) widen_spread(&spread, search->run, step);
        for (int64_t i = 0; i < spread.count; i++) allowed[i] += moved_at(&spread, i);
    }
    const struct comparison comparison = compare_within(search->numbers, &step->tensor, allowed, 0);
    scratch_close(&scratch);
    return comparison;
}

static void try_tensor(struct diagnosing *search, const struct tensor *tensor,
                       struct explanation explanation) {
    search->changing++;
    explanation.comparison = explanation.kind == BY_STEP ? compare_step(search, explanation.step)
                                                         : compare_other(search, tensor, 0);
    if (explanation.comparison.different == 0) add_explanation(search, &explanation);
}

// Steps that the same operation made come first: weights are rather taken for other weights than for their renormalized ones.
static void try_steps(struct diagnosing *search) {
    const struct tensor *right = &search->step->tensor;
    for (int i = 0; i < 2 * search->run->step_count; i++) {
        const struct step *step = &search->run->steps[i % search->run->step_count];
        const bool is_made_alike =
            step->tensor.storage->origin->operation == right->storage->origin->operation;
        if (is_made_alike != (i < search->run->step_count)) continue;
        if (step == search->step || !fits(search->numbers, shape_of(&step->tensor))) continue;
        try_tensor(search, &step->tensor, (struct explanation){.kind = BY_STEP, .step = step});
    }
}

static void try_transposing(struct diagnosing *search) {
    const struct tensor *tensor = &search->step->tensor;
    for (int i = 0; i < tensor->ndim; i++) {
        for (int j = i + 1; j < tensor->ndim; j++) {
            if (tensor->shape[i] != tensor->shape[j] || tensor->shape[i] == 1) continue;
            const struct tensor turned = transpose(*tensor, i, j);
            try_tensor(search, &turned,
                       (struct explanation){.kind = BY_TRANSPOSING, .dims = {i, j}});
        }
    }
}

// ---- Other parameters ---------------------------------------------------------------------------

// A diagnosis that looks for changed runs.
struct looking {
    struct seeker seeker;
    struct diagnosing *search;
};

// Numbers that are far away at once, such as those of nearly all seeds.
static bool is_far(const struct diagnosing *search, const struct tensor *tensor) {
    static const double FAR = 1e-3;
    const double value = search->numbers->values[0], other = element_at(tensor, 0);
    return !agree(value, other, 4 * search->allowed[0] + FAR * (fabs(value) + fabs(other)));
}

static bool has_numbers(struct seeker *seeker, const struct tensor *tensor, const char *how) {
    struct diagnosing *search = ((struct looking *)seeker)->search;
    const int before = search->diagnosis.count;
    if (!fits(search->numbers, shape_of(tensor))) return false;
    if (count_of(search->numbers->shape) > 0 && is_far(search, tensor))
        search->changing++;
    else
        try_tensor(search, tensor, (struct explanation){.kind = BY_PARAMETER, .parameter = how});
    return search->diagnosis.count > before;
}

static bool begins_with(struct seeker *seeker, const struct tensor *row) {
    static const double FAR = 1e-5;
    struct diagnosing *search = ((struct looking *)seeker)->search;
    const int64_t count = count_of(shape_of(row));
    for (int64_t i = 0; i < count && i < search->right.count; i++) {
        const double value = search->numbers->values[i], other = element_at(row, i);
        if (!agree(value, other, 4 * search->allowed[i] + FAR * fabs(other))) {
            search->changing++;
            return false;
        }
    }
    return true;
}

static struct looking start_looking(struct diagnosing *search) {
    return (struct looking){
        .seeker = {search->run, search->step, &search->patience, has_numbers, begins_with},
        .search = search,
    };
}

// In a lesson that trains each run takes long: what is changed most often comes first, before the mistakes.
static void try_training(struct diagnosing *search) {
    struct looking looking = start_looking(search);
    try_changed_training(&looking.seeker, search->arena);
}

// Of numbers that are related to the right ones no seed is looked for: the numbers of another are not.
static void try_all_parameters(struct diagnosing *search, bool is_related) {
    struct looking looking = start_looking(search);
    try_changed_runs(&looking.seeker, search->arena);
    if (search->diagnosis.count == 0 && !is_related) try_all_seeds(&looking.seeker, search->arena);
}

bool has_other_stream(struct arena *arena, const struct run *run, const struct step *step,
                      const struct numbers *numbers, const double *allowed) {
    const struct diagnosing search = {
        .arena = arena, .run = run, .step = step, .numbers = numbers, .allowed = allowed};
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, arena->failure);
    const struct tensor masked = tensor_with_mistake(m, run, step, "other-bernoulli");
    const bool is_other = is_tensor(&masked) && differ(&step->tensor, &masked) &&
                          compare_other(&search, &masked, 0).different == 0;
    scratch_close(&scratch);
    return is_other;
}

// ---- What the file tells -------------------------------------------------------------------------

// Does a number before this one have the same numbers, right and the file's? Copies tell nothing new.
static bool is_copy(const struct diagnosing *search, int64_t position) {
    const struct tensor *tensor = &search->step->tensor;
    const double *values = search->numbers->values, right = element_at(tensor, position);
    for (int64_t i = 0; i < position; i++) {
        if (values[i] == values[position] && element_at(tensor, i) == right) return true;
    }
    return false;
}

// Are all numbers whole, the right ones too? Those of a mask are: then no digits are left out.
static bool is_whole(const struct diagnosing *search) {
    for (int64_t i = 0; i < search->right.count; i++) {
        const double value = search->numbers->values[i];
        const double right = element_at(&search->step->tensor, i);
        if (value != rint(value) || right != rint(right)) return false;
    }
    return true;
}

// How many bits the numbers tell that are not right: see diagnose.h. Counting ends where it is enough.
static double bits_told(const struct diagnosing *search, double enough) {
    enum { OF_INFINITY = 8, OF_WHOLE = 8 };
    const bool is_of_whole_ones = is_whole(search);
    double bits = 0;
    for (int64_t i = 0; i < search->right.count && bits < enough; i++) {
        const double value = search->numbers->values[i], allowed = search->allowed[i];
        const double right = element_at(&search->step->tensor, i);
        if (agree(value, right, allowed) || is_copy(search, i)) continue;
        const double off = fabs(value - right);
        if (is_of_whole_ones)
            bits += OF_WHOLE;
        else
            bits += isfinite(off) ? log2(1 + off / fmax(allowed, DBL_MIN)) : OF_INFINITY;
    }
    return bits;
}

// ---- All of it ------------------------------------------------------------------------------------

static bool find_related(struct diagnosing *search, struct explanation *explanation) {
    *explanation = (struct explanation){.kind = BY_RELATION};
    return find_relation(search->arena, search->run, search->step, search->numbers, search->allowed,
                         &explanation->relation);
}

// Lines of the lesson's program, or only the mistakes in them that have a name.
static void try_edits(struct diagnosing *search, enum edits_tried tried, bool is_thorough) {
    struct explanation explanation = {.kind = BY_EDIT};
    search->has_tried_edits = search->has_tried_edits || tried == EDITS_WITHOUT_NAME;
    struct edits_done done;
    const bool is_found = find_edited(&explanation.edited, search->arena, search->run, search->step,
                                      search->numbers, search->allowed, tried, is_thorough, &done);
    if (is_found) add_explanation(search, &explanation);
    search->diagnosis.is_edits_cut = search->diagnosis.is_edits_cut || (!is_found && done.is_cut);
    if (tried != EDITS_OF_CHECK || is_found) return;
    search->changing += done.tried;
    search->also = done.agreeing;
}

// Looks for what was changed in training. Is it certain? A single number, a loss, may be that of a mistake as well.
static bool is_changed_training(struct diagnosing *search) {
    enum { CERTAIN = 40 }; // bits
    if (!search->run->lesson->trains) return false;
    const int64_t until = search->patience.until;
    search->patience.until -= (until - work_performed()) / 2; // the mistakes have as much
    try_training(search);
    search->patience.until = until;
    search->patience.is_over = false;
    if (search->step->tensor.storage->dtype != FLOAT32) return false; // few words are chosen from
    return search->diagnosis.count > 0 && bits_told(search, CERTAIN) >= CERTAIN;
}

// Puts the first `count` explanations behind all others.
static void put_last(struct diagnosing *search, int count) {
    struct explanation *all = search->diagnosis.explanations;
    for (; count > 0; count--) {
        const struct explanation first = all[0];
        memmove(all, all + 1, (size_t)(search->diagnosis.count - 1) * sizeof *all);
        all[search->diagnosis.count - 1] = first;
    }
}

// A relation is found at once, and so is what was done to the right numbers at the end of the line. Only mistakes, other
// parameters and other lines may say more of the cause, and they get less work then. In a lesson that trains, both come before the
// parameters, which take long. A relation that says only where the wrong numbers are comes behind all that says what they are.
static void search_all(struct diagnosing *search, bool is_thorough) {
    enum { WORK_LEFT = 500000000 };
    const bool trains = search->run->lesson->trains;
    struct explanation relation, fitted = {.kind = BY_EDIT};
    const bool is_found = find_related(search, &relation);
    const bool is_observed = is_found && !relation.relation.is_place;
    const bool is_fitted = find_fitted(&fitted.edited, search->arena, search->run, search->step,
                                       search->numbers, search->allowed);
    const bool is_related = is_observed || is_fitted;
    if (is_related && !is_thorough) search->patience.until -= SEARCH_WORK - WORK_LEFT;
    if (is_changed_training(search)) return;
    const int changed = search->diagnosis.count;
    try_singles(search);
    const bool is_named = search->diagnosis.count > changed;
    if (!is_named || !trains)
        try_edits(search, is_named ? EDITS_OF_CHECK : EDITS_WITH_NAME, is_thorough);
    try_steps(search);
    try_transposing(search);
    put_last(search, changed);
    if (search->diagnosis.count == 0 && !trains) try_all_parameters(search, is_related);
    if (search->diagnosis.count == 0 && is_observed) insert(search, 0, &relation);
    if (search->diagnosis.count == 0 && is_fitted && trains) insert(search, 0, &fitted);
    if (search->diagnosis.count == 0 && trains) try_all_parameters(search, is_related);
    if (search->diagnosis.count == 0) try_edits(search, EDITS_WITHOUT_NAME, is_thorough);
    if (search->diagnosis.count == 0 && is_fitted) insert(search, 0, &fitted);
    const int simple = search->changing;
    const bool is_simple = search->diagnosis.count > 0;
    if (!is_simple && !trains && !is_related) try_pairs(search, is_thorough);
    if (search->diagnosis.count == 0 && is_found) insert(search, 0, &relation);
    if (is_simple) search->changing = simple;
    search->diagnosis.is_cut = search->patience.is_over && !is_related;
}

// ---- Too few digits -------------------------------------------------------------------------------

// Does the only explanation say no more than where the wrong numbers are? So do hints.
static bool is_place_alone(const struct diagnosis *diagnosis) {
    const struct explanation *first = diagnosis->explanations;
    return diagnosis->count == 1 && first->kind == BY_RELATION && first->relation.is_place;
}

// Leaves no explanation where the file is too coarse for any. A seed is one of ten thousand, also where a usual one was tried
// first: a single number of four decimals tells none.
static void doubt(struct diagnosing *search) {
    enum { MORE = 3, SEEDS = 10000 };
    struct diagnosis *diagnosis = &search->diagnosis;
    const struct explanation *first = diagnosis->explanations;
    const bool is_parameter = diagnosis->count > 0 && first->kind == BY_PARAMETER;
    const double asked = log2(fmax(search->changing, is_parameter ? SEEDS : 1)) + MORE;
    const bool is_related = diagnosis->count > 0 && first->kind == BY_RELATION;
    if (is_related && first->relation.is_certain) return;
    if (diagnosis->count > 0 && first->kind == BY_EDIT) return; // its numbers told enough
    if (bits_told(search, asked) >= asked) return;
    diagnosis->possible = is_place_alone(diagnosis) ? 0 : diagnosis->count + search->also;
    diagnosis->count = 0;
    diagnosis->has_nearest = false;
}

// ---- What comes first -----------------------------------------------------------------------------

// All that earlier steps draw for layers, as one row; NULL if they draw nothing.
static const char *layers_drawn(const struct diagnosing *search) {
    struct text text = text_new(search->arena);
    for (const struct step *step = search->run->steps; step < search->step; step++) {
        if (role_of(&step->tensor) != ROLE_LAYER_WEIGHT || step->expression == NULL) continue;
        text_add_format(&text, "%s(%s).flatten()", text.length > 0 ? ", " : "torch.cat([",
                        step->expression);
    }
    if (text.length == 0) return NULL;
    text_add(&text, "])");
    return text.bytes;
}

// Do the mistakes change what an earlier step draws for a layer? Then they are not made in the step's own line.
static bool is_of_layers(const struct diagnosing *search, const struct explanation *explanation) {
    const enum role role = role_of(&search->step->tensor);
    const char *drawn = layers_drawn(search);
    if (role == ROLE_LAYER_WEIGHT || role == ROLE_LAYER_BIAS || drawn == NULL) return false;
    const struct run *run = run_with_expression(search, drawn);
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, search->arena->failure);
    const struct edit no_edit = {.text = ""};
    struct edit_runs *runs =
        begin_edit_runs(m, run, &run->steps[search->step - search->run->steps]);
    const struct tensor right = tensor_with(runs, m, &no_edit);
    const struct tensor wrong = tensor_with(runs, m, explanation->edit);
    const bool is_drawn_line = is_tensor(&right) && is_tensor(&wrong) && are_others(&right, &wrong);
    end_edit_runs(runs);
    scratch_close(&scratch);
    return is_drawn_line;
}

// Puts what may be in the step's own line before what is in its layers: that shows in a check of these.
static void put_layers_behind(struct diagnosing *search) {
    struct diagnosis *diagnosis = &search->diagnosis;
    if (diagnosis->count == 0 || search->run->lesson->trains) return;
    struct explanation *best = &diagnosis->explanations[0];
    const bool is_alone = diagnosis->count == 1 && best->alike_count == 0;
    if (best->kind != BY_MISTAKES || is_alone || !is_of_layers(search, best)) return;
    for (int i = 0; i < best->alike_count; i++) {
        struct explanation *alike = &best->alike[i];
        if (is_of_layers(search, alike)) continue;
        exchange_names(best, alike);
        return;
    }
    for (int i = 1; i < diagnosis->count; i++) {
        if (diagnosis->explanations[i].kind != BY_STEP) continue;
        const struct explanation step = diagnosis->explanations[i];
        memmove(best + 1, best, (size_t)i * sizeof *best);
        *best = step;
        return;
    }
}

// ---- Nothing but nan ------------------------------------------------------------------------------

// Does the mask of attention change the step?
static bool is_masked(struct diagnosing *search) {
    const struct mistake *no_mask = find_mistake("no-mask");
    for (int i = 0; i < search->made_count; i++) {
        struct explanation explanation = {.kind = BY_MISTAKES, .edit = search->made[i].edit};
        if (search->made[i].mistake != no_mask) continue;
        (void)compare_in(search, &explanation, BY_HAND);
        return !explanation.is_idle;
    }
    return false;
}

// Is it -inf where that is right, and nan in all other places?
static bool is_nan_but_for_inf(const struct diagnosing *search) {
    for (int64_t i = 0; i < search->right.count; i++) {
        const double right = element_at(&search->step->tensor, i);
        const double value = search->numbers->values[i];
        if (isinf(right) && right < 0 ? value != right && !isnan(value) : !isnan(value))
            return false;
    }
    return true;
}

// A row with one nan is nan behind its softmax, and every row sees something: 0 * inf makes nan of all. It is
// said only where no other mistake would.
static void explain_nan(struct diagnosing *search) {
    if (!is_nan_but_for_inf(search) || !is_masked(search)) return;
    try_singles(search);
    if (search->diagnosis.count == 0)
        add_explanation(search, &(struct explanation){.kind = BY_MASK_TIMES_INF});
    else
        search->diagnosis.count = 0;
    search->diagnosis.has_nearest = false;
}

// The lines of the mistakes.
static void find_lines(struct diagnosing *search) {
    const struct lesson_lines *lines = &runs_in(search, BY_HAND)->lines;
    for (int i = 0; i < search->diagnosis.count; i++) {
        struct explanation *explanation = &search->diagnosis.explanations[i];
        if (explanation->kind != BY_MISTAKES || explanation->edit == NULL) continue;
        const struct edit *edit = pieces_needed(search->arena, lines, explanation->edit);
        explanation->edited = edited_by(search->arena, lines, edit);
    }
}

// Does PyTorch 1.13 have other bits in the step?
static bool is_rounded_otherwise(struct arena *arena, const struct run *run,
                                 const struct step *step) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, arena->failure);
    struct tensor rounded;
    const bool is_other = recompute_as_1_13(&rounded, m, run, (int)(step - run->steps)) &&
                          differ(&step->tensor, &rounded);
    scratch_close(&scratch);
    return is_other;
}

static void search_further(struct diagnosing *search, bool is_thorough) {
    search_all(search, is_thorough);
    end_search(&search->patience);
    join_alike(search);
    put_layers_behind(search);
    doubt(search);
    // An edit has to be more certain than what was doubted.
    if (search->diagnosis.count == 0 && !search->has_tried_edits)
        try_edits(search, ALL_EDITS, is_thorough);
    if (search->diagnosis.count > 0) search->diagnosis.possible = 0;
}

struct diagnosis diagnose(struct arena *arena, const struct run *run, const struct step *step,
                          const struct numbers *numbers, const double *allowed, bool is_thorough) {
    struct diagnosing search = {
        .arena = arena,
        .run = run,
        .step = step,
        .numbers = numbers,
        .allowed = allowed,
        .patience = start_search(is_thorough),
    };
    search.right = compare_within(numbers, &step->tensor, allowed, INT64_MAX);
    search.is_rounded_otherwise = is_rounded_otherwise(arena, run, step);
    find_made(&search);
    explain_nan(&search);
    if (!is_all_nan(numbers) && search.diagnosis.count == 0) search_further(&search, is_thorough);
    find_lines(&search);
    end_runs(&search);
    return search.diagnosis;
}

// How much there is to play again: all numbers that the run computed, and for each tensor what it takes to look at it.
static int64_t size_of_run(struct arena *arena, const struct run *run) {
    enum { OF_A_TENSOR = 100 }; // numbers
    struct tensor *shown = arena_array(arena, (size_t)run->step_count, sizeof *shown);
    for (int i = 0; i < run->step_count; i++) shown[i] = run->steps[i].tensor;
    const struct tape tape = tape_of(arena, run->step_count, shown);
    int64_t size = 0;
    for (int i = 0; i < tape.count; i++) size += OF_A_TENSOR + tape.storages[i]->count;
    return size;
}

enum { MOST_PLAYED = 100 * 1000 }; // a tenth of a second

// Runs of the lesson with a mistake each, and which of them the check does not see.
struct unseen {
    const struct diagnosing *search;
    struct run edited[MOST_MISTAKES];
    const struct mistake *mistakes[MOST_MISTAKES];
    bool is_unseen[MOST_MISTAKES];
};

// Are the numbers at hand those with which the mistake changes nothing? With d_k = 1 nobody sees that the scores were not divided
// by its root.
static bool is_hidden(struct arena *arena, const struct run *run, const struct mistake *mistake) {
    const bool is_elsewhere = mistake->lever != 0 && !(run->lesson->uses & mistake->lever);
    if (is_elsewhere || why_gone(run, mistake->lever) != NULL) return false;
    return (mistake->alone != NULL && has_one_key(arena, run)) ||
           (mistake->is_alike != NULL && mistake->is_alike(arena, run));
}

// Does the file agree with the step's numbers all the same, though the mistake changes a step, or would with other numbers?
static void look_for_it(void *context, int i, const struct line_outcome *outcomes) {
    struct unseen *unseen = context;
    const struct diagnosing *search = unseen->search;
    const struct tensor *wrong = &outcomes[search->step - search->run->steps].tensor;
    const struct tensor *right = &search->step->tensor;
    const bool agrees = is_tensor(wrong) && shapes_equal(shape_of(wrong), shape_of(right)) &&
                        all_agree(search->numbers, wrong, search->allowed);
    unseen->is_unseen[i] = agrees && is_hidden(search->arena, search->run, unseen->mistakes[i]);
    for (int k = 0; k < search->run->step_count && agrees; k++)
        unseen->is_unseen[i] =
            unseen->is_unseen[i] || are_others(&outcomes[k].tensor, &search->run->steps[k].tensor);
}

int find_unseen(struct arena *arena, const struct run *run, const struct step *step,
                const struct numbers *numbers, const double *allowed, bool is_thorough,
                const struct mistake ***mistakes) {
    const struct diagnosing search = {
        .arena = arena, .run = run, .step = step, .numbers = numbers, .allowed = allowed};
    const bool is_large = run->lesson->trains || size_of_run(arena, run) > MOST_PLAYED;
    if (!is_thorough && is_large) return NOT_SOUGHT;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, arena->failure);
    struct unseen *unseen = arena_allocate(m, sizeof *unseen);
    *unseen = (struct unseen){.search = &search};
    int made = 0, count = 0;
    for (int i = 0; i < mistake_total; i++) {
        unseen->mistakes[made] = &mistake_table[i];
        made += make_in_lines(&unseen->edited[made], m, run, mistake_table[i].name);
    }
    python_interpreter.compute(m, run, made, unseen->edited, look_for_it, unseen);
    *mistakes = arena_array(arena, (size_t)made + 1, sizeof **mistakes);
    for (int i = 0; i < made; i++)
        if (unseen->is_unseen[i]) (*mistakes)[count++] = unseen->mistakes[i];
    scratch_close(&scratch);
    return count;
}

// ---- A wrong shape ------------------------------------------------------------------------------

static bool agrees(const struct numbers *numbers, const struct tensor *tensor) {
    return compare_up_to(numbers, tensor, 0).different == 0;
}

static void relate_transposed(struct shape_diagnosis *diagnosis, const struct tensor *tensor,
                              const struct numbers *numbers) {
    for (int i = 0; i < tensor->ndim; i++) {
        for (int j = i + 1; j < tensor->ndim && !diagnosis->has_numbers; j++) {
            const struct tensor turned = transpose(*tensor, i, j);
            if (!fits(numbers, shape_of(&turned))) continue;
            diagnosis->misshape = TRANSPOSED;
            diagnosis->dims[0] = i;
            diagnosis->dims[1] = j;
            diagnosis->has_numbers = agrees(numbers, &turned);
        }
    }
}

// Are the numbers, turned like that, those of the step with a mistake?
static bool is_turned(struct diagnosing *search, const struct made *made,
                      const struct shape_diagnosis *diagnosis) {
    const struct explanation explanation = {.edit = made->edit};
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, search->arena->failure);
    const struct tensor wrong = tensor_by(search, m, &explanation, BY_HAND);
    bool agrees_back = false;
    if (is_tensor(&wrong)) {
        const struct tensor turned = transpose(wrong, diagnosis->dims[0], diagnosis->dims[1]);
        agrees_back = agrees(search->numbers, &turned) && differ(&wrong, &search->step->tensor);
    }
    scratch_close(&scratch);
    return agrees_back;
}

// A few numbers, or whole ones, tell nothing.
static void relate_mistake(struct arena *arena, struct shape_diagnosis *diagnosis,
                           const struct run *run, const struct step *step,
                           const struct numbers *numbers) {
    enum { LEAST = 4 };
    struct diagnosing search = {.arena = arena, .run = run, .step = step, .numbers = numbers};
    if (diagnosis->misshape != TRANSPOSED || diagnosis->has_numbers) return;
    if (count_of(numbers->shape) < LEAST || step->tensor.storage->dtype != FLOAT32) return;
    if (size_of_run(arena, run) > MOST_PLAYED) return;
    find_made(&search);
    for (int i = 0; i < search.made_count && diagnosis->mistake == NULL; i++) {
        if (is_turned(&search, &search.made[i], diagnosis))
            diagnosis->mistake = search.made[i].mistake;
    }
    end_runs(&search);
}

static void relate_part(struct shape_diagnosis *diagnosis, const struct tensor *tensor,
                        const struct numbers *numbers) {
    if (!has_rows(tensor)) return;
    for (int64_t i = 0; i < tensor->shape[0] && !diagnosis->has_numbers; i++) {
        const struct tensor part = select_index(*tensor, 0, i);
        if (!fits(numbers, shape_of(&part))) return;
        diagnosis->misshape = PART;
        diagnosis->index = i;
        diagnosis->has_numbers = agrees(numbers, &part);
    }
}

// A diagnosis that looks for a changed run whose step has the file's shape.
struct sizing {
    struct seeker seeker;
    struct shape_diagnosis *diagnosis;
    const struct numbers *numbers;
};

static bool has_shape(struct seeker *seeker, const struct tensor *tensor, const char *how) {
    struct sizing *sizing = (struct sizing *)seeker;
    if (sizing->diagnosis->parameter != NULL || !fits(sizing->numbers, shape_of(tensor)))
        return false;
    if (agrees(sizing->numbers, tensor)) sizing->diagnosis->parameter = how;
    return sizing->diagnosis->parameter != NULL;
}

// A mask of another size, or too many numbers to wait for, tells nothing of a parameter.
static void relate_parameter(struct arena *arena, struct shape_diagnosis *diagnosis,
                             const struct run *run, const struct step *step,
                             const struct numbers *numbers) {
    enum { LEAST = 4, MOST = 10000 };
    enum { WORK = 300000000 };
    const int64_t count = count_of(numbers->shape);
    if (count < LEAST || count > MOST || step->tensor.storage->dtype != FLOAT32) return;
    struct patience patience = start_search_for(WORK, NULL);
    struct sizing sizing = {{run, step, &patience, has_shape, NULL}, diagnosis, numbers};
    try_changed_sizes(&sizing.seeker, arena, numbers->shape);
}

static void list_steps(struct shape_diagnosis *diagnosis, const struct run *run,
                       const struct step *judged, const struct numbers *numbers) {
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        const struct shape shape = shape_of(&step->tensor);
        const bool is_fit = numbers->form == FORM_TABLE ? fits(numbers, shape)
                                                        : shapes_equal(numbers->shape, shape);
        if (step == judged || !is_fit) continue;
        int position = diagnosis->count++;
        if (agrees(numbers, &step->tensor)) {
            for (; position > diagnosis->agreeing; position--)
                diagnosis->steps[position] = diagnosis->steps[position - 1];
            diagnosis->agreeing++;
        }
        diagnosis->steps[position] = step;
    }
}

// A line that is written otherwise may give another shape.
static void relate_edit(struct arena *arena, struct shape_diagnosis *diagnosis,
                        const struct run *run, const struct step *step,
                        const struct numbers *numbers) {
    if (diagnosis->has_numbers || diagnosis->agreeing > 0) return;
    if (diagnosis->mistake != NULL || diagnosis->parameter != NULL) return;
    struct edited *edited = arena_allocate(arena, sizeof *edited);
    struct edits_done done;
    if (find_edited(edited, arena, run, step, numbers, NULL, ALL_EDITS, false, &done))
        diagnosis->edited = edited;
}

struct shape_diagnosis diagnose_shape(struct arena *arena, const struct run *run,
                                      const struct step *step, const struct numbers *numbers) {
    const struct tensor *tensor = &step->tensor;
    struct shape_diagnosis diagnosis = {0};
    diagnosis.steps = arena_array(arena, (size_t)run->step_count, sizeof *diagnosis.steps);
    list_steps(&diagnosis, run, step, numbers);
    relate_transposed(&diagnosis, tensor, numbers);
    relate_mistake(arena, &diagnosis, run, step, numbers);
    if (diagnosis.misshape == UNRELATED) relate_part(&diagnosis, tensor, numbers);
    const bool is_as_many = count_of(numbers->shape) == count_of(shape_of(tensor));
    if (diagnosis.misshape == UNRELATED && is_as_many) {
        diagnosis.misshape = REFOLDED;
        diagnosis.has_numbers = agrees(numbers, tensor);
    }
    if (diagnosis.misshape == UNRELATED && diagnosis.agreeing == 0)
        relate_parameter(arena, &diagnosis, run, step, numbers);
    relate_edit(arena, &diagnosis, run, step, numbers);
    return diagnosis;
}
