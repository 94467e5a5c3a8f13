// Prints the tree of each program that is named, one node a line, for script_trees.py: its kind, its place, what it holds.
//
//   dump_tree FILE...

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/parse.h"

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

static void print_bytes(const char *bytes, int64_t length) {
    putchar(' ');
    for (int64_t i = 0; i < length; i++) printf("%02x", (unsigned)(unsigned char)bytes[i]);
}

static void print_value(const struct node *node) {
    if (node->kind == NODE_INT) printf(" %llu", (unsigned long long)node->integer);
    if (node->kind == NODE_FLOAT) printf(" %.17g", node->number);
    if (node->kind == NODE_STRING) {
        printf(" %s", node->is_bytes ? "bytes" : "str");
        print_bytes(node->text, node->length);
    } else if (node->text != NULL && node->kind != NODE_INT && node->kind != NODE_FLOAT) {
        print_bytes(node->text, (int64_t)strlen(node->text));
    }
    if (node->alias != NULL) print_bytes(node->alias, (int64_t)strlen(node->alias));
    if (node->operator!= OP_NONE) printf(" %s", operator_text(node->operator));
    for (int i = 0; i + 1 < node->part_count && node->kind == NODE_COMPARE; i++)
        printf(" %s", operator_text(node->operators[i]));
    if (node->kind == NODE_ARGUMENT) printf(" %d", node->stars);
    if (node->kind == NODE_PARAMETER) printf(" %d", (int)node->parameter);
}

static void print_node(const struct node *node, int depth) {
    if (node == NULL) {
        printf("%d -\n", depth);
        return;
    }
    printf("%d %s", depth, kinds[node->kind]);
    const struct span span = node->span;
    if (has_place(node->kind))
        printf(" %d:%d-%d:%d", span.line, span.column, span.end_line, span.end_column);
    print_value(node);
    putchar('\n');
    for (int i = 0; i < node->part_count; i++) print_node(node->parts[i], depth + 1);
}

static char *read_whole(struct arena *arena, const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) exit(2);
    char *source = NULL;
    size_t length = 0;
    for (int c; (c = getc(file)) != EOF; length++) {
        source = arena_grow(arena, source, length, 2);
        source[length] = (char)c;
        source[length + 1] = '\0';
    }
    fclose(file);
    return source == NULL ? arena_copy(arena, "") : source;
}

int main(int count, char **names) {
    for (int i = 1; i < count; i++) {
        struct failure failure = {0};
        struct arena arena = arena_new(&failure);
        struct syntax_error error;
        const struct program program =
            parse_program(&arena, names[i], read_whole(&arena, names[i]), &error);
        printf("= %s\n", names[i]);
        if (error.message != NULL)
            printf("%s:%d: %s\n", error.type, error.span.line, error.message);
        else
            print_node(program.tree, 0);
        arena_free(&arena);
    }
    return 0;
}
