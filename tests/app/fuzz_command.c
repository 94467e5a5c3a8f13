// libFuzzer: any command line, read and carried out as far as memory. Arguments are the input's bytes
// up to each NUL. Files are never opened: an argument that names --input, or a file to check, is left
// out.

#include <stdlib.h>
#include <string.h>

#include "app/command/arguments.h"
#include "app/command/help.h"
#include "app/command/list.h"
#include "app/print/print.h"
#include "base/text.h"

enum { MOST_ARGUMENTS = 16 };

struct line {
    struct arena *arena;
    int count;
    char *arguments[MOST_ARGUMENTS + 2];
};

static void carry_out(void *context) {
    struct line *line = context;
    const struct command command = read_command(line->arena, line->count, line->arguments);
    struct text text = text_new(line->arena), notes = text_new(line->arena);
    switch (command.verb) {
    case VERB_HELP:
        add_help(&text, &command);
        break;
    case VERB_LIST:
        add_list(&text, command.format);
        break;
    case VERB_PRINT:
        add_print(&text, &notes, &command);
        break;
    default:
        break;
    }
    if (text.length > 0 && !utf8_is_valid(text.bytes, text.length)) abort();
}

// Cuts the bytes into arguments. Returns false if one of them would open a file.
static bool cut(struct line *line, const uint8_t *bytes, size_t size) {
    line->arguments[line->count++] = arena_copy(line->arena, "onestep");
    const char *text = arena_copy_bytes(line->arena, (const char *)bytes, size);
    for (size_t start = 0; start < size && line->count <= MOST_ARGUMENTS;) {
        char *argument = arena_copy(line->arena, text + start);
        if (strncmp(argument, "--input", 7) == 0) return false;
        line->arguments[line->count++] = argument;
        start += strlen(argument) + 1;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct failure failure = {0};
    struct arena arena = arena_new(&failure);
    struct line line = {.arena = &arena};
    if (size < 4096 && cut(&line, bytes, size) && !attempt(&failure, carry_out, &line)) {
        if (failure.status == FAIL_RUNTIME) abort();
        if (failure.message[0] == '\0' || strchr(failure.message, '\n') != NULL) abort();
        for (const char *byte = failure.message; *byte != '\0'; byte++) {
            if ((unsigned char)*byte < ' ' || *byte == 0x7f) abort();
        }
    }
    arena_free(&arena);
    return 0;
}
