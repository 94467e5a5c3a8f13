#ifndef ONESTEP_SCRIPT_SYNTAX_TREE_H
#define ONESTEP_SCRIPT_SYNTAX_TREE_H

// The tree of a program in Python. All nodes have one form, so that patterns can be matched against them: a kind, a
// text, an operator, and parts whose order the kind decides. A part that may be left out is NULL there. Every node
// knows its place in the file.

#include <stdbool.h>
#include <stdint.h>

enum node_kind {
    // Expressions
    NODE_NAME,  // text
    NODE_INT,   // integer; text: its digits as written (a literal may have up to 64 bits)
    NODE_FLOAT, // number
    NODE_STRING, // text, length: the bytes that it stands for; neighbours are joined. is_bytes: b"..."
    NODE_FSTRING, // parts: NODE_STRING and NODE_FIELD in their order
    NODE_FIELD, // [0] expression, [1] its format, a NODE_FSTRING or NULL; text: "r", "s", "a" or NULL; the source
    // of {x=} stands before it as a NODE_STRING
    NODE_NONE,
    NODE_TRUE,
    NODE_FALSE,
    NODE_ELLIPSIS,
    NODE_TUPLE,
    NODE_LIST,
    NODE_SET,         // parts: items, some may be NODE_STARRED
    NODE_DICT,        // parts: key, value, key, value, ...; key NULL: **value
    NODE_UNARY,       // operator: - + ~ not; [0]
    NODE_BINARY,      // operator; [0], [1]
    NODE_BOOLEAN,     // operator: and, or; two parts or more
    NODE_COMPARE,     // parts: the n + 1 operands; operators[n]
    NODE_CONDITIONAL, // [0] if [1] else [2]
    NODE_LAMBDA,      // [0] NODE_PARAMETERS, [1] expression
    NODE_CALL,        // [0] what is called, then NODE_ARGUMENT
    NODE_ARGUMENT,    // [0]; text: its keyword or NULL; stars: 0, 1 (*x), 2 (**x)
    NODE_ATTRIBUTE,   // [0] . text
    NODE_SUBSCRIPT,   // [0] [ [1] ]; several indices are a NODE_TUPLE
    NODE_SLICE,       // [0] : [1] : [2], each may be NULL
    NODE_STARRED,     // * [0], in displays and targets
    NODE_WALRUS,      // [0] NODE_NAME := [1]
    NODE_LIST_COMPREHENSION,
    NODE_SET_COMPREHENSION,
    NODE_GENERATOR,          // [0] element, then NODE_CLAUSE
    NODE_DICT_COMPREHENSION, // [0] key, [1] value, then NODE_CLAUSE
    NODE_CLAUSE,             // for [0] in [1], then its conditions

    // Statements
    NODE_BLOCK,      // parts: statements
    NODE_EXPRESSION, // [0]
    NODE_ASSIGN,     // parts: targets, the value last
    NODE_AUGMENTED,  // [0] operator= [1]
    NODE_ANNOTATED,  // [0] target, [1] annotation, [2] value or NULL
    NODE_DEF, // text; [0] NODE_PARAMETERS, [1] NODE_BLOCK, [2] annotation of the result or NULL, then decorators
    NODE_PARAMETERS, // parts: NODE_PARAMETER
    NODE_PARAMETER,  // text; [0] default or NULL, [1] annotation or NULL; parameter: which kind
    NODE_CLASS,   // text; [0] NODE_BLOCK, [1] NODE_TUPLE of NODE_ARGUMENT (bases), then decorators
    NODE_RETURN,  // [0] or NULL
    NODE_YIELD,   // a statement of its own: [0] or NULL; text: "from", or NULL
    NODE_IF,      // [0] test, [1] block, [2] NODE_BLOCK, NODE_IF (elif) or NULL
    NODE_FOR,     // [0] target, [1] iterable, [2] block, [3] else or NULL
    NODE_WHILE,   // [0] test, [1] block, [2] else or NULL
    NODE_TRY,     // [0] block, [1] else or NULL, [2] finally or NULL, then NODE_HANDLER
    NODE_HANDLER, // [0] type or NULL, [1] block; text: the name behind `as`, or NULL
    NODE_WITH,    // [0] block, then NODE_ITEM
    NODE_ITEM,    // [0] expression, [1] target or NULL
    NODE_RAISE,   // [0] or NULL, [1] cause or NULL
    NODE_ASSERT,  // [0] test, [1] message or NULL
    NODE_DEL,     // parts: targets
    NODE_IMPORT,  // parts: NODE_ALIAS
    NODE_FROM,    // text: module; parts: NODE_ALIAS; none: *
    NODE_ALIAS,   // text: "torch.nn"; alias: the name behind `as`, or NULL
    NODE_GLOBAL,
    NODE_NONLOCAL, // parts: NODE_NAME
    NODE_PASS,
    NODE_BREAK,
    NODE_CONTINUE,
};

enum operator{
    OP_NONE,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_FLOOR_DIVIDE,
    OP_MODULO,
    OP_POWER,
    OP_MATMUL,
    OP_AND_BITS,
    OP_OR_BITS,
    OP_XOR_BITS,
    OP_SHIFT_LEFT,
    OP_SHIFT_RIGHT,
    OP_INVERT,
    OP_PLUS,
    OP_MINUS,
    OP_NOT,
    OP_AND,
    OP_OR,
    OP_LESS,
    OP_AT_MOST,
    OP_MORE,
    OP_AT_LEAST,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_IN,
    OP_NOT_IN,
    OP_IS,
    OP_IS_NOT,
    OPERATOR_COUNT
};
// "+", "//", "not in": as it is written.
const char *operator_text(enum operator operator);
struct node;
const char *kind_in_words(const struct node *node); // "function call": an expression in messages

enum parameter_form {
    PARAMETER_POSITIONAL_ONLY,
    PARAMETER_PLAIN,
    PARAMETER_STAR,
    PARAMETER_KEYWORD_ONLY,
    PARAMETER_STARS
};

// Lines count from 1, columns from 0, in characters; the end is behind the last character.
struct span {
    int line, column, end_line, end_column;
};

struct node {
    enum node_kind kind;
    enum operator operator;
    const enum operator* operators; // NODE_COMPARE
    struct span span;
    const char *text;
    const char *alias;
    int64_t length; // of a NODE_STRING, in bytes
    bool is_bytes;
    uint64_t integer;
    double number;
    int stars;
    enum parameter_form parameter;
    struct node **parts;
    int part_count;
    int height; // levels of the tree from here down
    struct scope
        *scope; // of a NODE_DEF, NODE_LAMBDA, NODE_CLASS, comprehension or whole program: scope.h
    int slot;   // NODE_NAME: where it is bound, once scope.c has looked
    struct object *name; // the text as a value of a machine, once that needed it
    unsigned machine;    // the machine's number
};

// What is wrong with a program that cannot be read. type: "SyntaxError", "IndentationError", "TabError"; the message is
// CPython 3.13's where CPython has one for it. span.line is the line that CPython names.
struct syntax_error {
    const char *type;
    const char *message; // NULL: the program is right
    struct span span;
};

// A program's text and its tree.
struct program {
    const char *file; // as it is named in messages
    const char *source;
    struct node *tree; // NODE_BLOCK
};

// Reads a program in Python 3.13 (the part of it that README names): the program, or one with error->message. All of it
// lives in the arena; `file` and `source` are kept, not copied. Never recurses deeper than 200 levels of nesting ("too many
// nested parentheses", as CPython).
struct arena;
struct program parse_program(struct arena *arena, const char *file, const char *source,
                             struct syntax_error *error);

// The line of the source, without its newline, in the arena; "" if there is none.
const char *program_line(struct arena *arena, const struct program *program, int line);

#endif
