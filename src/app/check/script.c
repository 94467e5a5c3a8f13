#include "app/check/script.h"

#include <ctype.h>
#include <string.h>

#include "app/check/rounding/narrowed.h"
#include "app/command/input.h"
#include "lessons.h"
#include "trace/run/exercise.h"
#include "trace/run/step.h"

// "12_trainable_rand_scaled": without what file systems and shells make something of.
static const char *name_of(struct arena *arena, const struct script *script) {
    char *name = arena_format(arena, "%02d_%s_%s", script->number, script->lesson->name,
                              script->exercise->step);
    char *end = name;
    for (const char *letter = name; *letter != '\0'; letter++) {
        if (isalnum((unsigned char)*letter) || *letter == '_')
            *end++ = *letter;
        else if (*letter == ' ')
            *end++ = '_';
    }
    *end = '\0';
    return name;
}

// Practice begins with lesson 1: lesson 0 asks what a model says, and its lines are no exercise.
static int exercises_in(const struct lesson *lesson) {
    return lesson->is_before_first ? 0 : lesson->source->recap->exercise_count;
}

int scripts_of(struct arena *arena, const struct script **scripts) {
    int count = 0;
    for (int i = 0; i < lesson_count; i++) count += exercises_in(lesson_table[i]);
    struct script *all = arena_array(arena, (size_t)count, sizeof *all);
    int number = 0;
    for (int i = 0; i < lesson_count; i++) {
        const struct recap *recap = lesson_table[i]->source->recap;
        for (int j = 0; j < exercises_in(lesson_table[i]); j++) {
            struct script *script = &all[number++];
            *script = (struct script){
                .number = number, .lesson = lesson_table[i], .exercise = &recap->exercises[j]};
            script->name = name_of(arena, script);
        }
    }
    *scripts = all;
    return count;
}

void solve(struct solution *solution, struct arena *arena, const struct script *script) {
    const struct parameters defaults = {0};
    run_lesson(&solution->run, arena, script->lesson, &defaults);
    solution->step = find_step(&solution->run, script->exercise->step, arena->failure);
}

const char *script_statement(struct arena *arena, const struct solution *solution) {
    return statement_with(arena, solution->step, "...");
}

static void add_comment(struct text *text, const char *words) {
    enum { WIDTH = 98 };
    char **lines;
    const int count = text_wrap(text->arena, words, WIDTH, &lines);
    for (int i = 0; i < count; i++) text_add_format(text, "# %s\n", lines[i]);
}

const char *script_text(struct arena *arena, const struct script *script, int count) {
    struct solution solution;
    solve(&solution, arena, script);
    const struct step *step = solution.step;
    struct text text = text_new(arena);
    add_comment(&text, arena_format(arena, "Exercise %d of %d, %s: %s.", script->number, count,
                                    script->lesson->title, step->paragraph->title));
    add_comment(
        &text, "Replace ..., save, and run this script; 'onestep practice' checks what it writes.");
    text_add(&text, "\nimport pathlib, sys, traceback\n"
                    "OUTPUT = pathlib.Path(__file__).with_suffix(\".txt\")\n"
                    "def note_crash(kind, error, trace):\n"
                    "    sys.__excepthook__(kind, error, trace)\n"
                    "    OUTPUT.write_text(\"" SCRIPT_CRASH
                    "\" + traceback.format_exception_only(kind, error)[-1])\n"
                    "sys.excepthook = note_crash\n");
    text_add_format(&text, "\n%s", run_setup(arena, &solution.run));
    for (const struct step *before = solution.run.steps; before < step; before++) {
        if (*before->statement != '\0') text_add_format(&text, "%s\n", before->statement);
    }
    text_add(&text, "\n");
    add_comment(&text, step->formula);
    text_add_format(&text, "%s\n\n", script_statement(arena, &solution));
    text_add_format(&text,
                    "if %s is ...:\n"
                    "    raise SystemExit(\"%s is still left out: replace ...\")\n"
                    "print(%s)\n"
                    "OUTPUT.write_text(repr(getattr(%s, \"tolist\", lambda: %s)()) + \"\\n\")\n",
                    step->expression, step->name, step->expression, step->expression,
                    step->expression);
    return text.bytes;
}

// The most probable explanations, as long as they tell of no more than three mistakes: who reads more of them forgets the
// first.
static void keep_three(struct diagnosis *diagnosis) {
    int left = 3;
    for (int i = 0; i < diagnosis->count; i++) {
        struct explanation *explanation = &diagnosis->explanations[i];
        left -= explanation->mistake_count > 0 ? explanation->mistake_count : 1;
        if (left < 0) {
            diagnosis->count = i;
            return;
        }
        int alike = 0;
        while (alike < explanation->alike_count && explanation->alike[alike].mistake_count <= left)
            left -= explanation->alike[alike++].mistake_count;
        explanation->alike_count = alike;
    }
}

struct checked check_script(struct arena *arena, const struct solution *solution,
                            const char *path) {
    struct checked checked = {.run = &solution->run,
                              .step = solution->step,
                              .is_exercise = true,
                              .any_stream = true,
                              .is_quiet = true};
    checked.file = file_name(path);
    checked.numbers = read_numbers(arena, path, REGULAR_FILE);
    judge(arena, &checked);
    keep_three(&checked.diagnosis);
    return checked;
}
