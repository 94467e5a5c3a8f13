#include <string.h>

#include "script/syntax/token.h"

// --- Numbers -----------------------------------------------------------------------------------------------------

static bool is_digit_of(char c, int base) {
    if (base == 16) return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
    return c >= '0' && c < '0' + base;
}

// Digits with single _ between them; NULL after an error.
static const char *scan_digits(struct scanner *scanner, const char *at, int base,
                               const char *name) {
    while (is_digit_of(*at, base)) {
        at++;
        if (*at != '_') continue;
        at++;
        if (is_digit_of(*at, base)) continue;
        scan_fail(scanner, at, "invalid %s literal", name);
        return NULL;
    }
    return at;
}

// May these letters follow a number? Only a keyword, as in `1if x else 2`.
static bool may_follow(const char *at) {
    static const char *const words[] = {"and", "else", "for", "if", "in", "is", "not", "or"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0) return true;
    return false;
}

static void end_number(struct scanner *scanner, const char *end, const char *name) {
    if (end == NULL) return;
    if ((*end & 0x80) == 0 && scan_is_name_part(*end) && !may_follow(end)) {
        scan_fail(scanner, end - 1, "invalid %s literal", name);
        return;
    }
    scan_add(scanner, TOKEN_NUMBER, scanner->at, end);
}

static void scan_in_base(struct scanner *scanner, int base, const char *name) {
    const char *at = scanner->at + 2;
    if (*at == '_') at++;
    const char *end = is_digit_of(*at, base) ? scan_digits(scanner, at, base, name) : at;
    if (end == NULL) return;
    if (*end >= '0' && *end <= '9')
        scan_fail(scanner, end, "invalid digit '%c' in %s literal", *end, name);
    else if (end == at)
        scan_fail(scanner, at - 1, "invalid %s literal", name);
    else
        end_number(scanner, end, name);
}

static bool is_decimal(char c) {
    return c >= '0' && c <= '9';
}

static const char *scan_exponent(struct scanner *scanner, const char *at) {
    if (at == NULL || (*at | 32) != 'e') return at;
    const char *digits = at + 1 + (at[1] == '+' || at[1] == '-');
    return is_decimal(*digits) ? scan_digits(scanner, digits, 10, "decimal") : at;
}

void scan_number(struct scanner *scanner) {
    const char *start = scanner->at;
    const int letter = *start == '0' ? start[1] | 32 : 0;
    if (letter == 'x') return scan_in_base(scanner, 16, "hexadecimal");
    if (letter == 'o') return scan_in_base(scanner, 8, "octal");
    if (letter == 'b') return scan_in_base(scanner, 2, "binary");
    const char *whole = scan_digits(scanner, start, 10, "decimal"), *end = whole;
    if (end != NULL && *end == '.') end = scan_digits(scanner, end + 1, 10, "decimal");
    end = scan_exponent(scanner, end);
    if (end == NULL) return;
    const char *zeros = start + strspn(start, "0_");
    if (*start == '0' && end == whole && zeros < end && (*end | 32) != 'j') {
        scan_fail(scanner, start,
                  "leading zeros in decimal integer literals are not permitted; use an 0o prefix "
                  "for octal integers");
        return;
    }
    if ((*end | 32) == 'j')
        scan_fail(scanner, start, "onestep does not run complex numbers");
    else
        end_number(scanner, end, "decimal");
}

// --- Strings -----------------------------------------------------------------------------------------------------

bool scan_is_prefix(const char *start, const char *end) {
    const char first = *start | 32, second = end - start == 2 ? start[1] | 32 : '\0';
    if (end - start == 1) return strchr("rbfu", first) != NULL;
    return (first == 'r' && (second == 'b' || second == 'f')) ||
           (second == 'r' && (first == 'b' || first == 'f'));
}

static int quotes_at(const char *at) {
    return at[1] == at[0] && at[2] == at[0] ? 3 : 1;
}

static bool are_quotes(const char *at, char quote, int quotes) {
    return *at == quote && (quotes == 1 || (at[1] == quote && at[2] == quote));
}

static void refuse_open(struct scanner *scanner, const char *start, int quotes, const char *end,
                        const char *f) {
    const struct span last = scan_span(scanner, end, end);
    scan_fail(scanner, start, "unterminated %s%sstring literal (detected at line %d)",
              quotes == 3 ? "triple-quoted " : "", f, last.line);
}

// The end of a source that is no line of its own counts with the last line.
static const char *last_character(const struct scanner *scanner, const char *end) {
    return end > scanner->source && *end == '\0' && (end[-1] == '\n' || end[-1] == '\r') ? end - 1
                                                                                         : end;
}

static void scan_plain(struct scanner *scanner, const char *quote, int quotes) {
    const char *at = quote + quotes;
    for (; !are_quotes(at, *quote, quotes); at++) {
        if (*at == '\0' || (quotes == 1 && scan_newline(at) != NULL)) {
            const struct open_string *outer =
                scanner->strings == 0 ? NULL : &scanner->open_strings[scanner->strings - 1];
            if (outer != NULL && outer->quote == *quote && outer->quotes == quotes)
                scan_fail(scanner, scanner->at, "f-string: expecting '}'");
            else
                refuse_open(scanner, scanner->at, quotes, last_character(scanner, at), "");
            return;
        }
        if (*at == '\\' && at[1] != '\0') at += at[1] == '\r' && at[2] == '\n' ? 2 : 1;
    }
    scan_add(scanner, TOKEN_STRING, scanner->at, at + quotes);
}

void scan_string(struct scanner *scanner, const char *quote) {
    const int quotes = quotes_at(quote);
    bool is_format = false, is_raw = false;
    for (const char *c = scanner->at; c < quote; c++) {
        is_format = is_format || (*c | 32) == 'f';
        is_raw = is_raw || (*c | 32) == 'r';
    }
    if (!is_format) {
        scan_plain(scanner, quote, quotes);
        return;
    }
    if (scanner->strings == MOST_STRINGS) {
        scan_fail(scanner, scanner->at, "too many nested f-strings");
        return;
    }
    scanner->open_strings[scanner->strings++] = (struct open_string){.start = scanner->at,
                                                                     .quote = *quote,
                                                                     .quotes = quotes,
                                                                     .is_raw = is_raw,
                                                                     .level = scanner->level};
    scan_add(scanner, TOKEN_FSTRING_START, scanner->at, quote + quotes);
}

static bool in_format(const struct scanner *scanner) {
    return scanner->level > scanner->open_strings[scanner->strings - 1].level &&
           scanner->brackets[scanner->level - 1].is_field &&
           scanner->brackets[scanner->level - 1].in_format;
}

bool scan_in_text(const struct scanner *scanner) {
    if (scanner->strings == 0) return false;
    return scanner->level == scanner->open_strings[scanner->strings - 1].level ||
           in_format(scanner);
}

// What stops the text of an f-string: a brace, its quotes, or something wrong.
static void end_text(struct scanner *scanner, const char *at, bool is_format) {
    const struct open_string *string = &scanner->open_strings[scanner->strings - 1];
    if (at > scanner->at) {
        struct token *token = scan_add(scanner, TOKEN_FSTRING_MIDDLE, scanner->at, at);
        token->is_raw = string->is_raw;
        token->is_format = is_format;
    }
    scanner->at = at;
    if (*at == '{') {
        if (scan_open(scanner, '{', true)) scan_add(scanner, TOKEN_OPERATOR, at, at + 1);
    } else if (*at == '}' && is_format) {
        scanner->level--;
        scan_add(scanner, TOKEN_OPERATOR, at, at + 1);
    } else if (*at == '}') {
        scan_fail(scanner, at, "f-string: single '}' is not allowed");
    } else if (are_quotes(at, string->quote, string->quotes) && !is_format) {
        scanner->strings--;
        scan_add(scanner, TOKEN_FSTRING_END, at, at + string->quotes);
    } else if (is_format && *at != '\0') {
        scan_fail(scanner, at, "f-string: expecting '}', or format specs");
    } else {
        refuse_open(scanner, string->start, string->quotes, last_character(scanner, at), "f-");
    }
}

void scan_text(struct scanner *scanner) {
    const struct open_string *string = &scanner->open_strings[scanner->strings - 1];
    const bool is_format = in_format(scanner);
    const char *at = scanner->at;
    for (; *at != '\0' && !are_quotes(at, string->quote, string->quotes); at++) {
        if (string->quotes == 1 && scan_newline(at) != NULL) break;
        if (*at == '\\' && at[1] != '\0' && at[1] != '{' && at[1] != '}') {
            at += at[1] == '\r' && at[2] == '\n' ? 2 : 1;
        } else if (*at == '{' || *at == '}') {
            if (is_format || at[1] != *at) break;
            at++;
        }
    }
    end_text(scanner, at, is_format);
}
