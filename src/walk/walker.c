#include "walk/walker.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "trace/step.h"
#include "walk/list.h"
#include "walk/origin.h"
#include "walk/page.h"

// ---- Runs ---------------------------------------------------------------------------------------

static void forget_course(struct walker *walker) {
    arena_free(&walker->course_memory);
    walker->has_course = false;
}

// What mistakes do depends on the lesson and its parameters.
static bool has_same_effects(const struct walker *walker, const struct lesson *lesson,
                             const struct parameters *chosen) {
    return walker->trial.run.lesson == lesson &&
           memcmp(&walker->chosen, chosen, sizeof *chosen) == 0;
}

// What belongs to the old run must not be asked for any more.
static void forget_run(struct walker *walker) {
    forget_course(walker);
    measured_forget(&walker->measured);
    walker->state.trail_count = 0;
    walker->sight = (struct sight){0};
}

// A lesson to be run, whether it can be or not.
struct teaching {
    struct trial *trial;
    struct arena *memory;
    const struct lesson *lesson;
    const struct parameters *chosen;
    const struct what_ifs *what_ifs;
};

static void teach(void *context) {
    const struct teaching *teaching = context;
    run_trial(teaching->trial, teaching->memory, teaching->lesson, teaching->chosen,
              teaching->what_ifs);
}

bool walker_run(struct walker *walker, int lesson, const struct parameters *chosen,
                const struct what_ifs *what_ifs) {
    // Tensors keep the address of their arena: it must be the walker's own.
    struct arena old = walker->memory;
    walker->memory = arena_new(&walker->failure);
    const bool has_same = has_same_effects(walker, walker->lessons[lesson], chosen);
    struct trial trial;
    struct teaching teaching = {&trial, &walker->memory, walker->lessons[lesson], chosen, what_ifs};
    if (!attempt(&walker->failure, teach, &teaching)) {
        arena_free(&walker->memory);
        walker->memory = old;
        snprintf(walker->state.message, sizeof walker->state.message, "%s",
                 walker->failure.message);
        return false;
    }
    arena_free(&old);
    forget_run(walker);
    if (!has_same) effects_forget(&walker->effects);
    walker->trial = trial;
    walker->chosen = *chosen;
    walker->what_ifs = *what_ifs;
    return true;
}

void walker_say_idle(struct walker *walker) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->broken);
    for (int i = 0; i < walker->trial.mistake_count; i++) {
        const char *idle = idle_text(m, &walker->trial, i);
        if (idle == NULL) continue;
        snprintf(walker->state.message, sizeof walker->state.message, "%s.", idle);
        break;
    }
    scratch_close(&scratch);
}

static void teach_course(void *context) {
    struct walker *walker = context;
    const struct parameters own = {0};
    run_lesson(&walker->course, &walker->course_memory, walker->trial.run.lesson, &own);
}

void walker_compare(struct walker *walker) {
    if (!walker->state.compares || walker->has_course) return;
    walker->course_memory = arena_new(&walker->failure);
    walker->has_course = attempt(&walker->failure, teach_course, walker);
    if (!walker->has_course) forget_course(walker);
}

int walker_digits(const struct walker *walker) {
    return walker->state.shows_all_digits ? ALL_DIGITS : walker->digits;
}

void walker_start(struct walker *walker, const struct walk_start *start, struct failure *failure) {
    *walker = (struct walker){
        .lessons = start->lessons,
        .lesson_count = start->lesson_count < MAX_LESSONS ? start->lesson_count : MAX_LESSONS,
        .digits = start->digits,
        .broken = failure,
        .measured = {.failure = failure},
        .effects = {.failure = failure, .words = &walker->words},
    };
    walker->memory = walker->course_memory = arena_new(&walker->failure);
    walker->words = arena_new(failure);
    walker->state = state_new(start->lesson, walker->lesson_count);
    for (int i = 0; start->visits != NULL && i < walker->lesson_count; i++)
        walker->state.visits[i] = start->visits[i];
    if (!walker_run(walker, start->lesson, start->chosen, start->what_ifs))
        fail(failure, walker->failure.status, "%s", walker->failure.message);
    walker->state.step = walker->state.visits[start->lesson].step;
    if (start->step != NULL)
        walker->state.step = find_step(&walker->trial.run, start->step, failure)->number - 1;
    walker->state = arrive(&walker->state, &walker->trial.run);
    walker_say_idle(walker);
}

void walker_free(struct walker *walker) {
    arena_free(&walker->memory);
    arena_free(&walker->course_memory);
    arena_free(&walker->words);
}

// ---- Frames -------------------------------------------------------------------------------------

static void draw_lines(struct walker *walker, struct canvas *canvas) {
    struct state *state = &walker->state;
    const struct step *step = current_step(state, &walker->trial.run);
    const struct page page = state->mode == MODE_HELP ? help_page(canvas, state->mode_before_help)
                             : state->mode == MODE_SHEET
                                 ? sheet_page(canvas, &walker->trial)
                                 : step_page(canvas, &walker->trial.run, step);
    state->scroll = page_first(&page, state->scroll);
    draw_page(canvas, &page, state->scroll, state->mode);
}

static void draw_entries(struct walker *walker, struct canvas *canvas) {
    const struct list list =
        list_entries(canvas->arena, &walker->state, walker->lessons, &walker->trial.run);
    draw_list(canvas, &list, &walker->state, walker->lessons, &walker->trial.run,
              walker->trial.touched);
}

void walker_draw(struct walker *walker, struct canvas *canvas) {
    if (canvas->rows < LEAST_ROWS || canvas->columns < LEAST_COLUMNS) {
        draw_too_small(canvas);
        return;
    }
    walker_compare(walker);
    const bool sees_course = walker->state.compares && walker->has_course;
    const struct scene scene = {
        .run = &walker->trial.run,
        .trial = &walker->trial,
        .other = sees_course ? &walker->course : walker->trial.right,
        .other_name = sees_course                        ? "in the course"
                      : walker->trial.mistake_count == 1 ? "without the mistake"
                                                         : "without the mistakes",
        .other_word = sees_course ? "in the course" : "right",
        .state = &walker->state,
        .chosen = &walker->chosen,
        .measured = &walker->measured,
        .effects = &walker->effects,
        .touched = walker->trial.touched,
        .badge = differences_text(canvas->arena, &walker->trial),
        .digits = walker_digits(walker),
    };
    walker->sight = (struct sight){0};
    switch (walker->state.mode) {
    case MODE_LIST:
    case MODE_SEARCH:
        draw_entries(walker, canvas);
        break;
    case MODE_HELP:
    case MODE_READ:
    case MODE_SHEET:
        draw_lines(walker, canvas);
        break;
    case MODE_ORIGIN:
        draw_origin(canvas, &scene);
        break;
    default:
        walker->sight = draw_step(canvas, &scene);
    }
}
