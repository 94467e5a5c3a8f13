#include "script/syntax/tree.h"

#include <string.h>

#include "base/arena.h"

const char *operator_text(enum operator operator) {
    static const char *const texts[OPERATOR_COUNT] = {
        [OP_NONE] = "",         [OP_ADD] = "+",          [OP_SUBTRACT] = "-",
        [OP_MULTIPLY] = "*",    [OP_DIVIDE] = "/",       [OP_FLOOR_DIVIDE] = "//",
        [OP_MODULO] = "%",      [OP_POWER] = "**",       [OP_MATMUL] = "@",
        [OP_AND_BITS] = "&",    [OP_OR_BITS] = "|",      [OP_XOR_BITS] = "^",
        [OP_SHIFT_LEFT] = "<<", [OP_SHIFT_RIGHT] = ">>", [OP_INVERT] = "~",
        [OP_PLUS] = "+",        [OP_MINUS] = "-",        [OP_NOT] = "not",
        [OP_AND] = "and",       [OP_OR] = "or",          [OP_LESS] = "<",
        [OP_AT_MOST] = "<=",    [OP_MORE] = ">",         [OP_AT_LEAST] = ">=",
        [OP_EQUAL] = "==",      [OP_UNEQUAL] = "!=",     [OP_IN] = "in",
        [OP_NOT_IN] = "not in", [OP_IS] = "is",          [OP_IS_NOT] = "is not"};
    return texts[operator];
}

const char *program_line(struct arena *arena, const struct program *program, int line) {
    const char *at = program->source;
    for (; line > 1; line--) {
        at += strcspn(at, "\r\n");
        if (*at == '\0') return "";
        at += at[0] == '\r' && at[1] == '\n' ? 2 : 1;
    }
    return arena_copy_bytes(arena, at, strcspn(at, "\r\n"));
}
