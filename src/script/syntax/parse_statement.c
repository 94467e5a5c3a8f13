#include <string.h>

#include "script/syntax/parser.h"

// --- Targets -----------------------------------------------------------------------------------------------------

// A name, an attribute or an item: what one value is written to.
static bool is_single_target(const struct node *node) {
    return node->kind == NODE_NAME || node->kind == NODE_ATTRIBUTE || node->kind == NODE_SUBSCRIPT;
}

static bool is_list(const struct node *node) {
    return node->kind == NODE_TUPLE || node->kind == NODE_LIST;
}

void check_target(struct parser *parser, const struct node *target, enum target_use use) {
    int stars = 0;
    if (is_single_target(target)) return;
    if (!is_list(target) && (target->kind != NODE_STARRED || use == TARGET_DELETE))
        parse_fail(parser, target->span, "cannot %s %s",
                   use == TARGET_DELETE ? "delete" : "assign to", kind_in_words(target));
    for (int i = 0; i < target->part_count; i++) {
        check_target(parser, target->parts[i], use);
        stars += is_list(target) && target->parts[i]->kind == NODE_STARRED;
    }
    if (stars > 1) fail_late(parser, target->span, "multiple starred expressions in assignment");
}

// --- Assignments -------------------------------------------------------------------------------------------------

static enum operator augmented(const struct token *token) {
    static const char *const texts[OPERATOR_COUNT] = {
        [OP_ADD] = "+=",         [OP_SUBTRACT] = "-=",      [OP_MULTIPLY] = "*=",
        [OP_DIVIDE] = "/=",      [OP_FLOOR_DIVIDE] = "//=", [OP_MODULO] = "%=",
        [OP_POWER] = "**=",      [OP_MATMUL] = "@=",        [OP_AND_BITS] = "&=",
        [OP_OR_BITS] = "|=",     [OP_XOR_BITS] = "^=",      [OP_SHIFT_LEFT] = "<<=",
        [OP_SHIFT_RIGHT] = ">>="};
    for (int i = OP_ADD; i <= OP_SHIFT_RIGHT; i++)
        if (token_is(token, texts[i])) return (enum operator)i;
    return OP_NONE;
}

static struct node *parse_augmented(struct parser *parser, struct node *target,
                                    const struct token *start) {
    if (!is_single_target(target))
        parse_fail(parser, target->span, "'%s' is an illegal expression for augmented assignment",
                   kind_in_words(target));
    const enum operator operator= augmented(parser->next++);
    struct node *node =
        parent_of_two(parser, NODE_AUGMENTED, start, target, parse_expressions(parser));
    node->operator= operator;
    return node_end(parser, node);
}

static struct node *parse_annotated(struct parser *parser, struct node *target,
                                    const struct token *start) {
    if (is_list(target))
        parse_fail(parser, target->span, "only single target (not %s) can be annotated",
                   kind_in_words(target));
    if (!is_single_target(target))
        parse_fail(parser, target->span, "illegal target for annotation");
    parser->next++;
    struct node *node =
        parent_of_two(parser, NODE_ANNOTATED, start, target, parse_expression(parser));
    node_add(parser, node, accept_token(parser, "=") ? parse_expressions(parser) : NULL);
    return node_end(parser, node);
}

// An = behind something that is no target: what CPython says of it.
static void check_assigned(struct parser *parser, const struct node *target, bool is_last) {
    const struct node *near = parser->operand;
    if (is_last && near != NULL && parser->operand_end == parser->assigned &&
        !is_single_target(near) && may_mean_equal(near))
        parse_fail(parser, near->span,
                   "cannot assign to %s here. Maybe you meant '==' instead of '='?",
                   kind_in_words(near));
    check_target(parser, target, TARGET_ASSIGN);
}

static struct node *parse_assign(struct parser *parser, struct node *first,
                                 const struct token *start) {
    struct node *node = parent_of(parser, NODE_ASSIGN, start, first);
    while (next_is(parser, "=")) {
        const struct token *end;
        parser->assigned = parser->next;
        const bool is_last =
            would_read(parser, parse_bits, parser->next + 1, &end) && !token_is(end, "= :=");
        check_assigned(parser, node->parts[node->part_count - 1], is_last);
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
    return parent_of(parser, NODE_EXPRESSION, start, value);
}

// --- Statements of a keyword -------------------------------------------------------------------------------------

static bool ends_line(const struct parser *parser) {
    return parser->next->kind == TOKEN_NEWLINE || parser->next->kind == TOKEN_END ||
           next_is(parser, ";");
}

static struct node *parse_return(struct parser *parser) {
    const struct token *start = parser->next++;
    struct node *node =
        parent_of(parser, NODE_RETURN, start, ends_line(parser) ? NULL : parse_expressions(parser));
    if (!parser->in_function) fail_late(parser, node->span, "'return' outside function");
    return node;
}

// `yield` gives no value here: as part of an expression it is refused.
static struct node *parse_yield(struct parser *parser) {
    const struct token *start = parser->next++;
    struct node *node = node_new(parser, NODE_YIELD, start);
    if (accept_token(parser, "from")) node->text = "from";
    node_add(parser, node, ends_line(parser) ? NULL : parse_expressions(parser));
    if (!parser->in_function) fail_late(parser, start->span, "'yield' outside function");
    return node_end(parser, node);
}

static struct node *parse_raise(struct parser *parser) {
    const struct token *start = parser->next++;
    struct node *value = ends_line(parser) ? NULL : parse_expression(parser), *cause = NULL;
    if (value != NULL && accept_token(parser, "from")) cause = parse_expression(parser);
    return parent_of_two(parser, NODE_RAISE, start, value, cause);
}

static struct node *parse_assert(struct parser *parser) {
    const struct token *start = parser->next++;
    struct node *test = parse_expression(parser);
    if (next_is(parser, "=")) fail_here(parser, "invalid syntax");
    struct node *message = accept_token(parser, ",") ? parse_expression(parser) : NULL;
    return parent_of_two(parser, NODE_ASSERT, start, test, message);
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

static struct node *parse_scope(struct parser *parser) {
    const enum node_kind kind = next_is(parser, "global") ? NODE_GLOBAL : NODE_NONLOCAL;
    struct node *node = node_new(parser, kind, parser->next++);
    do {
        struct node *name = node_new(parser, NODE_NAME, parser->next);
        name->text = expect_name(parser);
        node_add(parser, node, name);
    } while (accept_token(parser, ","));
    return node_end(parser, node);
}

static struct node *parse_jump(struct parser *parser) {
    const enum node_kind kind = next_is(parser, "pass")    ? NODE_PASS
                                : next_is(parser, "break") ? NODE_BREAK
                                                           : NODE_CONTINUE;
    struct node *node = node_new(parser, kind, parser->next++);
    if (kind != NODE_PASS && !parser->in_loop)
        fail_late(parser, node->span,
                  kind == NODE_BREAK ? "'break' outside loop" : "'continue' not properly in loop");
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

static void expect_names(struct parser *parser) {
    if (parser->next->kind == TOKEN_NEWLINE)
        fail_here(parser, "Expected one or more names after 'import'");
}

static struct node *parse_import(struct parser *parser) {
    struct node *node = node_new(parser, NODE_IMPORT, parser->next++);
    expect_names(parser);
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
            fail_here(parser, "trailing comma not allowed without surrounding parentheses");
    } while (accept_token(parser, ","));
    if (in_brackets) expect_token(parser, ")");
}

static struct node *parse_from(struct parser *parser) {
    struct node *node = node_new(parser, NODE_FROM, parser->next++);
    const char *dots = "";
    while (next_is(parser, ". ..."))
        dots = arena_format(parser->arena, "%s%s", dots, token_text(parser, parser->next++));
    node->text = *dots != '\0' && next_is(parser, "import")
                     ? dots
                     : arena_format(parser->arena, "%s%s", dots, parse_module(parser));
    expect_token(parser, "import");
    expect_names(parser);
    if (!accept_token(parser, "*")) parse_imported(parser, node);
    return node_end(parser, node);
}

// --- Lines -------------------------------------------------------------------------------------------------------

static struct node *parse_simple(struct parser *parser) {
    static const struct {
        const char *words;
        struct node *(*parse)(struct parser *parser);
    } rows[] = {
        {"return", parse_return}, {"yield", parse_yield}, {"raise", parse_raise},
        {"assert", parse_assert}, {"del", parse_del},     {"global nonlocal", parse_scope},
        {"import", parse_import}, {"from", parse_from},   {"pass break continue", parse_jump}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (next_is(parser, rows[i].words)) return rows[i].parse(parser);
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
    block->span = span_to(block->span, compound->span);
}
