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
    {"//", OP_FLOOR_DIVIDE, 6}, {"%", OP_MODULO, 6},       {"@", OP_MATMUL, 6}};
static const struct written comparisons[] = {
    {"<", OP_LESS, 0},   {"<=", OP_AT_MOST, 0}, {">", OP_MORE, 0}, {">=", OP_AT_LEAST, 0},
    {"==", OP_EQUAL, 0}, {"!=", OP_UNEQUAL, 0}, {"in", OP_IN, 0},  {"is", OP_IS, 0}};

static const struct written *find_written(const struct token *token, const struct written *rows,
                                          size_t count) {
    for (size_t i = 0; i < count; i++)
        if (token_is(token, rows[i].text)) return &rows[i];
    return NULL;
}

static void note_operand(struct parser *parser, struct node *node, const struct token *start) {
    parser->operand = node;
    parser->operand_start = start;
    parser->operand_end = parser->next;
}

// 3 + not x
static void refuse_not(struct parser *parser) {
    static const char *const before[] = {"+", "-", "*", "/", "%", "//", "@", "~"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (parser->next > parser->tokens->items && token_is(parser->next - 1, before[i]))
            parse_fail(parser, parser->next->span, "'not' after an operator must be parenthesized");
}

// - + ~ and powers, which bind more on their left side than a sign and less on their right.
static struct node *parse_factor(struct parser *parser) {
    const struct token *start = parser->next;
    const enum operator sign = next_is(parser, "-") ? OP_MINUS
    : next_is(parser, "+")                          ? OP_PLUS
    : next_is(parser, "~")                          ? OP_INVERT
                                                    : OP_NONE;
    struct node *node;
    if (next_is(parser, "not")) refuse_not(parser);
    parse_deeper(parser);
    if (sign != OP_NONE) {
        parser->next++;
        node = node_new(parser, NODE_UNARY, start);
        node->operator= sign;
        node_add(parser, node, parse_factor(parser));
        node_end(parser, node);
    } else {
        node = parse_primary(parser);
        if (accept_token(parser, "**")) {
            struct node *power = node_new(parser, NODE_BINARY, start);
            power->operator= OP_POWER;
            node_add(parser, power, node);
            node_add(parser, power, parse_factor(parser));
            node = node_end(parser, power);
        }
    }
    parser->depth--;
    return node;
}

static struct node *parse_binary(struct parser *parser, int strength) {
    const struct token *start = parser->next;
    struct node *left = parse_factor(parser);
    for (;;) {
        note_operand(parser, left, start);
        const struct written *row =
            find_written(parser->next, binary, sizeof binary / sizeof *binary);
        if (row == NULL || row->strength <= strength) return left;
        parser->next++;
        struct node *node = node_new(parser, NODE_BINARY, start);
        node->operator= row->operator;
        node_add(parser, node, left);
        node_add(parser, node, parse_binary(parser, row->strength));
        left = node_end(parser, node);
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
    const struct written *row =
        find_written(parser->next, comparisons, sizeof comparisons / sizeof *comparisons);
    if (row == NULL) return OP_NONE;
    parser->next++;
    return row->operator== OP_IS && accept_token(parser, "not") ? OP_IS_NOT : row->operator;
}

static struct node *parse_comparison(struct parser *parser) {
    const struct token *start = parser->next;
    struct node *first = parse_bits(parser), *compare = NULL;
    enum operator* operators = NULL, operator;
    for (size_t count = 0; (operator= accept_comparison(parser)) != OP_NONE; count++) {
        if (compare == NULL) {
            compare = node_new(parser, NODE_COMPARE, start);
            node_add(parser, compare, first);
        }
        operators =
            arena_grow(parser->arena, operators, count * sizeof *operators, sizeof *operators);
        operators[count] = operator;
        node_add(parser, compare, parse_bits(parser));
    }
    if (compare == NULL) return first;
    compare->operators = operators;
    return node_end(parser, compare);
}

static struct node *parse_not(struct parser *parser) {
    if (!next_is(parser, "not")) return parse_comparison(parser);
    parse_deeper(parser);
    struct node *node = node_new(parser, NODE_UNARY, parser->next++);
    node->operator= OP_NOT;
    node_add(parser, node, parse_not(parser));
    parser->depth--;
    return node_end(parser, node);
}

static struct node *parse_boolean(struct parser *parser, bool is_or) {
    const char *word = is_or ? "or" : "and";
    const struct token *start = parser->next;
    struct node *first = is_or ? parse_boolean(parser, false) : parse_not(parser);
    if (!next_is(parser, word)) return first;
    struct node *node = node_new(parser, NODE_BOOLEAN, start);
    node->operator= is_or ? OP_OR : OP_AND;
    node_add(parser, node, first);
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
    const bool in_function = parser->in_function;
    node_add(parser, node, parse_parameters(parser, ":"));
    force_token(parser, ":");
    if (parser->next->kind == TOKEN_FSTRING_MIDDLE)
        parse_fail(parser, node->span,
                   "f-string: lambda expressions are not allowed without parentheses");
    node_add(parser, node, parse_expression(parser));
    parser->in_function = in_function;
    return node_end(parser, node);
}

static struct node *parse_conditional(struct parser *parser, struct node *value,
                                      const struct token *start) {
    struct node *node = node_new(parser, NODE_CONDITIONAL, start);
    node_add(parser, node, value);
    parser->next++;
    node_add(parser, node, parse_disjunction(parser));
    if (!next_is(parser, "else") && !next_is(parser, ":")) {
        struct span span = start->span;
        span.end_line = parser->next[-1].span.end_line;
        span.end_column = parser->next[-1].span.end_column;
        parse_fail(parser, span, "expected 'else' after 'if' expression");
    }
    expect_token(parser, "else");
    node_add(parser, node, parse_expression(parser));
    return node_end(parser, node);
}

struct node *parse_expression(struct parser *parser) {
    const struct token *start = parser->next;
    struct node *node;
    parse_deeper(parser);
    if (next_is(parser, "lambda")) {
        node = parse_lambda(parser);
    } else {
        node = parse_disjunction(parser);
        if (next_is(parser, "if")) node = parse_conditional(parser, node, start);
    }
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
    struct node *walrus = node_new(parser, NODE_WALRUS, start);
    node_add(parser, walrus, node);
    node_add(parser, walrus, parse_expression(parser));
    return node_end(parser, walrus);
}

struct node *parse_starred_or_named(struct parser *parser) {
    if (!next_is(parser, "*")) return parse_named(parser);
    struct node *node = node_new(parser, NODE_STARRED, parser->next++);
    node_add(parser, node, parse_bits(parser));
    return node_end(parser, node);
}

bool starts_expression(const struct token *token) {
    static const char *const starts[] = {"(",   "[",      "{",    "-",    "+",     "~",    "...",
                                         "not", "lambda", "None", "True", "False", "await"};
    switch (token->kind) {
    case TOKEN_NAME:
    case TOKEN_NUMBER:
    case TOKEN_STRING:
    case TOKEN_FSTRING_START:
        return true;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (token_is(token, starts[i])) return true;
    return false;
}

static struct node *parse_items(struct parser *parser,
                                struct node *(*parse_item)(struct parser *)) {
    const struct token *start = parser->next;
    struct node *first = parse_item(parser);
    if (!next_is(parser, ",")) return first;
    struct node *tuple = node_new(parser, NODE_TUPLE, start);
    node_add(parser, tuple, first);
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
