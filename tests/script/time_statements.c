// How long do the statements of each lesson take as a program, beside its C code? Both in time of the processor, medians of
// several runs at the lesson's own parameters. Speaks TAP: at most 2.5 times as long, and 5 ms for the library in Python.

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lessons.h"
#include "script/lesson/statements.h"

enum { RUNS = 7 };

struct timed {
    const struct lesson *lesson;
    double in_c, as_program; // milliseconds
};

static struct failure failure;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void run_both(void *context) {
    struct timed *timed = context;
    struct scratch scratch;
    struct arena *arena = scratch_open(&scratch, &failure);
    struct run run;
    const double start = now();
    run_lesson(&run, arena, timed->lesson, &(struct parameters){0});
    const double middle = now();
    struct line_outcome *outcomes = arena_array(arena, (size_t)run.step_count, sizeof *outcomes);
    play_statements(outcomes, arena, &run, &run, NULL);
    timed->in_c = middle - start;
    timed->as_program = now() - middle;
    scratch_close(&scratch);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_quick(int number, const struct lesson *lesson) {
    double in_c[RUNS], as_program[RUNS];
    for (int i = 0; i < RUNS; i++) {
        struct timed timed = {.lesson = lesson};
        if (!attempt(&failure, run_both, &timed)) abort();
        in_c[i] = timed.in_c;
        as_program[i] = timed.as_program;
    }
    qsort(in_c, RUNS, sizeof *in_c, compare);
    qsort(as_program, RUNS, sizeof *as_program, compare);
    const bool is_right = as_program[RUNS / 2] <= 2.5 * in_c[RUNS / 2] + 5;
    printf("%s %d - %s: %.2f ms, its C code %.2f ms\n", is_right ? "ok" : "not ok", number,
           lesson->name, as_program[RUNS / 2], in_c[RUNS / 2]);
    return is_right;
}

int main(void) {
    bool is_right = true;
    printf("1..%d\n", lesson_count);
    for (int i = 0; i < lesson_count; i++) is_right &= is_quick(i + 1, lesson_table[i]);
    return is_right ? 0 : 1;
}
