#include "walk/walker.h"

#include <math.h>
#include <string.h>

#include <inttypes.h>

#include "trace/run/step.h"
#include "trace/tape/training.h"

// ---- Runs ---------------------------------------------------------------------------------------

static void forget_other(struct walker *walker) {
    arena_free(&walker->other_memory);
    walker->has_other = false;
    forget_matrices(&walker->matrix_cache);
}

// A lesson to be run, whether it can be or not.
struct teaching {
    struct trial *trial;
    const struct trial *before; // NULL at first
    const struct run *right;    // the lesson's run, where it is there already; or NULL
    struct arena *memory;
    const struct lesson *lesson;
    const struct parameters *chosen;
    const struct what_ifs *what_ifs;
};

static void teach(void *context) {
    const struct teaching *teaching = context;
    if (teaching->right != NULL)
        run_trial_in(teaching->trial, teaching->memory, teaching->right, teaching->what_ifs);
    else
        run_trial_after(teaching->trial, teaching->memory, teaching->before, teaching->lesson,
                        teaching->chosen, teaching->what_ifs);
}

// Runs a lesson with parameters and mistakes in place of the old ones. Where it is the walker's with the walker's own parameters,
// what is right in it stays, and what mistakes do stays known: only what is made on purpose runs. A program's steps may be others
// with another line, so it runs from its beginning.
static bool run(struct walker *walker, int lesson, const struct parameters *chosen,
                const struct what_ifs *what_ifs) {
    struct what_ifs played = *what_ifs;
    played.lines.interpreter = walker->interpreter;
    const struct trial *before = walker->trial.run.lesson != NULL ? &walker->trial : NULL;
    const bool is_same = before != NULL && walker->lessons[lesson] == before->run.lesson &&
                         chosen == &walker->chosen,
               stays = is_same && before->run.lesson->with_lines == NULL;
    // Tensors keep the address of their arena: it must be the walker's own.
    struct arena *memory = stays ? &walker->purpose_memory : &walker->memory, old = *memory;
    *memory = arena_new(&walker->failure);
    struct trial trial;
    struct teaching teaching = {.trial = &trial,
                                .before = before,
                                .right = stays ? right_run(before) : NULL,
                                .memory = memory,
                                .lesson = walker->lessons[lesson],
                                .chosen = chosen,
                                .what_ifs = &played};
    if (!attempt(&walker->failure, teach, &teaching)) {
        arena_free(memory);
        *memory = old;
        tell(&walker->state, "%s", walker->failure.message);
        return false;
    }
    arena_free(&old);
    if (!stays) arena_free(&walker->purpose_memory);
    forget_other(walker);
    follow_no_longer(walker);
    forget_map(&walker->map_cache);
    walker->shown = (struct shown){0};
    if (!is_same) effects_forget(&walker->effects);
    walker->trial = trial;
    walker->trial.effects = &walker->effects;
    walker->effects.interpreter = walker->interpreter;
    walker->chosen = *chosen;
    walker->what_ifs = played;
    return true;
}

// Says which of the mistakes made change nothing in this lesson, and why; nothing if there is none.
static void tell_idle(struct walker *walker) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    for (int i = 0; i < walker->trial.mistake_count; i++) {
        const char *idle = idle_text(m, &walker->trial, i);
        if (idle == NULL) continue;
        tell(&walker->state, "%s.", idle);
        break;
    }
    scratch_close(&scratch);
}

bool go_to_lesson(struct walker *walker, int lesson) {
    return go_to_lesson_with(walker, lesson, &walker->chosen, &walker->what_ifs);
}

bool go_to_lesson_with(struct walker *walker, int lesson, const struct parameters *chosen,
                       const struct what_ifs *what_ifs) {
    struct state *state = &walker->state;
    if (!run(walker, lesson, chosen, what_ifs)) return false;
    state->lesson = lesson;
    go_to_step(state, &walker->trial.run, state->visits[lesson].step);
    tell_idle(walker);
    return true;
}

bool run_again(struct walker *walker, const struct parameters *chosen,
               const struct what_ifs *what_ifs) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const struct step *step = current_step(&walker->state, &walker->trial.run);
    const char *label = arena_copy(m, step_label(m, step));
    const bool is_run = run(walker, walker->state.lesson, chosen, what_ifs);
    if (is_run) {
        const struct step *same = step_called(&walker->trial.run, label);
        if (same != NULL) walker->state.step = same->number - 1;
        arrive(&walker->state, &walker->trial.run);
        tell_idle(walker);
    }
    scratch_close(&scratch);
    return is_run;
}

bool toggle_mistake(struct walker *walker, int mistake) {
    struct what_ifs what_ifs = walker->what_ifs;
    what_ifs.made[mistake] = !what_ifs.made[mistake];
    if (any_changed(&what_ifs, walker->trial.run.lesson)) {
        tell(&walker->state, "A line is changed. u undoes it, then a mistake can be made.");
        return false;
    }
    return run_again(walker, &walker->chosen, &what_ifs);
}

static void start_at_cell(struct walker *walker, const struct walk_start *start) {
    struct failure *failure = walker->memory_failure;
    const struct run *run = &walker->trial.run;
    const struct step *step = current_step(&walker->state, run);
    if (has_index(&step->tensor, start->cell_dims, start->cell)) {
        go_to_cell(&walker->state, run, step, start->cell);
        return;
    }
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, failure);
    fail(failure, FAIL_USAGE, "%s has no such cell: its shape is %s, counted from 0",
         step_label(m, step), shape_text(m, shape_of(&step->tensor)));
}

// The companion is found at once: a walk whose other run can't be had does not begin.
static void meet_companion(struct walker *walker, struct failure *failure) {
    if (touched_steps(walker) == NULL)
        fail(failure, walker->failure.status, "%s", walker->failure.message);
    walker->state.compares = true;
    walker->state.asks_nothing = true;
    tell(&walker->state, "%s", walker->companion.verdict);
}

void walker_start(struct walker *walker, const struct walk_start *start, struct failure *failure) {
    memset(walker, 0, sizeof *walker); // some compilers put a whole one on the stack to assign it
    walker->lessons = start->lessons;
    walker->lesson_count = start->lesson_count < MAX_LESSONS ? start->lesson_count : MAX_LESSONS;
    walker->digits = start->digits;
    walker->interpreter = start->interpreter;
    walker->companions = start->companions;
    walker->open_count = 1;
    walker->memory_failure = walker->matrix_cache.failure = failure;
    walker->map_cache.memory = arena_new(failure);
    walker->effects = (struct effects){.failure = failure, .words = &walker->words};
    struct state *state = &walker->state;
    walker->memory = walker->purpose_memory = walker->other_memory = arena_new(&walker->failure);
    walker->words = arena_new(failure);
    walker->course_memory = arena_new(failure);
    *state = state_new(start->lesson, walker->lesson_count);
    state->first_number = first_number(walker->lessons);
    for (int i = 0; start->visits != NULL && i < walker->lesson_count; i++)
        state->visits[i] = start->visits[i];
    if (!run(walker, start->lesson, start->chosen, start->what_ifs))
        fail(failure, walker->failure.status, "%s", walker->failure.message);
    state->step = state->visits[start->lesson].step;
    if (start->step != NULL)
        state->step = find_step(&walker->trial.run, start->step, failure)->number - 1;
    if (start->step == NULL && state->step == 0)
        state->step = first_outside_calls(&walker->trial.run);
    go_to_step(state, &walker->trial.run, state->step);
    state->shows_c = start->shows_c;
    state->is_light = start->is_light;
    state->asks_nothing = start->asks_nothing;
    if (walker->companions != NULL)
        meet_companion(walker, failure);
    else if (start->step == NULL && state->visits[start->lesson].step > 0)
        tell(state, "You left this lesson here. g starts it again, Tab lists all steps.");
    if (start->cell_dims > 0) start_at_cell(walker, start);
    tell_idle(walker);
}

void walker_free(struct walker *walker) {
    close_views(walker);
    follow_no_longer(walker);
    arena_free(&walker->memory);
    arena_free(&walker->purpose_memory);
    arena_free(&walker->other_memory);
    arena_free(&walker->words);
    arena_free(&walker->course_memory);
    forget_map(&walker->map_cache);
}

// ---- All lessons ---------------------------------------------------------------------------------

const struct run *course_runs(struct walker *walker) {
    if (walker->course != NULL) return walker->course;
    const struct parameters course = {0};
    struct arena *arena = &walker->course_memory;
    struct run *runs = arena_array(arena, (size_t)walker->lesson_count, sizeof *runs);
    for (int i = 0; i < walker->lesson_count; i++)
        run_lesson(&runs[i], arena, walker->lessons[i], &course);
    return walker->course = runs;
}

// ---- Where a number goes --------------------------------------------------------------------------

void follow_no_longer(struct walker *walker) {
    if (walker->is_following) arena_free(&walker->follow_memory);
    walker->is_following = false;
}

static void begin_following(struct walker *walker) {
    const struct run *run = &walker->trial.run;
    const struct cell cell = current_cell(&walker->state, run);
    walker->follow_memory = arena_new(walker->memory_failure);
    walker->followed = where_to_of(&walker->follow_memory, run, &cell);
    walker->is_following = true;
    int steps = 0;
    for (int i = walker->state.step + 1; i < run->step_count; i++)
        steps += reached_in(&walker->followed, &run->steps[i].tensor) > 0 ? 1 : 0;
    if (steps > 0)
        tell(&walker->state, "This number goes to %d later step%s. f goes there, F ends it.", steps,
             steps == 1 ? "" : "s");
    else
        tell(&walker->state, "No later step was computed from this number.");
    if (steps == 0) follow_no_longer(walker);
}

void follow_number(struct walker *walker) {
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    if (!knows_all_origins(run)) {
        tell(state, "This recording is too large to follow a number. Enter says where it is from.");
        return;
    }
    if (!walker->is_following) {
        begin_following(walker);
        return;
    }
    for (int i = state->step + 1; i < run->step_count; i++) {
        int64_t index[MAX_DIMS];
        const struct tensor *tensor = &run->steps[i].tensor;
        if (!first_reached(&walker->followed, tensor, index)) continue;
        go_to_cell(state, run, &run->steps[i], index);
        tell(state, "%lld of %lld numbers here depend on the one followed. f goes on, F ends it.",
             (long long)reached_in(&walker->followed, tensor),
             (long long)count_of(shape_of(tensor)));
        return;
    }
    follow_no_longer(walker);
    tell(state, "That was the last step that the number reached.");
}

// ---- Training -----------------------------------------------------------------------------------

void train_to(struct walker *walker, int64_t updates) {
    const struct run *run = &walker->trial.run;
    if (!run->lesson->trains) {
        tell(&walker->state, "Nothing is trained in this lesson. The last one trains.");
    } else if (updates > MOST_UPDATES) {
        tell(&walker->state, "%d updates are the most. z goes back to none.", MOST_UPDATES);
    } else {
        struct parameters chosen = walker->chosen;
        chosen.given |= USES_UPDATES;
        chosen.updates = updates;
        if (!run_again(walker, &chosen, &walker->what_ifs)) return;
        const struct tensor *losses = &run->trainings[0]->losses;
        const double loss = element_at(losses, size_along(losses, AXIS_UPDATE) - 1);
        tell(&walker->state,
             "After %" PRId64 " update%s the loss is %.4f. a makes one more, A ten, z none.",
             run->parameters.updates, run->parameters.updates == 1 ? "" : "s", loss);
    }
}

// ---- The input ----------------------------------------------------------------------------------

// The run that it is compared with is another one then.
static bool run_edited(struct walker *walker, const struct edits *edits,
                       const struct parameters *chosen) {
    const struct edits before = walker->edits;
    walker->edits = *edits;
    const bool is_run = run_again(walker, chosen, &walker->what_ifs);
    if (!is_run) walker->edits = before;
    return is_run;
}

bool edit_input(struct walker *walker, const int64_t *index, double number) {
    struct edits edits = walker->edits;
    const struct parameters chosen =
        edited(&walker->words, &edits, &walker->trial.run, &walker->chosen, index, number);
    return run_edited(walker, &edits, &chosen);
}

static bool take_back_edits(struct walker *walker) {
    const struct edits no_edits = {0};
    const struct parameters chosen = unedited(&walker->edits, &walker->chosen);
    return walker->edits.are_made && run_edited(walker, &no_edits, &chosen);
}

// ---- Lines ----------------------------------------------------------------------------------------

// Is a tensor another one only in the last digits, as when numbers are added in another order? *most: the largest difference.
static bool is_rounded(const struct trial *trial, int i, double *most) {
    const struct tensor *changed = &trial->run.steps[i].tensor,
                        *right = &trial->right->steps[i].tensor;
    const double within = trial->run.lesson->within > 0 ? trial->run.lesson->within : 2e-6;
    const struct shape shape = shape_of(changed);
    if (changed->storage->dtype != right->storage->dtype || !is_floating(changed->storage->dtype) ||
        !shapes_equal(shape, shape_of(right)))
        return false;
    int64_t index[MAX_DIMS] = {0};
    for (int64_t k = 0; k < count_of(shape); k++, next_index(&shape, index)) {
        const double here = element(changed, index), there = element(right, index);
        const double apart = fabs(here - there);
        if (here == there || (isnan(here) && isnan(there))) continue;
        if (isinf(here) || isinf(there)) return false;
        if (!(apart <= within * fmax(1, fabs(there)))) return false;
        *most = fmax(*most, apart);
    }
    return true;
}

// The largest difference if all that is changed is rounded otherwise; else 0.
static double rounded_by(const struct trial *trial) {
    double most = 0;
    for (int i = 0; i < trial->run.step_count; i++)
        if (trial->touched[i] && !is_rounded(trial, i, &most)) return 0;
    return most;
}

// "Its shape is (6, 1), in the lesson (6,). " where the step on screen has another shape; else "".
static const char *other_shape(struct arena *arena, const struct trial *trial,
                               const struct step *step) {
    const struct tensor *right = right_tensor(trial, step);
    if (right == NULL || shapes_equal(shape_of(right), shape_of(&step->tensor))) return "";
    return arena_format(arena, "Its shape is %s, in the lesson %s. ",
                        shape_text(arena, shape_of(&step->tensor)),
                        shape_text(arena, shape_of(right)));
}

static void tell_count(struct walker *walker, int changed, int failed) {
    const struct trial *trial = &walker->trial;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const char *shape = other_shape(m, trial, current_step(&walker->state, &trial->run));
    const int count = trial->run.step_count;
    if (failed == 0)
        tell(&walker->state, "%s%d of %d steps changed. u undoes it.", shape, changed, count);
    else
        tell(&walker->state, "%s%d of %d steps changed, %d could not be computed. u undoes it.",
             shape, changed, count, failed);
    scratch_close(&scratch);
}

bool is_line_right(const struct trial *trial, int step) {
    double most = 0;
    if (failed_outcome(trial, &trial->run.steps[step]) != NULL) return false;
    return right_tensor(trial, &trial->run.steps[step]) == NULL || is_rounded(trial, step, &most);
}

// Whose lines a changed line is compared with.
static const char *source_of(const struct walker *walker) {
    return walker->trial.run.lesson->with_lines != NULL ? "file" : "lesson";
}

// Says what became of the line of the step on screen. Why it failed stands in the place of its numbers.
static void tell_changed(struct walker *walker) {
    const struct trial *trial = &walker->trial;
    const struct step *step = current_step(&walker->state, &trial->run);
    int changed = 0, failed = 0;
    for (int i = 0; trial->touched != NULL && i < trial->run.step_count; i++) {
        const bool is_failed = failed_outcome(trial, &trial->run.steps[i]) != NULL;
        failed += is_failed;
        changed += trial->touched[i] && !is_failed;
    }
    if (failed_outcome(trial, step) != NULL)
        tell(&walker->state, "This line failed. y changes it again, u undoes it.");
    else if (changed + failed == 0)
        tell(&walker->state, "All numbers are as in the %s. u undoes the line.", source_of(walker));
    else if (failed == 0 && rounded_by(trial) > 0)
        tell(&walker->state, "The same but for rounding (at most %.1e). u undoes the line.",
             rounded_by(trial));
    else
        tell_count(walker, changed, failed);
}

static const char *kept_label(struct walker *walker) {
    const struct step *step = current_step(&walker->state, &walker->trial.run);
    return arena_copy(&walker->words, step_label(&walker->words, step));
}

void remember_line(struct walker *walker, const char *code) {
    const int count = walker->typed_count;
    if (*code == '\0' || (count > 0 && strcmp(walker->typed[count - 1], code) == 0)) return;
    const size_t used = (size_t)count * sizeof *walker->typed;
    walker->typed = arena_grow(&walker->words, walker->typed, used, sizeof *walker->typed);
    walker->typed[walker->typed_count++] = arena_copy(&walker->words, code);
}

void change_line(struct walker *walker, const char *code) {
    struct arena *words = &walker->words;
    struct what_ifs what_ifs = walker->what_ifs;
    struct changed_lines *lines = &what_ifs.lines;
    const char *copy = arena_copy(words, code);
    const size_t size = sizeof *lines->all, used = (size_t)lines->count * size;
    const struct changed_line *before = lines->all;
    lines->all = arena_array(words, (size_t)lines->count + 1, size);
    if (lines->count > 0) memcpy(lines->all, before, used);
    const char *lesson = arena_copy(words, walker->trial.run.lesson->name); // of a run that ends
    lines->all[lines->count++] = (struct changed_line){lesson, kept_label(walker), copy};
    const char *label = kept_label(walker);
    if (!run_again(walker, &walker->chosen, &what_ifs)) return;
    const struct run *run = &walker->trial.run;
    if (step_called(run, label) != NULL) {
        tell_changed(walker);
        return;
    }
    go_to_step(&walker->state, run, stop_at(run, run->step_count - 1).first);
    tell(&walker->state, "With this line there is no step %s. u undoes it.", label);
}

// Without the line of this lesson that was changed last; false if none was.
static bool take_back_line(struct walker *walker) {
    struct what_ifs what_ifs = walker->what_ifs;
    struct changed_lines *lines = &what_ifs.lines;
    const char *lesson = walker->trial.run.lesson->name;
    int last = lines->count - 1;
    while (last >= 0 && strcmp(lines->all[last].lesson, lesson) != 0) last--;
    if (last < 0) return false;
    const char *step = lines->all[last].step;
    struct changed_line *all = arena_array(&walker->words, (size_t)lines->count, sizeof *all);
    int count = 0;
    for (int i = 0; i < lines->count; i++) {
        if (i != last) all[count++] = lines->all[i];
    }
    lines->all = all;
    lines->count = count;
    if (!run_again(walker, &walker->chosen, &what_ifs)) return true;
    const bool is_right = !any_changed(&what_ifs, walker->trial.run.lesson);
    if (is_right)
        tell(&walker->state, "The line of %s is as it was before. All lines are the %s's.", step,
             source_of(walker));
    else
        tell(&walker->state, "The line of %s is as it was before. u again: the change before it.",
             step);
    return true;
}

void end_try(struct walker *walker) {
    if (!walker->is_trying) return;
    walker->is_trying = false;
    (void)take_back_line(walker);
    walker->state.message[0] = '\0';
}

// ---- The course ---------------------------------------------------------------------------------

static bool is_changed(const struct walker *walker) {
    return walker->chosen.given != 0 || any_made(&walker->what_ifs) ||
           any_changed(&walker->what_ifs, walker->trial.run.lesson);
}

void undo_changes(struct walker *walker) {
    const struct parameters course = {0};
    const struct what_ifs no_mistakes = {0};
    const char *standard = standard_of(walker->trial.run.lesson);
    if (!is_changed(walker))
        tell(&walker->state, "Nothing is changed: these are the %s's numbers.", standard);
    else if (take_back_line(walker))
        return;
    else if (take_back_edits(walker))
        tell(&walker->state,
             is_changed(walker) ? "The input is as it was. u again: back to the %s's numbers."
                                : "Back to the %s's numbers.",
             standard);
    else if (run_again(walker, &course, &no_mistakes)) {
        walker->edits.are_made = false;
        tell(&walker->state, "Back to the %s's numbers.", standard);
    }
}

void toggle_comparison(struct walker *walker) {
    struct state *state = &walker->state;
    const char *standard = standard_of(walker->trial.run.lesson);
    state->compares = !state->compares;
    if (walker->companions != NULL) {
        tell(state,
             state->compares ? "Beside the other run again." : "c shows the other run again.");
    } else if (!state->compares) {
        tell(state, "No longer compared with the %s.", standard);
    } else if (!is_changed(walker)) {
        state->compares = false;
        tell(state, "Nothing to compare: these are the %s's numbers. s changes settings.",
             standard);
    }
}

static void teach_other(void *context) {
    struct walker *walker = context;
    const struct lesson *lesson = walker->trial.run.lesson;
    if (walker->companions != NULL) {
        walker->companion = walker->companions->find(walker->companions->context,
                                                     &walker->other_memory, &walker->trial.run);
        walker->other_touched = walker->companion.differs;
        return;
    }
    if (walker->state.compares) {
        const struct parameters course = {0};
        const struct what_ifs no_mistakes = {0};
        run_trial(&walker->other, &walker->other_memory, lesson, &course, &no_mistakes);
        return;
    }
    const struct parameters before = unedited(&walker->edits, &walker->chosen);
    run_trial(&walker->other, &walker->other_memory, lesson, &before, &walker->what_ifs);
    const size_t steps = (size_t)walker->trial.run.step_count;
    bool *touched = arena_array(&walker->other_memory, steps, sizeof *touched);
    count_touched(&walker->other.run, &walker->trial.run, touched);
    walker->other_touched = touched;
}

static const struct run *kept_other(const struct walker *walker) {
    return walker->companions != NULL ? walker->companion.run : &walker->other.run;
}

// The run to compare with, if there is one beside the one without mistakes and it can be had; else NULL.
static const struct run *other_of(struct walker *walker) {
    const bool has_companion = walker->companions != NULL;
    const bool is_course = walker->state.compares && !has_companion;
    const bool has_edit = walker->edits.are_made && has_input(&walker->trial.run);
    if (!is_course && !has_edit && !has_companion) return NULL;
    if (walker->has_other && walker->other_is_course == is_course) return kept_other(walker);
    forget_other(walker);
    walker->other_memory = arena_new(&walker->failure);
    walker->other_touched = NULL;
    walker->other_is_course = is_course;
    walker->has_other = attempt(&walker->failure, teach_other, walker);
    if (!walker->has_other) forget_other(walker);
    return walker->has_other ? kept_other(walker) : NULL;
}

const bool *touched_steps(struct walker *walker) {
    const bool is_compared = other_of(walker) != NULL && walker->other_touched != NULL;
    return is_compared ? walker->other_touched : walker->trial.touched;
}

// ---- What is open -------------------------------------------------------------------------------

struct open_view *top_view(struct walker *walker) {
    return &walker->open[walker->open_count - 1];
}

struct open_view *view_below(struct walker *walker) {
    return &walker->open[walker->open_count - 2];
}

void open_view(struct walker *walker, const struct walk_view *view) {
    for (int i = 1; i < walker->open_count; i++) {
        while (walker->open[i].view == view && walker->open_count > i) close_view(walker);
    }
    if (walker->open_count == MOST_OPEN) close_view(walker);
    struct open_view *open = &walker->open[walker->open_count++];
    *open = (struct open_view){.view = view, .memory = arena_new(walker->memory_failure)};
    open->view_state = arena_allocate(&open->memory, view->size);
    if (view->open != NULL) view->open(walker, open->view_state);
}

void close_view(struct walker *walker) {
    if (walker->open_count == 1) return;
    struct open_view *open = &walker->open[walker->open_count - 1];
    if (open->view->close != NULL) open->view->close(walker, open->view_state);
    arena_free(&open->memory);
    walker->open_count--;
}

void close_views(struct walker *walker) {
    while (walker->open_count > 1) close_view(walker);
}

int shown_digits(const struct walker *walker) {
    return walker->state.shows_all_digits ? ALL_DIGITS : walker->digits;
}

// What the numbers are compared with, and how it is called.
static void name_other(struct walker *walker, struct arena *arena, struct scene *scene) {
    const struct run *other = other_of(walker);
    const char *standard = standard_of(walker->trial.run.lesson);
    const bool has_lines = walker->trial.line_count > 0;
    const bool is_one = walker->trial.mistake_count == 1;
    scene->other = other != NULL ? other : walker->trial.right;
    scene->other_place = arena_format(arena, "the %s", source_of(walker));
    if (other != NULL && (walker->state.compares || walker->companions != NULL)) {
        scene->is_another = true;
        scene->other_place = arena_format(arena, "the %s", standard);
        if (walker->companions != NULL) scene->other_place = walker->companion.name;
        scene->other_name = scene->other_word = arena_format(arena, "in %s", scene->other_place);
    } else if (other != NULL) {
        scene->other_name = "before the change";
        scene->other_word = "before";
    } else if (has_lines) {
        scene->other_name = arena_format(arena, "with the %s's lines", source_of(walker));
        scene->other_word = arena_format(arena, "in the %s", source_of(walker));
    } else {
        scene->other_name = is_one ? "without the mistake" : "without the mistakes";
        scene->other_word = "right";
    }
    if (walker->companions == NULL || other == NULL) return;
    scene->companion = &walker->companion;
    if (!walker->state.compares) scene->other = NULL;
}

struct scene scene_for(struct walker *walker, const struct canvas *canvas) {
    struct scene scene = {
        .reader = walker->reader,
        .trial = &walker->trial,
        .run = &walker->trial.run,
        .touched = touched_steps(walker),
        .state = &walker->state,
        .matrix_cache = &walker->matrix_cache,
        .map_cache = &walker->map_cache,
        .followed = walker->is_following ? &walker->followed : NULL,
        .badge = differences_text(canvas->arena, &walker->trial),
        .challenge = asked_challenge(walker),
        .hints = walker->hints,
        .is_trying = walker->is_trying,
        .keys = top_view(walker)->view->bit,
        .digits = shown_digits(walker),
    };
    name_other(walker, canvas->arena, &scene);
    return scene;
}
