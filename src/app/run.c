#include "app/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/command/input.h"
#include "base/text.h"
#include "script/machine.h"

enum { MOST_BYTES = 16 << 20, MOST_CALLS = 20, MOST_BYTES_OF_LINE = 400 };

static volatile bool is_interrupted;
static bool is_unheard; // what it prints can't be written, so it ends

static void interrupt(int signal_number) {
    signal(signal_number, SIG_DFL); // a second one ends a single long operation, too
    is_interrupted = true;
}

static void print_bytes(void *context, const char *bytes, size_t length) {
    (void)context;
    if (fwrite(bytes, 1, length, stdout) < length) is_interrupted = is_unheard = true;
}

static void add_line(struct text *text, const struct program *program, int line) {
    const char *source = program_line(text->arena, program, line);
    source += strspn(source, " \t");
    const size_t length = strlen(source), shown = length > MOST_BYTES_OF_LINE ? 200 : length;
    text_add_format(text, "    %s%s\n", text_safe_bytes(text->arena, source, shown),
                    shown < length ? " ..." : "");
}

static const char *first_line(struct arena *arena, const char *message) {
    return text_safe_bytes(arena, message, strcspn(message, "\n"));
}

// FILE:LINE: Type: message
static void add_verdict(struct text *text, const char *file, int line, const char *type,
                        const char *message) {
    struct arena *m = text->arena;
    text_add_format(text, "%s:%d: %s%s%s\n", text_safe(m, file), line, type,
                    *message != '\0' ? ": " : "", first_line(m, message));
}

static bool is_of(const struct traced *traced, const struct program *program) {
    return traced->program == program;
}

// The program's own lines: those of a library that is written in Python are its business.
static void add_error(struct text *text, struct machine *machine, const struct program *program) {
    const struct traced *frames;
    const int count = machine_traceback(machine, &frames);
    int first = 0, shown = 0;
    while (first < count && !is_of(&frames[first], program)) first++;
    if (first == count) first = 0;
    const char *message = machine_error_message(machine, text->arena);
    const int line = count > 0 ? frames[first].node->span.line : 1;
    add_verdict(text, program->file, line, machine_error_type(machine), message);
    if (count > 0) add_line(text, frames[first].program, line);
    for (int i = first + 1; i < count; i++) {
        if (!is_of(&frames[i], program)) continue;
        if (++shown > MOST_CALLS) {
            text_add(text, "  ... and so on\n");
            break;
        }
        text_add_format(text, "  called from line %d", frames[i].node->span.line);
        text_add_format(text, strcmp(frames[i].function, "<module>") == 0 ? ":\n" : ", in %s:\n",
                        frames[i].function);
        add_line(text, program, frames[i].node->span.line);
    }
    if (strchr(message, '\n') == NULL) return;
    text_add(text, "The message:\n");
    text_add_format(text, "%s\n", message);
}

// In memory of its own: the program's may be full.
static void print_error(struct machine *machine, const struct program *program) {
    struct scratch scratch;
    struct text text = text_new(scratch_open(&scratch, machine_arena(machine)->failure));
    add_error(&text, machine, program);
    fputs(text.bytes, stderr);
    scratch_close(&scratch);
}

static void free_machine(void *context) {
    machine_free(context);
}

bool run_program(struct arena *arena, const char *path, int64_t memory, enum bernoulli stream) {
    size_t length;
    const char *source = read_file(arena, path, ANY_FILE, MOST_BYTES, &length);
    const char *file = strcmp(path, "-") == 0 ? "<stdin>" : path;
    struct text text = text_new(arena);
    struct syntax_error error;
    if (length > MOST_BYTES || memchr(source, '\0', length) != NULL)
        fail(arena->failure, FAIL_INPUT,
             "%s is no program: it has more than %d bytes, or a byte that is 0", file_name(path),
             MOST_BYTES);
    const struct program program = parse_program(arena, file, source, &error);
    if (error.message != NULL) {
        add_verdict(&text, file, error.span.line, error.type, error.message);
        add_line(&text, &program, error.span.line);
        fputs(text.bytes, stderr);
        return false;
    }
    const struct machine_options options = {
        .memory = memory, .stream = stream, .stop = &is_interrupted, .print = print_bytes};
    struct cleanup cleanup;
    struct machine *machine = machine_new(arena, &options);
    cleanup_open(&cleanup, arena->failure, free_machine, machine);
    signal(SIGINT, interrupt);
    const bool is_done = machine_run(machine, &program);
    signal(SIGINT, SIG_DFL);
    const bool is_written = fflush(stdout) == 0 && ferror(stdout) == 0;
    if (!is_done && !is_unheard) print_error(machine, &program);
    cleanup_close(&cleanup);
    if (!is_written && errno != EPIPE)
        fail(arena->failure, FAIL_RUNTIME, "standard output can't be written: %s", strerror(errno));
    return is_done;
}
