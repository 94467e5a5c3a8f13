#include "walk/state.h"

struct state state_new(int lesson, int lesson_count) {
    return (struct state){.mode = MODE_STEP, .lesson = lesson, .lesson_count = lesson_count};
}

struct table table_of(const struct tensor *tensor) {
    struct table table = {.pages = 1, .rows = 1, .columns = 1};
    const int ndim = tensor->ndim;
    if (ndim >= 1) table.columns = tensor->shape[ndim - 1];
    if (ndim >= 2) table.rows = tensor->shape[ndim - 2];
    for (int dim = 0; dim < ndim - 2; dim++) table.pages *= tensor->shape[dim];
    return table;
}

void table_index(const struct tensor *tensor, int64_t page, int64_t row, int64_t column,
                 int64_t *index) {
    const int ndim = tensor->ndim;
    if (ndim >= 1) index[ndim - 1] = column;
    if (ndim >= 2) index[ndim - 2] = row;
    for (int dim = ndim - 3; dim >= 0; dim--) {
        index[dim] = page % tensor->shape[dim];
        page /= tensor->shape[dim];
    }
}

const struct step *current_step(const struct state *state, const struct run *run) {
    return &run->steps[state->step];
}

bool is_seen(const struct state *state, int lesson, int step) {
    return step < MAX_STEPS && state->visits[lesson].seen[step / 64] >> (step % 64) & 1;
}

static int64_t limited(int64_t value, int64_t count) {
    if (value >= count) value = count - 1;
    return value < 0 ? 0 : value;
}

struct state arrive(const struct state *state, const struct run *run) {
    struct state next = *state;
    next.step = (int)limited(next.step, run->step_count);
    const struct table table = table_of(&current_step(&next, run)->tensor);
    next.row = limited(next.row, table.rows);
    next.column = limited(next.column, table.columns);
    next.page = limited(next.page, table.pages);
    struct visit *visit = &next.visits[next.lesson];
    visit->step = next.step;
    if (next.step < MAX_STEPS) visit->seen[next.step / 64] |= UINT64_C(1) << (next.step % 64);
    return next;
}

struct state go_to_step(const struct state *state, const struct run *run, int step) {
    struct state next = *state;
    next.step = step;
    next.scroll = 0;
    return arrive(&next, run);
}

// Another lesson, at the step where it was left. Beyond the last and the first there is none.
static struct state go_to_lesson(const struct state *state, int lesson) {
    struct state next = *state;
    if (lesson < 0 || lesson >= state->lesson_count) return next;
    next.lesson = lesson;
    next.step = next.visits[lesson].step;
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

static struct state set_mode(const struct state *state, enum mode mode) {
    struct state next = *state;
    next.mode = mode;
    next.scroll = 0;
    return next;
}

static struct state after_in_step(const struct state *state, enum action action,
                                  const struct run *run, int lines) {
    const int64_t far = INT32_MAX;
    struct state next = *state;
    switch (action) {
    case ACT_NEXT:
        return go_to_step(state, run, state->step + 1);
    case ACT_BACK:
        return go_to_step(state, run, state->step - 1);
    case ACT_FIRST:
        return go_to_step(state, run, 0);
    case ACT_LAST:
        return go_to_step(state, run, run->step_count - 1);
    case ACT_NEXT_LESSON:
        return go_to_lesson(state, state->lesson + 1);
    case ACT_PREVIOUS_LESSON:
        return go_to_lesson(state, state->lesson - 1);
    case ACT_UP:
        return move_cell(state, run, -1, 0);
    case ACT_DOWN:
        return move_cell(state, run, 1, 0);
    case ACT_LEFT:
        return move_cell(state, run, 0, -1);
    case ACT_RIGHT:
        return move_cell(state, run, 0, 1);
    case ACT_SCROLL_UP:
        return move_cell(state, run, -lines, 0);
    case ACT_SCROLL_DOWN:
        return move_cell(state, run, lines, 0);
    case ACT_ROW_START:
        return move_cell(state, run, 0, -far);
    case ACT_ROW_END:
        return move_cell(state, run, 0, far);
    case ACT_NEXT_PAGE:
        return turn_page(state, run, 1);
    case ACT_PREVIOUS_PAGE:
        return turn_page(state, run, -1);
    case ACT_PYTORCH:
        next.shows_pytorch = !next.shows_pytorch;
        return next;
    case ACT_LIST:
        next = set_mode(state, MODE_LIST);
        next.selected = -1; // the line of the current step
        return next;
    case ACT_READ:
        return set_mode(state, MODE_READ);
    default:
        return next;
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

struct state state_after(const struct state *state, enum action action, const struct run *run,
                         int lines) {
    struct state next = *state;
    switch (action) {
    case ACT_QUIT:
        next.has_quit = true;
        return next;
    case ACT_HELP:
        next = set_mode(state, MODE_HELP);
        if (state->mode != MODE_HELP) next.mode_before_help = state->mode;
        return next;
    case ACT_CLOSE:
        return set_mode(state, state->mode == MODE_HELP ? state->mode_before_help : MODE_STEP);
    default:
        break;
    }
    if (state->mode == MODE_STEP) return after_in_step(state, action, run, lines);
    return after_in_lines(state, action, lines);
}
