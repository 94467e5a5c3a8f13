// A step seen from inside: what is computed row by row, cell by cell or, in a sum of products, term by term.

#include "tensor/operation/terms.h"
#include "trace/run/step.h"
#include "walk/views/views.h"

// The last term of the cell that is computed, from 0; 0 too where it is no sum of products.
static int64_t last_term(struct walker *walker, const struct order *order) {
    const struct moment moment = moment_at(order, walker->state.moment);
    if (moment.part != COMPUTES_CELL) return 0;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const struct cell cell = cell_with_terms(m, moment.cell);
    const struct derivation derivation = find_operands(m, &cell);
    const int64_t count = terms_of(m, &cell, &derivation).count;
    scratch_close(&scratch);
    return count > 0 ? count - 1 : 0;
}

// Puts the walk at the first or last row or cell of the step that it stands at.
static void enter(struct walker *walker, enum grain grain, bool at_end) {
    struct state *state = &walker->state;
    const struct order order = current_order(state, &walker->trial.run);
    state->grain = grain;
    int64_t moment = at_end ? order.moment_count - 1 : 0;
    if (grain == GRAIN_ROW && !at_end && order.moment_count > 0) moment = row_end(&order, 0);
    go_to_moment(state, &order, order.moment_count > 0 ? moment : -1);
    if (grain == GRAIN_TERM && at_end && order.moment_count > 0)
        state->term = last_term(walker, &order);
}

// Of the result of a call there is nothing inside but the call. False of any other step.
static bool tell_of_call(struct walker *walker) {
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    const struct step *inside = computed_in_call(run, current_step(state, run));
    if (inside == NULL) return false;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    tell(state, "The call computed these numbers, in %s. I enters the call.",
         step_label(m, inside));
    scratch_close(&scratch);
    return true;
}

void step_into(struct walker *walker) {
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    const struct order order = current_order(state, run);
    if (tell_of_call(walker)) return;
    if (order.moment_count == 0) {
        tell(state,
             shows_view(run, current_step(state, run))
                 ? "Nothing is computed here: a view reads the same numbers in another order (m)."
                 : "Nothing is computed here: these numbers were given.");
    } else if (state->grain == GRAIN_STEP) {
        enter(walker, GRAIN_ROW, false);
    } else if (state->grain == GRAIN_ROW) {
        state->grain = GRAIN_CELL;
        go_to_moment(state, &order, row_start(&order, moment_at(&order, state->moment).row));
    } else if (state->grain == GRAIN_CELL) {
        state->grain = GRAIN_TERM;
        go_to_moment(state, &order, state->moment);
        if (last_term(walker, &order) == 0)
            tell(state, "Its terms are not shown one by one: this sum is no product of two rows.");
    }
}

static void step_out(struct walker *walker) {
    struct state *state = &walker->state;
    const struct order order = current_order(state, &walker->trial.run);
    const bool ends_cell = state->grain == GRAIN_TERM; // whose number is there then
    state->grain = ends_cell ? GRAIN_CELL : state->grain == GRAIN_CELL ? GRAIN_ROW : GRAIN_STEP;
    if (state->grain == GRAIN_ROW && state->moment >= 0)
        go_to_moment(state, &order, row_end(&order, moment_at(&order, state->moment).row));
}

// One term on; false if there is none in this cell.
static bool walk_terms(struct walker *walker, const struct order *order, int by) {
    struct state *state = &walker->state;
    const int64_t last = last_term(walker, order);
    const int64_t term = (state->term < last ? state->term : last) + by;
    const int64_t moment = state->moment;
    if (term < 0 || term > last) return false;
    go_to_moment(state, order, moment);
    state->term = term;
    return true;
}

// One row, cell or term on, or on into the next step.
static void walk(struct walker *walker, int by) {
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    const struct order order = current_order(state, run);
    const enum grain grain = state->grain;
    if (state->moment >= 0) {
        if (grain == GRAIN_TERM && walk_terms(walker, &order, by)) return;
        const int64_t row = moment_at(&order, state->moment).row + by;
        const int64_t moment = state->moment + by;
        const bool has_row = grain == GRAIN_ROW && row >= 0 && row < order.row_count;
        const bool has_cell = grain >= GRAIN_CELL && moment >= 0 && moment < order.moment_count;
        if (has_row || has_cell) {
            go_to_moment(state, &order, has_row ? row_end(&order, row) : moment);
            if (grain == GRAIN_TERM && by < 0) state->term = last_term(walker, &order);
            return;
        }
    }
    const int step = step_in_sight(state, run, state->step + by, by);
    if (step >= run->step_count) open_view(walker, &summary_view);
    if (step < 0 || step >= run->step_count) return;
    go_to_step(state, run, step);
    enter(walker, grain, by < 0);
}

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
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
    case ACT_CLOSE:
        walker->state.grain = GRAIN_STEP;
        break;
    case ACT_RESTART:
        enter(walker, walker->state.grain, false);
        break;
    default:
        press_on_step(walker, view_state, pressed);
    }
}

const struct walk_view inside_view = {
    .bit = VIEW_INSIDE,
    .name = "Inside a step",
    .shares = &step_view,
    .press = press,
    .typed = typed_on_step,
    .draw = draw_step,
};
