#include "walk/model/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace/run/step.h"
#include "trace/tape/autograd.h"

bool same_visit(const struct visit *a, const struct visit *b) {
    return a->step == b->step && a->guesses == b->guesses && a->good_guesses == b->good_guesses &&
           a->asked == b->asked && a->answered == b->answered &&
           memcmp(a->seen, b->seen, sizeof a->seen) == 0;
}

const char *answers_text(struct arena *arena, const struct lesson *lesson,
                         const struct visit *visit) {
    const struct recap *recap = lesson->source->recap;
    int answered = 0;
    for (int i = 0; recap != NULL && i < recap->challenge_count; i++)
        answered += (visit->answered >> i & 1) != 0;
    if (answered == 0) return NULL;
    if (answered == recap->challenge_count) return "done";
    return arena_format(arena, "%d of %d questions", answered, recap->challenge_count);
}

int number_of_lesson(const struct state *state, int lesson) {
    return state->numbers != NULL ? state->numbers[lesson] : state->first_number + lesson;
}

struct state state_new(int lesson, int lesson_count) {
    return (struct state){.lesson = lesson, .lesson_count = lesson_count, .has_mouse = true};
}

void tell(struct state *state, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(state->message, sizeof state->message, format, arguments);
    va_end(arguments);
}

void tell_at_foot(struct state *state, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(state->foot, sizeof state->foot, format, arguments);
    va_end(arguments);
}

const struct step *current_step(const struct state *state, const struct run *run) {
    return &run->steps[state->step];
}

struct cell current_cell(const struct state *state, const struct run *run) {
    struct cell cell = {.tensor = current_step(state, run)->tensor};
    table_index(&cell.tensor, state->page, state->row, state->column, cell.index);
    return cell;
}

bool is_seen(const struct state *state, int lesson, int step) {
    return step < MAX_STEPS && state->visits[lesson].seen[step / 64] >> (step % 64) & 1;
}

struct stop stop_at(const struct run *run, int step) {
    struct stop stop = {step, 1};
    while (continues_paragraph(run, &run->steps[stop.first])) stop.first--, stop.count++;
    while (stop.first + stop.count < run->step_count &&
           continues_paragraph(run, &run->steps[stop.first + stop.count]))
        stop.count++;
    return stop;
}

bool repeats(const struct run *run, struct stop stop) {
    const struct paragraph *paragraph = run->steps[stop.first].paragraph;
    if (paragraph->repeats) return true;
    for (int i = 0; i < stop.first; i++) {
        if (run->steps[i].paragraph == paragraph) return true;
    }
    return false;
}

bool lists_parameters(const struct run *run, struct stop stop) {
    int first = stop.first, end = first;
    while (first > 0 && is_parameter(&run->steps[first - 1])) first--;
    while (end < run->step_count && is_parameter(&run->steps[end])) end++;
    return end >= stop.first + stop.count && end - first > MAX_BESIDE;
}

// ---- Going --------------------------------------------------------------------------------------

static int64_t limited(int64_t value, int64_t count) {
    if (value >= count) value = count - 1;
    return value < 0 ? 0 : value;
}

void arrive(struct state *state, const struct run *run) {
    state->step = (int)limited(state->step, run->step_count);
    const struct table table = table_of(&current_step(state, run)->tensor);
    state->row = limited(state->row, table.rows);
    state->column = limited(state->column, table.columns);
    state->page = limited(state->page, table.pages);
    if (state->grain != GRAIN_STEP) {
        const int64_t moments = current_order(state, run).moment_count;
        state->moment = moments > 0 ? limited(state->moment, moments) : -1;
    }
    struct visit *visit = &state->visits[state->lesson];
    visit->step = state->step;
    const struct stop stop = stop_at(run, state->step);
    for (int i = stop.first; i < stop.first + stop.count && i < MAX_STEPS; i++)
        visit->seen[i / 64] |= UINT64_C(1) << (i % 64);
}

void choose_cell(struct state *state, const struct run *run, int64_t row, int64_t column) {
    state->row = row;
    state->column = column;
    state->chosen = table_of(&current_step(state, run)->tensor);
    arrive(state, run);
}

void go_to_step(struct state *state, const struct run *run, int step) {
    state->step = step;
    state->grain = GRAIN_STEP;
    arrive(state, run);
    const struct tensor *tensor = &current_step(state, run)->tensor;
    const struct table table = table_of(tensor);
    if (table.rows == state->chosen.rows && table.columns == state->chosen.columns) return;
    state->chosen = (struct table){0};
    opening_cell(run, current_step(state, run), &state->page, &state->row, &state->column);
}

void go_to_cell(struct state *state, const struct run *run, const struct step *step,
                const int64_t *index) {
    go_to_step(state, run, step->number - 1);
    int64_t row, column;
    table_place(&step->tensor, index, &state->page, &row, &column);
    choose_cell(state, run, row, column);
}

bool is_in_sight(const struct state *state, const struct run *run, int step) {
    const int within = run->steps[step].within;
    const struct step *around = current_step(state, run);
    while (around != NULL && around->within != within) around = call_around(run, around);
    return around != NULL;
}

int step_in_sight(const struct state *state, const struct run *run, int step, int by) {
    while (step >= 0 && step < run->step_count && !is_in_sight(state, run, step)) step += by;
    return step;
}

int first_outside_calls(const struct run *run) {
    int step = 0;
    while (run->steps[step].within > 0) step++;
    return step;
}

const struct step *first_in_call(const struct run *run, struct stop stop) {
    for (int i = 0; i < stop.first; i++) {
        const int within = run->steps[i].within - 1;
        if (within >= stop.first && within < stop.first + stop.count) return &run->steps[i];
    }
    return NULL;
}

bool go_to_stop(struct state *state, const struct run *run, int by) {
    const struct stop here = stop_at(run, state->step);
    const int step =
        step_in_sight(state, run, by > 0 ? here.first + here.count : here.first - 1, by);
    if (step < 0 || step >= run->step_count) return false;
    go_to_step(state, run, stop_at(run, step).first);
    return true;
}

// The group that all of the steps belong to; NULL if there is none.
static const char *group_of_all(const struct run *run, struct stop steps) {
    const char *group = run->steps[steps.first].group;
    for (int i = steps.first; i < steps.first + steps.count && group != NULL; i++) {
        const char *other = run->steps[i].group;
        if (other == NULL || strcmp(other, group) != 0) return NULL;
    }
    return group;
}

// Says which steps were passed over.
static void tell_passed(struct state *state, const struct run *run, struct stop passed) {
    const char *group = group_of_all(run, passed);
    if (passed.count > 1)
        tell(state, "Steps %d to %d%s%s do what earlier ones did. N stops at each.",
             passed.first + 1, passed.first + passed.count, group != NULL ? " of " : "",
             group != NULL ? group : "");
    else
        tell(state, "Step %d does what an earlier one did. N stops at each.", passed.first + 1);
}

// A stop that repeats an earlier one, where nothing is asked either.
static bool is_passed_over(const struct run *run, struct stop stop) {
    const struct recap *recap = run->lesson->source->recap;
    if (!repeats(run, stop)) return false;
    for (int i = 0; recap != NULL && i < recap->challenge_count; i++) {
        const struct step *asked = step_called(run, recap->challenges[i].step);
        if (asked != NULL && stop_at(run, asked->number - 1).first == stop.first) return false;
    }
    return true;
}

bool go_to_new(struct state *state, const struct run *run, int by) {
    const struct stop here = stop_at(run, state->step);
    if (by < 0 && is_passed_over(run, here)) return go_to_stop(state, run, by);
    int step = step_in_sight(state, run, by > 0 ? here.first + here.count : here.first - 1, by);
    struct stop passed = {step, 0};
    while (step >= 0 && step < run->step_count && is_passed_over(run, stop_at(run, step))) {
        const struct stop stop = stop_at(run, step);
        if (by < 0 && stop.first == 0) break; // where the lesson begins
        passed.count += stop.count;
        step = step_in_sight(state, run, by > 0 ? stop.first + stop.count : stop.first - 1, by);
    }
    if (step < 0 || step >= run->step_count) return false;
    go_to_step(state, run, stop_at(run, step).first);
    if (passed.count > 0 && by > 0) tell_passed(state, run, passed);
    return true;
}

void go_beside(struct state *state, const struct run *run) {
    const struct stop stop = stop_at(run, state->step);
    go_to_step(state, run, stop.first + (state->step - stop.first + 1) % stop.count);
    if (stop.count == 1) tell(state, "Nothing stands beside this step.");
}

bool move_cell(struct state *state, const struct run *run, const struct pressed *pressed) {
    const int64_t far = INT32_MAX;
    int64_t rows = lines_moved(pressed), columns = 0, pages = 0;
    switch (pressed->action) {
    case ACT_LEFT:
        columns = -1;
        break;
    case ACT_RIGHT:
        columns = 1;
        break;
    case ACT_ROW_START:
        columns = -far;
        break;
    case ACT_ROW_END:
        columns = far;
        break;
    case ACT_NEXT_PAGE:
        pages = 1;
        break;
    case ACT_PREVIOUS_PAGE:
        pages = -1;
        break;
    default:
        if (rows == 0) return false;
    }
    const struct tensor *tensor = &current_step(state, run)->tensor;
    const int64_t count = table_of(tensor).pages;
    if (stands_upright(tensor)) {
        columns += rows;
        rows = 0;
    }
    state->page = (state->page + pages + count) % count; // after the last comes the first
    choose_cell(state, run, state->row + rows, state->column + columns);
    return true;
}

// ---- Inside a step ------------------------------------------------------------------------------

struct order current_order(const struct state *state, const struct run *run) {
    return order_of(run, current_step(state, run));
}

void go_to_moment(struct state *state, const struct order *order, int64_t moment) {
    state->moment = moment;
    state->term = 0;
    if (moment < 0) return;
    const int64_t row = moment_at(order, moment).row;
    const int64_t shown = state->grain == GRAIN_ROW ? row_start(order, row) : moment;
    const struct cell cell = moment_at(order, shown).cell;
    table_place(&cell.tensor, cell.index, &state->page, &state->row, &state->column);
}

int64_t row_end(const struct order *order, int64_t row) {
    return row_start(order, row + 1) - 1;
}
