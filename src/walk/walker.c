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

// Which steps the mistakes made change.
static void find_touched(struct walker *walker) {
    const struct run *run = &walker->run;
    walker->touched = NULL;
    if (run->right == NULL) return;
    walker->touched =
        arena_array(&walker->memory, (size_t)run->step_count, sizeof *walker->touched);
    count_touched(run->right, run, walker->touched);
}

// What mistakes do depends on all that was chosen but for the mistakes.
static bool has_same_effects(const struct walker *walker, const struct lesson *lesson,
                             const struct parameters *chosen) {
    struct parameters old = walker->chosen;
    old.what_ifs = chosen->what_ifs;
    return walker->run.lesson == lesson && memcmp(&old, chosen, sizeof old) == 0;
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
    struct run *run;
    struct arena *memory;
    const struct lesson *lesson;
    const struct parameters *chosen;
};

static void teach(void *context) {
    const struct teaching *teaching = context;
    run_lesson(teaching->run, teaching->memory, teaching->lesson, teaching->chosen);
}

bool walker_run(struct walker *walker, int lesson, const struct parameters *chosen) {
    // Tensors keep the address of their arena: it must be the walker's own.
    struct arena old = walker->memory;
    walker->memory = arena_new(&walker->failure);
    struct run run;
    struct teaching teaching = {&run, &walker->memory, walker->lessons[lesson], chosen};
    if (!attempt(&walker->failure, teach, &teaching)) {
        arena_free(&walker->memory);
        walker->memory = old;
        snprintf(walker->state.message, sizeof walker->state.message, "%s",
                 walker->failure.message);
        return false;
    }
    arena_free(&old);
    forget_run(walker);
    if (!has_same_effects(walker, walker->lessons[lesson], chosen))
        effects_forget(&walker->effects);
    walker->run = run;
    walker->chosen = *chosen;
    find_touched(walker);
    return true;
}

void walker_say_idle(struct walker *walker) {
    const struct run *run = &walker->run;
    for (int i = 0; i < run->mistake_count; i++) {
        if (run->idle[i] == NULL) continue;
        snprintf(walker->state.message, sizeof walker->state.message,
                 "%s changes nothing here: %s.", run->mistakes[i]->name, run->idle[i]);
        return;
    }
}

void walker_compare(struct walker *walker) {
    if (!walker->state.compares || walker->has_course) return;
    const struct parameters own = {0};
    walker->course_memory = arena_new(&walker->failure);
    struct teaching teaching = {&walker->course, &walker->course_memory, walker->run.lesson, &own};
    walker->has_course = attempt(&walker->failure, teach, &teaching);
    if (!walker->has_course) forget_course(walker);
}

int walker_digits(const struct walker *walker) {
    return walker->state.shows_all_digits ? ALL_DIGITS : walker->digits;
}

void walker_start(struct walker *walker, const struct lesson *const *lessons, int lesson_count,
                  int lesson, const char *step, const struct parameters *chosen, int digits,
                  const struct visit *visits, struct failure *failure) {
    *walker = (struct walker){
        .lessons = lessons,
        .lesson_count = lesson_count < MAX_LESSONS ? lesson_count : MAX_LESSONS,
        .digits = digits,
        .broken = failure,
        .measured = {.failure = failure},
        .effects = {.failure = failure, .words = &walker->words},
    };
    walker->memory = walker->course_memory = arena_new(&walker->failure);
    walker->words = arena_new(failure);
    walker->state = state_new(lesson, walker->lesson_count);
    for (int i = 0; visits != NULL && i < walker->lesson_count; i++)
        walker->state.visits[i] = visits[i];
    if (!walker_run(walker, lesson, chosen))
        fail(failure, walker->failure.status, "%s", walker->failure.message);
    walker->state.step = walker->state.visits[lesson].step;
    if (step != NULL) walker->state.step = find_step(&walker->run, step, failure)->number - 1;
    walker->state = arrive(&walker->state, &walker->run);
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
    const struct step *step = current_step(state, &walker->run);
    const struct page page = state->mode == MODE_HELP ? help_page(canvas, state->mode_before_help)
                             : state->mode == MODE_SHEET ? sheet_page(canvas, &walker->run)
                                                         : step_page(canvas, &walker->run, step);
    state->scroll = page_first(&page, state->scroll);
    draw_page(canvas, &page, state->scroll, state->mode);
}

static void draw_entries(struct walker *walker, struct canvas *canvas) {
    const struct list list =
        list_entries(canvas->arena, &walker->state, walker->lessons, &walker->run);
    draw_list(canvas, &list, &walker->state, walker->lessons, &walker->run, walker->touched);
}

void walker_draw(struct walker *walker, struct canvas *canvas) {
    if (canvas->rows < LEAST_ROWS || canvas->columns < LEAST_COLUMNS) {
        draw_too_small(canvas);
        return;
    }
    walker_compare(walker);
    const bool sees_course = walker->state.compares && walker->has_course;
    const struct scene scene = {
        .run = &walker->run,
        .other = sees_course ? &walker->course : walker->run.right,
        .other_name = sees_course                      ? "in the course"
                      : walker->run.mistake_count == 1 ? "without the mistake"
                                                       : "without the mistakes",
        .other_word = sees_course ? "in the course" : "right",
        .state = &walker->state,
        .chosen = &walker->chosen,
        .measured = &walker->measured,
        .effects = &walker->effects,
        .touched = walker->touched,
        .badge = differences_text(canvas->arena, &walker->run),
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
