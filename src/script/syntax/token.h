#ifndef ONESTEP_SCRIPT_TOKEN_H
#define ONESTEP_SCRIPT_TOKEN_H

// The words of a program in Python: names, numbers, strings, operators, and where lines and blocks begin and end.

#include "base/arena.h"
#include "script/syntax/tree.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_KEYWORD,
    TOKEN_NUMBER,
    TOKEN_STRING,         // with its prefix and quotes
    TOKEN_FSTRING_START,  // prefix and quotes
    TOKEN_FSTRING_MIDDLE, // text between fields, also in the format of a field
    TOKEN_FSTRING_END,    // quotes
    TOKEN_OPERATOR,
    TOKEN_NEWLINE,
    TOKEN_INDENT,
    TOKEN_DEDENT,
};

struct token {
    enum token_kind kind;
    struct span span;
    const char *start; // in the source, not closed with a NUL
    int length;        // bytes
    int level;         // brackets open behind it
    bool is_raw;       // FSTRING_MIDDLE: no escapes
    bool is_format;    // FSTRING_MIDDLE: of a format, where {{ is no brace
};

// An opening bracket: which, and where.
struct bracket {
    char opening;
    struct span span;
    bool is_field;  // the { of a field in an f-string
    bool in_format; // behind the field's colon
};

struct tokens {
    struct token *items; // the last one is a TOKEN_END
    int count;
    struct bracket
        open; // the innermost bracket that is never closed; opening is 0 if there is none
    struct syntax_error error;
};

// The tokens of a source, up to the first that is wrong: then error.message says why. The source must outlive them.
struct tokens tokens_read(struct arena *arena, const char *source);

bool token_is(const struct token *token, const char *text); // an operator or a keyword

#endif
