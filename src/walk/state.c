#include "walk/state.h"

#include <stdio.h>
#include <string.h>

#include "trace/step.h"

struct state state_new(int lesson, int lesson_count) {
    return (struct state){
        .mode = MODE_STEP,
        .lesson = lesson,
        .lesson_count = lesson_count,
        .has_mouse = true,
        .reveals_row = -1,
    };
}

enum mode key_mode(const struct state *state) {
    return state->mode == MODE_STEP && state->grain != GRAIN_STEP ? MODE_INSIDE : state->mode;
}

// ---- Places -------------------------------------------------------------------------------------

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

// ---- Going --------------------------------------------------------------------------------------

static int64_t limited(int64_t value, int64_t count) {
    if (value >= count) value = count - 1;
    return value < 0 ? 0 : value;
}

struct state arrive(const struct state *state, const struct run *run) {
    struct state next = *state;
    next.step = (int)limited(next.step, run->step_count);
    const struct step *step = current_step(&next, run);
    const struct table table = table_of(&step->tensor);
    next.row = limited(next.row, table.rows);
    next.column = limited(next.column, table.columns);
    next.page = limited(next.page, table.pages);
    if (next.grain != GRAIN_STEP) {
        const struct order order = order_of(run, step);
        next.moment = order.moment_count > 0 ? limited(next.moment, order.moment_count) : -1;
    }
    struct visit *visit = &next.visits[next.lesson];
    visit->step = next.step;
    if (next.step < MAX_STEPS) visit->seen[next.step / 64] |= UINT64_C(1) << (next.step % 64);
    return next;
}

struct state go_to_step(const struct state *state, const struct run *run, int step) {
    struct state next = *state;
    next.step = step;
    next.scroll = 0;
    next.grain = GRAIN_STEP;
    next.reveals_row = -1;
    return arrive(&next, run);
}

struct state go_to_cell(const struct state *state, const struct run *run, const struct step *step,
                        const int64_t *index) {
    struct state next = go_to_step(state, run, step->number - 1);
    table_place(&step->tensor, index, &next.page, &next.row, &next.column);
    return arrive(&next, run);
}

struct state set_mode(const struct state *state, enum mode mode) {
    struct state next = *state;
    next.mode = mode;
    next.scroll = 0;
    return next;
}

// Another lesson, at the step where it was left. Beyond the last and the first there is none.
static struct state go_to_lesson(const struct state *state, int lesson) {
    struct state next = *state;
    if (lesson < 0 || lesson >= state->lesson_count) {
        snprintf(next.message, sizeof next.message, "This is the %s lesson.",
                 lesson < 0 ? "first" : "last");
        return next;
    }
    next.lesson = lesson;
    next.step = next.visits[lesson].step;
    next.grain = GRAIN_STEP;
    next.scroll = 0;
    return next;
}

static struct state move_cell(const struct state *state, const struct run *run, int64_t rows,
                              int64_t columns) {
    struct state next = *state;
    next.row += rows;
    next.column += columns;
    return arrive(&next, run);
}

// Pages go round: after the last comes the first.
static struct state turn_page(const struct state *state, const struct run *run, int by) {
    struct state next = *state;
    const int64_t pages = table_of(&current_step(state, run)->tensor).pages;
    next.page = (next.page + by + pages) % pages;
    return next;
}

// ---- Inside a step ------------------------------------------------------------------------------

// Puts the moment, and the cell cursor on what it computes.
static struct state go_to_moment(const struct state *state, const struct order *order,
                                 int64_t moment) {
    struct state next = *state;
    next.moment = moment;
    if (moment < 0) return next;
    const int64_t row = moment_at(order, moment).row;
    const int64_t shown = next.grain == GRAIN_ROW ? row_start(order, row) : moment;
    const struct cell cell = moment_at(order, shown).cell;
    table_place(&cell.tensor, cell.index, &next.page, &next.row, &next.column);
    return next;
}

static int64_t row_end(const struct order *order, int64_t row) {
    return row_start(order, row + 1) - 1;
}

// Into the step that the state stands at, at its first or last row or cell.
static struct state go_inside(const struct state *state, const struct run *run, enum grain grain,
                              bool at_end) {
    struct state next = *state;
    next.grain = grain;
    const struct order order = order_of(run, current_step(state, run));
    int64_t moment = at_end ? order.moment_count - 1 : 0;
    if (grain == GRAIN_ROW && !at_end && order.moment_count > 0) moment = row_end(&order, 0);
    if (order.moment_count == 0) moment = -1;
    return go_to_moment(&next, &order, moment);
}

static struct state step_into(const struct state *state, const struct run *run) {
    struct state next = *state;
    const struct step *step = current_step(state, run);
    const struct order order = order_of(run, step);
    if (order.moment_count == 0) {
        snprintf(next.message, sizeof next.message, "%s",
                 shows_view(run, step)
                     ? "Nothing is computed here: a view walks the same numbers in another way (m)."
                     : "Nothing is computed here: these numbers were given.");
        return next;
    }
    if (state->grain == GRAIN_STEP) return go_inside(state, run, GRAIN_ROW, false);
    if (state->grain == GRAIN_CELL) return next;
    next.grain = GRAIN_CELL;
    return go_to_moment(&next, &order, row_start(&order, moment_at(&order, state->moment).row));
}

static struct state step_out(const struct state *state, const struct run *run) {
    struct state next = *state;
    const struct order order = order_of(run, current_step(state, run));
    next.grain = state->grain == GRAIN_CELL ? GRAIN_ROW : GRAIN_STEP;
    if (next.grain == GRAIN_ROW && state->moment >= 0) {
        const int64_t row = moment_at(&order, state->moment).row;
        return go_to_moment(&next, &order, row_end(&order, row));
    }
    return next;
}

// One row or cell on, or on into the next step.
static struct state walk_inside(const struct state *state, const struct run *run, int by) {
    const struct order order = order_of(run, current_step(state, run));
    if (state->moment >= 0) {
        const int64_t row = moment_at(&order, state->moment).row + by;
        if (state->grain == GRAIN_ROW && row >= 0 && row < order.row_count)
            return go_to_moment(state, &order, row_end(&order, row));
        const int64_t moment = state->moment + by;
        if (state->grain == GRAIN_CELL && moment >= 0 && moment < order.moment_count)
            return go_to_moment(state, &order, moment);
    }
    const int step = state->step + by;
    if (step < 0 || step >= run->step_count) return *state;
    struct state next = go_to_step(state, run, step);
    return go_inside(&next, run, state->grain, by < 0);
}

static struct state walk(const struct state *state, const struct run *run, int by) {
    if (state->grain != GRAIN_STEP) return walk_inside(state, run, by);
    struct state next = go_to_step(state, run, state->step + by);
    if (next.step == state->step) {
        snprintf(next.message, sizeof next.message, "%s",
                 by < 0 ? "This is the first step; [ goes to the lesson before."
                        : "This was the last step; ] goes to the next lesson.");
    }
    return next;
}

static struct state restart(const struct state *state, const struct run *run) {
    if (state->grain == GRAIN_STEP) return go_to_step(state, run, 0);
    return go_inside(state, run, state->grain, false);
}

// ---- Actions ------------------------------------------------------------------------------------

static struct state begin_trail(const struct state *state, const struct run *run) {
    struct state next = set_mode(state, MODE_ORIGIN);
    next.trail[0] = current_cell(state, run);
    next.trail_count = 1;
    next.operand = 0;
    return next;
}

static struct state begin_list(const struct state *state, enum mode mode) {
    struct state next = set_mode(state, mode);
    next.selected = -1;
    next.typed[0] = '\0';
    return next;
}

static struct state begin_guess(const struct state *state) {
    struct state next = set_mode(state, MODE_GUESS);
    next.reveals_row = -1;
    return next;
}

static struct state toggled(const struct state *state, enum action action) {
    struct state next = *state;
    if (action == ACT_PYTORCH) next.shows_pytorch = !next.shows_pytorch;
    if (action == ACT_MEMORY) next.shows_memory = !next.shows_memory;
    if (action == ACT_DIGITS) next.shows_all_digits = !next.shows_all_digits;
    if (action == ACT_MOUSE) {
        next.has_mouse = !next.has_mouse;
        snprintf(next.message, sizeof next.message, "%s",
                 next.has_mouse ? "Mouse on: click a cell, turn the wheel for steps."
                                : "Mouse off: it selects text as usual. M turns it on.");
    }
    return next;
}

// The cell cursor; false if the action does not move it.
static bool moves_cell(const struct state *state, enum action action, const struct run *run,
                       int lines, struct state *next) {
    const int64_t far = INT32_MAX;
    switch (action) {
    case ACT_UP:
        *next = move_cell(state, run, -1, 0);
        return true;
    case ACT_DOWN:
        *next = move_cell(state, run, 1, 0);
        return true;
    case ACT_LEFT:
        *next = move_cell(state, run, 0, -1);
        return true;
    case ACT_RIGHT:
        *next = move_cell(state, run, 0, 1);
        return true;
    case ACT_SCROLL_UP:
        *next = move_cell(state, run, -lines, 0);
        return true;
    case ACT_SCROLL_DOWN:
        *next = move_cell(state, run, lines, 0);
        return true;
    case ACT_ROW_START:
        *next = move_cell(state, run, 0, -far);
        return true;
    case ACT_ROW_END:
        *next = move_cell(state, run, 0, far);
        return true;
    case ACT_NEXT_PAGE:
        *next = turn_page(state, run, 1);
        return true;
    case ACT_PREVIOUS_PAGE:
        *next = turn_page(state, run, -1);
        return true;
    default:
        return false;
    }
}

static struct state after_in_step(const struct state *state, enum action action,
                                  const struct run *run) {
    switch (action) {
    case ACT_NEXT:
        return walk(state, run, 1);
    case ACT_BACK:
        return walk(state, run, -1);
    case ACT_INTO:
        return step_into(state, run);
    case ACT_OUT:
        return step_out(state, run);
    case ACT_RESTART:
        return restart(state, run);
    case ACT_FIRST:
        return go_to_step(state, run, 0);
    case ACT_LAST:
        return go_to_step(state, run, run->step_count - 1);
    case ACT_NEXT_LESSON:
        return go_to_lesson(state, state->lesson + 1);
    case ACT_PREVIOUS_LESSON:
        return go_to_lesson(state, state->lesson - 1);
    case ACT_ORIGIN:
        return begin_trail(state, run);
    case ACT_LIST:
        return begin_list(state, MODE_LIST);
    case ACT_SEARCH:
        return begin_list(state, MODE_SEARCH);
    case ACT_GUESS:
        return begin_guess(state);
    case ACT_READ:
        return set_mode(state, MODE_READ);
    default:
        return toggled(state, action);
    }
}

// Modes that show lines: scroll them. What there is to scroll is known when they are drawn.
static struct state after_in_lines(const struct state *state, enum action action, int lines) {
    struct state next = *state;
    if (action == ACT_UP) next.scroll -= 1;
    if (action == ACT_DOWN) next.scroll += 1;
    if (action == ACT_SCROLL_UP) next.scroll -= lines;
    if (action == ACT_SCROLL_DOWN) next.scroll += lines;
    if (next.scroll < 0) next.scroll = 0;
    return next;
}

static struct state open_help(const struct state *state) {
    struct state next = set_mode(state, MODE_HELP);
    const bool is_there = state->mode == MODE_HELP || state->mode == MODE_SHEET;
    if (!is_there) next.mode_before_help = state->mode;
    return next;
}

// Back to where help and the like were opened.
static struct state close_mode(const struct state *state) {
    if (state->mode == MODE_HELP) return set_mode(state, state->mode_before_help);
    return set_mode(state, state->mode == MODE_SHEET ? MODE_HELP : MODE_STEP);
}

struct state state_after(const struct state *state, enum action action, const struct run *run,
                         int lines) {
    struct state next = *state;
    switch (action) {
    case ACT_QUIT:
        next.has_quit = true;
        return next;
    case ACT_HELP:
        return open_help(state);
    case ACT_CLOSE:
        return close_mode(state);
    case ACT_SHEET:
        return set_mode(state, MODE_SHEET);
    case ACT_DIGITS:
        return toggled(state, action);
    default:
        break;
    }
    const bool is_on_matrix = state->mode == MODE_STEP || state->mode == MODE_GUESS;
    if (is_on_matrix && moves_cell(state, action, run, lines, &next)) return next;
    if (state->mode == MODE_STEP) return after_in_step(state, action, run);
    return after_in_lines(state, action, lines);
}
