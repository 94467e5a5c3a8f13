#include "app/session/session.h"

#include <stdlib.h>
#include <string.h>

#include "app/command/program.h"
#include "script/lesson/interpreter.h"

static void write_now(void *context) {
    struct walking *walking = context;
    progress_write(&walking->progress, &walking->now, &walking->unsaved);
}

// The environment ends the questions for a walk, and nothing of that is remembered.
static bool are_questions_off(void) {
    const char *questions = getenv("ONESTEP_QUESTIONS");
    return questions != NULL && strcmp(questions, "off") == 0;
}

void walking_remember(struct walking *walking) {
    // A program's next walk may be of another one, and a companion's lesson has other steps in sight.
    if (is_of_reader(walking->walker.trial.run.lesson) || walking->walker.companions != NULL)
        return;
    const struct state *state = &walking->walker.state;
    const struct progress *before = &walking->progress;
    const bool asks_nothing = are_questions_off() ? before->asks_nothing : state->asks_nothing;
    bool is_same = before->lesson == state->lesson && before->shows_c == state->shows_c &&
                   before->is_light == state->is_light && before->asks_nothing == asks_nothing;
    for (int i = 0; i < MAX_LESSONS; i++)
        is_same = is_same && same_visit(&before->visits[i], &state->visits[i]);
    if (is_same || walking->walker.tour.stage > 0) return; // a tour is no place to come back to
    walking->now.lesson = state->lesson;
    walking->now.shows_c = state->shows_c;
    walking->now.is_light = state->is_light;
    walking->now.asks_nothing = asks_nothing;
    memcpy(walking->now.visits, state->visits, sizeof walking->now.visits);
    if (!attempt(&walking->unsaved, write_now, walking)) return;
    walking->progress = walking->now;
    walking->unsaved.message[0] = '\0';
}

// The lesson asked for, else the one walked last, else the first.
static int first_lesson(const struct progress *progress, const struct lesson *lesson,
                        struct failure *failure) {
    for (int i = 0; i < progress->lesson_count; i++) {
        if (progress->lessons[i] == lesson) return i;
    }
    if (lesson != NULL) fail(failure, FAIL_USAGE, "the lesson %s is left out here", lesson->name);
    return progress->lesson >= 0 ? progress->lesson : 0;
}

struct walk_start start_of(const struct command *command,
                           const struct companion_source *companions) {
    return (struct walk_start){
        .step = command->step,
        .cell = command->cell,
        .cell_dims = command->cell_dims,
        .chosen = &command->parameters,
        .what_ifs = &command->what_ifs,
        .interpreter = &python_interpreter,
        .companions = companions,
        .digits = command->digits,
    };
}

void walking_start(struct walking *walking, const struct lesson *const *lessons, int count,
                   const struct command *command, const struct companion_source *companions,
                   struct failure *failure) {
    memset(walking, 0, sizeof *walking);
    if (is_of_reader(command->lesson))
        walking->progress = (struct progress){.lessons = lessons, .lesson_count = count};
    else
        walking->progress = progress_read(lessons, count);
    walking->now = walking->progress;
    struct walk_start start = start_of(command, companions);
    start.lessons = lessons;
    start.lesson_count = count;
    start.lesson = first_lesson(&walking->progress, command->lesson, failure);
    start.visits = walking->progress.visits;
    start.shows_c = walking->progress.shows_c;
    start.is_light = walking->progress.is_light;
    start.asks_nothing = walking->progress.asks_nothing || are_questions_off();
    walker_start(&walking->walker, &start, failure);
}

void walking_offer_tour(struct walking *walking) {
    const struct progress *progress = &walking->progress;
    if (progress->lesson >= 0) return;
    walking_remember(walking);
    const struct progress reread = progress_read(progress->lessons, progress->lesson_count);
    walking->walker.tour.is_offered = reread.lesson >= 0;
    if (walking->walker.tour.is_offered && walking->walker.trial.run.lesson->learned != NULL)
        tell(&walking->walker.state,
             "This is lesson 0. Esc goes on to lesson 1, the first of the course.");
}
