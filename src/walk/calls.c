#include "walk/walker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/run/step.h"
#include "walk/kit/canvas.h"
#include "walk/kit/lines.h"

bool has_calls(const struct run *run) {
    return is_of_reader(run->lesson);
}

bool refuses_changes(struct walker *walker) {
    if (walker->trial.run.lesson->explain == NULL) return false;
    tell(&walker->state,
         "A recorded run stays as it is. onestep compare says where another parts.");
    return true;
}

// ---- Calls --------------------------------------------------------------------------------------

void enter_call(struct walker *walker) {
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    const struct step *first = first_in_call(run, stop_at(run, state->step));
    if (first == NULL) {
        tell(state, "No call with steps made this. i goes into the arithmetic.");
        return;
    }
    go_to_step(state, run, first->number - 1);
    tell(state, "Inside the call: n goes through its steps, O leaves it.");
}

void leave_call(struct walker *walker) {
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    const struct step *around = call_around(run, current_step(state, run));
    if (around == NULL)
        tell(state, "This step stands in no call.");
    else
        go_to_step(state, run, stop_at(run, around->number - 1).first);
}

// ---- Turns --------------------------------------------------------------------------------------

// "turn 3 of 200" at the beginning of a group, or behind other turns; false if there is none.
static bool read_turn(const char *group, int64_t *turn, int64_t *count) {
    const char *at = group != NULL ? group : "";
    if (strncmp(at, "turn ", 5) != 0) return false;
    char *end;
    *turn = strtoll(at + 5, &end, 10);
    *count = strncmp(end, " of ", 4) == 0 ? strtoll(end + 4, NULL, 10) : 0;
    return true;
}

void tell_turns_passed(struct walker *walker, int from) {
    const struct run *run = &walker->trial.run;
    const int to = walker->state.step;
    int64_t before, after, counts[2];
    if (!read_turn(run->steps[from].group, &before, &counts[0]) ||
        !read_turn(run->steps[to].group, &after, &counts[1]) || counts[0] != counts[1] ||
        after <= before + 1)
        return;
    tell(&walker->state, "Turns %" PRId64 " to %" PRId64 " are not shown. # shows one of them.",
         before + 1, after - 1);
}

void go_to_turn(struct walker *walker, const char *text) {
    struct state *state = &walker->state;
    struct parameters chosen = walker->chosen;
    const struct parameter *parameter = &parameter_table[PARAMETER_TURN];
    int64_t turn, count;
    if (!set_parameter(&chosen, parameter, text)) {
        tell(state, "A turn is a whole number, from 1 on.");
        return;
    }
    if (!run_again(walker, &chosen, &walker->what_ifs)) return;
    const struct run *run = &walker->trial.run;
    for (int i = 0; i < run->step_count; i++) {
        if (!read_turn(run->steps[i].group, &turn, &count) || turn != chosen.turn) continue;
        const struct step *around = &run->steps[i];
        while (call_around(run, around) != NULL &&
               read_turn(call_around(run, around)->group, &turn, &count) && turn == chosen.turn)
            around = call_around(run, around);
        go_to_step(state, run, stop_at(run, around->number - 1).first);
        tell(state, "Turn %" PRId64 ". # shows another one.", chosen.turn);
        return;
    }
    tell(state, "No loop of this program has a turn %" PRId64 " with steps.", chosen.turn);
}

// ---- The steps in sight -------------------------------------------------------------------------

// The first steps of the stops in sight; *here is the place of this one.
static const int *stops_in_sight(const struct screen *screen, int *count, int *here) {
    const struct scene *scene = screen->scene;
    const struct run *run = scene->run;
    int *stops = arena_array(screen->canvas->arena, (size_t)run->step_count + 1, sizeof *stops);
    *count = *here = 0;
    for (int i = step_in_sight(scene->state, run, 0, 1); i < run->step_count;) {
        if (i <= scene->state->step) *here = *count;
        stops[(*count)++] = i;
        const struct stop stop = stop_at(run, i);
        i = step_in_sight(scene->state, run, stop.first + stop.count, 1);
    }
    return stops;
}

// The name of a step of the same group is enough.
static const char *name_beside(const struct screen *screen, int step) {
    const struct step *beside = &screen->scene->run->steps[step];
    return are_in_one_group(beside, screen->step) ? beside->name
                                                  : step_label(screen->canvas->arena, beside);
}

static int want_calls(struct screen *screen, struct slot *slot) {
    (void)screen, (void)slot;
    return 1;
}

static void draw_calls(struct screen *screen, const struct slot *slot) {
    struct canvas *canvas = screen->canvas;
    const struct run *run = screen->scene->run;
    int count, here;
    const int *stops = stops_in_sight(screen, &count, &here), most = screen->width / 4;
    const int first = (int)first_visible(here, count, most);
    const int last = first + most < count ? first + most : count;
    struct text text = text_new(canvas->arena);
    text_add(&text, first > 0 ? "…" : "");
    for (int i = first; i < last; i++) {
        const int column = 1 + text_width(text.bytes);
        put_spot(canvas, (struct spot){slot->row, column, 1, SPOT_STEP, stops[i]});
        text_add(&text, stop_mark(screen, stop_at(run, stops[i]), false));
    }
    text_add(&text, last < count ? "…" : "");
    if (here > 0) text_add_format(&text, "  ‹ %s", name_beside(screen, stops[here - 1]));
    if (here < count - 1) text_add_format(&text, "  › %s", name_beside(screen, stops[here + 1]));
    const int used = put_text(canvas, slot->row, 1, screen->width, text.bytes, PLAIN);
    const struct step *around = call_around(run, screen->step);
    const int left = screen->width - used - 2;
    if (around == NULL || left < 8) return;
    put_right(canvas, slot->row, used + 3, left,
              arena_format(canvas->arena, "in %s", step_label(canvas->arena, around)), DIM);
}

const struct block calls_block = {.wants = want_calls, .draw = draw_calls};

// ---- Below the source ---------------------------------------------------------------------------

enum { MOST_PRINTED_LINES = 4 };

static void add_below(struct text *text, const char *line) {
    text_add_format(text, "%s%s", text->length > 0 ? "\n" : "", line);
}

// What stands for the step in the run beside it.
static void add_counterpart(struct text *text, const struct screen *screen) {
    const struct companion *companion = screen->scene->companion;
    if (companion == NULL) return;
    const struct counterpart *counterpart = &companion->counterparts[screen->step->number - 1];
    struct arena *arena = text->arena;
    if (counterpart->where == NULL) {
        add_below(text,
                  arena_format(arena, "Nothing in %s stands for this step.", companion->name));
        return;
    }
    const bool differs = counterpart->words != NULL;
    const char *line = counterpart->line;
    line = text_safe_bytes(arena, line, strcspn(line, "\n"));
    const char *same =
        counterpart->is_rearranged ? "The same numbers in another order in " : "The same in ";
    add_below(text, arena_format(arena, "%s%s%s%s", differs ? "" : same, counterpart->where,
                                 *line != '\0' ? ":  " : "", line));
    if (differs && counterpart->ran != NULL)
        add_below(text, arena_format(arena, "It ran %s", text_safe(arena, counterpart->ran)));
    char **lines;
    const int count =
        differs ? wrap_shown(screen->canvas, counterpart->words, screen->width, &lines) : 0;
    for (int i = 0; i < count; i++) add_below(text, lines[i]);
}

// What the step printed, as many lines as are shown.
static void add_printed(struct text *text, const struct screen *screen) {
    char **lines;
    if (screen->step->printed == NULL) return;
    const int count = split_shown(screen->canvas, screen->step->printed, &lines);
    for (int i = 0; i < count && i < MOST_PRINTED_LINES; i++) {
        const bool is_cut = i == MOST_PRINTED_LINES - 1 && count > MOST_PRINTED_LINES;
        const char *line =
            is_cut ? arena_format(text->arena, "... t shows all %d lines", count) : lines[i];
        add_below(text,
                  arena_format(text->arena, "%s%s", i == 0 ? "Prints   " : "         ", line));
    }
}

static int lines_below(const struct screen *screen, char ***lines) {
    struct text text = text_new(screen->canvas->arena);
    add_counterpart(&text, screen);
    add_printed(&text, screen);
    return text.length > 0 ? split_shown(screen->canvas, text.bytes, lines) : 0;
}

static int want_source_and_below(struct screen *screen, struct slot *slot) {
    char **lines;
    const int wanted = source_block.wants(screen, slot), count = lines_below(screen, &lines);
    slot->lead += count;
    if (screen->scene->companion != NULL) slot->needed = count;
    return wanted + count;
}

// The rows that the lines of the step get: with a run beside it, those that the rest leaves; else all but one.
static int rows_of_source(const struct screen *screen, int lead, int rows, int below) {
    if (screen->scene->companion != NULL && rows - below < lead)
        return rows > below ? rows - below : 0;
    if (rows > lead) return lead;
    return rows > 1 && below > 0 ? rows - 1 : rows;
}

static void draw_source_and_below(struct screen *screen, const struct slot *slot) {
    char **lines;
    const int count = lines_below(screen, &lines);
    struct slot source = *slot;
    source.lead -= count;
    source.wanted -= count;
    source.rows = rows_of_source(screen, source.lead, slot->rows, count);
    if (source.rows > 0) source_block.draw(screen, &source);
    for (int i = 0; i < count && source.rows + i < slot->rows; i++)
        put_text(screen->canvas, slot->row + source.rows + i, 1, screen->width, lines[i], PLAIN);
}

const struct block below_block = {
    .wants = want_source_and_below, .draw = draw_source_and_below, .likes_gap = true};

// ---- The keys -----------------------------------------------------------------------------------

static void draw_keys(struct screen *screen, const struct slot *slot) {
    (void)slot;
    const struct run *run = screen->scene->run;
    const char *left_out = what_is_left_out(screen);
    const struct key_hint hint = {left_out != NULL ? ACT_READ : ACT_NOTHING, left_out, ACT_NOTHING,
                                  false};
    int64_t turn, count;
    const unsigned offered =
        (first_in_call(run, screen->stop) != NULL ? OFFERED(ACT_ENTER) : 0) |
        (screen->step->within > 0 ? OFFERED(ACT_LEAVE) : 0) |
        (read_turn(screen->step->group, &turn, &count) && (count == 0 || count > 4)
             ? OFFERED(ACT_TURN)
             : 0);
    draw_key_bar_offering(screen->canvas, screen->scene->keys, &hint, offered);
}

const struct block calls_keys_block = {.wants = want_calls, .draw = draw_keys};
