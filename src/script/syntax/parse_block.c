#include <string.h>

#include "script/syntax/parser.h"

// Compound statements: those with blocks.

void expect_colon(struct parser *parser) {
    if (parser->next->kind == TOKEN_NEWLINE) parse_fail(parser, parser->next->span, "expected ':'");
    expect_token(parser, ":");
}

// What stands behind the colon: the rest of the line, or lines further in. `what` and the line of `keyword` are for
// the message that there is nothing.
struct node *parse_block(struct parser *parser, const char *what, const struct token *keyword) {
    struct node *block = node_new(parser, NODE_BLOCK, parser->next);
    if (parser->next->kind != TOKEN_NEWLINE) {
        parse_simple_line(parser, block);
        return block;
    }
    parser->next++;
    if (parser->next->kind != TOKEN_INDENT)
        parse_fail_indentation(parser, "expected an indented block after %s on line %d", what,
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

// A statement ends where its last block ends.
static struct node *end_with(struct node *node, const struct node *block) {
    if (block == NULL) return node;
    node->span.end_line = block->span.end_line;
    node->span.end_column = block->span.end_column;
    return node;
}

static struct node *parse_else(struct parser *parser) {
    if (!next_is(parser, "else")) return NULL;
    const struct token *keyword = parser->next++;
    force_token(parser, ":");
    return parse_block(parser, "'else' statement", keyword);
}

static struct node *parse_one_if(struct parser *parser, const char *what) {
    const struct token *keyword = parser->next++;
    struct node *node = node_new(parser, NODE_IF, keyword);
    node_add(parser, node, parse_named(parser));
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
        struct node *node = chain->parts[i];
        node_add(parser, node, rest);
        rest = end_with(node, rest != NULL ? rest : node->parts[1]);
    }
    return rest;
}

static struct node *parse_loop_block(struct parser *parser, const char *what,
                                     const struct token *keyword) {
    const bool in_loop = parser->in_loop;
    parser->in_loop = true;
    struct node *block = parse_block(parser, what, keyword);
    parser->in_loop = in_loop;
    return block;
}

static struct node *parse_while(struct parser *parser) {
    const struct token *keyword = parser->next++;
    struct node *node = node_new(parser, NODE_WHILE, keyword);
    node_add(parser, node, parse_named(parser));
    expect_colon(parser);
    node_add(parser, node, parse_loop_block(parser, "'while' statement", keyword));
    node_add(parser, node, parse_else(parser));
    return end_with(node, node->parts[node->parts[2] != NULL ? 2 : 1]);
}

static struct node *parse_for(struct parser *parser) {
    const struct token *keyword = parser->next++;
    struct node *node = node_new(parser, NODE_FOR, keyword);
    node_add(parser, node, parse_targets(parser));
    check_target(parser, node->parts[0], TARGET_FOR);
    expect_token(parser, "in");
    node_add(parser, node, parse_expressions(parser));
    expect_colon(parser);
    node_add(parser, node, parse_loop_block(parser, "'for' statement", keyword));
    node_add(parser, node, parse_else(parser));
    return end_with(node, node->parts[node->parts[3] != NULL ? 3 : 2]);
}

// --- try ---------------------------------------------------------------------------------------------------------

static struct node *parse_handler(struct parser *parser) {
    const struct token *keyword = parser->next++;
    struct node *node = node_new(parser, NODE_HANDLER, keyword), *type = NULL;
    if (next_is(parser, "*")) refuse_feature(parser, parser->next->span, "except*");
    if (!next_is(parser, ":") && parser->next->kind != TOKEN_NEWLINE) {
        type = parse_expression(parser);
        if (next_is(parser, ","))
            parse_fail(parser, type->span, "multiple exception types must be parenthesized");
        if (accept_token(parser, "as")) node->text = expect_name(parser);
    }
    node_add(parser, node, type);
    expect_colon(parser);
    node_add(parser, node, parse_block(parser, "'except' statement", keyword));
    return end_with(node, node->parts[1]);
}

static struct node *parse_finally(struct parser *parser) {
    if (!next_is(parser, "finally")) return NULL;
    const struct token *keyword = parser->next++;
    force_token(parser, ":");
    return parse_block(parser, "'finally' statement", keyword);
}

static struct node *parse_try(struct parser *parser) {
    const struct token *keyword = parser->next++;
    struct node *node = node_new(parser, NODE_TRY, keyword);
    force_token(parser, ":");
    node_add(parser, node, parse_block(parser, "'try' statement", keyword));
    node_add(parser, node, NULL);
    node_add(parser, node, NULL);
    const struct node *last = NULL;
    while (next_is(parser, "except")) {
        if (last != NULL && last->kind == NODE_HANDLER && last->parts[0] == NULL)
            fail_late(parser, last->span, "default 'except:' must be last");
        node_add(parser, node, parse_handler(parser));
        last = node->parts[node->part_count - 1];
    }
    struct node *otherwise = last != NULL ? parse_else(parser) : NULL,
                *in_the_end = parse_finally(parser);
    if (last == NULL && in_the_end == NULL)
        parse_fail(parser, parser->next->span, "expected 'except' or 'finally' block");
    if (otherwise != NULL) node_set(parser, node, 1, otherwise);
    if (in_the_end != NULL) node_set(parser, node, 2, in_the_end);
    return end_with(node, in_the_end != NULL ? in_the_end : otherwise != NULL ? otherwise : last);
}

// --- with --------------------------------------------------------------------------------------------------------

static void parse_item(struct parser *parser, struct node *with) {
    struct node *item = node_new(parser, NODE_ITEM, parser->next), *target = NULL;
    node_add(parser, item, parse_expression(parser));
    if (accept_token(parser, "as")) {
        target = next_is(parser, "*") ? parse_starred_or_named(parser) : parse_bits(parser);
        check_target(parser, target, TARGET_ASSIGN);
    }
    node_add(parser, item, target);
    node_add(parser, with, node_end(parser, item));
}

static void parse_items(struct parser *parser, struct node *with, const char *closing) {
    do parse_item(parser, with);
    while (accept_token(parser, ",") && !next_is(parser, closing));
}

static struct node *read_items_in_brackets(struct parser *parser) {
    struct node *with = node_new(parser, NODE_WITH, parser->next);
    expect_token(parser, "(");
    parse_items(parser, with, ")");
    expect_token(parser, ")");
    if (!next_is(parser, ":") && parser->next->kind != TOKEN_NEWLINE) refuse_next(parser);
    return with;
}

static struct node *parse_with(struct parser *parser) {
    const struct token *keyword = parser->next++, *end;
    struct node *node = node_new(parser, NODE_WITH, keyword);
    node_add(parser, node, NULL);
    if (next_is(parser, "(") && would_read(parser, read_items_in_brackets, parser->next, &end)) {
        parser->next++;
        parse_items(parser, node, ")");
        expect_token(parser, ")");
    } else {
        parse_items(parser, node, ":");
    }
    expect_colon(parser);
    struct node *block = parse_block(parser, "'with' statement", keyword);
    node_set(parser, node, 0, block);
    return end_with(node, block);
}

// --- def, class --------------------------------------------------------------------------------------------------

static struct node *parse_body(struct parser *parser, bool in_function, const char *what,
                               const struct token *keyword) {
    const bool was_in_function = parser->in_function, was_in_loop = parser->in_loop;
    parser->in_function = in_function;
    parser->in_loop = false;
    struct node *block = parse_block(parser, what, keyword);
    parser->in_function = was_in_function;
    parser->in_loop = was_in_loop;
    return block;
}

static struct node *parse_def(struct parser *parser) {
    const struct token *keyword = parser->next++;
    struct node *node = node_new(parser, NODE_DEF, keyword);
    node->text = expect_name(parser);
    if (next_is(parser, "[")) refuse_feature(parser, parser->next->span, "def f[T]");
    force_token(parser, "(");
    node_add(parser, node, parse_parameters(parser, ")"));
    expect_token(parser, ")");
    struct node *annotation = accept_token(parser, "->") ? parse_expression(parser) : NULL;
    force_token(parser, ":");
    node_add(parser, node, parse_body(parser, true, "function definition", keyword));
    node_add(parser, node, annotation);
    return end_with(node, node->parts[1]);
}

static struct node *parse_class(struct parser *parser) {
    const struct token *keyword = parser->next++;
    struct node *node = node_new(parser, NODE_CLASS, keyword);
    node->text = expect_name(parser);
    if (next_is(parser, "[")) refuse_feature(parser, parser->next->span, "class C[T]");
    struct node *bases = node_new(parser, NODE_TUPLE, parser->next);
    if (accept_token(parser, "(")) parse_arguments(parser, bases);
    for (int i = 0; i < bases->part_count; i++) {
        const struct node *base = bases->parts[i]->parts[0];
        if (base->kind == NODE_GENERATOR && base->stars == 1) // without brackets of its own
            parse_fail(parser, base->span, "invalid syntax");
    }
    expect_colon(parser);
    node_add(parser, node, parse_body(parser, false, "class definition", keyword));
    node_add(parser, node, bases);
    return end_with(node, node->parts[0]);
}

static struct node *parse_decorated(struct parser *parser) {
    struct node *decorators = node_new(parser, NODE_TUPLE, parser->next);
    while (accept_token(parser, "@")) {
        node_add(parser, decorators, parse_named(parser));
        if (parser->next->kind != TOKEN_NEWLINE) refuse_next(parser);
        parser->next++;
    }
    if (next_is(parser, "async")) refuse_feature(parser, parser->next->span, "async");
    if (!next_is(parser, "def") && !next_is(parser, "class")) refuse_next(parser);
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
    if (is_word(token, "type") && token[1].kind == TOKEN_NAME)
        refuse_feature(parser, token->span, "type");
    if (!is_word(token, "match")) return;
    while (token->kind != TOKEN_NEWLINE && token->kind != TOKEN_END) token++;
    if (token->kind == TOKEN_NEWLINE && token_is(token - 1, ":") && token[1].kind == TOKEN_INDENT &&
        is_word(token + 2, "case"))
        refuse_feature(parser, parser->next->span, "match");
}

struct node *parse_compound(struct parser *parser) {
    if (parser->next->kind == TOKEN_NAME) {
        refuse_soft_keywords(parser);
        return NULL;
    }
    if (next_is(parser, "@")) return parse_decorated(parser);
    if (parser->next->kind != TOKEN_KEYWORD) return NULL;
    if (next_is(parser, "if")) return parse_if(parser);
    if (next_is(parser, "for")) return parse_for(parser);
    if (next_is(parser, "while")) return parse_while(parser);
    if (next_is(parser, "def")) return parse_def(parser);
    if (next_is(parser, "class")) return parse_class(parser);
    if (next_is(parser, "with")) return parse_with(parser);
    if (next_is(parser, "try")) return parse_try(parser);
    if (next_is(parser, "async")) refuse_feature(parser, parser->next->span, "async");
    return NULL;
}
