#include "script/steps/program_lesson.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "script/steps/recorder.h"
#include "script/steps/words.h"

enum { MOST_STATEMENTS = 20000000, TITLE_COLUMNS = 60 };

// ---- A run ------------------------------------------------------------------------------------------

static void free_machine(void *context) {
    machine_free(context);
}

// "ValueError: message"; in the outcome behind the line of the program that raised it.
static const char *error_of(struct machine *machine, struct arena *arena,
                            const struct program_lesson *own, const struct program *program) {
    const struct traced *frames;
    const int count = machine_traceback(machine, &frames);
    const char *message = machine_error_message(machine, arena);
    const char *error = arena_format(arena, "%s%s%s", machine_error_type(machine),
                                     *message != '\0' ? ": " : "", message);
    int line = 1;
    for (int i = count - 1; i >= 0; i--)
        if (frames[i].program == program) line = frames[i].node->span.line;
    snprintf(own->outcome->error, sizeof own->outcome->error, "%s:%d: %s",
             text_safe(arena, own->file), line,
             text_safe_bytes(arena, error, strcspn(error, "\n")));
    return error;
}

static void teach_program(struct run *run) {
    const struct program_lesson *own = program_of(run->lesson);
    struct arena *arena = run->memory;
    struct syntax_error error;
    const struct program program = parse_program(arena, own->file, own->text, &error);
    struct recorder *recorder = recorder_new(run, &program);
    const struct machine_options options = {.memory = own->memory,
                                            .steps = MOST_STATEMENTS,
                                            .stream = run->stream,
                                            .stop = own->stop,
                                            .print = recorder_print,
                                            .observe = recorder_observe,
                                            .context = recorder};
    struct cleanup cleanup;
    const size_t limit = arena->limit;
    struct machine *machine = machine_new(arena, &options);
    cleanup_open(&cleanup, arena->failure, free_machine, machine);
    own->outcome->error[0] = '\0';
    const bool is_done = machine_run(machine, &program);
    arena->limit = limit;
    recorder_finish(recorder, is_done ? NULL : error_of(machine, arena, own, &program));
    cleanup_close(&cleanup);
    if (run->step_count == 0 ||
        (run->step_count == 1 && !is_done && run->steps[0].tensor.ndim == 1 &&
         run->steps[0].tensor.shape[0] == 0))
        fail(arena->failure, FAIL_INPUT, "%s",
             is_done ? arena_format(arena, "%s computes no tensor, so there is no step",
                                    text_safe(arena, own->file))
                     : own->outcome->error);
}

const struct program_lesson *program_of(const struct lesson *lesson) {
    return lesson != NULL && lesson->teach == teach_program ? (const struct program_lesson *)lesson
                                                            : NULL;
}

// ---- Its words ----------------------------------------------------------------------------------------

// On one line.
static const char *docstring_of(struct arena *arena, const struct program *program) {
    const struct node *tree = program->tree;
    const struct node *first = tree->part_count > 0 ? tree->parts[0] : NULL;
    if (first == NULL || first->kind != NODE_EXPRESSION || first->parts[0]->kind != NODE_STRING)
        return "";
    struct text text = text_new(arena);
    text_add(&text, "");
    for (const char *at = first->parts[0]->text; *at != '\0';) {
        at += strspn(at, " \t\r\n");
        const size_t length = strcspn(at, " \t\r\n");
        if (length > 0 && text.length > 0) text_add(&text, " ");
        text_add_bytes(&text, at, length);
        at += length;
    }
    return text_safe(arena, text.bytes);
}

static const char *file_name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static const char *line_start(const char *text, int line) {
    for (; line > 1 && *text != '\0'; line--) {
        text += strcspn(text, "\n");
        text += *text != '\0';
    }
    return text;
}

static const struct lesson *with_lines(struct arena *arena, const struct lesson *lesson, int first,
                                       int last, const char *code) {
    const struct program_lesson *before = program_of(lesson);
    const char *start = line_start(before->text, first), *end = line_start(start, last - first + 2);
    const size_t indent = strspn(start, " \t");
    struct text text = text_new(arena);
    text_add(&text, "");
    text_add_bytes(&text, before->text, (size_t)(start - before->text));
    while (*code != '\0') {
        const size_t length = strcspn(code, "\n");
        text_add_bytes(&text, start, indent);
        text_add_bytes(&text, code, length);
        text_add(&text, "\n");
        code += length + (code[length] != '\0');
    }
    text_add(&text, end);
    struct program_lesson *own = program_lesson_new(arena, before->file, text.bytes);
    own->memory = before->memory;
    own->stop = before->stop;
    own->outcome = before->outcome;
    return &own->lesson;
}

struct program_lesson *program_lesson_new(struct arena *arena, const char *file, const char *text) {
    struct program_lesson *own = arena_allocate(arena, sizeof *own);
    struct syntax_error error;
    const struct program program = parse_program(arena, file, text, &error);
    if (error.message != NULL)
        fail(arena->failure, FAIL_INPUT, "%s:%d: %s: %s", text_safe(arena, file), error.span.line,
             error.type, error.message);
    own->file = file;
    own->text = text;
    own->outcome = arena_allocate(arena, sizeof *own->outcome);
    const char *name = file_name_of(file), *words = docstring_of(arena, &program);
    size_t length = first_sentence(words);
    const char *rest = words + length + strspn(words + length, " ");
    if (length > 0 && words[length - 1] == '.') length--;
    const char *title = length > 0 ? arena_copy_bytes(arena, words, length) : name;
    const size_t ending = strlen(name) > 3 ? 3 : 0;
    own->lesson = (struct lesson){
        .name = text_safe(arena, arena_copy_bytes(arena, name, strlen(name) - ending)),
        .part = PART_OF_TODAY,
        .title = text_cut(arena, text_safe(arena, title), TITLE_COLUMNS),
        .summary = rest,
        .uses = USES_BERNOULLI | USES_TURN,
        .teach = teach_program,
        .source = &own->source,
        .with_lines = with_lines,
    };
    return own;
}
