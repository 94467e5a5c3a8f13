#include "trace/what_if/trial.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "trace/run/step.h"
#include "trace/what_if/alignment.h"
#include "trace/what_if/changed_program.h"
#include "trace/what_if/mistaken.h"

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

const struct run *right_run(const struct trial *trial) {
    return trial->right != NULL ? trial->right : &trial->run;
}

const struct effect *effect_in(const struct trial *trial, int mistake) {
    return effect_of(trial->effects, right_run(trial), mistake);
}

int changed_in(const struct trial *trial, int mistake) {
    return changed_by(trial->effects, right_run(trial), mistake);
}

void learn_effects(const struct trial *trial) {
    learn_all(trial->effects, right_run(trial));
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
        const char *code = *right->statement != '\0' ? right->statement : right->expression;
        *(code == right->statement ? &step->statement : &step->expression) = line->code;
        is_changed[step->number - 1] = strcmp(line->code, code) != 0;
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

static double account_of_absent(struct account *account) {
    say(account, "PyTorch has None here: there is no such tensor, and 0 stands for it");
    return account->derivation->value;
}

static const struct operation absent_row = {
    .name = "None",
    .formula = "None",
    .account = account_of_absent,
    .end = "Nothing was computed: there is no such tensor.",
};

// Stands in the place of a tensor that is not there, so that no reader has to ask.
static struct tensor placeholder(struct arena *arena, const struct tensor *right,
                                 const struct operation *row, double number) {
    struct tensor nothing = tensor_like(arena, FLOAT32, right);
    struct origin *origin = arena_allocate(arena, sizeof *origin);
    origin->operation = row;
    nothing.storage->origin = origin;
    for (int64_t i = 0; i < nothing.storage->count; i++) put_number(nothing.storage, i, number);
    return nothing;
}

// Runs the lines of `program`, and shows what they compute in the place of the lesson. `is_changed`: by step, its line is another.
static void play_lines(struct trial *trial, struct arena *arena, const struct run *program,
                       const bool *is_changed, bool *is_absent) {
    const size_t count = (size_t)trial->run.step_count;
    struct line_outcome *outcomes = arena_array(arena, count, sizeof *outcomes);
    bool *touched = arena_array(arena, count, sizeof *touched);
    trial->interpreter->play(outcomes, arena, trial->right, program);
    for (size_t i = 0; i < count; i++) {
        struct tensor *right = &trial->run.steps[i].tensor;
        touched[i] = are_others(&outcomes[i].tensor, right);
        const bool is_left_out = is_absent != NULL && is_none(&outcomes[i]);
        if (is_left_out) {
            *right = placeholder(arena, right, &absent_row, 0);
            outcomes[i].failure = NULL;
            is_absent[i] = true;
        } else if (!is_tensor(&outcomes[i].tensor)) {
            *right = placeholder(arena, right, &failed_row, NAN);
        }
        trial->run.steps[i].printed = outcomes[i].printed;
    }
    trial->outcomes = outcomes;
    trial->touched = touched;
    align_outcomes(&trial->run, arena, trial->right, outcomes, touched, is_changed);
}

static void play_changed(struct trial *trial, struct arena *arena,
                         const struct changed_lines *lines) {
    change_lines(trial, arena, lines);
    trial->touched = arena_array(arena, (size_t)trial->run.step_count, sizeof *trial->touched);
    if (trial->line_count > 0) play_lines(trial, arena, &trial->run, trial->is_changed, NULL);
}

// ---- Mistakes -----------------------------------------------------------------------------------

static void play_mistakes(struct trial *trial, struct arena *arena) {
    const size_t count = (size_t)trial->run.step_count;
    struct run *edited = arena_allocate(arena, sizeof *edited);
    struct step *steps = arena_array(arena, count, sizeof *steps);
    bool *is_changed = arena_array(arena, count, sizeof *is_changed);
    bool *is_absent = arena_array(arena, count, sizeof *is_absent);
    bool *is_made = arena_array(arena, (size_t)trial->mistake_count, sizeof *is_made);
    trial->is_made = is_made;
    trial->touched = arena_array(arena, count, sizeof *trial->touched);
    trial->is_changed = is_changed;
    trial->is_absent = is_absent;
    trial->edited = edited;
    if (make_mistakes(edited, is_made, arena, trial->interpreter, trial->right, trial->mistakes,
                      trial->mistake_count) == 0)
        return;
    memcpy(steps, trial->run.steps, count * sizeof *steps);
    trial->run.steps = steps;
    for (size_t i = 0; i < count; i++) is_changed[i] = has_other_line(trial->right, edited, (int)i);
    trial->lines = line_pairs_between(arena, trial->right, edited);
    play_lines(trial, arena, edited, is_changed, is_absent);
}

static void play_program(struct trial *trial, struct arena *arena,
                         const struct changed_lines *lines) {
    struct run *aligned = arena_allocate(arena, sizeof *aligned);
    bool *is_changed;
    run_changed_program(&trial->run, aligned, &is_changed, arena, trial->right, lines);
    bool *touched = arena_array(arena, (size_t)trial->run.step_count, sizeof *touched);
    for (int i = 0; i < trial->run.step_count; i++) {
        touched[i] = are_others(&trial->run.steps[i].tensor, &aligned->steps[i].tensor);
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
        play_changed(trial, arena, &what_ifs->lines);
        return;
    }
    choose_mistakes(trial, arena, what_ifs);
    play_mistakes(trial, arena);
}

static void begin_trial(struct trial *trial, struct arena *arena, const struct what_ifs *what_ifs) {
    *trial = (struct trial){.effects = arena_allocate(arena, sizeof *trial->effects),
                            .interpreter = what_ifs->lines.interpreter};
    *trial->effects = (struct effects){
        .failure = arena->failure, .words = arena, .interpreter = trial->interpreter};
}

void run_trial_after(struct trial *trial, struct arena *arena, const struct trial *before,
                     const struct lesson *lesson, const struct parameters *chosen,
                     const struct what_ifs *what_ifs) {
    begin_trial(trial, arena, what_ifs);
    continue_lesson(&trial->run, arena, before != NULL ? right_run(before) : NULL, lesson, chosen);
    make_on_purpose(trial, arena, what_ifs);
}

void run_trial_in(struct trial *trial, struct arena *arena, const struct run *right,
                  const struct what_ifs *what_ifs) {
    arena_number_behind(arena, right->memory);
    begin_trial(trial, arena, what_ifs);
    trial->run = *right;
    make_on_purpose(trial, arena, what_ifs);
}

const char *mistaken_lines(struct arena *arena, const struct trial *trial, int step) {
    return lines_in_step(arena, &trial->lines, step);
}

const struct line_pairs *lines_with(const struct trial *trial, int mistake) {
    return &effect_in(trial, mistake)->lines;
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
    const char *why = effect->why;
    if (why == NULL && !trial->is_made[i]) why = "what it changes is another line with the others";
    return why == NULL ? NULL
                       : arena_format(arena, "%s changes nothing here: %s", mistake->name, why);
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
    if (trial->line_count > 0 && trial->is_changed[step->number - 1])
        return arena_format(arena, "In the lesson: %s", step->formula);
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
    const struct line_outcome *failed = failed_outcome(trial, step);
    if (failed != NULL)
        text_add_format(&text, ". Not computed, and nan stands for it: %s", failed->failure);
    return text.bytes;
}

// ---- Where a mistake is made ---------------------------------------------------------------------

// Has a step, which changes, another line, or else nothing that it is computed from changes: then what it was made with is another.
static bool is_made(const struct trial *trial, int step, const bool *is_own, const bool *changes) {
    if (is_own[step]) return true;
    const struct run *right = right_run(trial);
    const bool *operands = operands_of_step(trial->effects, right, step);
    for (int i = 0; i < right->step_count; i++) {
        if (operands[i] && changes[i]) return false;
    }
    return true;
}

bool is_mistaken(const struct trial *trial, int step) {
    if (trial->right == NULL || !trial->touched[step]) return false;
    if (trial->line_count > 0) return trial->is_changed[step];
    return is_made(trial, step, trial->is_changed, trial->touched);
}

bool is_made_at(const struct trial *trial, int mistake, int step) {
    const struct effect *effect = effect_in(trial, mistake);
    return effect->why == NULL && effect->changes[step] &&
           is_made(trial, step, effect->is_own, effect->changes);
}
