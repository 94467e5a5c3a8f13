#include "tree_text.h"

#include <string.h>

#include "base/text.h"

static const char *const kinds[] = {"NAME",
                                    "INT",
                                    "FLOAT",
                                    "STRING",
                                    "FSTRING",
                                    "FIELD",
                                    "NONE",
                                    "TRUE",
                                    "FALSE",
                                    "ELLIPSIS",
                                    "TUPLE",
                                    "LIST",
                                    "SET",
                                    "DICT",
                                    "UNARY",
                                    "BINARY",
                                    "BOOLEAN",
                                    "COMPARE",
                                    "CONDITIONAL",
                                    "LAMBDA",
                                    "CALL",
                                    "ARGUMENT",
                                    "ATTRIBUTE",
                                    "SUBSCRIPT",
                                    "SLICE",
                                    "STARRED",
                                    "WALRUS",
                                    "LIST_COMPREHENSION",
                                    "SET_COMPREHENSION",
                                    "GENERATOR",
                                    "DICT_COMPREHENSION",
                                    "CLAUSE",
                                    "BLOCK",
                                    "EXPRESSION",
                                    "ASSIGN",
                                    "AUGMENTED",
                                    "ANNOTATED",
                                    "DEF",
                                    "PARAMETERS",
                                    "PARAMETER",
                                    "CLASS",
                                    "RETURN",
                                    "YIELD",
                                    "IF",
                                    "FOR",
                                    "WHILE",
                                    "TRY",
                                    "HANDLER",
                                    "WITH",
                                    "ITEM",
                                    "RAISE",
                                    "ASSERT",
                                    "DEL",
                                    "IMPORT",
                                    "FROM",
                                    "ALIAS",
                                    "GLOBAL",
                                    "NONLOCAL",
                                    "PASS",
                                    "BREAK",
                                    "CONTINUE"};

// Nodes that Python's own tree has no place for.
static bool has_place(enum node_kind kind) {
    return kind != NODE_BLOCK && kind != NODE_PARAMETERS && kind != NODE_CLAUSE &&
           kind != NODE_ITEM && kind != NODE_ARGUMENT && kind != NODE_FIELD;
}

static void add_bytes(struct text *out, const char *bytes, int64_t length) {
    text_add(out, " ");
    for (int64_t i = 0; i < length; i++)
        text_add_format(out, "%02x", (unsigned)(unsigned char)bytes[i]);
}

static void add_value(struct text *out, const struct node *node) {
    if (node->kind == NODE_INT) text_add_format(out, " %llu", (unsigned long long)node->integer);
    if (node->kind == NODE_FLOAT) text_add_format(out, " %.17g", node->number);
    if (node->kind == NODE_STRING) {
        text_add_format(out, " %s", node->is_bytes ? "bytes" : "str");
        add_bytes(out, node->text, node->length);
    } else if (node->text != NULL && node->kind != NODE_INT && node->kind != NODE_FLOAT) {
        add_bytes(out, node->text, (int64_t)strlen(node->text));
    }
    if (node->alias != NULL) add_bytes(out, node->alias, (int64_t)strlen(node->alias));
    if (node->operator!= OP_NONE) text_add_format(out, " %s", operator_text(node->operator));
    for (int i = 0; i + 1 < node->part_count && node->kind == NODE_COMPARE; i++)
        text_add_format(out, " %s", operator_text(node->operators[i]));
    if (node->kind == NODE_ARGUMENT) text_add_format(out, " %d", node->stars);
    if (node->kind == NODE_PARAMETER) text_add_format(out, " %d", (int)node->parameter);
}

static void add_node(struct text *out, const struct node *node, int depth) {
    if (node == NULL) {
        text_add_format(out, "%d -\n", depth);
        return;
    }
    text_add_format(out, "%d %s", depth, kinds[node->kind]);
    const struct span span = node->span;
    if (has_place(node->kind))
        text_add_format(out, " %d:%d-%d:%d", span.line, span.column, span.end_line,
                        span.end_column);
    add_value(out, node);
    text_add(out, "\n");
    for (int i = 0; i < node->part_count; i++) add_node(out, node->parts[i], depth + 1);
}

const char *tree_text(struct arena *arena, const struct node *tree) {
    struct text out = text_new(arena);
    add_node(&out, tree, 0);
    return out.bytes;
}
