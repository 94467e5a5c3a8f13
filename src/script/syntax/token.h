#ifndef ONESTEP_SCRIPT_SYNTAX_TOKEN_H
#define ONESTEP_SCRIPT_SYNTAX_TOKEN_H

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

// Is it an operator or a keyword that is one of these words, which have blanks between them?
bool token_is(const struct token *token, const char *words);

// --- What token_read.c and token_string.c share while they read a source

enum { MOST_BRACKETS = 200, MOST_BLOCKS = 100, MOST_STRINGS = 150 }; // as many as CPython

// An f-string that is being read.
struct open_string {
    const char *start; // of its prefix
    char quote;
    int quotes; // 1 or 3
    bool is_raw;
    int level; // brackets that are open outside of it
};

struct scanner {
    struct arena *arena;
    const char *source, *at;
    const char *mark; // a place whose line and column are known
    int mark_line, mark_column;
    bool is_line_start;
    int depth; // of blocks
    int widths[MOST_BLOCKS], narrow[MOST_BLOCKS];
    int level; // of brackets
    struct bracket brackets[MOST_BRACKETS];
    int strings;
    struct open_string open_strings[MOST_STRINGS];
    struct tokens tokens;
};

// Something is wrong at this place: the first one that is called says what. scan_fail: a SyntaxError.
void scan_fail(struct scanner *scanner, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void scan_fail_as(struct scanner *scanner, const char *at, const char *type, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));
struct span scan_span(struct scanner *scanner, const char *start, const char *end);
// A token from `start` to `end`, where the scanner goes on.
struct token *scan_add(struct scanner *scanner, enum token_kind kind, const char *start,
                       const char *end);
const char *scan_newline(const char *at); // behind a newline at this place; NULL: there is none
bool scan_is_name_part(char c);
// Opens a bracket at this place; false where there are too many.
bool scan_open(struct scanner *scanner, char opening, bool is_field);

void scan_number(struct scanner *scanner);
bool scan_is_prefix(const char *start, const char *end); // of a string: r, b, f, u and both of two
void scan_string(struct scanner *scanner, const char *quote); // from its prefix at scanner->at
bool scan_in_text(const struct scanner *scanner); // in the text of an f-string or of a format?
void scan_text(struct scanner *scanner);

#endif
