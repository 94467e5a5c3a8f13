// The main view: a step of a lesson, shown whole or seen from inside.

#include "walk/views/views.h"

#include <string.h>

#include "tensor/operation/terms.h"
#include "trace/run/step.h"
#include "walk/step/screen.h"
#include "walk/walker.h"

// ---- Going --------------------------------------------------------------------------------------

// To the next stop or the one before; those that repeat earlier ones are passed over, unless each is asked for.
static void walk(struct walker *walker, int by, bool is_each) {
    struct state *state = &walker->state;
    const int from = state->step;
    end_try(walker);
    const bool passes = !is_each && !has_calls(&walker->trial.run);
    if ((passes ? go_to_new : go_to_stop)(state, &walker->trial.run, by)) {
        tell_turns_passed(walker, from);
        if (by > 0) ask_new_challenge(walker);
    } else if (by < 0)
        tell(state, "This is the first step; [ goes to the lesson before.");
    else
        open_view(walker, &summary_view);
}

void change_lesson(struct walker *walker, int lesson) {
    if (lesson < 0)
        tell(&walker->state, "This is the first lesson.");
    else if (lesson >= walker->lesson_count)
        tell(&walker->state, is_of_reader(walker->trial.run.lesson) ? "Here the program ends."
                                                                    : "This is the last lesson.");
    else if (go_to_lesson(walker, lesson))
        go_to_step(&walker->state, &walker->trial.run, 0);
}

// Goes to the step that shows an operand, on the number under the mouse.
static void click_operand(struct walker *walker, const struct press *press) {
    struct cell cell = {0}, found;
    const struct run *run = &walker->trial.run;
    if (!operand_at(&walker->shown, press, &cell)) return;
    const struct step *step = step_of_cell(run, &cell, walker->state.step + 1, &found);
    if (step == NULL)
        tell(&walker->state, "No step shows this number: it is an intermediate result.");
    else
        go_to_cell(&walker->state, run, step, found.index);
}

void click_cell(struct walker *walker, const struct press *press, bool is_bound) {
    int64_t row, column;
    const struct shown_page *page = page_at(&walker->shown, press, &row, &column);
    if (page == NULL && !is_bound) click_operand(walker, press);
    if (page == NULL) return;
    if (page->step != walker->state.step && is_bound) return;
    if (page->step != walker->state.step)
        go_to_step(&walker->state, &walker->trial.run, page->step);
    choose_cell(&walker->state, &walker->trial.run, row, column);
}

// Past the first or the last row of a parameter in a list, up and down open the one before or the next one.
static bool go_along_list(struct state *state, const struct run *run, int lines) {
    const struct stop stop = stop_at(run, state->step);
    const int64_t last = table_of(&current_step(state, run)->tensor).rows - 1;
    const int step = state->step + (lines < 0 ? -1 : 1);
    const bool is_at_end = lines < 0 ? state->row == 0 : lines > 0 && state->row == last;
    if (!is_at_end || !lists_parameters(run, stop) || step < stop.first ||
        step >= stop.first + stop.count)
        return false;
    const int64_t column = state->column;
    go_to_step(state, run, step);
    choose_cell(state, run, lines < 0 ? INT32_MAX : 0, column);
    return true;
}

static void ask_turn(struct walker *walker) {
    if ((walker->trial.run.lesson->uses & USES_TURN) == 0) {
        tell(&walker->state, "Only a program has turns of loops.");
        return;
    }
    begin_typing(walker, KEY_NOTHING);
    walker->asks_turn = true;
    tell(&walker->state, "Which turn of the loops? The program runs again for it.");
}

// The line of a program's step; of several that one line makes, the first has it.
static void open_program_line(struct walker *walker) {
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    const struct step *first = &run->steps[stop_at(run, state->step).first];
    if (strncmp(first->paragraph->file, "torch/", 6) == 0) {
        tell(state, "This line is PyTorch's own: it cannot be changed.");
        return;
    }
    if (*current_step(state, run)->statement == '\0') go_to_step(state, run, first->number - 1);
    open_view(walker, &line_view);
}

// ---- The view -----------------------------------------------------------------------------------

void press_on_step(struct walker *walker, void *view_state, const struct pressed *pressed) {
    (void)view_state;
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    switch (pressed->action) {
    case ACT_NEXT:
        walk(walker, 1, false);
        break;
    case ACT_BACK:
        walk(walker, -1, false);
        break;
    case ACT_NEXT_EACH:
        walk(walker, 1, true);
        break;
    case ACT_BESIDE:
        go_beside(state, run);
        break;
    case ACT_ENTER:
        enter_call(walker);
        break;
    case ACT_LEAVE:
        leave_call(walker);
        break;
    case ACT_TURN:
        ask_turn(walker);
        break;
    case ACT_INTO:
        step_into(walker);
        break;
    case ACT_RESTART:
    case ACT_FIRST:
        go_to_step(state, run, first_outside_calls(run));
        break;
    case ACT_LAST:
        go_to_step(state, run, run->step_count - 1);
        break;
    case ACT_NEXT_LESSON:
        change_lesson(walker, state->lesson + 1);
        break;
    case ACT_PREVIOUS_LESSON:
        change_lesson(walker, state->lesson - 1);
        break;
    case ACT_CLOSE:
        if (run->lesson->is_before_first) {
            change_lesson(walker, state->lesson + 1);
            tell(state, "This is lesson 1. [ goes back to lesson 0.");
        } else
            tell(state, "Nothing is open over this step. q leaves onestep.");
        break;
    case ACT_EDIT:
        if (refuses_changes(walker)) break;
        if (has_calls(run))
            tell(state, "A program has no input that stands apart. y tries another line.");
        else
            open_input(walker);
        break;
    case ACT_LINE:
        if (refuses_changes(walker)) break;
        if (has_calls(run))
            open_program_line(walker);
        else
            open_line(walker);
        break;
    case ACT_CLICK:
        click_cell(walker, &pressed->press, false);
        break;
    default:
        if (!go_along_list(state, run, lines_moved(pressed))) move_cell(state, run, pressed);
    }
}

void draw_step(struct walker *walker, void *view_state, struct canvas *canvas) {
    struct scene scene = scene_for(walker, canvas);
    struct arrangement arrangement = step_arrangement;
    if (has_calls(scene.run)) {
        arrangement.blocks[SLOT_TIMELINE] = &calls_block;
        arrangement.blocks[SLOT_SOURCE] = &below_block;
        arrangement.blocks[SLOT_KEYS] = &calls_keys_block;
    }
    if (current_step(scene.state, scene.run)->printed != NULL || scene.companion != NULL)
        arrangement.blocks[SLOT_SOURCE] = &below_block;
    show_typing(walker, &scene, &arrangement);
    walker->shown = draw_screen(canvas, &scene, &arrangement, view_state);
}

void typed_on_step(struct walker *walker, void *view_state, const char *text) {
    if (walker->asks_turn)
        go_to_turn(walker, text);
    else
        type_input(walker, view_state, text);
}

const struct walk_view step_view = {
    .bit = VIEW_STEP,
    .name = "On a step",
    .press = press_on_step,
    .typed = typed_on_step,
    .draw = draw_step,
};

// ---- Beside another run -------------------------------------------------------------------------

// To the number that differs most.
static void go_to_worst(struct walker *walker, const struct step *step) {
    const int64_t worst = walker->companion.counterparts[step->number - 1].worst;
    int64_t index[MAX_DIMS] = {0};
    if (step->tensor.ndim > 0) index_at(shape_of(&step->tensor), worst, index);
    go_to_cell(&walker->state, &walker->trial.run, step, index);
}

static void go_to_difference(struct walker *walker, int by) {
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    const bool *differs = touched_steps(walker);
    int step = state->step + by;
    while (differs != NULL && step >= 0 && step < run->step_count && !differs[step]) step += by;
    if (differs == NULL || step < 0 || step >= run->step_count)
        tell(state, "No %s step differs from %s.", by > 0 ? "later" : "earlier",
             walker->companion.name);
    else
        go_to_worst(walker, &run->steps[step]);
}

static void press_beside(struct walker *walker, void *view_state, const struct pressed *pressed) {
    if (pressed->action == ACT_NEXT_DIFFERENCE)
        go_to_difference(walker, 1);
    else if (pressed->action == ACT_DIFFERENCE_BEFORE)
        go_to_difference(walker, -1);
    else
        press_on_step(walker, view_state, pressed);
}

const struct walk_view beside_view = {
    .bit = VIEW_BESIDE,
    .name = "On a step beside another run (--beside)",
    .shares = &step_view,
    .press = press_beside,
    .typed = typed_on_step,
    .draw = draw_step,
};

// ---- Inside -------------------------------------------------------------------------------------

// What is computed row by row, cell by cell or, in a sum of products, term by term.

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
static void walk_inside(struct walker *walker, int by) {
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

static void press_inside(struct walker *walker, void *view_state, const struct pressed *pressed) {
    switch (pressed->action) {
    case ACT_NEXT:
        walk_inside(walker, 1);
        break;
    case ACT_BACK:
        walk_inside(walker, -1);
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
    .press = press_inside,
    .typed = typed_on_step,
    .draw = draw_step,
};
