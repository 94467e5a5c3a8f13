#include "walk/tour.h"

#include "base/text.h"
#include "walk/bar.h"
#include "walk/walker.h"

// ---- The stages ---------------------------------------------------------------------------------

static bool has_moved(struct walker *walker) {
    const struct tour *tour = &walker->tour;
    return walker->state.row != tour->row || walker->state.column != tour->column;
}

static bool is_where_from(struct walker *walker) {
    return top_view(walker)->view == &where_from_view;
}

static bool is_inside(struct walker *walker) {
    return walker->state.grain != GRAIN_STEP;
}

static bool is_whole(struct walker *walker) {
    return walker->state.grain == GRAIN_STEP;
}

static bool is_among_mistakes(struct walker *walker) {
    return top_view(walker)->view == &mistakes_view;
}

static bool is_on_map(struct walker *walker) {
    return top_view(walker)->view == &map_view;
}

static bool is_on_step(struct walker *walker) {
    return walker->open_count == 1;
}

static const struct {
    unsigned views;         // in which the key is pressed
    const char *asks;       // for it
    const char *says;       // why
    const char *short_says; // where the screen is narrow
    bool (*is_done)(struct walker *walker);
} stages[] = {
    {VIEW_STEP | VIEW_INSIDE, "Press an arrow key",
     "Go to any number: its arithmetic is shown below.", "Look at each number", has_moved},
    {VIEW_STEP | VIEW_INSIDE, "Press Enter", "See which numbers this one was computed from.",
     "Where did it come from?", is_where_from},
    {VIEW_WHERE_FROM, "Press Esc",
     "Computed from these. Enter follows the chosen one; Esc leaves any view.",
     "From these. Esc leaves", is_on_step},
    {VIEW_STEP, "Press i", "See how a step is computed, row by row.", "A step from inside",
     is_inside},
    {VIEW_INSIDE, "Press o", "n computes the next row, i goes to single cells, o goes out again.",
     "n: next row. o: out again", is_whole},
    {VIEW_STEP, "Press x", "Here you can make classic mistakes and see what they change.",
     "What if it were wrong?", is_among_mistakes},
    {VIEW_MISTAKES, "Press Esc",
     "Enter makes the chosen mistake, marks show its changes, u undoes it.",
     "Enter makes it, u undoes it", is_on_step},
    {VIEW_STEP, "Press v", "The map shows all steps, and what each was computed from.",
     "The lesson as a map", is_on_map},
    {VIEW_MAP, "Press Esc", "Arrow keys move on the map, Enter goes to a step.",
     "Enter goes to a step", is_on_step},
};
enum { STAGES = sizeof stages / sizeof *stages };

// ---- Beginning and ending -----------------------------------------------------------------------

// The first matrix of the run that is computed; the first step, if there is none.
static int first_matrix(const struct run *run) {
    for (int i = 0; i < run->step_count; i++) {
        const struct table table = table_of(&run->steps[i].tensor);
        const bool is_matrix = table.rows > 1 && table.columns > 1;
        if (is_matrix && order_of(run, &run->steps[i]).moment_count > 0) return i;
    }
    return 0;
}

void tour_begin(struct walker *walker) {
    struct tour *tour = &walker->tour;
    struct state *state = &walker->state;
    close_views(walker);
    *tour = (struct tour){.stage = 1, .before = *state};
    if (state->lesson != 0) (void)go_to_lesson(walker, 0);
    go_to_step(state, &walker->trial.run, first_matrix(&walker->trial.run));
    state->page = 0;
    choose_cell(state, &walker->trial.run, 0, 0);
    state->message[0] = '\0';
}

// Back to where it was begun, with the steps seen that were seen then.
static void end(struct walker *walker, const char *words) {
    const struct state *before = &walker->tour.before;
    struct state *state = &walker->state;
    walker->tour.stage = 0;
    close_views(walker);
    if (state->lesson != before->lesson && !go_to_lesson(walker, before->lesson)) return;
    for (int i = 0; i < MAX_LESSONS; i++) state->visits[i] = before->visits[i];
    go_to_step(state, &walker->trial.run, before->step);
    state->page = before->page;
    choose_cell(state, &walker->trial.run, before->row, before->column);
    tell(state, "%s%s", words, any_made(&walker->what_ifs) ? " u undoes the mistake." : "");
}

enum { TEXT_VIEWS = VIEW_TYPING | VIEW_SEARCH | VIEW_PALETTE }; // where T is a letter

bool tour_takes(struct walker *walker, uint32_t key) {
    const enum view_bit view = top_view(walker)->view->bit;
    walker->tour.is_offered = false;
    if (walker->tour.stage == 0 || view & TEXT_VIEWS) return false;
    if (key != 'T' && !(key == PRESS_ESCAPE && view == VIEW_STEP)) return false;
    end(walker, "The tour is over. T begins it again, ? lists all keys.");
    return true;
}

void tour_look(struct walker *walker) {
    struct tour *tour = &walker->tour;
    const bool is_over = tour->stage == STAGES && stages[STAGES - 1].is_done(walker);
    if (is_over)
        end(walker, "That was the tour. n walks on from here; ? lists all keys, : finds anything.");
    else if (tour->stage > 0 && stages[tour->stage - 1].is_done(walker))
        tour->stage++;
}

// ---- Drawing ------------------------------------------------------------------------------------

static const char offer[] =
    "First time here? T: a tour of a minute and a half. Any other key works at once.";

static void draw_offer(struct canvas *canvas) {
    const bool fits = shown_width(canvas, offer) < canvas->columns;
    put_blanks(canvas, canvas->rows - 1, 0, canvas->columns, REVERSE);
    put_text(canvas, canvas->rows - 1, 1, canvas->columns - 1,
             fits ? offer : "New here? T: a tour. Or any other key.", REVERSE);
}

// What the stage is about, in the place of the title.
static void draw_words(struct canvas *canvas, int stage) {
    const char *head = arena_format(canvas->arena, "Tour %d/%d", stage + 1, STAGES);
    const char *words = arena_format(canvas->arena, "%s  %s", head, stages[stage].says);
    if (shown_width(canvas, words) > canvas->columns - 3)
        words = arena_format(canvas->arena, "%s  %s", head, stages[stage].short_says);
    draw_title(canvas, words, "");
}

// In a view that the tour did not ask for, only the way back is told.
static const char *asks(const struct walker *walker) {
    const int stage = walker->tour.stage - 1;
    const bool is_astray = !(walker->open[walker->open_count - 1].view->bit & stages[stage].views);
    return is_astray ? "Esc: back to the tour" : stages[stage].asks;
}

void say_tour(const struct walker *walker, struct text *text) {
    const int stage = walker->tour.stage - 1;
    if (walker->tour.is_offered) text_add_format(text, "%s\n", offer);
    if (stage >= 0)
        text_add_format(text, "Tour, stage %d of %d: %s %s.\n", stage + 1, STAGES,
                        stages[stage].says, asks(walker));
}

void draw_tour(struct walker *walker, struct canvas *canvas) {
    const struct tour *tour = &walker->tour;
    if (tour->is_offered) draw_offer(canvas);
    const enum view_bit view = top_view(walker)->view->bit;
    if (tour->stage == 0 || view & TEXT_VIEWS) return;
    const int stage = tour->stage - 1, row = canvas->rows - 1, width = canvas->columns - 2;
    const bool is_astray = !(view & stages[stage].views);
    if (!is_astray) draw_words(canvas, stage);
    put_blanks(canvas, row, 0, canvas->columns, PLAIN);
    put_text(canvas, row, 1, width, asks(walker), BOLD);
    put_right(canvas, row, 1, width, "T ends the tour", PLAIN);
}
