#include "app/command/program.h"

#include <signal.h>
#include <string.h>

#include "app/command/input.h"
#include "script/steps/program_lesson.h"
#include "tensor/file/notebook.h"

enum { MOST_BYTES = 16 << 20, MOST_MEMORY = 1 << 30 };

static volatile bool is_interrupted;
static struct program_lesson *opened; // by the command

static void interrupt(int signal_number) {
    (void)signal_number;
    is_interrupted = true;
}

bool is_program_name(const char *argument) {
    const size_t length = strlen(argument);
    return strcmp(argument, "-") == 0 || (length > 3 && strcmp(argument + length - 3, ".py") == 0);
}

bool is_notebook_name(const char *argument) {
    const size_t length = strlen(argument);
    return length > 6 && strcmp(argument + length - 6, ".ipynb") == 0;
}

bool names_program(const char *argument) {
    if (is_notebook_name(argument)) return true;
    return is_program_name(argument) && strcmp(argument, "-") != 0;
}

static struct program_lesson *read_notebook(struct arena *arena, const char *path, const char *text,
                                            size_t length) {
    const struct reading reading = reading_new(arena, file_name(path), text, length);
    return notebook_lesson_new(arena, path, notebook_code(&reading));
}

const struct lesson *read_program(struct arena *arena, const char *path) {
    size_t length;
    const char *text = read_file(arena, path, ANY_FILE, MOST_BYTES, &length);
    if (length > MOST_BYTES || memchr(text, '\0', length) != NULL)
        fail(arena->failure, FAIL_INPUT,
             "%s is no program: it has more than %d bytes, or a byte that is 0",
             text_safe(arena, file_name(path)), MOST_BYTES);
    const char *file = strcmp(path, "-") == 0 ? "stdin.py" : path;
    struct program_lesson *program = is_notebook_name(path)
                                         ? read_notebook(arena, path, text, length)
                                         : program_lesson_new(arena, file, text);
    program->memory = MOST_MEMORY;
    program->stop = &is_interrupted;
    signal(SIGINT, interrupt);
    opened = program;
    return &program->lesson;
}

void stop_program_by(const volatile bool *stop) {
    if (opened != NULL) opened->stop = stop;
}

bool is_program(const struct lesson *lesson) {
    return program_of(lesson) != NULL;
}

const char *program_text(const struct lesson *lesson) {
    return program_of(lesson)->text;
}

bool program_ended_well(const struct lesson *lesson, struct text *notes) {
    const struct program_lesson *program = program_of(lesson);
    if (program == NULL) return true;
    for (int i = 0; i < program->outcome->left_out_count; i++)
        text_add_format(notes, "onestep: note: code cell %d is left out: %s\n",
                        program->outcome->left_out[i].cell, program->outcome->left_out[i].why);
    if (program->outcome->error[0] == '\0') return true;
    text_add_format(notes, "onestep: note: the program ended early: %s\n", program->outcome->error);
    return false;
}

void release_programs(void) {
    signal(SIGINT, SIG_DFL);
}
