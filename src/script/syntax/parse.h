#ifndef ONESTEP_SCRIPT_PARSE_H
#define ONESTEP_SCRIPT_PARSE_H

// Reads a program in Python 3.13 (the part of it that README names). All of it lives in the arena.

#include "base/arena.h"
#include "script/syntax/tree.h"

// The program, or one with error->message. `file` and `source` are kept, not copied. Never recurses deeper than 200
// levels of nesting ("too many nested parentheses", as CPython).
struct program parse_program(struct arena *arena, const char *file, const char *source,
                             struct syntax_error *error);

#endif
