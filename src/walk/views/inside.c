// A step seen from inside: what is computed row by row or cell by cell.

#include "trace/step.h"
#include "walk/views/input.h"
#include "walk/views/step.h"

// Puts the walk at the first or last row or cell of the step that it stands at.
static void enter(struct walker *walker, enum grain grain, bool at_end) {
    struct state *state = &walker->state;
    const struct order order = current_order(state, &walker->trial.run);
    state->grain = grain;
    int64_t moment = at_end ? order.moment_count - 1 : 0;
    if (grain == GRAIN_ROW && !at_end && order.moment_count > 0) moment = row_end(&order, 0);
    go_to_moment(state, &order, order.moment_count > 0 ? moment : -1);
}

void step_into(struct walker *walker) {
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    const struct order order = current_order(state, run);
    if (order.moment_count == 0) {
        tell(state,
             shows_view(run, current_step(state, run))
                 ? "Nothing is computed here: a view walks the same numbers in another way (m)."
                 : "Nothing is computed here: these numbers were given.");
    } else if (state->grain == GRAIN_STEP) {
        enter(walker, GRAIN_ROW, false);
    } else if (state->grain == GRAIN_ROW) {
        state->grain = GRAIN_CELL;
        go_to_moment(state, &order, row_start(&order, moment_at(&order, state->moment).row));
    }
}

static void step_out(struct walker *walker) {
    struct state *state = &walker->state;
    const struct order order = current_order(state, &walker->trial.run);
    state->grain = state->grain == GRAIN_CELL ? GRAIN_ROW : GRAIN_STEP;
    if (state->grain == GRAIN_ROW && state->moment >= 0)
        go_to_moment(state, &order, row_end(&order, moment_at(&order, state->moment).row));
}

// One row or cell on, or on into the next step.
static void walk(struct walker *walker, int by) {
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    const struct order order = current_order(state, run);
    const enum grain grain = state->grain;
    if (state->moment >= 0) {
        const int64_t row = moment_at(&order, state->moment).row + by;
        const int64_t moment = state->moment + by;
        const bool has_row = grain == GRAIN_ROW && row >= 0 && row < order.row_count;
        const bool has_cell = grain == GRAIN_CELL && moment >= 0 && moment < order.moment_count;
        if (has_row || has_cell) {
            go_to_moment(state, &order, has_row ? row_end(&order, row) : moment);
            return;
        }
    }
    const int step = state->step + by;
    if (step >= run->step_count) open_view(walker, &summary_view);
    if (step < 0 || step >= run->step_count) return;
    go_to_step(state, run, step);
    enter(walker, grain, by < 0);
}

static void press(struct walker *walker, void *own, const struct pressed *pressed) {
    switch (pressed->action) {
    case ACT_NEXT:
        walk(walker, 1);
        break;
    case ACT_BACK:
        walk(walker, -1);
        break;
    case ACT_BESIDE: {
        const enum grain grain = walker->state.grain;
        go_beside(&walker->state, &walker->trial.run);
        enter(walker, grain, false);
        break;
    }
    case ACT_OUT:
        step_out(walker);
        break;
    case ACT_RESTART:
        enter(walker, walker->state.grain, false);
        break;
    default:
        press_on_step(walker, own, pressed);
    }
}

const struct walk_view inside_view = {
    .bit = VIEW_INSIDE,
    .name = "Inside a step",
    .shares = &step_view,
    .press = press,
    .typed = type_input,
    .draw = draw_step,
};
