// Any program ends, within its steps and its memory: it prints nowhere, and what it raises has a type, a message and a place.

#include <stdlib.h>
#include <string.h>

#include "script/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_nothing(void *context, const char *bytes, size_t length) {
    (void)context, (void)bytes, (void)length;
}

static void check_error(struct arena *arena, struct machine *machine) {
    const struct traced *frames;
    const int count = machine_traceback(machine, &frames);
    if (machine_error_type(machine) == NULL || machine_error_message(machine, arena) == NULL)
        abort();
    for (int i = 0; i < count; i++)
        if (frames[i].node->span.line < 1 || frames[i].function == NULL) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct failure failure = {0};
    struct arena arena = arena_new(&failure);
    const char *source = arena_copy_bytes(&arena, (const char *)data, size);
    struct syntax_error error;
    const struct program program = parse_program(&arena, "program.py", source, &error);
    if (error.message == NULL) {
        const bool sweeps = size % 4 == 0; // finds what is needed and not kept
        const struct machine_options options = {.memory = 32 << 20,
                                                .steps = sweeps ? 1000 : 20000,
                                                .sweeps_always = sweeps,
                                                .print = print_nothing};
        struct machine *machine = machine_new(&arena, &options);
        if (!machine_run(machine, &program)) check_error(&arena, machine);
        machine_free(machine);
    }
    arena_free(&arena);
    return 0;
}
