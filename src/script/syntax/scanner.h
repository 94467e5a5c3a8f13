#ifndef ONESTEP_SCRIPT_SCANNER_H
#define ONESTEP_SCRIPT_SCANNER_H

// What token_read.c and token_string.c share while they read a source.

#include "script/syntax/token.h"

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

// The first one that is called says what is wrong.
void scan_fail(struct scanner *scanner, const char *at, const char *type, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void scan_place(struct scanner *scanner, const char *at, int *line, int *column);
struct span scan_span(struct scanner *scanner, const char *start, const char *end);
struct token *scan_add(struct scanner *scanner, enum token_kind kind, const char *start,
                       const char *end);
const char *scan_newline(const char *at); // behind a newline at this place; NULL: there is none
bool scan_is_name_part(char c);

void scan_number(struct scanner *scanner);
bool scan_is_prefix(const char *start, const char *end); // of a string: r, b, f, u and both of two
void scan_string(struct scanner *scanner, const char *quote); // from its prefix at scanner->at
bool scan_in_text(const struct scanner *scanner); // in the text of an f-string or of a format?
void scan_text(struct scanner *scanner);

#endif
