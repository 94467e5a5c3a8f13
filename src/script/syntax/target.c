#include <string.h>

#include "script/syntax/parser.h"

// What CPython calls an expression that cannot be assigned to.
static const char *const kinds_in_words[NODE_CONTINUE + 1] = {
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

const char *kind_in_words(const struct node *node) {
    return kinds_in_words[node->kind];
}

void check_target(struct parser *parser, const struct node *target, enum target_use use) {
    const bool is_list = target->kind == NODE_TUPLE || target->kind == NODE_LIST;
    switch (target->kind) {
    case NODE_NAME:
    case NODE_ATTRIBUTE:
    case NODE_SUBSCRIPT:
        return;
    case NODE_TUPLE:
    case NODE_LIST:
        break;
    case NODE_STARRED:
        if (use != TARGET_DELETE) break; // fall through
    default:
        parse_fail(parser, target->span,
                   use == TARGET_DELETE ? "cannot delete %s" : "cannot assign to %s",
                   kind_in_words(target));
    }
    int stars = 0;
    for (int i = 0; i < target->part_count; i++) {
        check_target(parser, target->parts[i], use);
        stars += is_list && target->parts[i]->kind == NODE_STARRED;
    }
    if (stars > 1) fail_late(parser, target->span, "multiple starred expressions in assignment");
}
