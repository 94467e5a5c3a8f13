#include <string.h>

#include "script/syntax/parser.h"

// From what binds least, `or`, to what binds most. Several functions are one, to keep the stack small.

struct written {
    const char *text;
    enum operator operator;
    int strength;
};

static const struct written binary[] = {
    {"|", OP_OR_BITS, 1},       {"^", OP_XOR_BITS, 2},     {"&", OP_AND_BITS, 3},
    {"<<", OP_SHIFT_LEFT, 4},   {">>", OP_SHIFT_RIGHT, 4}, {"+", OP_ADD, 5},
    {"-", OP_SUBTRACT, 5},      {"*", OP_MULTIPLY, 6},     {"/", OP_DIVIDE, 6},
    {"//", OP_FLOOR_DIVIDE, 6}, {"%", OP_MODULO, 6},       {"@", OP_MATMUL, 6},
    {NULL, OP_NONE, 0}};
static const struct written comparisons[] = {
    {"<", OP_LESS, 0},      {"<=", OP_AT_MOST, 0}, {">", OP_MORE, 0},
    {">=", OP_AT_LEAST, 0}, {"==", OP_EQUAL, 0},   {"!=", OP_UNEQUAL, 0},
    {"in", OP_IN, 0},       {"is", OP_IS, 0},      {NULL, OP_NONE, 0}};
static const struct written signs[] = {
    {"-", OP_MINUS, 0}, {"+", OP_PLUS, 0}, {"~", OP_INVERT, 0}, {NULL, OP_NONE, 0}};

// The row of the token, or the last one, which has no text.
static const struct written *find_written(const struct token *token, const struct written *row) {
    while (row->text != NULL && !token_is(token, row->text)) row++;
    return row;
}

static struct node *with_operator(struct node *node, enum operator operator) {
    node->operator= operator;
    return node;
}

static void note_operand(struct parser *parser, struct node *node, const struct token *start) {
    parser->operand = node;
    parser->operand_start = start;
    parser->operand_end = parser->next;
}

// - + ~ and powers, which bind more on their left side than a sign and less on their right.
static struct node *parse_factor(struct parser *parser) {
    const struct token *start = parser->next;
    const enum operator sign = find_written(start, signs)->operator;
    struct node *node;
    if (next_is(parser, "not") && start > parser->tokens->items &&
        token_is(start - 1, "+ - * / % // @ ~"))
        fail_here(parser, "'not' after an operator must be parenthesized");
    parse_deeper(parser);
    if (sign != OP_NONE) {
        parser->next++;
        node = parent_of(parser, NODE_UNARY, start, parse_factor(parser));
        node->operator= sign;
    } else {
        node = parse_primary(parser);
        if (accept_token(parser, "**"))
            node = with_operator(
                parent_of_two(parser, NODE_BINARY, start, node, parse_factor(parser)), OP_POWER);
    }
    parser->depth--;
    return node;
}

static struct node *parse_binary(struct parser *parser, int strength) {
    const struct token *start = parser->next;
    struct node *left = parse_factor(parser);
    for (;;) {
        note_operand(parser, left, start);
        const struct written *row = find_written(parser->next, binary);
        if (row->strength <= strength) return left;
        parser->next++;
        struct node *right = parse_binary(parser, row->strength);
        left = with_operator(parent_of_two(parser, NODE_BINARY, start, left, right), row->operator);
    }
}

struct node *parse_bits(struct parser *parser) {
    return parse_binary(parser, 0);
}

static enum operator accept_comparison(struct parser *parser) {
    if (next_is(parser, "not") && token_is(parser->next + 1, "in")) {
        parser->next += 2;
        return OP_NOT_IN;
    }
    const enum operator operator= find_written(parser->next, comparisons)->operator;
    if (operator!= OP_NONE) parser->next++;
    return operator== OP_IS && accept_token(parser, "not") ? OP_IS_NOT : operator;
}

static struct node *parse_comparison(struct parser *parser) {
    const struct token *start = parser->next;
    struct node *node = parse_bits(parser);
    enum operator* operators = NULL, operator;
    for (size_t count = 0; (operator= accept_comparison(parser)) != OP_NONE; count++) {
        if (count == 0) node = parent_of(parser, NODE_COMPARE, start, node);
        operators =
            arena_grow(parser->arena, operators, count * sizeof *operators, sizeof *operators);
        operators[count] = operator;
        node_add(parser, node, parse_bits(parser));
        node->operators = operators;
        node_end(parser, node);
    }
    return node;
}

static struct node *parse_not(struct parser *parser) {
    const struct token *start = parser->next;
    if (!next_is(parser, "not")) return parse_comparison(parser);
    parse_deeper(parser);
    parser->next++;
    struct node *node = parent_of(parser, NODE_UNARY, start, parse_not(parser));
    parser->depth--;
    return with_operator(node, OP_NOT);
}

static struct node *parse_boolean(struct parser *parser, bool is_or) {
    const char *word = is_or ? "or" : "and";
    const struct token *start = parser->next;
    struct node *node = is_or ? parse_boolean(parser, false) : parse_not(parser);
    if (!next_is(parser, word)) return node;
    node = with_operator(parent_of(parser, NODE_BOOLEAN, start, node), is_or ? OP_OR : OP_AND);
    while (accept_token(parser, word))
        node_add(parser, node, is_or ? parse_boolean(parser, false) : parse_not(parser));
    return node_end(parser, node);
}

struct node *parse_disjunction(struct parser *parser) {
    const struct token *start = parser->next;
    struct node *node = parse_boolean(parser, true);
    note_operand(parser, node, start);
    return node;
}

static struct node *parse_lambda(struct parser *parser) {
    struct node *node = node_new(parser, NODE_LAMBDA, parser->next++);
    node_add(parser, node, parse_parameters(parser, ":"));
    force_token(parser, ":");
    if (parser->next->kind == TOKEN_FSTRING_MIDDLE)
        parse_fail(parser, node->span,
                   "f-string: lambda expressions are not allowed without parentheses");
    node_add(parser, node, parse_expression(parser));
    return node_end(parser, node);
}

static struct node *parse_conditional(struct parser *parser, struct node *value,
                                      const struct token *start) {
    struct node *node = parent_of(parser, NODE_CONDITIONAL, start, value);
    parser->next++;
    node_add(parser, node, parse_disjunction(parser));
    if (!next_is(parser, "else :"))
        parse_fail(parser, span_to(start->span, parser->next[-1].span),
                   "expected 'else' after 'if' expression");
    expect_token(parser, "else");
    node_add(parser, node, parse_expression(parser));
    return node_end(parser, node);
}

struct node *parse_expression(struct parser *parser) {
    const struct token *start = parser->next;
    parse_deeper(parser);
    const bool is_lambda = next_is(parser, "lambda");
    struct node *node = is_lambda ? parse_lambda(parser) : parse_disjunction(parser);
    if (!is_lambda && next_is(parser, "if")) node = parse_conditional(parser, node, start);
    parser->depth--;
    return node;
}

struct node *parse_named(struct parser *parser) {
    const struct token *start = parser->next;
    struct node *node = parse_expression(parser);
    if (!next_is(parser, ":=")) return node;
    if (node->kind != NODE_NAME || start + 1 != parser->next)
        parse_fail(parser, node->span, "cannot use assignment expressions with %s",
                   kind_in_words(node));
    parser->next++;
    return parent_of_two(parser, NODE_WALRUS, start, node, parse_expression(parser));
}

struct node *parse_starred_or_named(struct parser *parser) {
    const struct token *start = parser->next;
    if (!accept_token(parser, "*")) return parse_named(parser);
    return parent_of(parser, NODE_STARRED, start, parse_bits(parser));
}

bool starts_expression(const struct token *token) {
    return token->kind == TOKEN_NAME || token->kind == TOKEN_NUMBER ||
           token->kind == TOKEN_STRING || token->kind == TOKEN_FSTRING_START ||
           token_is(token, "( [ { - + ~ ... not lambda None True False await");
}

static struct node *parse_items(struct parser *parser,
                                struct node *(*parse_item)(struct parser *)) {
    const struct token *start = parser->next;
    struct node *first = parse_item(parser);
    if (!next_is(parser, ",")) return first;
    struct node *tuple = parent_of(parser, NODE_TUPLE, start, first);
    while (accept_token(parser, ",") && (starts_expression(parser->next) || next_is(parser, "*")))
        node_add(parser, tuple, parse_item(parser));
    return node_end(parser, tuple);
}

static struct node *parse_starred_or_expression(struct parser *parser) {
    return next_is(parser, "*") ? parse_starred_or_named(parser) : parse_expression(parser);
}

struct node *parse_expressions(struct parser *parser) {
    struct node *node = parse_items(parser, parse_starred_or_expression);
    if (node->kind == NODE_STARRED) // alone, without a comma
        fail_late(parser, node->span,
                  next_is(parser, "=") ? "starred assignment target must be in a list or tuple"
                                       : "can't use starred expression here");
    return node;
}

static struct node *parse_starred_or_bits(struct parser *parser) {
    return next_is(parser, "*") ? parse_starred_or_named(parser) : parse_bits(parser);
}

struct node *parse_targets(struct parser *parser) {
    return parse_items(parser, parse_starred_or_bits);
}
