#include "app/check/task.h"

#include <ctype.h>
#include <string.h>

#include "app/command/input.h"
#include "lessons.h"
#include "trace/run/exercise.h"
#include "trace/run/step.h"

// "12_trainable_rand_scaled": without what file systems and shells make something of.
static const char *name_of(struct arena *arena, const struct task *task) {
    char *name =
        arena_format(arena, "%02d_%s_%s", task->number, task->lesson->name, task->exercise->step);
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

int tasks_of(struct arena *arena, const struct task **tasks) {
    int count = 0;
    for (int i = 0; i < lesson_count; i++) count += lesson_table[i]->exercise_count;
    struct task *all = arena_array(arena, (size_t)count, sizeof *all);
    int number = 0;
    for (int i = 0; i < lesson_count; i++) {
        for (int j = 0; j < lesson_table[i]->exercise_count; j++) {
            struct task *task = &all[number++];
            *task = (struct task){.number = number,
                                  .lesson = lesson_table[i],
                                  .exercise = &lesson_table[i]->exercises[j]};
            task->name = name_of(arena, task);
        }
    }
    *tasks = all;
    return count;
}

void pose(struct posed *posed, struct arena *arena, const struct task *task) {
    const struct parameters none = {0};
    run_lesson(&posed->run, arena, task->lesson, &none);
    posed->step = find_step(&posed->run, task->exercise->step, arena->failure);
}

const char *task_statement(struct arena *arena, const struct posed *posed) {
    return statement_with(arena, posed->step, "...");
}

static void add_comment(struct text *text, const char *words) {
    enum { WIDTH = 98 };
    char **lines;
    const int count = text_wrap(text->arena, words, WIDTH, &lines);
    for (int i = 0; i < count; i++) text_add_format(text, "# %s\n", lines[i]);
}

const char *task_script(struct arena *arena, const struct task *task, int count) {
    struct posed posed;
    pose(&posed, arena, task);
    const struct step *step = posed.step;
    struct text text = text_new(arena);
    add_comment(&text, arena_format(arena, "Exercise %d of %d, %s: %s.", task->number, count,
                                    task->lesson->title, step->paragraph->title));
    add_comment(
        &text, "Replace ..., save, and run this script; 'onestep practice' checks what it writes.");
    text_add(&text, "\nimport pathlib, sys, traceback\n"
                    "OUTPUT = pathlib.Path(__file__).with_suffix(\".txt\")\n"
                    "def note_crash(kind, error, trace):\n"
                    "    sys.__excepthook__(kind, error, trace)\n"
                    "    OUTPUT.write_text(\"" TASK_CRASH
                    "\" + traceback.format_exception_only(kind, error)[-1])\n"
                    "sys.excepthook = note_crash\n");
    text_add_format(&text, "\n%s", run_setup(arena, &posed.run));
    for (const struct step *before = posed.run.steps; before < step; before++) {
        if (*before->statement != '\0') text_add_format(&text, "%s\n", before->statement);
    }
    text_add(&text, "\n");
    add_comment(&text, step->formula);
    text_add_format(&text, "%s\n\n", task_statement(arena, &posed));
    text_add_format(&text,
                    "if %s is ...:\n"
                    "    raise SystemExit(\"%s is still left out: replace ...\")\n"
                    "print(%s)\n"
                    "OUTPUT.write_text(repr(getattr(%s, \"tolist\", lambda: %s)()) + \"\\n\")\n",
                    step->expression, step->name, step->expression, step->expression,
                    step->expression);
    return text.bytes;
}

struct checked check_task(struct arena *arena, const struct posed *posed, const char *path) {
    struct checked checked = {
        .run = &posed->run, .step = posed->step, .any_stream = true, .is_quiet = true};
    checked.file = file_name(path);
    checked.numbers = read_numbers(arena, path, REGULAR_FILE);
    judge(arena, &checked);
    return checked;
}
