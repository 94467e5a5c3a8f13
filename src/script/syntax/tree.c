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

const char *kind_in_words(const struct node *node) {
    static const char *const words[NODE_CONTINUE + 1] = {
        [NODE_ATTRIBUTE] = "attribute",
        [NODE_SUBSCRIPT] = "subscript",
        [NODE_STARRED] = "starred",
        [NODE_NAME] = "name",
        [NODE_LIST] = "list",
        [NODE_TUPLE] = "tuple",
        [NODE_LAMBDA] = "lambda",
        [NODE_CALL] = "function call",
        [NODE_BOOLEAN] = "expression",
        [NODE_BINARY] = "expression",
        [NODE_UNARY] = "expression",
        [NODE_GENERATOR] = "generator expression",
        [NODE_LIST_COMPREHENSION] = "list comprehension",
        [NODE_SET_COMPREHENSION] = "set comprehension",
        [NODE_DICT_COMPREHENSION] = "dict comprehension",
        [NODE_DICT] = "dict literal",
        [NODE_SET] = "set display",
        [NODE_FSTRING] = "f-string expression",
        [NODE_NONE] = "None",
        [NODE_TRUE] = "True",
        [NODE_FALSE] = "False",
        [NODE_ELLIPSIS] = "ellipsis",
        [NODE_COMPARE] = "comparison",
        [NODE_CONDITIONAL] = "conditional expression",
        [NODE_WALRUS] = "named expression",
        [NODE_INT] = "literal",
        [NODE_FLOAT] = "literal",
        [NODE_STRING] = "literal",
    };
    return words[node->kind];
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
