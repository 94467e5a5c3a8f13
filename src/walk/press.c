// The walker's answers to keys: what state_after cannot do because it takes a run, an operand or words.

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tensor/ops/derivation.h"
#include "tensor/ops/ops.h"
#include "trace/step.h"
#include "walk/list.h"
#include "walk/origin.h"
#include "walk/panel.h"
#include "walk/walker.h"

static void say(struct walker *walker, const char *message) {
    snprintf(walker->state.message, sizeof walker->state.message, "%s", message);
}

// Takes over a state; if its lesson is another one, that is run first. Returns false if it cannot be.
static bool enter(struct walker *walker, const struct state *next) {
    const bool is_other = next->lesson != walker->state.lesson;
    if (is_other && !walker_run(walker, next->lesson, &walker->chosen, &walker->what_ifs))
        return false;
    walker->state = *next;
    if (is_other) {
        walker->state.trail_count = 0;
        walker->state = arrive(&walker->state, &walker->trial.run);
        walker_say_idle(walker);
    }
    return true;
}

// Runs the lesson with other parameters, at the same step and cell.
static bool run_with(struct walker *walker, const struct parameters *chosen,
                     const struct what_ifs *what_ifs) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->broken);
    const struct step *step = current_step(&walker->state, &walker->trial.run);
    const char *label = arena_copy(m, step_label(m, step));
    const bool is_run = walker_run(walker, walker->state.lesson, chosen, what_ifs);
    if (is_run) {
        const struct step *same = step_called(&walker->trial.run, label);
        if (same != NULL) walker->state.step = same->number - 1;
        walker->state = arrive(&walker->state, &walker->trial.run);
        walker_say_idle(walker);
    }
    scratch_close(&scratch);
    return is_run;
}

// ---- Parameters ---------------------------------------------------------------------------------

static bool is_changed(const struct walker *walker) {
    return walker->chosen.given != 0 || any_made(&walker->what_ifs);
}

static void undo_changes(struct walker *walker) {
    const struct parameters own = {0};
    const struct what_ifs none = {0};
    if (!is_changed(walker)) {
        say(walker, "Nothing is changed: these are the course's numbers.");
        return;
    }
    if (run_with(walker, &own, &none)) say(walker, "Back to the course's numbers.");
}

static void change_parameter(struct walker *walker, const struct parameter *parameter,
                             const char *value) {
    struct parameters chosen = walker->chosen;
    const bool turns_off = parameter->kind == IS_SWITCH && strcmp(value, "no") == 0;
    if (turns_off) chosen.given &= ~parameter->bit;
    if (turns_off || set_parameter(&chosen, parameter, arena_copy(&walker->words, value))) {
        run_with(walker, &chosen, &walker->what_ifs);
        return;
    }
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->broken);
    const char *name = parameter->option + strspn(parameter->option, "-"); // here it is no option
    say(walker, arena_format(m, "%s takes %s, not '%s'", name, possible_values(m, parameter),
                             text_safe(m, value)));
    scratch_close(&scratch);
}

static const struct parameter *selected_parameter(struct walker *walker) {
    const struct parameter *parameters[PARAMETER_COUNT];
    const int count = panel_parameters(walker->trial.run.lesson, parameters);
    if (count == 0) return NULL;
    if (walker->state.selected >= count) walker->state.selected = count - 1;
    if (walker->state.selected < 0) walker->state.selected = 0;
    return parameters[walker->state.selected];
}

static void begin_typing(struct walker *walker) {
    walker->state.mode_before_help = walker->state.mode;
    walker->state.mode = MODE_TYPE;
    walker->state.typed[0] = '\0';
}

static void nudge_parameter(struct walker *walker, const struct parameter *parameter, int by) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->broken);
    const char *value = panel_neighbour(m, &walker->trial.run, parameter, by);
    if (value != NULL) change_parameter(walker, parameter, value);
    scratch_close(&scratch);
}

static void press_in_panel(struct walker *walker, enum action action) {
    const struct parameter *parameter = selected_parameter(walker);
    if (action == ACT_UP) walker->state.selected--;
    if (action == ACT_DOWN) walker->state.selected++;
    if (action == ACT_UNDO) undo_changes(walker);
    if (parameter != NULL && action == ACT_LEFT) nudge_parameter(walker, parameter, -1);
    if (parameter != NULL && action == ACT_RIGHT) nudge_parameter(walker, parameter, 1);
    if (parameter != NULL && action == ACT_CHOOSE) {
        const bool cycles = parameter->kind == IS_SWITCH || parameter->kind == IS_STREAM;
        if (cycles)
            nudge_parameter(walker, parameter, 1);
        else
            begin_typing(walker);
    }
    selected_parameter(walker); // brings the choice inside
}

static void toggle_comparison(struct walker *walker) {
    walker->state.compares = !walker->state.compares;
    if (!walker->state.compares) {
        say(walker, "No longer compared with the course.");
    } else if (!is_changed(walker)) {
        walker->state.compares = false;
        say(walker, "Nothing to compare: these are the course's numbers. s changes settings.");
    }
}

// ---- Mistakes -----------------------------------------------------------------------------------

static void begin_mistakes(struct walker *walker) {
    walker->state = set_mode(&walker->state, MODE_MISTAKES);
    walker->state.selected = 0;
    for (int i = MISTAKE_COUNT - 1; i >= 0; i--) {
        if (walker->what_ifs.made[i]) walker->state.selected = i;
    }
}

// Makes the chosen mistake or unmakes it. If nothing comes of it, the list says so already.
static void toggle_mistake(struct walker *walker, int mistake) {
    struct what_ifs what_ifs = walker->what_ifs;
    what_ifs.made[mistake] = !what_ifs.made[mistake];
    if (run_with(walker, &walker->chosen, &what_ifs)) walker->state.message[0] = '\0';
}

static void press_in_mistakes(struct walker *walker, enum action action) {
    struct state *state = &walker->state;
    const int last_step = walker->trial.run.step_count - 1;
    if (action == ACT_UP && state->selected > 0) state->selected--;
    if (action == ACT_DOWN && state->selected < MISTAKE_COUNT - 1) state->selected++;
    if (action == ACT_CHOOSE) toggle_mistake(walker, state->selected);
    if (action == ACT_UNDO) undo_changes(walker);
    if (action == ACT_NEXT && state->step < last_step)
        *state = go_to_step(state, &walker->trial.run, state->step + 1);
    if (action == ACT_BACK && state->step > 0)
        *state = go_to_step(state, &walker->trial.run, state->step - 1);
}

// ---- The input ----------------------------------------------------------------------------------

// The inputs with one number replaced, in memory that outlives the run.
static struct tensor edited_inputs(struct walker *walker, const struct cell *cell, double number) {
    struct arena *words = &walker->words;
    const struct tensor *inputs = &walker->trial.run.inputs;
    const int64_t count = count_of(shape_of(inputs));
    float *values = arena_array(words, (size_t)count, sizeof *values);
    for (int64_t i = 0; i < count; i++) {
        int64_t index[MAX_DIMS];
        index_at(shape_of(inputs), i, index);
        const struct cell other = cell_at(inputs, index);
        values[i] = same_element(cell, &other) ? (float)number : (float)element(inputs, index);
    }
    struct tensor edited = tensor_of(words, shape_of(inputs), values);
    for (int dim = 0; dim < inputs->ndim; dim++) {
        const int64_t size = inputs->shape[dim];
        const char **labels = arena_array(words, (size_t)size, sizeof *labels);
        for (int64_t i = 0; i < size; i++)
            labels[i] = arena_copy(words, label_of(words, inputs, dim, i));
        edited = name_axis(edited, dim, arena_copy(words, inputs->axis[dim].name));
        edited = label_axis(edited, dim, labels);
    }
    return edited;
}

static bool is_input(const struct walker *walker) {
    return current_step(&walker->state, &walker->trial.run)->tensor.storage ==
           walker->trial.run.inputs.storage;
}

static bool read_number(const char *text, double *number) {
    char *end;
    *number = strtod(text, &end);
    return *text != '\0' && *end == '\0' && isfinite(*number) && fabs(*number) < 1e30;
}

static void edit_input(struct walker *walker) {
    double number;
    if (!read_number(walker->state.typed, &number)) {
        say(walker, "That is no number: something like 0.5 or -2 would be.");
        return;
    }
    const struct cell cell = current_cell(&walker->state, &walker->trial.run);
    struct parameters chosen = walker->chosen;
    chosen.inputs = edited_inputs(walker, &cell, number);
    chosen.input = "edited";
    chosen.given |= USES_INPUT;
    if (run_with(walker, &chosen, &walker->what_ifs))
        say(walker, "Changed. The whole lesson has run again; u undoes it.");
}

// ---- Estimating ---------------------------------------------------------------------------------

static void reveal(struct walker *walker, bool whole_row) {
    struct state *state = &walker->state;
    state->reveals_page = state->page;
    state->reveals_row = state->row;
    state->reveals_column = whole_row ? -1 : state->column;
    if (state->grain == GRAIN_STEP) return;
    const struct cell cell = current_cell(state, &walker->trial.run);
    const struct order order =
        order_of(&walker->trial.run, current_step(state, &walker->trial.run));
    const int64_t moment = order.moment_count > 0 ? moment_of(&order, cell.index) : -1;
    if (moment > state->moment) state->moment = moment;
}

static void count_guess(struct walker *walker, bool is_good) {
    struct visit *visit = &walker->state.visits[walker->state.lesson];
    visit->guesses++;
    if (is_good) visit->good_guesses++;
}

static void judge_number(struct walker *walker) {
    double guess;
    if (!read_number(walker->state.typed, &guess)) {
        say(walker, "That is no number: something like 0.5 or -2 would be.");
        return;
    }
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->broken);
    const struct cell cell = current_cell(&walker->state, &walker->trial.run);
    const struct matrix *matrix =
        measured_matrix(&walker->measured, &cell.tensor, walker->state.page, walker_digits(walker));
    const double value = cell_value(&cell);
    const double gap = fabs(guess - value);
    const double range = matrix->most > matrix->least ? matrix->most - matrix->least : 1;
    const bool is_good = isfinite(value) && gap <= range / 10;
    count_guess(walker, is_good);
    reveal(walker, false);
    const char *number = cell_number(m, &cell, walker_digits(walker));
    const char *verdict =
        !isfinite(value)
            ? "a masked score"
            : arena_format(m, "%s off%s", number_in_digits(m, gap, walker_digits(walker)),
                           is_good ? ", that is close" : "");
    const struct visit *visit = &walker->state.visits[walker->state.lesson];
    say(walker, arena_format(m, "It is %s: %s. (%d of %d close in this lesson)", number, verdict,
                             visit->good_guesses, visit->guesses));
    scratch_close(&scratch);
}

static int64_t largest_column(const struct tensor *tensor, const struct state *state) {
    const int64_t columns = table_of(tensor).columns;
    int64_t best = 0;
    double most = -INFINITY;
    for (int64_t column = 0; column < columns; column++) {
        int64_t index[MAX_DIMS] = {0};
        table_index(tensor, state->page, state->row, column, index);
        if (element(tensor, index) > most) most = element(tensor, index), best = column;
    }
    return best;
}

static void judge_choice(struct walker *walker) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->broken);
    const struct tensor *tensor = &current_step(&walker->state, &walker->trial.run)->tensor;
    const int64_t best = largest_column(tensor, &walker->state);
    const struct cell picked = current_cell(&walker->state, &walker->trial.run);
    struct state at_best = walker->state;
    at_best.column = best;
    const struct cell largest = current_cell(&at_best, &walker->trial.run);
    const bool is_right = cell_value(&picked) == cell_value(&largest);
    const char *name = tensor->ndim > 0 ? label_of(m, tensor, tensor->ndim - 1, best) : "this one";
    count_guess(walker, is_right);
    reveal(walker, true);
    const struct visit *visit = &walker->state.visits[walker->state.lesson];
    say(walker,
        arena_format(m, "%s: the largest is %s, %s. (%d of %d in this lesson)",
                     is_right ? "Yes" : "No", name, cell_number(m, &largest, walker_digits(walker)),
                     visit->good_guesses, visit->guesses));
    scratch_close(&scratch);
}

static void press_in_guess(struct walker *walker, enum action action, int lines) {
    if (action == ACT_PICK) {
        judge_choice(walker);
    } else if (action == ACT_REVEAL) {
        walker->state.mode = MODE_STEP;
    } else if (action == ACT_EDIT) {
        begin_typing(walker);
    } else {
        walker->state = state_after(&walker->state, action, &walker->trial.run, lines);
    }
}

// At cell grain the question is the next cell.
static void aim_at_next_cell(struct walker *walker) {
    struct state *state = &walker->state;
    if (state->grain != GRAIN_CELL || state->moment < 0) return;
    const struct order order =
        order_of(&walker->trial.run, current_step(state, &walker->trial.run));
    for (int64_t i = state->moment + 1; i < order.moment_count; i++) {
        const struct moment moment = moment_at(&order, i);
        if (moment.part != COMPUTES_CELL) continue;
        table_place(&moment.cell.tensor, moment.cell.index, &state->page, &state->row,
                    &state->column);
        return;
    }
}

// ---- Typing -------------------------------------------------------------------------------------

static void add_typed(struct state *state, uint32_t character) {
    char bytes[5];
    const size_t length = utf8_encode(character, bytes);
    const size_t used = strlen(state->typed);
    if (used + length < TYPED_ROOM) memcpy(state->typed + used, bytes, length + 1);
}

static void remove_typed(struct state *state) {
    size_t length = strlen(state->typed);
    while (length > 0 && (state->typed[length - 1] & 0xC0) == 0x80) length--;
    if (length > 0) state->typed[length - 1] = '\0';
}

// Keys that write. Returns false if the key is for the action table.
static bool types(struct walker *walker, uint32_t key) {
    struct state *state = &walker->state;
    if (state->mode != MODE_TYPE && state->mode != MODE_SEARCH) return false;
    if (key == PRESS_BACKSPACE) {
        remove_typed(state);
    } else if (key < PRESS_UP && character_width(key) > 0) {
        add_typed(state, key);
    } else {
        return false;
    }
    if (state->mode == MODE_SEARCH) state->selected = 0;
    return true;
}

static void finish_typing(struct walker *walker, enum action action) {
    struct state *state = &walker->state;
    if (action != ACT_CHOOSE && action != ACT_CLOSE) return;
    state->mode = state->mode_before_help;
    if (action == ACT_CLOSE || *state->typed == '\0') return;
    if (state->mode == MODE_GUESS) {
        judge_number(walker);
    } else if (state->mode == MODE_PANEL) {
        const struct parameter *parameter = selected_parameter(walker);
        if (parameter != NULL) change_parameter(walker, parameter, state->typed);
    } else {
        edit_input(walker);
    }
}

// ---- Where a number came from -------------------------------------------------------------------

static void follow(struct walker *walker, const struct derivation *derivation) {
    struct state *state = &walker->state;
    if (derivation->operand_count == 0) return;
    if (state->trail_count == MAX_TRAIL) {
        memmove(&state->trail[0], &state->trail[1], (MAX_TRAIL - 1) * sizeof *state->trail);
        state->trail_count--;
    }
    state->trail[state->trail_count++] = derivation->operands[state->operand].cell;
    state->operand = 0;
}

static void go_there(struct walker *walker) {
    struct cell found;
    const struct cell *cell = asked_cell(&walker->state);
    const struct step *step =
        step_of_cell(&walker->trial.run, cell, walker->state.step + 2, &found);
    if (step == NULL) {
        say(walker, "No step shows this number: it is an intermediate result.");
        return;
    }
    walker->state = go_to_cell(&walker->state, &walker->trial.run, step, found.index);
    walker->state.mode = MODE_STEP;
}

static void press_in_origin(struct walker *walker, enum action action, int lines) {
    struct state *state = &walker->state;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->broken);
    const struct derivation derivation = derive(m, asked_cell(state), walker->digits);
    const int last = derivation.operand_count > 0 ? derivation.operand_count - 1 : 0;
    if (action == ACT_UP && state->operand > 0) state->operand--;
    if (action == ACT_DOWN && state->operand < last) state->operand++;
    if (action == ACT_ORIGIN) follow(walker, &derivation);
    if (action == ACT_GO_THERE) go_there(walker);
    if (action == ACT_RETURN) {
        state->operand = 0;
        if (--state->trail_count == 0) state->mode = MODE_STEP;
    }
    if (action == ACT_CLOSE || action == ACT_HELP || action == ACT_DIGITS)
        *state = state_after(state, action, &walker->trial.run, lines);
    scratch_close(&scratch);
}

// ---- Lists --------------------------------------------------------------------------------------

// Goes to the first step that a paragraph made.
static void go_to_paragraph(struct walker *walker, const struct paragraph *paragraph) {
    for (int i = 0; i < walker->trial.run.step_count; i++) {
        if (walker->trial.run.steps[i].paragraph != paragraph) continue;
        walker->state = go_to_step(&walker->state, &walker->trial.run, i);
        return;
    }
}

static void choose_entry(struct walker *walker, const struct list *list) {
    if (list->count == 0) return;
    const struct entry entry = list->entries[list_selected(list, &walker->state)];
    struct state next = walker->state;
    if (entry.lesson != next.lesson) {
        next.lesson = entry.lesson;
        next.step = next.visits[entry.lesson].step;
        next.selected = -1;
        next.grain = GRAIN_STEP;
    }
    if (!enter(walker, &next)) {
        walker->state.mode = MODE_STEP;
        return;
    }
    if (entry.kind == ENTRY_STEP)
        walker->state = go_to_step(&walker->state, &walker->trial.run, entry.step);
    if (entry.kind == ENTRY_FOUND) go_to_paragraph(walker, entry.paragraph);
    if (entry.kind != ENTRY_LESSON) walker->state.mode = MODE_STEP;
}

static void press_in_list(struct walker *walker, enum action action, int lines) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->broken);
    const struct list list = list_entries(m, &walker->state, walker->lessons, &walker->trial.run);
    const int by = action == ACT_UP            ? -1
                   : action == ACT_DOWN        ? 1
                   : action == ACT_SCROLL_UP   ? -lines
                   : action == ACT_SCROLL_DOWN ? lines
                                               : 0;
    if (by != 0 && list.count > 0) walker->state = list_move(&walker->state, &list, by);
    if (action == ACT_CHOOSE) choose_entry(walker, &list);
    scratch_close(&scratch);
}

// ---- All keys -----------------------------------------------------------------------------------

static void press_on_step(struct walker *walker, enum action action, int lines) {
    switch (action) {
    case ACT_SETTINGS:
        walker->state = set_mode(&walker->state, MODE_PANEL);
        walker->state.selected = 0;
        return;
    case ACT_MISTAKES:
        begin_mistakes(walker);
        return;
    case ACT_UNDO:
        undo_changes(walker);
        return;
    case ACT_COMPARE:
        toggle_comparison(walker);
        return;
    case ACT_EDIT:
        if (is_input(walker))
            begin_typing(walker);
        else
            say(walker,
                "Only the inputs can be changed: their step shows them. s changes settings.");
        return;
    default:
        break;
    }
    const struct state next = state_after(&walker->state, action, &walker->trial.run, lines);
    enter(walker, &next);
    if (action == ACT_GUESS) aim_at_next_cell(walker);
}

static void click(struct walker *walker, struct press press) {
    const struct sight *sight = &walker->sight;
    if (sight->area.rows == 0) return;
    int64_t row, column;
    if (matrix_hit(sight->area, sight->matrix, &sight->view, press.row, press.column, &row,
                   &column)) {
        walker->state.row = row;
        walker->state.column = column;
    }
}

static bool begins_number(uint32_t key) {
    return (key >= '0' && key <= '9') || key == '-' || key == '.';
}

void walker_press(struct walker *walker, struct press press, int rows) {
    struct state *state = &walker->state;
    state->message[0] = '\0';
    if (state->mode == MODE_GUESS && begins_number(press.key)) begin_typing(walker);
    if (types(walker, press.key)) return;
    const enum mode mode = key_mode(state);
    const enum action action = action_of(mode, press.key);
    const int lines = rows > 5 ? rows - 4 : 1;
    if (action == ACT_NOTHING) return;
    if (action == ACT_CLICK) {
        click(walker, press);
    } else if (mode == MODE_TYPE) {
        finish_typing(walker, action);
    } else if (action == ACT_HELP || action == ACT_SHEET ||
               (action == ACT_CLOSE && mode != MODE_GUESS)) {
        *state = state_after(state, action, &walker->trial.run, lines);
    } else if (mode == MODE_LIST && action == ACT_SEARCH) {
        *state = set_mode(state, MODE_SEARCH);
        state->selected = 0;
        state->typed[0] = '\0';
    } else if (mode == MODE_LIST || mode == MODE_SEARCH) {
        press_in_list(walker, action, lines);
    } else if (mode == MODE_ORIGIN) {
        press_in_origin(walker, action, lines);
    } else if (mode == MODE_PANEL && action != ACT_COMPARE) {
        press_in_panel(walker, action);
    } else if (mode == MODE_MISTAKES) {
        press_in_mistakes(walker, action);
    } else if (mode == MODE_GUESS) {
        press_in_guess(walker, action, lines);
    } else {
        press_on_step(walker, action, lines);
    }
}
