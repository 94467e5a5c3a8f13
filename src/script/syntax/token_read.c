#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "script/syntax/token.h"

// By their lengths.
static const char *const keywords[] = {NULL,
                                       NULL,
                                       "as if in is or",
                                       "and def del for not try",
                                       "None True elif else from pass with",
                                       "False async await break class raise while yield",
                                       "assert except global import lambda return",
                                       "finally",
                                       "continue nonlocal"};
static const char operators[] =
    "( ) , . = [ ] : + - * / == ** { } < > <= >= != @ % += -= *= /= -> // & | ^ ~ ; "
    "... >> << %= &= |= ^= @= := **= //= >>= <<=";

static bool is_one_of(const char *start, size_t length, const char *words) {
    for (;; words++) {
        size_t n = 0;
        while (n < length && words[n] == start[n]) n++;
        words += n;
        if (n == length && (*words == ' ' || *words == '\0')) return true;
        while (*words != ' ' && *words != '\0') words++;
        if (*words == '\0') return false;
    }
}

bool token_is(const struct token *token, const char *words) {
    return (token->kind == TOKEN_OPERATOR || token->kind == TOKEN_KEYWORD) &&
           is_one_of(token->start, (size_t)token->length, words);
}

static void scan_place(struct scanner *scanner, const char *at, int *line, int *column) {
    if (at < scanner->mark) {
        scanner->mark = scanner->source;
        scanner->mark_line = 1;
        scanner->mark_column = 0;
    }
    while (scanner->mark < at) {
        const unsigned char c = (unsigned char)*scanner->mark++;
        if (c == '\n' || (c == '\r' && *scanner->mark != '\n')) {
            scanner->mark_line++;
            scanner->mark_column = 0;
        } else if ((c & 0xC0) != 0x80 && c != '\r') {
            scanner->mark_column++;
        }
    }
    *line = scanner->mark_line;
    *column = scanner->mark_column;
}

// The mark stays at the start: places behind it are asked for next.
struct span scan_span(struct scanner *scanner, const char *start, const char *end) {
    struct span span;
    scan_place(scanner, start, &span.line, &span.column);
    const char *mark = scanner->mark;
    scan_place(scanner, end, &span.end_line, &span.end_column);
    scanner->mark = mark;
    scanner->mark_line = span.line;
    scanner->mark_column = span.column;
    return span;
}

static void note_error(struct scanner *scanner, const char *at, const char *type,
                       const char *format, va_list arguments) {
    char message[256];
    if (scanner->tokens.error.message != NULL) return;
    vsnprintf(message, sizeof message, format, arguments);
    scanner->tokens.error = (struct syntax_error){type, arena_copy(scanner->arena, message),
                                                  scan_span(scanner, at, at)};
}

void scan_fail(struct scanner *scanner, const char *at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    note_error(scanner, at, "SyntaxError", format, arguments);
    va_end(arguments);
}

void scan_fail_as(struct scanner *scanner, const char *at, const char *type, const char *format,
                  ...) {
    va_list arguments;
    va_start(arguments, format);
    note_error(scanner, at, type, format, arguments);
    va_end(arguments);
}

struct token *scan_add(struct scanner *scanner, enum token_kind kind, const char *start,
                       const char *end) {
    struct tokens *tokens = &scanner->tokens;
    tokens->items =
        arena_grow(scanner->arena, tokens->items, (size_t)tokens->count * sizeof *tokens->items,
                   sizeof *tokens->items);
    struct token *token = &tokens->items[tokens->count++];
    *token = (struct token){.kind = kind,
                            .start = start,
                            .length = (int)(end - start),
                            .level = scanner->level,
                            .span = scan_span(scanner, start, end)};
    scanner->at = end;
    return token;
}

const char *scan_newline(const char *at) { // behind a newline at this place; NULL: there is none
    if (*at == '\n') return at + 1;
    if (*at == '\r') return at[1] == '\n' ? at + 2 : at + 1;
    return NULL;
}

// --- Indentation -------------------------------------------------------------------------------------------------

// Closes blocks until one has this width.
static void scan_dedent(struct scanner *scanner, const char *at, int width) {
    while (width < scanner->widths[scanner->depth]) {
        scanner->depth--;
        if (width > scanner->widths[scanner->depth]) {
            while (scan_newline(at) == NULL && *at != '\0') at++;
            scan_fail_as(scanner, at, "IndentationError",
                         "unindent does not match any outer indentation level");
            return;
        }
        scan_add(scanner, TOKEN_DEDENT, at, at);
    }
}

// `width`: with tabs to multiples of 8; `narrow`: with tabs of one column. Both have to tell the same.
static void scan_block(struct scanner *scanner, const char *line, int width, int narrow) {
    const int before = scanner->widths[scanner->depth];
    if (width > before) {
        if (narrow <= scanner->narrow[scanner->depth]) goto mixed;
        if (scanner->depth + 1 == MOST_BLOCKS) {
            scan_fail_as(scanner, scanner->at, "IndentationError",
                         "too many levels of indentation");
            return;
        }
        scanner->depth++;
        scanner->widths[scanner->depth] = width;
        scanner->narrow[scanner->depth] = narrow;
        scan_add(scanner, TOKEN_INDENT, line, scanner->at);
        return;
    }
    scan_dedent(scanner, scanner->at, width);
    if (narrow == scanner->narrow[scanner->depth] || scanner->tokens.error.message != NULL) return;
mixed:
    scan_fail_as(scanner, scanner->at, "TabError",
                 "inconsistent use of tabs and spaces in indentation");
}

static void scan_indentation(struct scanner *scanner) {
    const char *line = scanner->at;
    int width = 0, narrow = 0;
    for (;; scanner->at++) {
        const char c = *scanner->at;
        if (c == ' ')
            width++, narrow++;
        else if (c == '\t')
            width = (width / 8 + 1) * 8, narrow++;
        else if (c == '\f')
            width = 0, narrow = 0;
        else if (c == '\\' && scan_newline(scanner->at + 1) != NULL)
            scanner->at = scan_newline(scanner->at + 1) - 1;
        else
            break;
    }
    const char c = *scanner->at;
    if (c == '#' || c == '\0' || scan_newline(scanner->at) != NULL)
        return; // a line without a statement
    scan_block(scanner, line, width, narrow);
}

// --- Names, operators --------------------------------------------------------------------------------------------

static bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

bool scan_is_name_part(char c) {
    return is_name_start(c) || (c >= '0' && c <= '9');
}

// Is it a letter, as far as names of programs go? Signs, arrows, quotes, blanks are none.
static bool is_letter(uint32_t c) {
    if (c < 0xC0) return c == 0xAA || c == 0xB5 || c == 0xBA || c == 0xB7;
    if (c == 0xD7 || c == 0xF7 || c == 0xFFFD) return false;
    if (c >= 0x2000 && c < 0x2C00) // subscripts and superscript letters, letterlike signs
        return c == 0x2071 || (c >= 0x207F && c <= 0x207F) || (c >= 0x2090 && c <= 0x209C) ||
               c == 0x2102 || c == 0x2107 || (c >= 0x210A && c <= 0x2113) || c == 0x2115 ||
               (c >= 0x2119 && c <= 0x211D) || c == 0x2124 || c == 0x2126 || c == 0x2128 ||
               (c >= 0x212A && c <= 0x2139);
    if (c >= 0x2E00 && c <= 0x3004) return false;
    if (c >= 0x3008 && c <= 0x3020) return false;
    if (c >= 0xE000 && c < 0xF900) return false;
    if (c >= 0xFF00 && c <= 0xFF20 && !(c >= 0xFF10 && c <= 0xFF19)) return false;
    return c < 0x1F000 || c >= 0x20000;
}

static bool is_unseen(uint32_t c) {
    return c < 0xA1 || c == 0xAD || (c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F) ||
           (c >= 0x205F && c <= 0x206F) || c == 0x3000 || c == 0xFEFF ||
           (c >= 0xE000 && c < 0xF900);
}

static void refuse_character(struct scanner *scanner, const char *at) {
    const char *behind = at;
    const uint32_t c = utf8_next(&behind);
    if (is_unseen(c))
        scan_fail(scanner, at, "invalid non-printable character U+%04X", (unsigned)c);
    else
        scan_fail(scanner, at, "invalid character '%.*s' (U+%04X)", (int)(behind - at), at,
                  (unsigned)c);
}

static void scan_name(struct scanner *scanner) {
    const char *start = scanner->at, *end = start;
    while (scan_is_name_part(*end)) {
        const char *at = end;
        if ((*at & 0x80) == 0)
            end++;
        else if (!is_letter(utf8_next(&end))) {
            refuse_character(scanner, at);
            return;
        }
    }
    if ((*end == '"' || *end == '\'') && scan_is_prefix(start, end)) {
        scan_string(scanner, end);
        return;
    }
    const size_t length = (size_t)(end - start);
    const bool is_keyword = length < sizeof keywords / sizeof *keywords &&
                            keywords[length] != NULL && is_one_of(start, length, keywords[length]);
    scan_add(scanner, is_keyword ? TOKEN_KEYWORD : TOKEN_NAME, start, end);
}

bool scan_open(struct scanner *scanner, char opening, bool is_field) {
    const char *at = scanner->at;
    if (scanner->level == MOST_BRACKETS) {
        scan_fail(scanner, at, "too many nested parentheses");
        return false;
    }
    scanner->brackets[scanner->level++] = (struct bracket){
        .opening = opening, .span = scan_span(scanner, at, at + 1), .is_field = is_field};
    return true;
}

static bool scan_close(struct scanner *scanner, char c) {
    const int outside =
        scanner->strings == 0 ? 0 : scanner->open_strings[scanner->strings - 1].level;
    const char *f = scanner->strings == 0 ? "" : "f-string: ";
    if (scanner->level == outside) {
        scan_fail(scanner, scanner->at, "%sunmatched '%c'", f, c);
        return false;
    }
    const struct bracket *open = &scanner->brackets[scanner->level - 1];
    if (c == (open->opening == '(' ? ')' : open->opening == '[' ? ']' : '}')) {
        scanner->level--;
        return true;
    }
    const int line = open->span.line;
    const bool is_here = line == scan_span(scanner, scanner->at, scanner->at).line;
    if (open->is_field)
        scan_fail(scanner, scanner->at, "f-string: unmatched '%c'", c);
    else
        scan_fail(scanner, scanner->at,
                  "%sclosing parenthesis '%c' does not match opening parenthesis '%c'%s", f, c,
                  open->opening, is_here ? "" : arena_format(scanner->arena, " on line %d", line));
    return false;
}

// In a field of an f-string, outside of its own brackets: ! and : end the expression.
static bool scan_end_of_field(struct scanner *scanner) {
    if (scanner->level == 0 || !scanner->brackets[scanner->level - 1].is_field) return false;
    const char *at = scanner->at;
    if (*at != ':' && (*at != '!' || at[1] == '=')) return false;
    scanner->brackets[scanner->level - 1].in_format = *at == ':';
    scan_add(scanner, TOKEN_OPERATOR, at, at + 1);
    return true;
}

static void scan_operator(struct scanner *scanner) {
    if (scan_end_of_field(scanner)) return;
    const char *at = scanner->at;
    size_t length = 0;
    while (length < 3 && at[length] > ' ') length++; // the longest that it may be
    while (length > 0 && !is_one_of(at, length, operators)) length--;
    if (length > 0) {
        if (strchr("([{", *at) != NULL && !scan_open(scanner, *at, false)) return;
        if (strchr(")]}", *at) != NULL && !scan_close(scanner, *at)) return;
        scan_add(scanner, TOKEN_OPERATOR, at, at + length);
        return;
    }
    if ((unsigned char)*at < 0x20 || *at == 0x7F)
        refuse_character(scanner, at);
    else
        scan_fail(scanner, at, "invalid syntax"); // $ ? ! and a backquote
}

// --- Everything --------------------------------------------------------------------------------------------------

// Goes over blanks, comments and lines that a backslash joins. Returns false at something wrong.
static bool skip_blanks(struct scanner *scanner) {
    for (;;) {
        const char *at = scanner->at;
        if (*at == ' ' || *at == '\t' || *at == '\f') {
            scanner->at++;
        } else if (*at == '#') {
            while (*scanner->at != '\0' && scan_newline(scanner->at) == NULL) scanner->at++;
        } else if (*at == '\\') {
            const char *behind = scan_newline(at + 1);
            if (behind != NULL && *behind == '\0' && scanner->level > 0) {
                scanner->at = behind; // the bracket that is open is what is wrong
                return true;
            }
            if (behind == NULL || *behind == '\0') {
                scan_fail(scanner, at + 1,
                          behind == NULL && at[1] != '\0'
                              ? "unexpected character after line continuation character"
                              : "unexpected EOF while parsing");
                return false;
            }
            scanner->at = behind;
        } else {
            return true;
        }
    }
}

static bool is_fresh_line(const struct scanner *scanner) {
    if (scanner->tokens.count == 0) return true;
    const enum token_kind last = scanner->tokens.items[scanner->tokens.count - 1].kind;
    return last == TOKEN_NEWLINE || last == TOKEN_INDENT || last == TOKEN_DEDENT;
}

static void scan_token(struct scanner *scanner) {
    if (scan_in_text(scanner)) {
        scan_text(scanner);
        return;
    }
    if (!skip_blanks(scanner)) return;
    const char *at = scanner->at, *behind = scan_newline(at);
    if (behind != NULL) {
        if (scanner->level == 0 && !is_fresh_line(scanner))
            scan_add(scanner, TOKEN_NEWLINE, at, at + 1);
        scanner->at = behind;
        scanner->is_line_start = scanner->level == 0;
    } else if (is_name_start(*at)) {
        scan_name(scanner);
    } else if ((*at >= '0' && *at <= '9') || (*at == '.' && at[1] >= '0' && at[1] <= '9')) {
        scan_number(scanner);
    } else if (*at == '"' || *at == '\'') {
        scan_string(scanner, at);
    } else if (*at != '\0') {
        scan_operator(scanner);
    }
}

static void scan_end(struct scanner *scanner) {
    const char *at = scanner->at; // what stands at the end stands on the last line
    if (at > scanner->source && scan_newline(at - 1) != NULL) at--;
    if (scanner->level > 0) {
        scanner->tokens.open = scanner->brackets[scanner->level - 1];
    } else if (scanner->tokens.error.message == NULL) {
        if (!is_fresh_line(scanner)) scan_add(scanner, TOKEN_NEWLINE, at, at);
        for (; scanner->depth > 0; scanner->depth--) scan_add(scanner, TOKEN_DEDENT, at, at);
    }
    scan_add(scanner, TOKEN_END, at, at);
}

struct tokens tokens_read(struct arena *arena, const char *source) {
    if (strncmp(source, "\xEF\xBB\xBF", 3) == 0) source += 3; // a byte order mark
    struct scanner room, *scanner = &room; // ten kilobytes, of which a line needs few
    scanner->arena = arena;
    scanner->source = scanner->at = scanner->mark = source;
    scanner->mark_line = 1;
    scanner->mark_column = 0;
    scanner->is_line_start = true;
    scanner->widths[0] = scanner->narrow[0] = 0;
    scanner->depth = scanner->level = scanner->strings = 0;
    scanner->tokens = (struct tokens){.count = 0};
    while (scanner->tokens.error.message == NULL) {
        if (scanner->is_line_start) {
            scanner->is_line_start = false;
            scan_indentation(scanner);
            if (scanner->tokens.error.message != NULL) break;
        }
        if (*scanner->at == '\0' && !scan_in_text(scanner)) break;
        scan_token(scanner);
    }
    scan_end(scanner);
    return scanner->tokens;
}
