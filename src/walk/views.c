#include "walk/walker.h"

#include <string.h>

#include "base/text.h"
#include "walk/step/screen.h"

const struct walk_view *const view_table[] = {
    &step_view,   &inside_view, &beside_view,   &where_from_view, &settings_view,  &estimate_view,
    &typing_view, &list_view,   &search_view,   &read_view,       &help_view,      &mistakes_view,
    &sheet_view,  &map_view,    &picture_view,  &palette_view,    &both_ways_view, &summary_view,
    &input_view,  &save_view,   &overview_view, &line_view,       &challenge_view,
};

const int view_count = sizeof view_table / sizeof *view_table;

// Whether the step is shown whole or from inside, is a matter of the state.
static struct open_view *settled_top(struct walker *walker) {
    walker->views = view_table;
    walker->view_count = view_count;
    walker->open[0].view = walker->state.grain != GRAIN_STEP ? &inside_view
                           : walker->companions != NULL      ? &beside_view
                                                             : &step_view;
    return top_view(walker);
}

// ---- Keys ---------------------------------------------------------------------------------------

// Closes the view at the top, or what a key has added to the step's screen; false if there is nothing of the kind.
static bool close_top(struct walker *walker) {
    struct state *state = &walker->state;
    if (walker->open_count > 1)
        close_view(walker);
    else if (state->shows_memory)
        state->shows_memory = false;
    else if (walker->is_following)
        follow_no_longer(walker);
    else if (state->compares && walker->companions == NULL)
        toggle_comparison(walker);
    else
        return false;
    return true;
}

// What an action does that is the same in every view which has a key for it; false if it is not.
static bool acts_anywhere(struct walker *walker, enum action action) {
    struct state *state = &walker->state;
    const struct open_view *top = top_view(walker);
    const int64_t made = walker->trial.run.parameters.updates;
    switch (action) {
    case ACT_QUIT:
        state->has_quit = true;
        return true;
    case ACT_CLOSE:
        return close_top(walker);
    case ACT_TOUR:
        tour_begin(walker);
        return true;
    case ACT_FOLLOW:
        follow_number(walker);
        return true;
    case ACT_UNFOLLOW:
        follow_no_longer(walker);
        return true;
    case ACT_UNDO:
        undo_changes(walker);
        return true;
    case ACT_COMPARE:
        toggle_comparison(walker);
        return true;
    case ACT_TRAIN:
    case ACT_TRAIN_TEN:
    case ACT_UNTRAIN:
        train_to(walker, action == ACT_UNTRAIN ? 0 : made + (action == ACT_TRAIN ? 1 : 10));
        if (top->view->open == NULL) return true;
        memset(top->view_state, 0, top->view->size); // it knows of a run that is no more
        top->view->open(walker, top->view_state);
        return true;
    case ACT_PYTORCH:
        if (has_calls(&walker->trial.run)) {
            tell(state, "These lines are Python. Lessons have lines in C as well.");
            return true;
        }
        state->shows_c = !state->shows_c;
        tell(state, state->shows_c ? "The lesson's lines in C. p shows PyTorch again."
                                   : "The lesson's lines in PyTorch. p shows C.");
        return true;
    case ACT_MEMORY:
        state->shows_memory = !state->shows_memory;
        return true;
    case ACT_DIGITS:
        state->shows_all_digits = !state->shows_all_digits;
        return true;
    case ACT_LIGHT:
        state->is_light = !state->is_light;
        tell(state, state->is_light ? "Colours for a light screen: more is darker. D switches back."
                                    : "Colours for a dark screen: more is brighter.");
        return true;
    case ACT_QUESTIONS:
        state->asks_nothing = !state->asks_nothing;
        if (state->asks_nothing && top->view == &challenge_view) close_view(walker);
        tell(state, state->asks_nothing ? "Nothing is asked any more. Q asks again, Y asks once."
                                        : "Questions are asked again. Q ends them.");
        return true;
    case ACT_MOUSE:
        state->has_mouse = !state->has_mouse;
        tell(state, state->has_mouse ? "Mouse on: click a cell."
                                     : "Mouse off: it selects text as usual. M turns it on.");
        return true;
    default:
        return false;
    }
}

static bool has_key(const struct binding *binding, uint32_t key) {
    for (int i = 0; i < KEYS_PER_ACTION; i++) {
        if (binding->keys[i] == key) return true;
    }
    return false;
}

// The key that opened a view closes it, too, unless it does something else there.
static enum action action_in(const struct walk_view *view, uint32_t key) {
    const enum action action = action_of(view->bit, key);
    if (view->opened_by == ACT_NOTHING || (action != ACT_NOTHING && action != view->opened_by))
        return action;
    for (int i = 0; i < binding_count; i++) {
        if (bindings[i].action == view->opened_by && has_key(&bindings[i], key)) return ACT_CLOSE;
    }
    return action;
}

// What a key that does nothing here does elsewhere, and how to find what helps.
static void tell_useless(struct state *state, uint32_t key) {
    char buffer[5];
    if (key == KEY_NOTHING || key < ' ' || key >= PRESS_CLICK) return;
    const char *name = key_text(key, buffer);
    for (int i = 0; i < binding_count; i++) {
        if (!has_key(&bindings[i], key)) continue;
        tell(state, "%s does nothing here; elsewhere: %s. ? lists the keys, : finds anything.",
             name, bindings[i].help);
        return;
    }
    tell(state, "%s does nothing. ? lists the keys, : finds anything.", name);
}

// There is nothing to be asked of numbers that a changed line keeps from being computed; and the classic mistakes are not
// made in a program. Says so; false if there is no such reason.
static bool is_refused(struct walker *walker, const struct walk_view *view, enum action action) {
    static const enum action asking[] = {ACT_WHERE_FROM, ACT_FOLLOW,  ACT_ESTIMATE, ACT_INTO,
                                         ACT_MEMORY,     ACT_PICTURE, ACT_BOTH_WAYS};
    const struct step *step = current_step(&walker->state, &walker->trial.run);
    if (action == ACT_MISTAKES && refuses_changes(walker)) return true;
    if (action == ACT_MISTAKES && has_calls(&walker->trial.run)) {
        tell(&walker->state, "The classic mistakes are of lessons. y tries another line here.");
        return true;
    }
    const char *nothing_asked = action == ACT_CHALLENGE ? why_no_challenge(walker) : NULL;
    if (nothing_asked != NULL) {
        tell(&walker->state, "%s", nothing_asked);
        return true;
    }
    if ((view->bit & (VIEW_STEP | VIEW_BESIDE)) == 0 ||
        failed_outcome(&walker->trial, step) == NULL)
        return false;
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) {
        if (asking[i] != action) continue;
        tell(&walker->state, "This step was not computed: a changed line failed. u undoes it.");
        return true;
    }
    return false;
}

static void press_in_view(struct walker *walker, const struct open_view *top, struct press press,
                          int rows) {
    if (top->view->takes != NULL && top->view->takes(walker, top->view_state, press.key)) return;
    const struct pressed pressed = {
        .action = action_in(top->view, press.key),
        .press = press,
        .lines = rows > 5 ? rows - 4 : 1,
    };
    if (pressed.action == ACT_NOTHING) tell_useless(&walker->state, press.key);
    if (pressed.action == ACT_NOTHING || is_refused(walker, top->view, pressed.action) ||
        acts_anywhere(walker, pressed.action))
        return;
    for (int i = 0; i < view_count; i++) {
        if (view_table[i]->opened_by != pressed.action) continue;
        open_view(walker, view_table[i]);
        return;
    }
    top->view->press(walker, top->view_state, &pressed);
}

// Does what a click on a spot is as good as; false if there is none under the mouse.
static bool click_spot(struct walker *walker, const struct press *press, int rows) {
    const struct spot *found = spot_at(&walker->spots, press->row, press->column);
    if (found == NULL) return false;
    const struct spot spot = *found;
    walker->spots.count = 0; // the frame is no more
    if (walker->tour.stage > 0 && spot.kind != SPOT_KEY) return true;
    if (spot.kind == SPOT_KEY)
        walker_press(walker, (struct press){.key = (uint32_t)spot.number}, rows);
    if (spot.kind == SPOT_LINE) { // of the view at the top; where a value is typed, that ends
        if (top_view(walker)->view == &typing_view) close_view(walker);
        const struct open_view *top = top_view(walker);
        walker->state.message[0] = walker->state.foot[0] = '\0';
        if (top->view->has_lines)
            *(int *)((char *)top->view_state + top->view->chosen_at) = spot.number;
    }
    if (spot.kind == SPOT_STEP && spot.number < walker->trial.run.step_count) {
        close_views(walker);
        go_to_step(&walker->state, &walker->trial.run, spot.number);
    }
    return true;
}

void walker_press(struct walker *walker, struct press press, int rows) {
    if (press.key == PRESS_CLICK && click_spot(walker, &press, rows)) return;
    walker->spots.count = 0;
    const struct open_view *top = settled_top(walker);
    walker->state.message[0] = walker->state.foot[0] = '\0';
    walker->state.saves = SAVE_NOTHING;
    if (tour_takes(walker, press.key)) return;
    press_in_view(walker, top, press, rows);
    tour_look(walker);
}

// ---- Frames -------------------------------------------------------------------------------------

static void draw_too_small(struct canvas *canvas) {
    static const char *const messages[] = {
        "This terminal is too small: onestep needs 40x12. q leaves.",
        "needs 40x12 (q quits)",
        "onestep needs 40x12",
        "needs 40x12",
        "40x12",
    };
    const int count = sizeof messages / sizeof *messages;
    int i = 0;
    while (i < count - 1 && text_width(messages[i]) > canvas->columns) i++;
    put_text(canvas, 0, 0, canvas->columns, messages[i], PLAIN);
    put_cursor(canvas, 0, 0);
}

// What was said at the foot stands in the place of the keys until the next one.
static void draw_foot(struct canvas *canvas, const char *text) {
    if (*text == '\0') return;
    char **lines;
    const int count = wrap_shown(canvas, text, canvas->columns - 2, &lines);
    for (int i = 0; i < count; i++) {
        const int row = canvas->rows - count + i;
        put_blanks(canvas, row, 0, canvas->columns, PLAIN);
        put_text(canvas, row, 1, canvas->columns - 2, lines[i], BOLD);
    }
}

void walker_draw(struct walker *walker, struct canvas *canvas) {
    walker->shown = (struct shown){0};
    walker->spots.count = 0;
    if (canvas->rows < LEAST_ROWS || canvas->columns < LEAST_COLUMNS) {
        draw_too_small(canvas);
        return;
    }
    const struct open_view *top = settled_top(walker);
    canvas->spots = &walker->spots;
    const bool keeps_cells = top->view->bit != VIEW_STEP || walker->is_following;
    if (!keeps_cells && forget_some_steps(&walker->trial.run))
        forget_matrices(&walker->matrix_cache);
    explain_step(&walker->trial.run, walker->state.step);
    top->view->draw(walker, top->view_state, canvas);
    draw_tour(walker, canvas);
    draw_foot(canvas, walker->state.foot);
}
