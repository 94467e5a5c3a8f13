#include "walk/walker.h"

#include "trace/step.h"
#include "walk/list.h"
#include "walk/page.h"
#include "walk/screen.h"

// ---- The run ------------------------------------------------------------------------------------

// Puts a new run in place of the old one; the old one stays if the new one cannot be.
static bool run_again(struct walker *walker, int lesson) {
    struct arena memory = arena_new(&walker->failure);
    struct run run;
    // The run keeps the address of its arena: it must be the walker's own.
    struct arena old = walker->memory;
    walker->memory = memory;
    if (!run_lesson(&run, &walker->memory, walker->lessons[lesson], &walker->chosen)) {
        arena_free(&walker->memory);
        walker->memory = old;
        return false;
    }
    arena_free(&old);
    walker->run = run;
    walker->measured_step = -1;
    return true;
}

bool walker_start(struct walker *walker, const struct lesson *const *lessons, int lesson_count,
                  int lesson, const char *step, const struct parameters *chosen, int digits,
                  struct failure *failure) {
    *walker = (struct walker){
        .lessons = lessons,
        .lesson_count = lesson_count < MAX_LESSONS ? lesson_count : MAX_LESSONS,
        .chosen = *chosen,
        .digits = digits,
        .measured_step = -1,
    };
    walker->memory = arena_new(&walker->failure);
    walker->measured = arena_new(failure);
    walker->state = state_new(lesson, walker->lesson_count);
    if (!run_again(walker, lesson)) return false;
    if (step != NULL) {
        const struct step *found = find_step(&walker->run, step, &walker->failure);
        if (found == NULL) return false;
        walker->state.step = found->number - 1;
    }
    walker->state = arrive(&walker->state, &walker->run);
    return true;
}

void walker_free(struct walker *walker) {
    arena_free(&walker->memory);
    arena_free(&walker->measured);
}

// ---- Keys ---------------------------------------------------------------------------------------

// Takes over a state; if its lesson is another one, that is run first.
static void enter(struct walker *walker, const struct state *next) {
    const bool is_other = next->lesson != walker->state.lesson;
    if (is_other && !run_again(walker, next->lesson)) return;
    walker->state = is_other ? arrive(next, &walker->run) : *next;
}

static void press_in_list(struct walker *walker, enum action action, int lines) {
    struct arena scratch = arena_new(walker->measured.failure);
    const struct list list = list_entries(&scratch, &walker->state, &walker->run);
    struct state next = walker->state;
    const int by = action == ACT_UP            ? -1
                   : action == ACT_DOWN        ? 1
                   : action == ACT_SCROLL_UP   ? -lines
                   : action == ACT_SCROLL_DOWN ? lines
                                               : 0;
    if (by != 0) next = list_move(&walker->state, &list, by);
    if (action == ACT_CHOOSE) {
        const struct entry entry = list.entries[list_selected(&list, &walker->state)];
        if (entry.kind == ENTRY_STEP) {
            next = go_to_step(&walker->state, &walker->run, entry.step);
            next.mode = MODE_STEP;
        } else {
            next.lesson = entry.lesson;
            next.step = next.visits[entry.lesson].step;
            next.selected = -1;
        }
    }
    arena_free(&scratch);
    enter(walker, &next);
}

void walker_press(struct walker *walker, struct press press, int rows) {
    const enum action action = action_of(walker->state.mode, press.key);
    const int lines = rows > 5 ? rows - 4 : 1;
    const bool is_list = walker->state.mode == MODE_LIST;
    if (is_list && action != ACT_CLOSE && action != ACT_HELP) {
        press_in_list(walker, action, lines);
        return;
    }
    const struct state next = state_after(&walker->state, action, &walker->run, lines);
    enter(walker, &next);
}

// ---- Frames -------------------------------------------------------------------------------------

static void measure(struct walker *walker) {
    const struct state *state = &walker->state;
    if (walker->measured_step == state->step && walker->matrix.page == state->page &&
        walker->matrix.digits == walker->digits)
        return;
    arena_free(&walker->measured);
    const struct step *step = current_step(state, &walker->run);
    walker->matrix = matrix_measure(&walker->measured, &step->tensor, state->page, walker->digits);
    walker->measured_step = state->step;
}

void walker_draw(struct walker *walker, struct canvas *canvas) {
    struct state *state = &walker->state;
    const struct run *run = &walker->run;
    if (canvas->rows < LEAST_ROWS || canvas->columns < LEAST_COLUMNS) {
        draw_too_small(canvas);
        return;
    }
    measure(walker);
    switch (state->mode) {
    case MODE_LIST: {
        const struct list list = list_entries(canvas->arena, state, run);
        draw_list(canvas, &list, state, walker->lessons, run);
        return;
    }
    case MODE_HELP: {
        const struct page page = help_page(canvas, state->mode_before_help);
        state->scroll = page_first(&page, state->scroll);
        draw_page(canvas, &page, state->scroll, MODE_HELP);
        return;
    }
    case MODE_READ: {
        const struct page page = step_page(canvas, run, current_step(state, run));
        state->scroll = page_first(&page, state->scroll);
        draw_page(canvas, &page, state->scroll, MODE_READ);
        return;
    }
    case MODE_STEP:
    case MODE_ALL:
        break;
    }
    const struct scene scene = {
        .run = run,
        .state = state,
        .matrix = &walker->matrix,
        .badge = differences_text(canvas->arena, run),
        .digits = walker->digits,
    };
    draw_step(canvas, &scene);
}
