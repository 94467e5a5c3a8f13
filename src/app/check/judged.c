#include "app/check/judged.h"

#include <math.h>
#include <string.h>

#include "app/check/patience.h"
#include "app/check/rounding/narrowed.h"
#include "script/edit/candidates.h"
#include "script/lesson/line_edits.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/tolerance.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"
#include "trace/tape/autograd.h"
#include "trace/tape/replay.h"
#include "trace/what_if/effects.h"

const char *standing_text(enum standing standing) {
    static const char *const names[] = {
        [NOT_HANDED_IN] = "missing",  [STANDS_EQUAL] = "equal",     [STANDS_WRONG] = "wrong",
        [STANDS_FOLLOWS] = "follows", [STANDS_ROUNDED] = "rounded", [STANDS_GIVEN] = "given",
    };
    return names[standing];
}

const struct step *step_ahead(const struct judged *judged) {
    const struct run *run = judged->run;
    const struct source *source = run->lesson->source;
    const struct step *given = NULL;
    if (source != NULL && source->recap != NULL) given = step_called(run, source->recap->gives);
    for (int i = given != NULL ? given->number - 1 : 0; given != NULL && i < run->step_count; i++) {
        if (judged->handed->names[i] != NULL) return NULL;
    }
    return given;
}

const char *judged_verdict(const struct judged *judged) {
    if (judged->first >= 0) return "wrong";
    if (judged->counts[STANDS_ROUNDED] > 0) return "rounded";
    const bool is_whole = judged->handed->unjudged_count == 0 && step_ahead(judged) == NULL;
    return is_whole ? "equal" : "part";
}

bool is_one_everywhere(const struct judged *judged, int step) {
    const struct tensor *tensor = &judged->run->steps[step].tensor;
    const int64_t count = count_of(shape_of(tensor));
    const bool is_computed = tensor->storage->origin->operand_count > 0;
    if (judged->steps[step].standing != STANDS_EQUAL || !is_computed || count < 2) return false;
    if (!is_floating(tensor->storage->dtype)) return false;
    for (int64_t i = 0; i < count; i++) {
        if (element_at(tensor, i) != 1) return false;
    }
    return true;
}

struct judging {
    struct arena *arena;
    struct judged judged; // its run has the precision, once it is known
    const struct run *right;
    const struct checked *options;
    struct patience patience; // of all searches together

    bool is_port;                  // the parameters that were handed in are given
    struct diagnosis of_parameter; // that nothing explains the first of them

    // the student's numbers so far, for the steps after them
    struct handed handed;
    bool has_other_numbers; // than the lesson's
    bool *is_handed;        // by step
    int *handed_steps;
    const double **handed_values;

    // in all lines of the lesson: the mistakes that may be made, and those of the steps found wrong so far
    struct lesson_lines lines;
    struct edit_list edits;
    struct {
        const struct mistake *mistake;
        const struct edit *edit;
    } found[2 * MOST_AT_ONCE];
    int found_count;
};

static bool stands_right(const struct judging *j, int i) {
    const enum standing standing = j->judged.steps[i].standing;
    return standing == STANDS_EQUAL || standing == STANDS_ROUNDED;
}

// ---- What the student's own numbers lead to -------------------------------------------------------

// A run that may fail, for numbers that an operation cannot take.
struct attempted {
    struct run *run;
    struct arena *arena;
    const struct run *right;
    const struct handed *handed;
};

static void replay_attempted(void *context) {
    struct attempted *work = context;
    replay_handed(work->run, work->arena, work->right, work->handed);
}

// The run with some numbers in place of the steps' own; false if it cannot be computed.
static bool continues_from(struct run *run, struct arena *arena, const struct judging *j,
                           const struct handed *handed) {
    struct attempted work = {run, arena, j->judged.run, handed};
    return attempt(arena->failure, replay_attempted, &work);
}

// ---- Lines with mistakes --------------------------------------------------------------------------

// The run, with the numbers in the place of its steps' own.
static struct run run_handed(struct arena *arena, const struct run *right,
                             const struct handed *handed) {
    struct run run = *right;
    const size_t count = (size_t)run.step_count;
    bool *is_handed = arena_array(arena, count, sizeof *is_handed);
    run.steps = arena_array(arena, count, sizeof *run.steps);
    memcpy(run.steps, right->steps, count * sizeof *run.steps);
    for (int i = 0; i < handed->count; i++) {
        struct tensor *tensor = &run.steps[handed->steps[i]].tensor;
        const int64_t numbers = count_of(shape_of(tensor));
        *tensor = tensor_given(arena, tensor->storage->dtype, shape_of(tensor));
        for (int64_t k = 0; k < numbers; k++)
            put_number(tensor->storage, k,
                       is_floating(tensor->storage->dtype) || isfinite(handed->values[i][k])
                           ? handed->values[i][k]
                           : 0);
        is_handed[handed->steps[i]] = true;
    }
    run.is_handed = is_handed;
    return run;
}

// The tensor of a step with other lines, with the axes of the right one; NAN where it could not be computed.
static struct tensor shown_like(struct arena *arena, struct tensor tensor,
                                const struct tensor *right) {
    if (!is_tensor(&tensor)) {
        tensor = tensor_given(arena, FLOAT32, shape_of(right));
        for (int64_t i = 0; i < tensor.storage->count; i++) put_number(tensor.storage, i, NAN);
    }
    if (shapes_equal(shape_of(&tensor), shape_of(right)))
        memcpy(tensor.axis, right->axis, sizeof tensor.axis);
    return tensor;
}

struct showing {
    struct arena *arena;
    const struct run *right;
    struct run *run; // that takes the tensors
};

static void show(void *context, int number, const struct line_outcome *outcomes) {
    const struct showing *showing = context;
    (void)number;
    for (int i = 0; i < showing->run->step_count; i++) {
        struct tensor tensor = outcomes[i].tensor;
        if (is_tensor(&tensor)) tensor = copied_tensor(showing->arena, &tensor);
        showing->run->steps[i].tensor =
            shown_like(showing->arena, tensor, &showing->right->steps[i].tensor);
    }
}

// The run with lines written otherwise, and from some of its steps on with other numbers. An edit is of all lines.
static void run_edited(struct run *run, struct arena *arena, const struct judging *j,
                       const struct handed *handed, const struct edit *edit) {
    const struct run *right = j->judged.run;
    const struct run given = run_handed(arena, right, handed);
    struct lesson_lines lines = j->lines;
    lines.run = &given;
    const struct run edited = edited_run(arena, &lines, edit);
    struct showing showing = {arena, right, run};
    *run = given;
    run->steps = arena_array(arena, (size_t)given.step_count, sizeof *run->steps);
    memcpy(run->steps, given.steps, (size_t)given.step_count * sizeof *run->steps);
    compute_statements(arena, &given, 1, &edited, show, &showing);
}

// The mistakes of data/edits.txt in all lines, once.
static void find_edits(struct judging *j) {
    if (j->edits.count > 0) return;
    j->lines = lines_of_lesson(j->arena, j->right, j->right->step_count - 1);
    j->edits = mistakes_named(j->arena, "lesson", j->lines.source, NULL);
}

// In all lines what an explanation has in those up to its step.
static const struct edit *edit_in_all(struct judging *j, const struct edit *edit) {
    find_edits(j);
    for (int i = 0; i < j->edits.count; i++) {
        const struct edit *other = &j->edits.edits[i];
        if (!other->is_variant && other->start == edit->start && other->end == edit->end &&
            strcmp(other->text, edit->text) == 0 && strcmp(other->name, edit->name) == 0)
            return other;
    }
    return edit;
}

// All mistakes of an explanation; NULL if they cannot be made together in all lines.
static const struct edit *edit_of(struct judging *j, const struct explanation *explanation) {
    const struct edit *edit = edit_in_all(j, explanation->edits[0]);
    for (int i = 1; i < explanation->mistake_count && edit != NULL; i++)
        edit = both_edits(j->arena, edit, edit_in_all(j, explanation->edits[i]));
    return edit;
}

// ---- Is it so? --------------------------------------------------------------------------------------

// Are the numbers of step `i` those of this run?
static bool is_of_run(struct arena *arena, const struct judging *j, const struct run *run, int i) {
    struct checked checked = j->judged.steps[i].checked;
    checked.run = run;
    checked.step = &run->steps[i];
    compare_checked(arena, &checked);
    return checked.verdict != VERDICT_SHAPE && checked.verdict != VERDICT_DIFFERENT;
}

static bool follows_from(const struct judging *j, const struct handed *handed, int i) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, j->arena->failure);
    struct run run;
    const bool follows = continues_from(&run, m, j, handed) && is_of_run(m, j, &run, i);
    scratch_close(&scratch);
    return follows;
}

// The student's numbers, each moved by up to as much as its digits leave open; `number` says to which side.
static struct handed moved(struct arena *arena, const struct judging *j, uint64_t number) {
    struct handed moved = j->handed;
    const double **values = arena_array(arena, (size_t)moved.count, sizeof *values);
    uint64_t state = number;
    for (int i = 0; i < moved.count; i++) {
        const struct judged_step *judged = &j->judged.steps[moved.steps[i]];
        const struct numbers *numbers = &judged->checked.numbers;
        values[i] = j->handed.values[i];
        if (stands_right(j, moved.steps[i]) || numbers->half_units == NULL) continue;
        const int64_t count = count_of(numbers->shape);
        double *moved_values = arena_array(arena, (size_t)count, sizeof *moved_values);
        for (int64_t k = 0; k < count; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            moved_values[k] = values[i][k] + (state >> 63 ? 1 : -1) * numbers->half_units[k];
        }
        values[i] = moved_values;
    }
    moved.values = values;
    return moved;
}

// Does step `i` agree with what the student's numbers lead to, as far as their own digits tell?
static bool follows_roughly(const struct judging *j, int i) {
    enum { TIMES = 4, RUNS = 6 };
    const struct numbers *numbers = &j->judged.steps[i].checked.numbers;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, j->arena->failure);
    struct run continued;
    bool follows = continues_from(&continued, m, j, &j->handed) &&
                   fits(numbers, shape_of(&continued.steps[i].tensor));
    double *allowed = follows ? least_allowed(m, numbers, &continued.steps[i].tensor) : NULL;
    for (uint64_t number = 1; follows && number <= RUNS; number++) {
        struct run other;
        const struct handed values = moved(m, j, number);
        if (!continues_from(&other, m, j, &values)) continue;
        const struct tensor *a = &continued.steps[i].tensor, *b = &other.steps[i].tensor;
        double most = 0;
        for (int64_t k = 0; k < count_of(numbers->shape); k++) {
            const double apart = fabs(element_at(a, k) - element_at(b, k));
            if (isfinite(apart)) most = fmax(most, apart);
        }
        double *wider = least_allowed(m, numbers, a);
        for (int64_t k = 0; k < count_of(numbers->shape); k++)
            allowed[k] = fmax(allowed[k], wider[k] + TIMES * most);
    }
    follows = follows && all_agree(numbers, &continued.steps[i].tensor, allowed);
    scratch_close(&scratch);
    return follows;
}

static bool is_rounded(const struct judging *j) {
    for (int i = 0; i < j->handed.count; i++) {
        const struct judged_step *step = &j->judged.steps[j->handed.steps[i]];
        const bool is_right = stands_right(j, j->handed.steps[i]);
        if (!is_right && step->checked.numbers.half_units != NULL) return true;
    }
    return false;
}

static bool follows_with(const struct judging *j, const struct edit *edit, int i) {
    const struct handed nothing_handed = {0}, *const numbers[] = {&nothing_handed, &j->handed};
    bool follows = false;
    for (int k = 0; k < 2 && !follows && edit != NULL; k++) {
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, j->arena->failure);
        struct run run;
        run_edited(&run, m, j, numbers[k], edit);
        follows = is_of_run(m, j, &run, i);
        scratch_close(&scratch);
    }
    return follows;
}

// Of several mistakes, each stands in a line of its own: what is computed twice may have but one of them.
static bool follows(const struct judging *j, int i) {
    if (!j->has_other_numbers) return false;
    if (follows_from(j, &j->handed, i)) return true;
    if (is_rounded(j) && follows_roughly(j, i)) return true;
    if (j->found_count == 0) return false;
    const struct edit *all = j->found[0].edit;
    for (int k = 1; k < j->found_count && all != NULL; k++)
        all = both_edits(j->arena, all, j->found[k].edit);
    if (follows_with(j, all, i)) return true;
    for (int k = 0; k < j->found_count && j->found_count > 1; k++) {
        if (follows_with(j, j->found[k].edit, i)) return true;
    }
    return false;
}

// Does step `i` change with the numbers of step `of`?
static bool depends_on(const struct judging *j, int i, int of) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, j->arena->failure);
    const struct tensor *right = &j->judged.run->steps[of].tensor;
    const int64_t count = count_of(shape_of(right));
    double *others = arena_array(m, (size_t)count, sizeof *others);
    for (int64_t k = 0; k < count; k++) others[k] = 1 + (double)(k % 7); // no softmax makes it even
    const struct handed handed = {1, &of, (const double *const[]){others}};
    struct run run;
    bool depends = !continues_from(&run, m, j, &handed);
    const struct tensor *a = &j->judged.run->steps[i].tensor, *b = &run.steps[i].tensor;
    for (int64_t k = 0; !depends && k < count_of(shape_of(a)); k++) {
        const double before = element_at(a, k), after = element_at(b, k);
        depends = before != after && !(isnan(before) && isnan(after));
    }
    scratch_close(&scratch);
    return depends;
}

// Nobody can tell what numbers of another shape lead to: what depends on them is not wrong in itself.
static bool reads_another_shape(const struct judging *j, int i) {
    for (int of = 0; of < i; of++) {
        const struct judged_step *step = &j->judged.steps[of];
        if (step->name != NULL && step->checked.verdict == VERDICT_SHAPE && depends_on(j, i, of))
            return true;
    }
    return false;
}

// ---- The cause of a wrong step --------------------------------------------------------------------

static bool contradicts(const struct judging *j, const struct run *run, int i) {
    if (!stands_right(j, i)) return false;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, j->arena->failure);
    const struct tensor *edited = &run->steps[i].tensor, *right = &j->judged.run->steps[i].tensor;
    const bool is_same = shapes_equal(shape_of(edited), shape_of(right)) && !differ(edited, right);
    const bool is_other = !is_same && !is_of_run(m, j, run, i);
    scratch_close(&scratch);
    return is_other;
}

// Do the mistakes explain the step where they are made only behind the steps that are right, as a slip in one line is?
static bool explains_alone(const struct judging *j, const struct edit *edit, int step) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, j->arena->failure);
    struct run run;
    run_edited(&run, m, j, &j->handed, edit);
    const bool explains = is_of_run(m, j, &run, step);
    scratch_close(&scratch);
    return explains;
}

// How well the mistakes of an explanation go with the other steps: -1 if they cannot be made without a change to one that
// is right in the student's program, otherwise how many later steps they explain.
static int support_of(struct judging *j, const struct explanation *explanation, int step) {
    const struct handed nothing_handed = {0};
    if (explanation->kind != BY_MISTAKES) return 0;
    const struct edit *edit = edit_of(j, explanation);
    if (edit == NULL) return 0;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, j->arena->failure);
    struct run run;
    int support = 0;
    const struct judged *judged = &j->judged;
    run_edited(&run, m, j, &nothing_handed, edit);
    bool is_contradicted = false;
    for (int i = 0; i < step && !is_contradicted; i++) is_contradicted = contradicts(j, &run, i);
    if (is_contradicted && !explains_alone(j, edit, step)) support = -1;
    for (int i = step + 1; i < judged->run->step_count && support >= 0; i++) {
        if (judged->steps[i].name == NULL) continue;
        const struct numbers *numbers = &judged->steps[i].checked.numbers;
        if (fits(numbers, shape_of(&run.steps[i].tensor)) &&
            compare_up_to(numbers, &run.steps[i].tensor, 0).different == 0)
            support++;
    }
    scratch_close(&scratch);
    return support;
}

// The best of an explanation's names becomes its first; the names that other steps contradict go.
static int settle_names(struct judging *j, struct explanation *explanation, int step) {
    int best = support_of(j, explanation, step), kept = 0;
    for (int i = 0; i < explanation->alike_count; i++) {
        struct explanation alike = explanation->alike[i];
        const int support = support_of(j, &alike, step);
        const bool is_refuted = best < 0;
        if (support < 0) continue;
        if (support > best) {
            exchange_names(explanation, &alike);
            best = support;
        }
        if (!is_refuted) explanation->alike[kept++] = alike;
    }
    explanation->alike_count = kept;
    return best;
}

// Leaves out what the steps that are right contradict, and puts first what explains most of the later ones.
static void settle(struct judging *j, struct diagnosis *diagnosis, int step) {
    int kept = 0;
    int *support = arena_array(j->arena, (size_t)diagnosis->count, sizeof *support);
    for (int i = 0; i < diagnosis->count; i++) {
        struct explanation explanation = diagnosis->explanations[i];
        const int supported = settle_names(j, &explanation, step);
        if (supported < 0) continue;
        int position = kept++;
        for (; position > 0 && support[position - 1] < supported; position--) {
            support[position] = support[position - 1];
            diagnosis->explanations[position] = diagnosis->explanations[position - 1];
        }
        support[position] = supported;
        diagnosis->explanations[position] = explanation;
    }
    diagnosis->count = kept;
}

static void note_mistakes(struct judging *j, const struct diagnosis *diagnosis) {
    enum { MOST = sizeof j->found / sizeof *j->found };
    if (diagnosis->count == 0 || diagnosis->explanations[0].kind != BY_MISTAKES) return;
    const struct explanation *best = &diagnosis->explanations[0];
    for (int i = 0; i < best->mistake_count; i++) {
        const struct mistake *mistake = best->mistakes[i];
        bool is_new = j->found_count < MOST;
        for (int k = 0; k < j->found_count; k++)
            is_new = is_new && !exclude_each_other(j->found[k].mistake, mistake) &&
                     j->found[k].mistake != mistake;
        if (!is_new) continue;
        j->found[j->found_count].mistake = mistake;
        j->found[j->found_count++].edit = edit_in_all(j, best->edits[i]);
    }
}

// A wrong step is compared with the lesson, or with what the student's own numbers lead to, if there are any before it.
static void find_cause(struct judging *j, int i, bool is_of_lesson) {
    struct checked *checked = &j->judged.steps[i].checked;
    struct run *continued = arena_allocate(j->arena, sizeof *continued);
    *continued = *j->judged.run;
    const bool is_continued = !is_of_lesson && continues_from(continued, j->arena, j, &j->handed);
    if (is_of_lesson || is_continued) {
        continued->is_handed = j->is_handed;
        checked->run = continued;
        checked->step = &continued->steps[i];
    }
    if (is_continued) compare_checked(j->arena, checked);
    const char *label = step_label(j->arena, checked->step);
    if (has_time(&j->patience, label, i, j->judged.run->step_count))
        explain_checked(j->arena, checked);
    else
        checked->diagnosis.is_cut = true;
    if (is_of_lesson) settle(j, &checked->diagnosis, i);
    note_mistakes(j, &checked->diagnosis);
    if (j->judged.first < 0) j->judged.first = i;
}

// ---- All of them ----------------------------------------------------------------------------------

// The steps after this one may depend on its numbers: the student's, or where they are right the lesson's, which have more
// digits.
static void hand_on(struct judging *j, int i) {
    const struct judged_step *judged = &j->judged.steps[i];
    const struct tensor *tensor = &j->judged.run->steps[i].tensor;
    const double *values = judged->checked.numbers.values;
    if (judged->checked.verdict == VERDICT_SHAPE) return;
    j->is_handed[i] = true;
    j->has_other_numbers = j->has_other_numbers || !stands_right(j, i);
    if (stands_right(j, i)) {
        const int64_t count = count_of(shape_of(tensor));
        double *right = arena_array(j->arena, (size_t)count, sizeof *right);
        for (int64_t k = 0; k < count; k++) right[k] = element_at(tensor, k);
        values = right;
    }
    j->handed_steps[j->handed.count] = i;
    j->handed_values[j->handed.count++] = values;
}

// Compares with the lesson's run. All steps are computed in the type that the first one tells which isn't equal.
static void compare_step(struct judging *j, struct checked *checked) {
    checked->precision = j->judged.precision;
    compare_narrowed(j->arena, checked);
    if (checked->precision == NULL) return;
    j->judged.precision = checked->precision;
    j->judged.run = checked->run;
}

static void judge_step(struct judging *j, int i) {
    struct judged_step *judged = &j->judged.steps[i];
    compare_step(j, &judged->checked);
    if (is_accepted(&judged->checked)) {
        judged->standing = STANDS_EQUAL;
    } else if (judged->checked.verdict == VERDICT_ROUNDED) {
        judged->standing = STANDS_ROUNDED;
    } else if (follows(j, i) || reads_another_shape(j, i)) {
        judged->standing = STANDS_FOLLOWS;
    } else if (j->is_port && is_parameter(&j->judged.run->steps[i])) {
        judged->standing = STANDS_GIVEN;
    } else {
        judged->standing = STANDS_WRONG;
        find_cause(j, i, !j->has_other_numbers);
    }
    hand_on(j, i);
}

static struct checked begun(const struct judging *j, int i) {
    struct checked checked = *j->options;
    checked.run = j->right;
    checked.step = &j->right->steps[i];
    checked.numbers = j->judged.handed->numbers[i];
    checked.file =
        arena_format(j->arena, "%s: %s", j->judged.handed->file, j->judged.handed->names[i]);
    return checked;
}

// Are two or more parameters handed in, is none of them the lesson's, and does no mistake or seed explain the first?
static bool has_own_parameters(struct judging *j) {
    int count = 0;
    struct checked first = {0};
    for (int i = 0; i < j->judged.run->step_count; i++) {
        struct checked checked = j->judged.steps[i].checked;
        if (j->judged.steps[i].name == NULL || !is_parameter(&j->judged.run->steps[i])) continue;
        checked.precision = j->judged.precision;
        compare_narrowed(j->arena, &checked);
        if (checked.verdict != VERDICT_DIFFERENT) return false;
        if (count++ == 0) first = checked;
    }
    if (count < 2) return false;
    explain_checked(j->arena, &first);
    j->of_parameter = first.diagnosis;
    return first.diagnosis.count == 0;
}

static void judge_steps(struct judging *j) {
    j->handed.count = j->found_count = 0;
    j->has_other_numbers = false;
    j->judged.first = -1;
    for (int i = 0; i < j->judged.run->step_count; i++) {
        j->is_handed[i] = false;
        if (j->judged.steps[i].name == NULL) continue;
        j->judged.steps[i].checked = begun(j, i);
        judge_step(j, i);
    }
}

static int first_that(const struct judging *j, enum standing standing) {
    int i = 0;
    while (i < j->judged.run->step_count && j->judged.steps[i].standing != standing) i++;
    return i;
}

// Parameters that nothing was made of are no port's. If no other step is wrong, the first of them is.
static void judge_port(struct judging *j) {
    const int count = j->judged.run->step_count, given = first_that(j, STANDS_GIVEN);
    if (first_that(j, STANDS_FOLLOWS) == count) {
        j->is_port = false;
        judge_steps(j);
    } else if (j->judged.first < 0) {
        j->judged.steps[given].standing = STANDS_WRONG;
        j->judged.steps[given].checked.diagnosis = j->of_parameter;
        j->judged.first = given;
    }
}

struct judged judge_all(struct arena *arena, const struct run *run, const struct handed_in *handed,
                        const struct checked *options) {
    const size_t count = (size_t)run->step_count;
    struct judging j = {.arena = arena, .right = run, .options = options};
    j.judged = (struct judged){.run = run, .handed = handed, .first = -1};
    j.judged.steps = arena_array(arena, count, sizeof *j.judged.steps);
    j.handed.steps = j.handed_steps = arena_array(arena, count, sizeof *j.handed_steps);
    j.handed.values = j.handed_values = arena_array(arena, count, sizeof *j.handed_values);
    j.is_handed = arena_array(arena, count, sizeof *j.is_handed);
    for (int i = 0; i < run->step_count; i++) {
        if (handed->names[i] == NULL) continue;
        j.judged.steps[i].name = handed->names[i];
        j.judged.steps[i].checked = begun(&j, i);
    }
    // A product of TF32 with a single weight of 1 has 11 bits, too: what stands before it says which type it is.
    for (int i = 0; i < run->step_count && j.judged.precision == NULL; i++) {
        if (handed->names[i] == NULL) continue;
        const struct checked checked = begun(&j, i);
        j.judged.precision = precision_told(arena, &checked);
        if (are_finer(arena, &checked)) break;
    }
    j.is_port = has_own_parameters(&j);
    j.patience = start_search(options->is_thorough);
    j.patience.until -= (j.patience.until - work_performed()) / 2;
    judge_steps(&j);
    if (j.is_port) judge_port(&j);
    for (int i = 0; i < run->step_count; i++) j.judged.counts[j.judged.steps[i].standing]++;
    end_search(&j.patience);
    return j.judged;
}
