#include <string.h>

#include "script/syntax/parser.h"

// Compound statements: those with blocks.

static void expect_colon(struct parser *parser) {
    if (parser->next->kind == TOKEN_NEWLINE) fail_here(parser, "expected ':'");
    expect_token(parser, ":");
}

// What stands behind the colon: the rest of the line, or lines further in. `what` and the line of `keyword` are for
// the message that there is nothing.
static struct node *parse_block(struct parser *parser, const char *what,
                                const struct token *keyword) {
    struct node *block = node_new(parser, NODE_BLOCK, parser->next);
    if (parser->next->kind != TOKEN_NEWLINE) {
        parse_simple_line(parser, block);
        return block;
    }
    parser->next++;
    if (parser->next->kind != TOKEN_INDENT)
        fail_indentation(parser, "expected an indented block after %s on line %d", what,
                         keyword->span.line);
    parser->next++;
    block->span = parser->next->span;
    parse_deeper(parser);
    while (parser->next->kind != TOKEN_DEDENT && parser->next->kind != TOKEN_END)
        parse_statements(parser, block);
    parser->depth--;
    if (parser->next->kind == TOKEN_DEDENT) parser->next++;
    return block;
}

// A block in which `return`, and `break` and `continue`, may or may not stand.
static struct node *parse_body(struct parser *parser, bool in_function, bool in_loop,
                               const char *what, const struct token *keyword) {
    const bool was_in_function = parser->in_function, was_in_loop = parser->in_loop;
    parser->in_function = in_function;
    parser->in_loop = in_loop;
    struct node *block = parse_block(parser, what, keyword);
    parser->in_function = was_in_function;
    parser->in_loop = was_in_loop;
    return block;
}

// A statement ends where its last block ends: the first of these that is there.
static struct node *end_with(struct node *node, const struct node *last, const struct node *other) {
    node->span = span_to(node->span, (last != NULL ? last : other)->span);
    return node;
}

// The block behind `else` or `finally`; NULL: it is not there.
static struct node *parse_branch(struct parser *parser, const char *word, const char *what) {
    const struct token *keyword = parser->next;
    if (!accept_token(parser, word)) return NULL;
    force_token(parser, ":");
    return parse_block(parser, what, keyword);
}

static struct node *parse_else(struct parser *parser) {
    return parse_branch(parser, "else", "'else' statement");
}

static struct node *parse_one_if(struct parser *parser, const char *what) {
    const struct token *keyword = parser->next++;
    struct node *node = parent_of(parser, NODE_IF, keyword, parse_named(parser));
    expect_colon(parser);
    node_add(parser, node, parse_block(parser, what, keyword));
    return node;
}

// The whole chain of if and elif: each is the last part of the one before.
static struct node *parse_if(struct parser *parser) {
    struct node *chain = node_new(parser, NODE_BLOCK, parser->next); // only to keep them
    node_add(parser, chain, parse_one_if(parser, "'if' statement"));
    while (next_is(parser, "elif"))
        node_add(parser, chain, parse_one_if(parser, "'elif' statement"));
    struct node *rest = parse_else(parser);
    for (int i = chain->part_count - 1; i >= 0; i--) {
        node_add(parser, chain->parts[i], rest);
        rest = end_with(chain->parts[i], rest, chain->parts[i]->parts[1]);
    }
    return rest;
}

static struct node *parse_while(struct parser *parser) {
    const struct token *keyword = parser->next++;
    struct node *node = parent_of(parser, NODE_WHILE, keyword, parse_named(parser));
    expect_colon(parser);
    node_add(parser, node,
             parse_body(parser, parser->in_function, true, "'while' statement", keyword));
    node_add(parser, node, parse_else(parser));
    return end_with(node, node->parts[2], node->parts[1]);
}

static struct node *parse_for(struct parser *parser) {
    const struct token *keyword = parser->next++;
    struct node *node = parent_of(parser, NODE_FOR, keyword, parse_targets(parser));
    check_target(parser, node->parts[0], TARGET_FOR);
    expect_token(parser, "in");
    node_add(parser, node, parse_expressions(parser));
    expect_colon(parser);
    node_add(parser, node,
             parse_body(parser, parser->in_function, true, "'for' statement", keyword));
    node_add(parser, node, parse_else(parser));
    return end_with(node, node->parts[3], node->parts[2]);
}

// --- try ---------------------------------------------------------------------------------------------------------

static struct node *parse_handler(struct parser *parser) {
    const struct token *keyword = parser->next++;
    struct node *node = node_new(parser, NODE_HANDLER, keyword), *type = NULL;
    if (next_is(parser, "*")) refuse_feature(parser, "except*");
    if (!next_is(parser, ":") && parser->next->kind != TOKEN_NEWLINE) {
        type = parse_expression(parser);
        if (next_is(parser, ","))
            parse_fail(parser, type->span, "multiple exception types must be parenthesized");
        if (accept_token(parser, "as")) node->text = expect_name(parser);
    }
    node_add(parser, node, type);
    expect_colon(parser);
    node_add(parser, node, parse_block(parser, "'except' statement", keyword));
    return end_with(node, node->parts[1], NULL);
}

static struct node *parse_try(struct parser *parser) {
    const struct token *keyword = parser->next++;
    force_token(parser, ":");
    struct node *block = parse_block(parser, "'try' statement", keyword);
    struct node *node = parent_of_two(parser, NODE_TRY, keyword, block, NULL);
    node_add(parser, node, NULL);
    const struct node *last = NULL;
    while (next_is(parser, "except")) {
        if (last != NULL && last->parts[0] == NULL)
            fail_late(parser, last->span, "default 'except:' must be last");
        node_add(parser, node, parse_handler(parser));
        last = node->parts[node->part_count - 1];
    }
    if (last != NULL) node_set(parser, node, 1, parse_else(parser));
    node_set(parser, node, 2, parse_branch(parser, "finally", "'finally' statement"));
    if (last == NULL && node->parts[2] == NULL)
        fail_here(parser, "expected 'except' or 'finally' block");
    return end_with(node, node->parts[2], node->parts[1] != NULL ? node->parts[1] : last);
}

// --- with --------------------------------------------------------------------------------------------------------

static void parse_items(struct parser *parser, struct node *with, const char *closing) {
    do {
        const struct token *start = parser->next;
        struct node *manager = parse_expression(parser), *target = NULL;
        if (accept_token(parser, "as")) {
            target = next_is(parser, "*") ? parse_starred_or_named(parser) : parse_bits(parser);
            check_target(parser, target, TARGET_ASSIGN);
        }
        node_add(parser, with, parent_of_two(parser, NODE_ITEM, start, manager, target));
    } while (accept_token(parser, ",") && !next_is(parser, closing));
}

static struct node *parse_items_in_brackets(struct parser *parser) {
    struct node *with = parent_of(parser, NODE_WITH, parser->next, NULL);
    expect_token(parser, "(");
    parse_items(parser, with, ")");
    expect_token(parser, ")");
    if (!next_is(parser, ":") && parser->next->kind != TOKEN_NEWLINE) refuse_next(parser);
    return with;
}

static struct node *parse_with(struct parser *parser) {
    const struct token *keyword = parser->next++, *end;
    struct node *node;
    if (next_is(parser, "(") && would_read(parser, parse_items_in_brackets, parser->next, &end)) {
        node = parse_items_in_brackets(parser);
        node->span = keyword->span;
    } else {
        node = parent_of(parser, NODE_WITH, keyword, NULL);
        parse_items(parser, node, ":");
    }
    expect_colon(parser);
    node_set(parser, node, 0, parse_block(parser, "'with' statement", keyword));
    return end_with(node, node->parts[0], NULL);
}

// --- def, class --------------------------------------------------------------------------------------------------

static struct node *parse_def(struct parser *parser) {
    const struct token *keyword = parser->next++;
    struct node *node = node_new(parser, NODE_DEF, keyword);
    node->text = expect_name(parser);
    if (next_is(parser, "[")) refuse_feature(parser, "def f[T]");
    force_token(parser, "(");
    node_add(parser, node, parse_parameters(parser, ")"));
    expect_token(parser, ")");
    struct node *annotation = accept_token(parser, "->") ? parse_expression(parser) : NULL;
    force_token(parser, ":");
    node_add(parser, node, parse_body(parser, true, false, "function definition", keyword));
    node_add(parser, node, annotation);
    return end_with(node, node->parts[1], NULL);
}

static struct node *parse_class(struct parser *parser) {
    const struct token *keyword = parser->next++;
    struct node *node = node_new(parser, NODE_CLASS, keyword);
    node->text = expect_name(parser);
    if (next_is(parser, "[")) refuse_feature(parser, "class C[T]");
    struct node *bases = node_new(parser, NODE_TUPLE, parser->next);
    if (accept_token(parser, "(")) parse_arguments(parser, bases);
    for (int i = 0; i < bases->part_count; i++) {
        const struct node *base = bases->parts[i]->parts[0];
        if (base->kind == NODE_GENERATOR && base->stars == 1) // without brackets of its own
            parse_fail(parser, base->span, "invalid syntax");
    }
    expect_colon(parser);
    node_add(parser, node, parse_body(parser, false, false, "class definition", keyword));
    node_add(parser, node, bases);
    return end_with(node, node->parts[0], NULL);
}

static struct node *parse_decorated(struct parser *parser) {
    struct node *decorators = node_new(parser, NODE_TUPLE, parser->next);
    while (accept_token(parser, "@")) {
        node_add(parser, decorators, parse_named(parser));
        if (parser->next->kind != TOKEN_NEWLINE) refuse_next(parser);
        parser->next++;
    }
    if (next_is(parser, "async")) refuse_feature(parser, "async");
    if (!next_is(parser, "def class")) refuse_next(parser);
    struct node *node = next_is(parser, "def") ? parse_def(parser) : parse_class(parser);
    for (int i = 0; i < decorators->part_count; i++) node_add(parser, node, decorators->parts[i]);
    return node;
}

// --- Which one ---------------------------------------------------------------------------------------------------

static bool is_word(const struct token *token, const char *word) {
    return token->kind == TOKEN_NAME && (size_t)token->length == strlen(word) &&
           strncmp(token->start, word, (size_t)token->length) == 0;
}

// `match` and `type` are names except at the beginning of their statements.
static void refuse_soft_keywords(struct parser *parser) {
    const struct token *token = parser->next;
    if (is_word(token, "type") && token[1].kind == TOKEN_NAME) refuse_feature(parser, "type");
    if (!is_word(token, "match")) return;
    while (token->kind != TOKEN_NEWLINE && token->kind != TOKEN_END) token++;
    if (token->kind == TOKEN_NEWLINE && token_is(token - 1, ":") && token[1].kind == TOKEN_INDENT &&
        is_word(token + 2, "case"))
        refuse_feature(parser, "match");
}

struct node *parse_compound(struct parser *parser) {
    static const struct {
        const char *word;
        struct node *(*parse)(struct parser *parser);
    } rows[] = {{"@", parse_decorated}, {"if", parse_if},   {"for", parse_for},
                {"while", parse_while}, {"def", parse_def}, {"class", parse_class},
                {"with", parse_with},   {"try", parse_try}};
    refuse_soft_keywords(parser);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (next_is(parser, rows[i].word)) return rows[i].parse(parser);
    if (next_is(parser, "async")) refuse_feature(parser, "async");
    return NULL;
}
