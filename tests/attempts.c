#include "attempts.h"

#include "trace/run/step.h"

#include <check.h> // last: defines a macro fail

struct teaching {
    struct run *run;
    struct arena *arena;
    const struct lesson *lesson;
    const struct parameters *chosen;
};

static void teach(void *context) {
    const struct teaching *teaching = context;
    run_lesson(teaching->run, teaching->arena, teaching->lesson, teaching->chosen);
}

bool try_lesson(struct run *run, struct arena *arena, const struct lesson *lesson,
                const struct parameters *chosen) {
    struct teaching teaching = {run, arena, lesson, chosen};
    return attempt(arena->failure, teach, &teaching);
}

struct run must_run(struct arena *arena, const struct lesson *lesson,
                    const struct parameters *chosen) {
    struct run run;
    if (!try_lesson(&run, arena, lesson, chosen))
        ck_abort_msg("%s: %s", lesson->name, arena->failure->message);
    return run;
}

struct finding {
    const struct run *run;
    const char *wanted;
    struct failure *failure;
    const struct step *found;
};

static void find(void *context) {
    struct finding *finding = context;
    finding->found = find_step(finding->run, finding->wanted, finding->failure);
}

bool try_step(const struct step **step, const struct run *run, const char *wanted,
              struct failure *failure) {
    struct finding finding = {run, wanted, failure, NULL};
    const bool is_found = attempt(failure, find, &finding);
    if (step != NULL) *step = finding.found;
    return is_found;
}
