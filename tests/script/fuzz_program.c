// Any text is a program with a tree, or one with an error at a line that it has: nothing is read or written beside it.

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "script/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int lines_of(const char *source) {
    int lines = 1;
    for (; *source != '\0'; source++) lines += *source == '\n' || *source == '\r';
    return lines;
}

// Parts lie within the lines of the program, and a tree is no higher than it says.
static void check_node(const struct node *node, int lines, int height) {
    if (node == NULL) return;
    if (node->span.line < 1 || node->span.end_line > lines || node->height > height) abort();
    for (int i = 0; i < node->part_count; i++) check_node(node->parts[i], lines, node->height - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct failure failure = {0};
    struct arena arena = arena_new(&failure);
    const char *source = arena_copy_bytes(&arena, (const char *)data, size);
    struct syntax_error error;
    const struct program program = parse_program(&arena, "program.py", source, &error);
    const int lines = lines_of(source);
    if (error.message == NULL) {
        check_node(program.tree, lines, program.tree->height);
    } else {
        if (error.span.line < 1 || error.span.line > lines || error.type == NULL) abort();
        program_line(&arena, &program, error.span.line);
    }
    arena_free(&arena);
    return 0;
}
