#include <string.h>

#include "script/parser.h"

const char *kind_in_words(const struct node *node) {
    switch (node->kind) {
    case NODE_ATTRIBUTE:
        return "attribute";
    case NODE_SUBSCRIPT:
        return "subscript";
    case NODE_STARRED:
        return "starred";
    case NODE_NAME:
        return "name";
    case NODE_LIST:
        return "list";
    case NODE_TUPLE:
        return "tuple";
    case NODE_LAMBDA:
        return "lambda";
    case NODE_CALL:
        return "function call";
    case NODE_BOOLEAN:
    case NODE_BINARY:
    case NODE_UNARY:
        return "expression";
    case NODE_GENERATOR:
        return "generator expression";
    case NODE_LIST_COMPREHENSION:
        return "list comprehension";
    case NODE_SET_COMPREHENSION:
        return "set comprehension";
    case NODE_DICT_COMPREHENSION:
        return "dict comprehension";
    case NODE_DICT:
        return "dict literal";
    case NODE_SET:
        return "set display";
    case NODE_FSTRING:
        return "f-string expression";
    case NODE_NONE:
        return "None";
    case NODE_TRUE:
        return "True";
    case NODE_FALSE:
        return "False";
    case NODE_ELLIPSIS:
        return "ellipsis";
    case NODE_COMPARE:
        return "comparison";
    case NODE_CONDITIONAL:
        return "conditional expression";
    case NODE_WALRUS:
        return "named expression";
    default:
        return "literal";
    }
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
