#ifndef ONESTEP_SCRIPT_PARSE_H
#define ONESTEP_SCRIPT_PARSE_H

// Reads a program in Python 3.13 (the part of it that README names). All of it lives in the arena.

#include "base/arena.h"
#include "script/syntax/tree.h"

// What is wrong with a program that cannot be read. type: "SyntaxError", "IndentationError", "TabError"; the message is
// CPython 3.13's where CPython has one for it. span.line is the line that CPython names.
struct syntax_error {
    const char *type;
    const char *message; // NULL: the program is right
    struct span span;
};

// The program, or one with error->message. `file` and `source` are kept, not copied. Never recurses deeper than 200
// levels of nesting ("too many nested parentheses", as CPython).
struct program parse_program(struct arena *arena, const char *file, const char *source,
                             struct syntax_error *error);

#endif
