#ifndef ONESTEP_SCRIPT_SYNTAX_PARSER_H
#define ONESTEP_SCRIPT_SYNTAX_PARSER_H

// What the files of the parser share. Each function reads one thing of the language from parser->next on. Something
// wrong leaves for parse_program by fail(), with parser->error filled in.

#include "script/syntax/token.h"

enum {
    MOST_NESTING = 420,
    MOST_HEIGHT = 1000
}; // levels that are read within each other; levels of a tree

struct parser {
    struct arena *arena;
    const struct tokens *tokens;
    const struct token *next;
    int depth;
    struct syntax_error error;
    // What is wrong with a program that can be read: a return outside of a function.
    struct syntax_error late;
    bool in_function, in_loop;
    int farthest;  // line that was looked at
    bool is_trial; // reads only to see whether it can
    // The operand that was read last, for messages about what stands behind it: its first token, the token behind.
    struct node *operand;
    const struct token *operand_start, *operand_end;
    const struct token *assigned; // the = that is being looked at
};

// --- Tokens (parse.c); `words` as token_is

bool next_is(const struct parser *parser, const char *words);
bool accept_token(struct parser *parser, const char *words); // goes over it, if it is there
void expect_token(struct parser *parser, const char *text);  // "invalid syntax" if it is not there
void force_token(struct parser *parser, const char *text);   // "expected ':'" if it is not there
const char *expect_name(struct parser *parser);
const char *token_text(struct parser *parser, const struct token *token);
// Reads by `action` without consequence: was it right? `end` is the token behind.
bool would_read(struct parser *parser, struct node *(*action)(struct parser *),
                const struct token *from, const struct token **end);

// --- Errors

_Noreturn void parse_fail(struct parser *parser, struct span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void fail_here(struct parser *parser, const char *format, ...) // at the next token
    __attribute__((format(printf, 2, 3)));
_Noreturn void fail_indentation(struct parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// "invalid syntax" at the next token, or a better word for it
_Noreturn void refuse_next(struct parser *parser);
_Noreturn void refuse_feature(struct parser *parser, const char *name); // at the next token
void fail_late(struct parser *parser, struct span span, const char *message);
void parse_deeper(struct parser *parser); // counts a level; parser->depth-- behind it
struct span span_to(struct span span, struct span end);
// May `node = ...` have been meant as ==, where no assignment is allowed?
bool may_mean_equal(const struct node *node);

// --- Nodes

struct node *node_new(struct parser *parser, enum node_kind kind, const struct token *start);
void node_add(struct parser *parser, struct node *node, struct node *part); // part may be NULL
void node_set(struct parser *parser, struct node *node, int position, struct node *part);
struct node *node_end(struct parser *parser, struct node *node); // it ends before the next token
// A node of one part or two, which ends before the next token.
struct node *parent_of(struct parser *parser, enum node_kind kind, const struct token *start,
                       struct node *part);
struct node *parent_of_two(struct parser *parser, enum node_kind kind, const struct token *start,
                           struct node *first, struct node *second);

// --- Literals (parse_literal.c)

struct node *parse_number(struct parser *parser);
struct node *parse_strings(struct parser *parser);

// --- Expressions (parse_expression.c, parse_atom.c)

struct node *parse_expression(struct parser *parser);       // no comma
struct node *parse_named(struct parser *parser);            // also :=
struct node *parse_starred_or_named(struct parser *parser); // also *x
struct node *parse_expressions(struct parser *parser);      // also a tuple without brackets
struct node *parse_disjunction(struct parser *parser);      // no `if`
struct node *parse_bits(struct parser *parser);             // no comparison
struct node *
parse_primary(struct parser *parser); // an atom and what is called, read or indexed behind it
struct node *parse_targets(struct parser *parser); // of for
struct node *parse_atom(struct parser *parser);
bool starts_expression(const struct token *token);
void parse_arguments(struct parser *parser, struct node *call); // up to its )
void parse_clauses(struct parser *parser, struct node *comprehension);
struct node *parse_parameters(struct parser *parser, const char *closing);

// --- Statements (parse_statement.c, parse_block.c)

enum target_use { TARGET_ASSIGN, TARGET_FOR, TARGET_DELETE };
void check_target(struct parser *parser, const struct node *target, enum target_use use);
// One line, or a compound statement.
void parse_statements(struct parser *parser, struct node *block);
void parse_simple_line(struct parser *parser, struct node *block);
struct node *parse_compound(struct parser *parser); // NULL: it is none

#endif
