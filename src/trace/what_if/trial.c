#include "trace/what_if/trial.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "trace/run/step.h"
#include "trace/tape/tape.h"
#include "trace/what_if/alignment.h"
#include "trace/what_if/changed_program.h"

bool any_made(const struct what_ifs *what_ifs) {
    for (int i = 0; i < mistake_total; i++) {
        if (what_ifs->made[i]) return true;
    }
    return false;
}

bool any_changed(const struct what_ifs *what_ifs, const struct lesson *lesson) {
    for (int i = 0; i < what_ifs->lines.count; i++) {
        if (strcmp(what_ifs->lines.all[i].lesson, lesson->name) == 0) return true;
    }
    return false;
}

static const struct run *right_run(const struct trial *trial) {
    return trial->right != NULL ? trial->right : &trial->run;
}

const struct effect *effect_in(const struct trial *trial, int mistake) {
    return effect_of(trial->effects, right_run(trial), mistake);
}

int changed_in(const struct trial *trial, int mistake) {
    return changed_by(trial->effects, right_run(trial), mistake);
}

static void choose_mistakes(struct trial *trial, struct arena *arena,
                            const struct what_ifs *what_ifs) {
    const struct mistake **mistakes = arena_array(arena, (size_t)mistake_total, sizeof *mistakes);
    for (int i = 0; i < mistake_total; i++) {
        if (what_ifs->made[i]) mistakes[trial->mistake_count++] = &mistake_table[i];
    }
    trial->mistakes = mistakes;
}

void run_trial(struct trial *trial, struct arena *arena, const struct lesson *lesson,
               const struct parameters *chosen, const struct what_ifs *what_ifs) {
    run_trial_after(trial, arena, NULL, lesson, chosen, what_ifs);
}

// ---- Lines --------------------------------------------------------------------------------------

// The steps of trial->run with the changed lines.
static void change_lines(struct trial *trial, struct arena *arena,
                         const struct changed_lines *lines) {
    struct run *run = &trial->run;
    const size_t count = (size_t)run->step_count;
    struct step *steps = arena_array(arena, count, sizeof *steps);
    bool *is_changed = arena_array(arena, count, sizeof *is_changed);
    memcpy(steps, run->steps, count * sizeof *steps);
    run->steps = steps;
    for (int i = 0; i < lines->count; i++) {
        const struct changed_line *line = &lines->all[i];
        if (strcmp(line->lesson, run->lesson->name) != 0) continue;
        struct step *step = &steps[find_step(run, line->step, arena->failure)->number - 1];
        const struct step *right = &trial->right->steps[step->number - 1];
        const char *own = *right->statement != '\0' ? right->statement : right->expression;
        *(own == right->statement ? &step->statement : &step->expression) = line->code;
        is_changed[step->number - 1] = strcmp(line->code, own) != 0;
    }
    for (int i = 0; i < run->step_count; i++) trial->line_count += is_changed[i];
    trial->is_changed = is_changed;
}

static double account_of_failed(struct account *account) {
    say(account, "not computed: a changed line failed");
    return account->derivation->value;
}

static const struct operation failed_row = {
    .name = "failed",
    .formula = "failed",
    .account = account_of_failed,
    .end = "Nothing was computed: a changed line failed.",
};

// Stands in the place of a tensor that is not there, so that no reader has to ask.
static struct tensor failed_tensor(struct arena *arena, const struct tensor *right) {
    struct tensor nothing = tensor_like(arena, FLOAT32, right);
    struct origin *origin = arena_allocate(arena, sizeof *origin);
    origin->operation = &failed_row;
    nothing.storage->origin = origin;
    for (int64_t i = 0; i < nothing.storage->count; i++) put_number(nothing.storage, i, NAN);
    return nothing;
}

// Is the program's tensor another one than the lesson's?
static bool is_other(const struct tensor *own, const struct tensor *right) {
    return !is_tensor(own) || own->storage->dtype != right->storage->dtype ||
           !shapes_equal(shape_of(own), shape_of(right)) || differ(own, right);
}

static void play_lines(struct trial *trial, struct arena *arena,
                       const struct changed_lines *lines) {
    change_lines(trial, arena, lines);
    const size_t count = (size_t)trial->run.step_count;
    bool *touched = arena_array(arena, count, sizeof *touched);
    trial->touched = touched;
    if (trial->line_count == 0) return;
    struct line_outcome *outcomes = arena_array(arena, count, sizeof *outcomes);
    lines->interpreter->play(outcomes, arena, trial->right, &trial->run);
    trial->outcomes = outcomes;
    for (size_t i = 0; i < count; i++) {
        struct tensor *right = &trial->run.steps[i].tensor;
        touched[i] = is_other(&outcomes[i].tensor, right);
        if (!is_tensor(&outcomes[i].tensor)) *right = failed_tensor(arena, right);
        trial->run.steps[i].printed = outcomes[i].printed;
    }
    align_outcomes(&trial->run, arena, trial->right, outcomes, touched, trial->is_changed);
}

// ---- Mistakes -----------------------------------------------------------------------------------

static void replay_mistakes(struct trial *trial, struct arena *arena) {
    const struct run *right = trial->right;
    replay_run(&trial->run, arena, right, trial->mistakes, trial->mistake_count);
    bool *touched = arena_array(arena, (size_t)right->step_count, sizeof *touched);
    count_touched(right, &trial->run, touched);
    trial->touched = touched;
}

// One after the other, in the lesson's lines. False where there is no line for one that changes something.
static bool edit_lines(struct run *edited, struct arena *arena, const struct trial *trial) {
    bool is_any = false;
    *edited = *trial->right;
    for (int i = 0; i < trial->mistake_count; i++) {
        const struct mistake *mistake = trial->mistakes[i];
        if (trial->interpreter->make_mistake(edited, arena, edited, mistake->name))
            is_any = true;
        else if (finds_anything(arena, trial->right, mistake))
            return false;
    }
    return is_any;
}

// Has the program None in the place of the step's tensor, such as the bias of a layer that has none?
static bool is_none(const struct line_outcome *outcome) {
    return !is_tensor(&outcome->tensor) && strstr(outcome->failure, ": NoneType") != NULL;
}

static bool is_zero(const struct tensor *tensor) {
    for (int64_t i = 0; i < count_of(shape_of(tensor)); i++) {
        if (element_at(tensor, i) != 0) return false;
    }
    return true;
}

// Do the lines give what the rules give, bit for bit? These have zeros for None.
static bool is_as_replayed(const struct trial *trial, const struct line_outcome *outcomes) {
    for (int i = 0; i < trial->run.step_count; i++) {
        if (is_none(&outcomes[i]) && is_zero(&trial->run.steps[i].tensor)) continue;
        if (is_other(&outcomes[i].tensor, &trial->run.steps[i].tensor)) return false;
    }
    return true;
}

// Do the tensors that change keep what they were computed from? Those of a training do not: there what the rules did explains the
// same numbers.
static bool is_explained(const struct trial *trial, const struct line_outcome *outcomes) {
    for (int i = 0; i < trial->run.step_count; i++) {
        if (!trial->touched[i] || is_none(&outcomes[i])) continue;
        const struct origin *by_rule = trial->run.steps[i].tensor.storage->origin;
        const bool is_given = outcomes[i].tensor.storage->origin->operand_count == 0;
        if (is_given && by_rule->operand_count > 0) return false;
    }
    return true;
}

// Shows what the lines computed in the place of what the rules did.
static void show_edited(struct trial *trial, struct arena *arena, const struct run *edited,
                        const struct line_outcome *outcomes) {
    const size_t count = (size_t)trial->run.step_count;
    struct run *replayed = arena_allocate(arena, sizeof *replayed);
    struct step *steps = arena_array(arena, count, sizeof *steps);
    bool *is_changed = arena_array(arena, count, sizeof *is_changed);
    bool *is_absent = arena_array(arena, count, sizeof *is_absent);
    *replayed = trial->run;
    memcpy(steps, trial->run.steps, count * sizeof *steps);
    for (size_t i = 0; i < count; i++) {
        is_changed[i] = strcmp(edited->steps[i].statement, steps[i].statement) != 0;
        is_absent[i] = is_none(&outcomes[i]);
    }
    trial->run.steps = steps;
    trial->is_changed = is_changed;
    trial->is_absent = is_absent;
    trial->replayed = replayed;
    trial->edited = edited;
    trial->lines = line_pairs_between(arena, trial->right, edited);
    if (is_explained(trial, outcomes))
        align_outcomes(&trial->run, arena, replayed, outcomes, trial->touched, is_changed);
}

static void play_mistakes(struct trial *trial, struct arena *arena) {
    const size_t count = (size_t)trial->run.step_count;
    struct run *edited = arena_allocate(arena, sizeof *edited);
    struct line_outcome *outcomes = arena_array(arena, count, sizeof *outcomes);
    struct arena *played = arena_child(arena);
    if (!edit_lines(edited, arena, trial)) return;
    const bool is_long = trial->right->lesson->trains;
    (is_long ? trial->interpreter->compute : trial->interpreter->play)(outcomes, played,
                                                                       trial->right, edited);
    if (is_as_replayed(trial, outcomes))
        show_edited(trial, arena, edited, outcomes);
    else
        arena_free(played);
}

static void play_program(struct trial *trial, struct arena *arena,
                         const struct changed_lines *lines) {
    struct run *aligned = arena_allocate(arena, sizeof *aligned);
    bool *is_changed;
    run_changed_program(&trial->run, aligned, &is_changed, arena, trial->right, lines);
    bool *touched = arena_array(arena, (size_t)trial->run.step_count, sizeof *touched);
    for (int i = 0; i < trial->run.step_count; i++) {
        const struct tensor *own = &trial->run.steps[i].tensor, *right = &aligned->steps[i].tensor;
        touched[i] = own->storage->dtype != right->storage->dtype ||
                     !shapes_equal(shape_of(own), shape_of(right)) || differ(right, own);
        trial->line_count += is_changed[i];
    }
    trial->right = aligned;
    trial->is_changed = is_changed;
    trial->touched = touched;
}

const struct line_outcome *failed_outcome(const struct trial *trial, const struct step *step) {
    if (trial->outcomes == NULL) return NULL;
    const struct line_outcome *outcome = &trial->outcomes[step->number - 1];
    return outcome->failure != NULL ? outcome : NULL;
}

// ---- Running ------------------------------------------------------------------------------------

// Makes the mistakes in trial->run, or changes its lines.
static void make_on_purpose(struct trial *trial, struct arena *arena,
                            const struct what_ifs *what_ifs) {
    trial->interpreter = what_ifs->lines.interpreter;
    const bool has_lines = any_changed(what_ifs, trial->run.lesson);
    if (!any_made(what_ifs) && !has_lines) return;
    struct run *right = arena_allocate(arena, sizeof *right);
    *right = trial->run;
    trial->right = right;
    if (has_lines && right->lesson->with_lines != NULL) {
        play_program(trial, arena, &what_ifs->lines);
        return;
    }
    if (has_lines) {
        play_lines(trial, arena, &what_ifs->lines);
        return;
    }
    choose_mistakes(trial, arena, what_ifs);
    replay_mistakes(trial, arena);
    if (trial->interpreter != NULL && right->lesson->with_lines == NULL)
        play_mistakes(trial, arena);
}

static void begin_trial(struct trial *trial, struct arena *arena) {
    *trial = (struct trial){.effects = arena_allocate(arena, sizeof *trial->effects)};
    *trial->effects = (struct effects){.failure = arena->failure, .words = arena};
}

void run_trial_after(struct trial *trial, struct arena *arena, const struct trial *before,
                     const struct lesson *lesson, const struct parameters *chosen,
                     const struct what_ifs *what_ifs) {
    begin_trial(trial, arena);
    continue_lesson(&trial->run, arena, before != NULL ? right_run(before) : NULL, lesson, chosen);
    make_on_purpose(trial, arena, what_ifs);
}

void run_trial_in(struct trial *trial, struct arena *arena, const struct run *right,
                  const struct what_ifs *what_ifs) {
    begin_trial(trial, arena);
    trial->run = *right;
    make_on_purpose(trial, arena, what_ifs);
}

const char *mistaken_lines(struct arena *arena, const struct trial *trial, int step) {
    return lines_in_step(arena, &trial->lines, step);
}

// As it is, or a training with few updates.
static const struct run *brief_run(struct arena *arena, const struct run *right) {
    const struct parameters few = {.given = USES_UPDATES, .updates = 2};
    if (!right->lesson->trains || right->parameters.updates <= few.updates) return right;
    const struct parameters parameters = overlaid(&right->parameters, &few, USES_UPDATES);
    struct run *brief = arena_allocate(arena, sizeof *brief);
    run_lesson(brief, arena, right->lesson, &parameters);
    return brief;
}

static struct line_pairs kept_pairs(struct arena *arena, const struct line_pairs *pairs) {
    struct line_pairs kept = {pairs->count,
                              arena_array(arena, (size_t)pairs->count, sizeof *kept.all)};
    for (int i = 0; i < pairs->count; i++)
        kept.all[i] =
            (struct line_pair){pairs->all[i].step, arena_copy(arena, pairs->all[i].before),
                               arena_copy(arena, pairs->all[i].after)};
    return kept;
}

const struct line_pairs *lines_with(const struct trial *trial, int mistake) {
    struct effects *effects = trial->effects;
    const bool is_alone =
        trial->mistake_count == 1 && trial->mistakes[0] == &mistake_table[mistake];
    if (is_alone) return &trial->lines;
    if (effects->is_written[mistake]) return &effects->lines[mistake];
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, effects->failure);
    struct what_ifs what_ifs = {.lines.interpreter = trial->interpreter};
    what_ifs.made[mistake] = true;
    struct trial alone;
    run_trial_in(&alone, m, brief_run(m, right_run(trial)), &what_ifs);
    effects->lines[mistake] = kept_pairs(effects->words, &alone.lines);
    effects->is_written[mistake] = true;
    scratch_close(&scratch);
    return &effects->lines[mistake];
}

// Is the changed line of step `i` that of an earlier one, of another turn?
static bool is_said(const struct trial *trial, int i) {
    const struct step *steps = trial->run.steps;
    int at = 0;
    while (at < i && !(trial->is_changed[at] && steps[at].excerpt == steps[i].excerpt)) at++;
    return at < i && trial->run.lesson->with_lines != NULL;
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
    for (int i = 0; trial->line_count > 0 && i < trial->run.step_count; i++) {
        if (!trial->is_changed[i] || is_said(trial, i)) continue;
        text_add_format(&text, "%sline of %s", text.length > 0 ? ", " : "",
                        step_label(arena, &trial->run.steps[i]));
    }
    return text.length > 0 ? text.bytes : NULL;
}

const char *idle_text(struct arena *arena, const struct trial *trial, int i) {
    const struct mistake *mistake = trial->mistakes[i];
    const struct effect *effect = effect_in(trial, mistake_number(mistake));
    if (effect->why == NULL) return NULL;
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

// Does a made mistake change the step? Of a single one that is known; several are asked one by one.
static bool changes(const struct trial *trial, int i, const struct step *step) {
    const int mistake = mistake_number(trial->mistakes[i]);
    return trial->mistake_count == 1 ||
           changes_step(trial->effects, trial->right, mistake, step->number - 1);
}

const char *formula_text(struct arena *arena, const struct trial *trial, const struct step *step) {
    if (right_tensor(trial, step) == NULL || trial->line_count > 0) return step->formula;
    int count = 0;
    for (int i = 0; i < trial->mistake_count; i++) count += changes(trial, i, step);
    const bool names_all = count == 0;
    if (names_all) count = trial->mistake_count;
    struct text text = text_new(arena);
    text_add_format(&text, "%s. With the mistake%s: ", step->formula, count == 1 ? "" : "s");
    const char *separator = "";
    for (int i = 0; i < trial->mistake_count; i++) {
        if (!names_all && !changes(trial, i, step)) continue;
        text_add_format(&text, "%s%s", separator, trial->mistakes[i]->title);
        separator = "; ";
    }
    if (trial->is_absent != NULL && trial->is_absent[step->number - 1])
        text_add(&text, ". PyTorch has None here: there is no such tensor, and 0 stands for it");
    return text.bytes;
}

// ---- Where a mistake is made ---------------------------------------------------------------------

static bool is_done_alike(const struct origin *a, const struct origin *b) {
    return a->operation == b->operation && a->operand_count == b->operand_count &&
           a->dim == b->dim && a->diagonal == b->diagonal && a->number == b->number &&
           a->decay == b->decay && a->beta1 == b->beta1 && a->beta2 == b->beta2 &&
           a->is_uncorrected == b->is_uncorrected && a->is_coupled == b->is_coupled &&
           a->draws.seed == b->draws.seed && a->draws.first == b->draws.first &&
           a->draws.stream == b->draws.stream;
}

// Two tensors that are followed back to the steps before step number `before`.
struct pursuit {
    const struct trial *trial;
    const struct run *wrong;
    int before;
    struct tape tape; // behind the right one
    const struct storage *
        *beside; // what a storage of it was found to be made like; NULL if nothing so far
};

// Are they made alike as far as they are followed?
static bool is_made_alike(const struct pursuit *p, const struct tensor *a, const struct tensor *b) {
    if (!reads_alike(a, b)) return false;
    const struct storage **beside = &p->beside[place_on_tape(&p->tape, a->storage)];
    if (a->storage == b->storage || *beside == b->storage) return true;
    const struct step *shown = step_showing(p->trial->right, a, p->before);
    if (shown != NULL && shown->number < p->before)
        return p->wrong->steps[shown->number - 1].tensor.storage == b->storage;
    const struct origin *first = a->storage->origin, *second = b->storage->origin;
    if (!is_done_alike(first, second)) return false;
    for (int i = 0; i < first->operand_count; i++) {
        if (!is_made_alike(p, &first->operands[i], &second->operands[i])) return false;
    }
    *beside = b->storage;
    return true;
}

bool is_mistaken(const struct trial *trial, int step) {
    if (trial->right == NULL || !trial->touched[step]) return false;
    if (trial->line_count > 0) return trial->is_changed[step];
    const struct run *wrong = trial->replayed != NULL ? trial->replayed : &trial->run;
    const struct step *right = &trial->right->steps[step];
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, trial->effects->failure);
    struct pursuit pursuit = {trial, wrong, right->number, computed_tape_of(m, 1, &right->tensor),
                              NULL};
    pursuit.beside = arena_array(m, (size_t)pursuit.tape.count, sizeof *pursuit.beside);
    const bool is_alike = is_made_alike(&pursuit, &right->tensor, &wrong->steps[step].tensor);
    scratch_close(&scratch);
    return !is_alike;
}

static bool find_out(const struct trial *trial, int mistake, int step) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, trial->effects->failure);
    struct trial wrong = {.right = right_run(trial), .effects = trial->effects};
    replay_untrained(&wrong.run, m, wrong.right, &mistake_table[mistake]);
    bool *touched = arena_array(m, (size_t)wrong.right->step_count, sizeof *touched);
    wrong.touched = touched;
    const bool is_played = step < wrong.run.step_count;
    if (is_played)
        touched[step] = differ(&wrong.right->steps[step].tensor, &wrong.run.steps[step].tensor);
    const bool is_made = is_played && is_mistaken(&wrong, step);
    scratch_close(&scratch);
    return is_made;
}

bool is_made_at(const struct trial *trial, int mistake, int step) {
    struct effects *effects = trial->effects;
    const struct effect *effect = effect_in(trial, mistake);
    if (effect->why != NULL || effect->first > step) return false;
    if (effects->place != step) {
        effects->place = step;
        memset(effects->is_found_out, 0, sizeof effects->is_found_out);
    }
    if (!effects->is_found_out[mistake]) {
        effects->is_made_there[mistake] = find_out(trial, mistake, step);
        effects->is_found_out[mistake] = true;
    }
    return effects->is_made_there[mistake];
}
