#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "script/syntax/parser.h"
#include "script/syntax/scope.h"

// --- Tokens ------------------------------------------------------------------------------------------------------

bool next_is(const struct parser *parser, const char *words) {
    return token_is(parser->next, words);
}

bool accept_token(struct parser *parser, const char *words) {
    const bool is_there = next_is(parser, words);
    if (is_there) parser->next++;
    return is_there;
}

void expect_token(struct parser *parser, const char *text) {
    if (!accept_token(parser, text)) refuse_next(parser);
}

void force_token(struct parser *parser, const char *text) {
    if (!accept_token(parser, text)) fail_here(parser, "expected '%s'", text);
}

const char *token_text(struct parser *parser, const struct token *token) {
    return arena_copy_bytes(parser->arena, token->start, (size_t)token->length);
}

const char *expect_name(struct parser *parser) {
    if (parser->next->kind != TOKEN_NAME) refuse_next(parser);
    return token_text(parser, parser->next++);
}

struct trial {
    struct parser parser;
    struct node *(*action)(struct parser *);
};

static void try_to_read(void *context) {
    struct trial *trial = context;
    trial->action(&trial->parser);
}

bool would_read(struct parser *parser, struct node *(*action)(struct parser *),
                const struct token *from, const struct token **end) {
    struct trial trial = {*parser, action};
    trial.parser.next = from;
    trial.parser.is_trial = true;
    const bool was_right = attempt(parser->arena->failure, try_to_read, &trial);
    *end = trial.parser.next;
    if ((*end)->span.line > parser->farthest) parser->farthest = (*end)->span.line;
    return was_right;
}

// --- Errors ------------------------------------------------------------------------------------------------------

static _Noreturn void refuse(struct parser *parser, const char *type, struct span span,
                             const char *format, va_list arguments) {
    char message[256];
    vsnprintf(message, sizeof message, format, arguments);
    parser->error = (struct syntax_error){type, arena_copy(parser->arena, message), span};
    fail(parser->arena->failure, FAIL_INPUT, "%s", parser->error.message);
}

void parse_fail(struct parser *parser, struct span span, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    refuse(parser, "SyntaxError", span, format, arguments);
}

void fail_here(struct parser *parser, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    refuse(parser, "SyntaxError", parser->next->span, format, arguments);
}

void fail_indentation(struct parser *parser, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    refuse(parser, "IndentationError", parser->next->span, format, arguments);
}

void refuse_feature(struct parser *parser, const char *name) {
    fail_here(parser, "onestep does not run `%s`", name);
}

void fail_late(struct parser *parser, struct span span, const char *message) {
    if (parser->late.message == NULL)
        parser->late = (struct syntax_error){"SyntaxError", message, span};
}

void parse_deeper(struct parser *parser) {
    if (++parser->depth > MOST_NESTING) fail_here(parser, "too many nested parentheses");
}

struct span span_to(struct span span, struct span end) {
    return (struct span){span.line, span.column, end.end_line, end.end_column};
}

bool may_mean_equal(const struct node *node) {
    switch (node->kind) {
    case NODE_LIST:
    case NODE_TUPLE:
    case NODE_GENERATOR:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_NONE:
    case NODE_COMPARE:
    case NODE_BOOLEAN:
        return false;
    default:
        return true;
    }
}

// `a = b` where a condition is read: what may have been meant.
static void refuse_equals(struct parser *parser) {
    const struct node *before = parser->operand;
    const struct token *end;
    if (!next_is(parser, "=") || !would_read(parser, parse_bits, parser->next + 1, &end) ||
        token_is(end, "= :="))
        return;
    if (before->kind == NODE_NAME)
        parse_fail(parser, span_to(before->span, end[-1].span),
                   "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
    if (may_mean_equal(before))
        parse_fail(parser, before->span,
                   "cannot assign to %s here. Maybe you meant '==' instead of '='?",
                   kind_in_words(before));
}

// Two operands in brackets with nothing between them.
static void refuse_neighbours(struct parser *parser) {
    const struct token *start = parser->operand_start, *end;
    const bool is_prefix = parser->next == start + 1 && start->kind == TOKEN_NAME &&
                           parser->next->kind == TOKEN_STRING;
    if (!is_prefix && starts_expression(parser->next) &&
        would_read(parser, parse_expression, parser->next, &end) && end[-1].level > 0)
        parse_fail(parser, span_to(start->span, end[-1].span),
                   "invalid syntax. Perhaps you forgot a comma?");
}

// print "text": Python 2.
static void refuse_legacy(struct parser *parser) {
    const struct token *start = parser->operand_start, *end;
    const char *name = token_text(parser, start);
    if (parser->next == start + 1 && start->kind == TOKEN_NAME &&
        (strcmp(name, "print") == 0 || strcmp(name, "exec") == 0) &&
        starts_expression(parser->next) &&
        would_read(parser, parse_expressions, parser->next, &end))
        parse_fail(parser, start->span,
                   "Missing parentheses in call to '%s'. Did you mean %s(...)?", name, name);
}

void refuse_next(struct parser *parser) {
    if (!parser->is_trial && parser->operand != NULL && parser->operand_end == parser->next) {
        refuse_legacy(parser);
        refuse_equals(parser);
        refuse_neighbours(parser);
    }
    if (parser->next->kind == TOKEN_INDENT) fail_indentation(parser, "unexpected indent");
    if (parser->next->kind == TOKEN_DEDENT) fail_indentation(parser, "unexpected unindent");
    fail_here(parser, "invalid syntax");
}

// --- Nodes -------------------------------------------------------------------------------------------------------

struct node *node_new(struct parser *parser, enum node_kind kind, const struct token *start) {
    struct node *node = arena_allocate(parser->arena, sizeof *node);
    node->kind = kind;
    node->span = start->span;
    node->height = 1;
    return node;
}

void node_set(struct parser *parser, struct node *node, int position, struct node *part) {
    node->parts[position] = part;
    if (part == NULL || part->height < node->height) return;
    node->height = part->height + 1;
    if (node->height > MOST_HEIGHT) parse_fail(parser, part->span, "too many nested expressions");
}

void node_add(struct parser *parser, struct node *node, struct node *part) {
    node->parts = arena_grow(parser->arena, node->parts,
                             (size_t)node->part_count * sizeof *node->parts, sizeof *node->parts);
    node_set(parser, node, node->part_count++, part);
}

struct node *node_end(struct parser *parser, struct node *node) {
    node->span = span_to(node->span, parser->next[-1].span);
    return node;
}

struct node *parent_of(struct parser *parser, enum node_kind kind, const struct token *start,
                       struct node *part) {
    struct node *node = node_new(parser, kind, start);
    node_add(parser, node, part);
    return node_end(parser, node);
}

struct node *parent_of_two(struct parser *parser, enum node_kind kind, const struct token *start,
                           struct node *first, struct node *second) {
    struct node *node = parent_of(parser, kind, start, first);
    node_add(parser, node, second);
    return node;
}

// --- Programs ----------------------------------------------------------------------------------------------------

struct reading {
    struct parser parser;
    struct node *tree;
};

static void read_program(void *context) {
    struct reading *reading = context;
    struct parser *parser = &reading->parser;
    reading->tree = node_new(parser, NODE_BLOCK, parser->next);
    while (parser->next->kind != TOKEN_END) parse_statements(parser, reading->tree);
    if (parser->tokens->open.opening != 0) refuse_next(parser);
}

// A bracket that is never closed is what is wrong with all that stands behind its line.
static void blame_open_bracket(struct parser *parser) {
    const struct bracket *open = &parser->tokens->open;
    const int here = parser->next->span.line;
    const int farthest = here > parser->farthest ? here : parser->farthest;
    if (open->opening == 0 || (farthest <= open->span.line && parser->next->kind != TOKEN_END))
        return;
    const char *message = arena_format(parser->arena, "'%c' was never closed", open->opening);
    parser->error = (struct syntax_error){"SyntaxError", message, open->span};
}

struct program parse_program(struct arena *arena, const char *file, const char *source,
                             struct syntax_error *error) {
    const struct tokens tokens = tokens_read(arena, source);
    struct reading reading = {.parser = {.arena = arena, .tokens = &tokens, .next = tokens.items}};
    struct parser *parser = &reading.parser;
    if (tokens.error.message != NULL) {
        parser->error = tokens.error;
    } else if (!attempt(arena->failure, read_program, &reading)) {
        if (parser->error.message == NULL) { // not the program's fault
            const struct failure *failure = arena->failure;
            fail(arena->failure, failure->status, "%s", arena_copy(arena, failure->message));
        }
        blame_open_bracket(parser);
    } else {
        find_scopes(arena, reading.tree, &parser->error);
        if (parser->error.message == NULL) parser->error = parser->late;
    }
    *error = parser->error;
    return (struct program){.file = file, .source = source, .tree = reading.tree};
}
