#include <string.h>

#include "script/syntax/parser.h"

// --- Comprehensions ----------------------------------------------------------------------------------------------

void parse_clauses(struct parser *parser, struct node *comprehension) {
    while (next_is(parser, "for async")) {
        if (next_is(parser, "async")) refuse_feature(parser, "async");
        struct node *clause = node_new(parser, NODE_CLAUSE, parser->next++);
        node_add(parser, clause, parse_targets(parser));
        if (!next_is(parser, "in")) fail_here(parser, "'in' expected after for-loop variables");
        check_target(parser, clause->parts[0], TARGET_FOR);
        expect_token(parser, "in");
        node_add(parser, clause, parse_disjunction(parser));
        while (accept_token(parser, "if")) node_add(parser, clause, parse_disjunction(parser));
        node_add(parser, comprehension, node_end(parser, clause));
    }
}

static bool is_clause(const struct parser *parser) {
    return next_is(parser, "for") ||
           (next_is(parser, "async") && token_is(parser->next + 1, "for"));
}

static struct node *parse_comprehension(struct parser *parser, enum node_kind kind,
                                        struct node *element, const struct token *start,
                                        const char *closing) {
    if (element->kind == NODE_STARRED)
        parse_fail(parser, element->span, "iterable unpacking cannot be used in comprehension");
    struct node *node = parent_of(parser, kind, start, element);
    parse_clauses(parser, node);
    expect_token(parser, closing);
    return node_end(parser, node);
}

// --- Displays ----------------------------------------------------------------------------------------------------

// Items up to the closing bracket, the first of which was read.
static struct node *parse_display(struct parser *parser, enum node_kind kind, struct node *first,
                                  const struct token *start, const char *closing) {
    struct node *node = parent_of(parser, kind, start, first);
    const struct token *item = start + 1;
    while (accept_token(parser, ",") && !next_is(parser, closing)) {
        item = parser->next;
        node_add(parser, node, parse_starred_or_named(parser));
    }
    if (is_clause(parser) && node->part_count > 1)
        parse_fail(parser, (item - 1)->span,
                   "did you forget parentheses around the comprehension target?");
    expect_token(parser, closing);
    return node_end(parser, node);
}

// What stands in round brackets: a tuple, a generator, or an expression, whose place is without them.
static struct node *parse_round(struct parser *parser) {
    const struct token *start = parser->next++;
    if (accept_token(parser, ")")) return node_end(parser, node_new(parser, NODE_TUPLE, start));
    if (next_is(parser, "yield")) refuse_feature(parser, "yield");
    struct node *first = parse_starred_or_named(parser);
    if (is_clause(parser)) return parse_comprehension(parser, NODE_GENERATOR, first, start, ")");
    if (next_is(parser, ",")) return parse_display(parser, NODE_TUPLE, first, start, ")");
    if (first->kind == NODE_STARRED && next_is(parser, ")"))
        parse_fail(parser, first->span, "cannot use starred expression here");
    expect_token(parser, ")");
    return first;
}

static struct node *parse_square(struct parser *parser) {
    const struct token *start = parser->next++;
    if (accept_token(parser, "]")) return node_end(parser, node_new(parser, NODE_LIST, start));
    struct node *first = parse_starred_or_named(parser);
    return is_clause(parser)
               ? parse_comprehension(parser, NODE_LIST_COMPREHENSION, first, start, "]")
               : parse_display(parser, NODE_LIST, first, start, "]");
}

// One `key: value` or `**value` of a dictionary.
static void parse_pair(struct parser *parser, struct node *dict) {
    if (accept_token(parser, "**")) {
        node_add(parser, dict, NULL);
        node_add(parser, dict, parse_bits(parser));
        return;
    }
    node_add(parser, dict, parse_expression(parser));
    const struct span last = parser->next[-1].span;
    if (next_is(parser, "} ,")) parse_fail(parser, last, "':' expected after dictionary key");
    expect_token(parser, ":");
    if (next_is(parser, "} ,"))
        parse_fail(parser, parser->next[-1].span,
                   "expression expected after dictionary key and ':'");
    if (next_is(parser, "*"))
        fail_here(parser, "cannot use a starred expression in a dictionary value");
    node_add(parser, dict, parse_expression(parser));
}

static struct node *parse_dict(struct parser *parser, const struct token *start) {
    struct node *node = node_new(parser, NODE_DICT, start);
    parser->next = start + 1;
    parse_pair(parser, node);
    if (is_clause(parser) && node->parts[0] != NULL) {
        node->kind = NODE_DICT_COMPREHENSION;
        parse_clauses(parser, node);
    }
    while (node->kind == NODE_DICT && accept_token(parser, ",") && !next_is(parser, "}"))
        parse_pair(parser, node);
    if (is_clause(parser) && node->parts[0] == NULL)
        parse_fail(parser, start[1].span, "dict unpacking cannot be used in dict comprehension");
    expect_token(parser, "}");
    return node_end(parser, node);
}

static struct node *parse_curly(struct parser *parser) {
    const struct token *start = parser->next++;
    if (accept_token(parser, "}")) return node_end(parser, node_new(parser, NODE_DICT, start));
    if (next_is(parser, "**")) return parse_dict(parser, start);
    struct node *first = parse_starred_or_named(parser);
    if (next_is(parser, ":")) return parse_dict(parser, start);
    return is_clause(parser)
               ? parse_comprehension(parser, NODE_SET_COMPREHENSION, first, start, "}")
               : parse_display(parser, NODE_SET, first, start, "}");
}

// --- Atoms -------------------------------------------------------------------------------------------------------

struct node *parse_atom(struct parser *parser) {
    static const struct {
        const char *text;
        enum node_kind kind;
    } words[] = {
        {"None", NODE_NONE}, {"True", NODE_TRUE}, {"False", NODE_FALSE}, {"...", NODE_ELLIPSIS}};
    const struct token *token = parser->next;
    if (token->kind == TOKEN_NUMBER) return parse_number(parser);
    if (token->kind == TOKEN_STRING || token->kind == TOKEN_FSTRING_START)
        return parse_strings(parser);
    if (token->kind == TOKEN_NAME) {
        struct node *name = node_new(parser, NODE_NAME, token);
        name->text = expect_name(parser);
        return name;
    }
    if (next_is(parser, "(")) return parse_round(parser);
    if (next_is(parser, "[")) return parse_square(parser);
    if (next_is(parser, "{")) return parse_curly(parser);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (accept_token(parser, words[i].text)) return node_new(parser, words[i].kind, token);
    if (next_is(parser, "yield await")) refuse_feature(parser, token_text(parser, token));
    refuse_next(parser);
}

// --- Behind an atom ----------------------------------------------------------------------------------------------

static struct node *parse_slice(struct parser *parser) {
    const struct token *start = parser->next;
    if (next_is(parser, "*") && !starts_expression(start + 1))
        parse_fail(parser, start->span, "Invalid star expression");
    if (next_is(parser, "*")) return parse_starred_or_named(parser);
    struct node *from = next_is(parser, ":") ? NULL : parse_named(parser);
    if (!accept_token(parser, ":")) return from;
    struct node *node = parent_of(parser, NODE_SLICE, start, from);
    node_add(parser, node, next_is(parser, ": ] ,") ? NULL : parse_expression(parser));
    const bool has_step = accept_token(parser, ":") && !next_is(parser, "] ,");
    node_add(parser, node, has_step ? parse_expression(parser) : NULL);
    return node_end(parser, node);
}

static struct node *parse_index(struct parser *parser) {
    const struct token *start = parser->next;
    struct node *first = parse_slice(parser);
    if (!next_is(parser, ",") && first->kind != NODE_STARRED) return first;
    struct node *tuple = parent_of(parser, NODE_TUPLE, start, first);
    while (accept_token(parser, ",") && !next_is(parser, "]"))
        node_add(parser, tuple, parse_slice(parser));
    return node_end(parser, tuple);
}

struct node *parse_primary(struct parser *parser) {
    const struct token *start = parser->next;
    struct node *node = parse_atom(parser);
    for (;;) {
        if (accept_token(parser, ".")) {
            node = parent_of(parser, NODE_ATTRIBUTE, start, node);
            node->text = expect_name(parser);
        } else if (accept_token(parser, "(")) {
            node = parent_of(parser, NODE_CALL, start, node);
            parse_arguments(parser, node);
        } else if (accept_token(parser, "[")) {
            node = parent_of(parser, NODE_SUBSCRIPT, start, node);
            node_add(parser, node, parse_index(parser));
            expect_token(parser, "]");
        } else {
            return node;
        }
        node_end(parser, node);
    }
}
