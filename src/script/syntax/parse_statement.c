#include <string.h>

#include "script/syntax/parser.h"

// --- Assignments -------------------------------------------------------------------------------------------------

static enum operator augmented(const struct token *token) {
    static const struct {
        const char *text;
        enum operator operator;
    } rows[] = {{"+=", OP_ADD},         {"-=", OP_SUBTRACT},      {"*=", OP_MULTIPLY},
                {"/=", OP_DIVIDE},      {"//=", OP_FLOOR_DIVIDE}, {"%=", OP_MODULO},
                {"**=", OP_POWER},      {"@=", OP_MATMUL},        {"&=", OP_AND_BITS},
                {"|=", OP_OR_BITS},     {"^=", OP_XOR_BITS},      {"<<=", OP_SHIFT_LEFT},
                {">>=", OP_SHIFT_RIGHT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (token_is(token, rows[i].text)) return rows[i].operator;
    return OP_NONE;
}

static struct node *parse_augmented(struct parser *parser, struct node *target,
                                    const struct token *start) {
    if (target->kind != NODE_NAME && target->kind != NODE_ATTRIBUTE &&
        target->kind != NODE_SUBSCRIPT)
        parse_fail(parser, target->span, "'%s' is an illegal expression for augmented assignment",
                   kind_in_words(target));
    struct node *node = node_new(parser, NODE_AUGMENTED, start);
    node->operator= augmented(parser->next++);
    node_add(parser, node, target);
    node_add(parser, node, parse_expressions(parser));
    return node_end(parser, node);
}

static struct node *parse_annotated(struct parser *parser, struct node *target,
                                    const struct token *start) {
    if (target->kind == NODE_TUPLE || target->kind == NODE_LIST)
        parse_fail(parser, target->span, "only single target (not %s) can be annotated",
                   kind_in_words(target));
    if (target->kind != NODE_NAME && target->kind != NODE_ATTRIBUTE &&
        target->kind != NODE_SUBSCRIPT)
        parse_fail(parser, target->span, "illegal target for annotation");
    struct node *node = node_new(parser, NODE_ANNOTATED, start);
    parser->next++;
    node_add(parser, node, target);
    node_add(parser, node, parse_expression(parser));
    node_add(parser, node, accept_token(parser, "=") ? parse_expressions(parser) : NULL);
    return node_end(parser, node);
}

// An = behind something that is no target: what CPython says of it.
static void check_assigned(struct parser *parser, const struct node *target, bool is_last) {
    const struct node *near = parser->operand;
    if (is_last && near != NULL && parser->operand_end == parser->assigned) {
        switch (near->kind) {
        case NODE_NAME:
        case NODE_ATTRIBUTE:
        case NODE_SUBSCRIPT:
        case NODE_LIST:
        case NODE_TUPLE:
        case NODE_GENERATOR:
        case NODE_TRUE:
        case NODE_FALSE:
        case NODE_NONE:
        case NODE_COMPARE:
        case NODE_BOOLEAN:
            break;
        default:
            parse_fail(parser, near->span,
                       "cannot assign to %s here. Maybe you meant '==' instead of '='?",
                       kind_in_words(near));
        }
    }
    check_target(parser, target, TARGET_ASSIGN);
}

static struct node *parse_assign(struct parser *parser, struct node *first,
                                 const struct token *start) {
    struct node *node = node_new(parser, NODE_ASSIGN, start);
    node_add(parser, node, first);
    while (next_is(parser, "=")) {
        const struct node *target = node->parts[node->part_count - 1];
        const struct token *end;
        parser->assigned = parser->next;
        const bool is_last = would_read(parser, parse_bits, parser->next + 1, &end) &&
                             !token_is(end, "=") && !token_is(end, ":=");
        check_assigned(parser, target, is_last);
        parser->next++;
        node_add(parser, node, parse_expressions(parser));
    }
    if (augmented(parser->next) != OP_NONE) refuse_next(parser);
    return node_end(parser, node);
}

static struct node *parse_expression_statement(struct parser *parser) {
    const struct token *start = parser->next;
    struct node *value = parse_expressions(parser);
    if (next_is(parser, "=")) return parse_assign(parser, value, start);
    if (next_is(parser, ":")) return parse_annotated(parser, value, start);
    if (augmented(parser->next) != OP_NONE) return parse_augmented(parser, value, start);
    struct node *node = node_new(parser, NODE_EXPRESSION, start);
    node_add(parser, node, value);
    return node_end(parser, node);
}

// --- Statements of a keyword -------------------------------------------------------------------------------------

static bool ends_line(const struct parser *parser) {
    return parser->next->kind == TOKEN_NEWLINE || parser->next->kind == TOKEN_END ||
           next_is(parser, ";");
}

static struct node *parse_return(struct parser *parser) {
    struct node *node = node_new(parser, NODE_RETURN, parser->next++);
    node_add(parser, node, ends_line(parser) ? NULL : parse_expressions(parser));
    node_end(parser, node);
    if (!parser->in_function) fail_late(parser, node->span, "'return' outside function");
    return node;
}

static struct node *parse_raise(struct parser *parser) {
    struct node *node = node_new(parser, NODE_RAISE, parser->next++);
    const bool has_value = !ends_line(parser);
    node_add(parser, node, has_value ? parse_expression(parser) : NULL);
    node_add(parser, node,
             has_value && accept_token(parser, "from") ? parse_expression(parser) : NULL);
    return node_end(parser, node);
}

static struct node *parse_assert(struct parser *parser) {
    struct node *node = node_new(parser, NODE_ASSERT, parser->next++);
    node_add(parser, node, parse_expression(parser));
    if (next_is(parser, "=")) parse_fail(parser, parser->next->span, "invalid syntax");
    node_add(parser, node, accept_token(parser, ",") ? parse_expression(parser) : NULL);
    return node_end(parser, node);
}

static struct node *parse_del(struct parser *parser) {
    struct node *node = node_new(parser, NODE_DEL, parser->next++);
    do {
        struct node *target = parse_bits(parser);
        if (ends_line(parser) || next_is(parser, ",")) check_target(parser, target, TARGET_DELETE);
        node_add(parser, node, target);
    } while (accept_token(parser, ",") && !ends_line(parser));
    return node_end(parser, node);
}

static struct node *parse_scope(struct parser *parser, enum node_kind kind) {
    struct node *node = node_new(parser, kind, parser->next++);
    do {
        struct node *name = node_new(parser, NODE_NAME, parser->next);
        name->text = expect_name(parser);
        node_add(parser, node, name);
    } while (accept_token(parser, ","));
    node_end(parser, node);
    if (kind == NODE_NONLOCAL && !parser->in_function)
        fail_late(parser, node->span, "nonlocal declaration not allowed at module level");
    return node;
}

// --- Imports -----------------------------------------------------------------------------------------------------

// a.b.c, and dots before it if it is the module of `from`.
static const char *parse_module(struct parser *parser) {
    const char *name = expect_name(parser);
    while (accept_token(parser, "."))
        name = arena_format(parser->arena, "%s.%s", name, expect_name(parser));
    return name;
}

static struct node *parse_alias(struct parser *parser, bool is_module) {
    struct node *alias = node_new(parser, NODE_ALIAS, parser->next);
    alias->text = is_module ? parse_module(parser) : expect_name(parser);
    if (accept_token(parser, "as")) alias->alias = expect_name(parser);
    return node_end(parser, alias);
}

static struct node *parse_import(struct parser *parser) {
    struct node *node = node_new(parser, NODE_IMPORT, parser->next++);
    if (parser->next->kind == TOKEN_NEWLINE)
        parse_fail(parser, parser->next->span, "Expected one or more names after 'import'");
    do node_add(parser, node, parse_alias(parser, true));
    while (accept_token(parser, ","));
    if (next_is(parser, "from"))
        parse_fail(parser, node->span, "Did you mean to use 'from ... import ...' instead?");
    return node_end(parser, node);
}

static void parse_imported(struct parser *parser, struct node *node) {
    const bool in_brackets = accept_token(parser, "(");
    do {
        if (node->part_count > 0 && in_brackets && next_is(parser, ")")) break;
        node_add(parser, node, parse_alias(parser, false));
        if (!in_brackets && next_is(parser, ",") && parser->next[1].kind == TOKEN_NEWLINE)
            parse_fail(parser, parser->next->span,
                       "trailing comma not allowed without surrounding parentheses");
    } while (accept_token(parser, ","));
    if (in_brackets) expect_token(parser, ")");
}

static struct node *parse_from(struct parser *parser) {
    struct node *node = node_new(parser, NODE_FROM, parser->next++);
    const char *dots = "";
    while (next_is(parser, ".") || next_is(parser, "..."))
        dots = arena_format(parser->arena, "%s%s", dots, token_text(parser, parser->next++));
    node->text = *dots != '\0' && next_is(parser, "import")
                     ? dots
                     : arena_format(parser->arena, "%s%s", dots, parse_module(parser));
    expect_token(parser, "import");
    if (parser->next->kind == TOKEN_NEWLINE)
        parse_fail(parser, parser->next->span, "Expected one or more names after 'import'");
    if (!accept_token(parser, "*")) parse_imported(parser, node);
    return node_end(parser, node);
}

// --- Lines -------------------------------------------------------------------------------------------------------

static struct node *parse_jump(struct parser *parser, enum node_kind kind) {
    struct node *node = node_new(parser, kind, parser->next++);
    if (kind == NODE_BREAK && !parser->in_loop)
        fail_late(parser, node->span, "'break' outside loop");
    if (kind == NODE_CONTINUE && !parser->in_loop)
        fail_late(parser, node->span, "'continue' not properly in loop");
    return node;
}

static struct node *parse_simple(struct parser *parser) {
    if (parser->next->kind != TOKEN_KEYWORD) return parse_expression_statement(parser);
    if (next_is(parser, "return")) return parse_return(parser);
    if (next_is(parser, "raise")) return parse_raise(parser);
    if (next_is(parser, "assert")) return parse_assert(parser);
    if (next_is(parser, "del")) return parse_del(parser);
    if (next_is(parser, "global")) return parse_scope(parser, NODE_GLOBAL);
    if (next_is(parser, "nonlocal")) return parse_scope(parser, NODE_NONLOCAL);
    if (next_is(parser, "import")) return parse_import(parser);
    if (next_is(parser, "from")) return parse_from(parser);
    if (next_is(parser, "pass")) return parse_jump(parser, NODE_PASS);
    if (next_is(parser, "break")) return parse_jump(parser, NODE_BREAK);
    if (next_is(parser, "continue")) return parse_jump(parser, NODE_CONTINUE);
    return parse_expression_statement(parser);
}

void parse_simple_line(struct parser *parser, struct node *block) {
    do node_add(parser, block, parse_simple(parser));
    while (accept_token(parser, ";") && parser->next->kind != TOKEN_NEWLINE);
    if (parser->next->kind != TOKEN_NEWLINE) refuse_next(parser);
    node_end(parser, block);
    parser->next++;
}

void parse_statements(struct parser *parser, struct node *block) {
    struct node *compound = parse_compound(parser);
    if (compound == NULL) {
        parse_simple_line(parser, block);
        return;
    }
    node_add(parser, block, compound);
    block->span.end_line = compound->span.end_line;
    block->span.end_column = compound->span.end_column;
}
