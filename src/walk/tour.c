#include "walk/walker.h"

#include "base/text.h"
#include "walk/kit/canvas.h"
#include "walk/kit/lines.h"

// ---- The stages ---------------------------------------------------------------------------------

static bool has_walked(struct walker *walker) {
    const struct tour *tour = &walker->tour;
    return walker->state.step != tour->step || walker->state.moment != tour->moment;
}

static bool has_moved(struct walker *walker) {
    const struct tour *tour = &walker->tour;
    return walker->state.row != tour->row || walker->state.column != tour->column;
}

static bool is_where_from(struct walker *walker) {
    return top_view(walker)->view == &where_from_view;
}

static bool is_by_rows(struct walker *walker) {
    return walker->state.grain == GRAIN_ROW;
}

static bool is_by_cells(struct walker *walker) {
    return walker->state.grain == GRAIN_CELL;
}

static bool is_among_mistakes(struct walker *walker) {
    return top_view(walker)->view == &mistakes_view;
}

static bool is_at_input(struct walker *walker) {
    return top_view(walker)->view == &input_view;
}

static bool is_typing(struct walker *walker) {
    return top_view(walker)->view == &typing_view;
}

static bool has_edited(struct walker *walker) {
    return is_at_input(walker) && walker->edits.are_made;
}

static bool has_undone(struct walker *walker) {
    return is_at_input(walker) && !walker->edits.are_made;
}

static bool is_asked(struct walker *walker) {
    return top_view(walker)->view == &challenge_view;
}

static bool is_on_step(struct walker *walker) {
    return walker->open_count == 1 && walker->state.grain == GRAIN_STEP;
}

// Each starts from what is on the screen, and asks for one key.
static const struct stage {
    enum action
        action;       // of the key; ACT_RIGHT: any that moves the cursor; ACT_NOTHING: it is typed
    const char *key;  // in words
    uint32_t pressed; // by a click on the words
    const char *says; // about what is on the screen
    const char *short_says; // where the screen is narrow
    bool (*is_done)(struct walker *walker);
} stages[] = {
    {ACT_NEXT, "n", 'n', "A lesson goes in steps. Step 1: six words, each a row of numbers.",
     "Step 1: six words", has_walked},
    {ACT_NEXT, "n", 'n', "One word, \"journey\", asks. Which rows are like its row?",
     "\"journey\" asks", has_walked},
    {ACT_RIGHT, "an arrow key", PRESS_RIGHT,
     "A score for each word. Below: how a number is computed.", "Go to another number", has_moved},
    {ACT_WHERE_FROM, "Enter", PRESS_ENTER, "Every number can tell which numbers it comes from.",
     "Where did it come from?", is_where_from},
    {ACT_CLOSE, "Esc", PRESS_ESCAPE, "It was computed from these. Esc closes any view.",
     "From these. Esc closes", is_on_step},
    {ACT_INTO, "i", 'i', "A step can be watched while it is computed: row by row.",
     "Look inside the step", is_by_rows},
    {ACT_INTO, "i", 'i', "All numbers of a row come at once here. i again: cell by cell.",
     "Again: cell by cell", is_by_cells},
    {ACT_NEXT, "n", 'n', "A dot is not computed yet. n computes the next cell.", "n: the next cell",
     has_walked},
    {ACT_CLOSE, "Esc", PRESS_ESCAPE, "The next cell is there now. Esc shows the whole step.",
     "Esc: the whole step", is_on_step},
    {ACT_NEXT, "n", 'n', "The next step makes weights of the scores.", "n: weights", has_walked},
    {ACT_EDIT, "=", '=', "Six weights, together 1. What if a word had other numbers?",
     "If a number were other?", is_at_input},
    {ACT_NOTHING, "9", '9', "The first number of \"Your\" is chosen. 9 is much larger.",
     "9: a larger number", is_typing},
    {ACT_CHOOSE, "Enter", PRESS_ENTER, "Enter runs the whole lesson with this number.",
     "Enter: run it again", has_edited},
    {ACT_UNDO, "u", 'u', "Now \"Your\" has half of the weight. u undoes any change.",
     "\"Your\" weighs more now", has_undone},
    {ACT_CLOSE, "Esc", PRESS_ESCAPE, "The weights are as before. Esc closes the input.",
     "As before. Esc closes", is_on_step},
    {ACT_NEXT, "n", 'n', "Softmax is next. Before it shows its numbers, it asks you.",
     "n: softmax asks you", is_asked},
    {ACT_EDIT, "Enter", PRESS_ENTER, "Go to a cell with the arrow keys; Enter answers.",
     "Arrow keys, Enter", is_on_step},
    {ACT_MISTAKES, "x", 'x', "What if the code were wrong? x lists classic mistakes.",
     "What if it were wrong?", is_among_mistakes},
    {ACT_CLOSE, "Esc", PRESS_ESCAPE, "Enter would make the chosen mistake and mark changes.",
     "Enter would make it", is_on_step},
};
enum { STAGES = sizeof stages / sizeof *stages };

// ---- Beginning and ending -----------------------------------------------------------------------

// What the keys of a stage change.
static void begin_stage(struct walker *walker, int stage) {
    struct tour *tour = &walker->tour;
    tour->stage = stage;
    tour->step = walker->state.step;
    tour->moment = walker->state.moment;
    tour->row = walker->state.row;
    tour->column = walker->state.column;
}

// The lesson that the tour goes through: the first with a number above 0. -1 where the walk is through something else.
static int toured_lesson(const struct walker *walker) {
    const int lesson = walker->lessons[0]->is_before_first ? 1 : 0;
    return walker->lessons[0]->part == PART_OF_COURSE && lesson < walker->lesson_count ? lesson
                                                                                       : -1;
}

// The lesson with these parameters, mistakes and lines.
static bool run_with(struct walker *walker, int lesson, const struct tour *other) {
    walker->edits = other->edits;
    return go_to_lesson_with(walker, lesson, &other->chosen, &other->what_ifs);
}

void tour_begin(struct walker *walker) {
    struct state *state = &walker->state;
    const int lesson = toured_lesson(walker);
    if (lesson < 0) {
        tell(state, "The tour goes through lesson 1: leave with q, and start onestep alone.");
        return;
    }
    close_views(walker);
    walker->tour = (struct tour){.before = *state,
                                 .chosen = walker->chosen,
                                 .what_ifs = walker->what_ifs,
                                 .edits = walker->edits};
    state->shows_memory = state->compares = false; // what Esc would close first
    follow_no_longer(walker);
    (void)run_with(walker, lesson, &(struct tour){0});
    state->visits[lesson] = (struct visit){0}; // nothing was asked
    go_to_step(state, &walker->trial.run, 0);
    state->message[0] = '\0';
    begin_stage(walker, 1);
}

// Back to where it was begun, with the steps seen that were seen then.
static void end(struct walker *walker, const char *words) {
    const struct state *before = &walker->tour.before;
    struct state *state = &walker->state;
    walker->tour.stage = 0;
    close_views(walker);
    if (!run_with(walker, before->lesson, &walker->tour)) return;
    for (int i = 0; i < MAX_LESSONS; i++) state->visits[i] = before->visits[i];
    go_to_step(state, &walker->trial.run, before->step);
    state->page = before->page;
    choose_cell(state, &walker->trial.run, before->row, before->column);
    state->shows_memory = before->shows_memory;
    state->compares = before->compares;
    tell(state, "%s", words);
}

// While a number is typed, its keys are the typing's.
static bool is_typed(struct walker *walker, uint32_t key) {
    const bool is_digit = (key >= '0' && key <= '9') || key == '.' || key == '-';
    return is_typing(walker) && (is_digit || key == PRESS_BACKSPACE);
}

bool tour_asks(const struct walker *walker) {
    return walker->tour.stage > 0 && stages[walker->tour.stage - 1].is_done == is_asked;
}

bool tour_takes(struct walker *walker, uint32_t key) {
    struct tour *tour = &walker->tour;
    tour->is_offered = false;
    if (tour->stage == 0) return false;
    const struct stage *stage = &stages[tour->stage - 1];
    if (key == 'T' || (key == PRESS_ESCAPE && stage->action != ACT_CLOSE)) {
        end(walker, "The tour is over. T begins it again, ? lists all keys.");
        return true;
    }
    const enum action action = action_of(top_view(walker)->view->bit, key);
    const bool moves =
        action == ACT_LEFT || action == ACT_RIGHT || action == ACT_UP || action == ACT_DOWN;
    const bool is_asked_for =
        key == stage->pressed || (stage->action != ACT_NOTHING && action == stage->action);
    if (moves || is_asked_for || is_typed(walker, key) || action == ACT_QUIT) return false;
    tell_at_foot(&walker->state, "Press %s now: the tour waits for it. T ends the tour.",
                 stage->key);
    return true;
}

void tour_look(struct walker *walker) {
    struct tour *tour = &walker->tour;
    if (tour->stage == 0 || !stages[tour->stage - 1].is_done(walker)) return;
    if (tour->stage == STAGES)
        end(walker, "That was the tour. n walks on from here; ? lists all keys, : finds anything.");
    else
        begin_stage(walker, tour->stage + 1);
}

// ---- Drawing ------------------------------------------------------------------------------------

static const char offer[] = "First time here? n: the next step. T: a tour of two minutes. ?: help.";

void say_tour(const struct walker *walker, struct text *text) {
    const int stage = walker->tour.stage - 1;
    if (walker->tour.is_offered) text_add_format(text, "%s\n", offer);
    if (stage >= 0)
        text_add_format(text, "Tour, stage %d of %d: %s Press %s.\n", stage + 1, STAGES,
                        stages[stage].says, stages[stage].key);
}

void draw_tour(struct walker *walker, struct canvas *canvas) {
    static const char ends[] = "T ends the tour";
    const struct tour *tour = &walker->tour;
    const int row = canvas->rows - 1, width = canvas->columns - 2;
    if (tour->is_offered) {
        const bool fits = shown_width(canvas, offer) < canvas->columns;
        put_blanks(canvas, row, 0, canvas->columns, REVERSE);
        put_text(canvas, row, 1, canvas->columns - 1,
                 fits ? offer : "New here? n goes on. T: a tour.", REVERSE);
    }
    if (tour->stage == 0) return;
    const struct stage *stage = &stages[tour->stage - 1];
    const int end_column = canvas->columns - 2 - text_width(ends);
    const char *asks = arena_format(canvas->arena, "Press %s", stage->key);
    const char *head = arena_format(canvas->arena, "Tour %d/%d", tour->stage, STAGES);
    const char *words = arena_format(canvas->arena, "%s  %s", head, stage->says);
    if (shown_width(canvas, words) > canvas->columns - 3)
        words = arena_format(canvas->arena, "%s  %s", head, stage->short_says);
    draw_title(canvas, words, "");
    put_blanks(canvas, row, 0, canvas->columns, PLAIN);
    put_text(canvas, row, 1, width, asks, BOLD);
    put_right(canvas, row, 1, width, ends, PLAIN);
    put_spot(canvas, (struct spot){row, 0, end_column, SPOT_KEY, (int)stage->pressed});
    put_spot(canvas, (struct spot){row, end_column, canvas->columns - end_column, SPOT_KEY, 'T'});
}
