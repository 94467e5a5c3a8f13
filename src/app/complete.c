// Runs each lesson when the program is built. A lesson that fails, or that has lost a role, is an error of the build.
//
// usage: complete STAMP, a file that is written if all lessons are complete

#include <stdio.h>

#include "lessons.h"
#include "trace/tape/lost_role.h"

struct attempted {
    struct arena *arena;
    const struct lesson *lesson;
    const char *lost;
};

static void run_it(void *context) {
    struct attempted *attempted = context;
    struct run run;
    run_lesson(&run, attempted->arena, attempted->lesson, &(struct parameters){0});
    attempted->lost = lost_role(attempted->arena, &run);
}

static bool is_complete(const struct lesson *lesson) {
    struct failure failure = {0};
    struct arena arena = arena_new(&failure);
    struct attempted attempted = {.arena = &arena, .lesson = lesson};
    const bool has_run = attempt(&failure, run_it, &attempted);
    const char *wrong = has_run ? attempted.lost : failure.message;
    if (wrong != NULL) fprintf(stderr, "error: lesson %s\n", wrong);
    arena_free(&arena);
    return wrong == NULL;
}

int main(int argc, char **argv) {
    bool are_complete = argc == 2;
    for (int i = 0; i < lesson_count; i++) are_complete &= is_complete(lesson_table[i]);
    FILE *stamp = are_complete ? fopen(argv[1], "w") : NULL;
    return stamp != NULL && fclose(stamp) == 0 ? 0 : 1;
}
