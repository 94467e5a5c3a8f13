// The main view: a step of a lesson, shown whole.

#include "walk/views/views.h"

#include <string.h>

#include "trace/run/step.h"
#include "walk/step/screen.h"
#include "walk/walker.h"

// ---- Going --------------------------------------------------------------------------------------

static void walk(struct walker *walker, int by) {
    struct state *state = &walker->state;
    const int from = state->step;
    if (go_to_stop(state, &walker->trial.run, by))
        tell_turns_passed(walker, from);
    else if (by < 0)
        tell(state, "This is the first step; [ goes to the lesson before.");
    else
        open_view(walker, &summary_view);
}

void change_lesson(struct walker *walker, int lesson) {
    if (lesson < 0)
        tell(&walker->state, "This is the first lesson.");
    else if (lesson >= walker->lesson_count)
        tell(&walker->state, "This is the last lesson. Tab lists all of them.");
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
    if (!has_calls(&walker->trial.run)) {
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
        walk(walker, 1);
        break;
    case ACT_BACK:
        walk(walker, -1);
        break;
    case ACT_NEXT_NEW:
        if (!go_to_new(state, run)) open_view(walker, &summary_view);
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
        tell(state, "Nothing is open over this step. q leaves onestep.");
        break;
    case ACT_EDIT:
        if (has_calls(run))
            tell(state, "A program has no input that stands apart. y tries another line.");
        else
            open_input(walker);
        break;
    case ACT_LINE:
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
        arrangement.blocks[SLOT_SOURCE] = &printed_block;
        arrangement.blocks[SLOT_KEYS] = &calls_keys_block;
    }
    if (current_step(scene.state, scene.run)->printed != NULL)
        arrangement.blocks[SLOT_SOURCE] = &printed_block;
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
