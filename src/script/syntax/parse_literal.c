#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "script/syntax/parser.h"

// --- Numbers -----------------------------------------------------------------------------------------------------

struct node *parse_number(struct parser *parser) {
    const struct token *token = parser->next++;
    char *digits = arena_allocate(parser->arena, (size_t)token->length + 1), *end = digits;
    for (int i = 0; i < token->length; i++)
        if (token->start[i] != '_') *end++ = token->start[i];
    const int letter = digits[0] == '0' ? digits[1] | 32 : 0;
    const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
    const bool is_float = base == 10 && strpbrk(digits, ".eE") != NULL;
    struct node *node = node_new(parser, is_float ? NODE_FLOAT : NODE_INT, token);
    node->text = token_text(parser, token);
    errno = 0;
    if (is_float)
        node->number = strtod(digits, NULL);
    else
        node->integer = strtoull(base == 10 ? digits : digits + 2, NULL, base);
    if (!is_float && errno == ERANGE)
        parse_fail(parser, token->span, "onestep does not run integers of more than 64 bits");
    return node;
}

// --- What the text of a string stands for ------------------------------------------------------------------------

struct literal {
    struct parser *parser;
    struct span span;
    struct text *out;
    const char *start, *at, *end; // its text in the source
    bool is_bytes;
};

static void add_character(struct literal *literal, uint32_t c) {
    char bytes[5] = {(char)c, 0};
    if (c >= 0xD800 && c < 0xE000)
        parse_fail(literal->parser, literal->span,
                   "onestep does not run halves of characters, such as \\ud800");
    text_add_bytes(literal->out, bytes, literal->is_bytes ? 1 : utf8_encode(c, bytes));
}

static _Noreturn void refuse_escape(const struct literal *literal, const char *backslash,
                                    const char *what) {
    parse_fail(literal->parser, literal->span,
               "(unicode error) 'unicodeescape' codec can't decode bytes in position %d-%d: %s",
               (int)(backslash - literal->start), (int)(literal->at - literal->start) - 1, what);
}

// \x41, \u0041, \U00000041
static void read_hexadecimal(struct literal *literal, int digits) {
    uint32_t c = 0;
    const char *backslash = literal->at - 2, *end = literal->at + digits;
    struct arena *arena = literal->parser->arena;
    for (; literal->at < end; literal->at++) {
        const char digit = literal->at < literal->end ? *literal->at : '\0';
        if (isxdigit((unsigned char)digit)) {
            c = c * 16 + (uint32_t)(digit <= '9' ? digit - '0' : (digit | 32) - 'a' + 10);
            continue;
        }
        if (literal->is_bytes)
            parse_fail(literal->parser, literal->span,
                       "(value error) invalid \\x escape at position %d",
                       (int)(backslash - literal->start));
        refuse_escape(
            literal, backslash,
            arena_format(arena, "truncated \\%c%.*s escape", backslash[1], digits, "XXXXXXXX"));
    }
    if (c > 0x10FFFF) refuse_escape(literal, backslash, "illegal Unicode character");
    add_character(literal, c);
}

static void read_octal(struct literal *literal) {
    uint32_t c = 0;
    for (int i = 0;
         i < 3 && literal->at < literal->end && *literal->at >= '0' && *literal->at <= '7'; i++)
        c = c * 8 + (uint32_t)(*literal->at++ - '0');
    add_character(literal, c);
}

// Behind a backslash.
static void read_escape(struct literal *literal) {
    static const char letters[] = "abfnrtv\\'\"", meanings[] = "\a\b\f\n\r\t\v\\'\"";
    const char c = *literal->at;
    const char *simple = c != '\0' ? strchr(letters, c) : NULL;
    if (simple != NULL) {
        text_add_bytes(literal->out, &meanings[simple - letters], 1);
        literal->at++;
    } else if (c == '\n' || c == '\r') { // joins two lines
        literal->at +=
            c == '\r' && literal->at + 1 < literal->end && literal->at[1] == '\n' ? 2 : 1;
    } else if (c >= '0' && c <= '7') {
        read_octal(literal);
    } else if (c == 'x' || (!literal->is_bytes && (c == 'u' || c == 'U'))) {
        literal->at++;
        read_hexadecimal(literal, c == 'x' ? 2 : c == 'u' ? 4 : 8);
    } else if (c == 'N' && !literal->is_bytes) {
        parse_fail(literal->parser, literal->span,
                   "onestep does not run names of characters, such as \\N{DASH}");
    } else {
        text_add(literal->out, "\\");
    }
}

// Adds what `literal` stands for. In an f-string a doubled brace is one.
static void read_literal(struct literal *literal, bool is_raw, bool has_braces) {
    while (literal->at < literal->end) {
        const char c = *literal->at++;
        if (c == '\r') {
            text_add(literal->out, "\n");
            literal->at += literal->at < literal->end && *literal->at == '\n';
        } else if (c == '\\' && !is_raw && literal->at < literal->end) {
            read_escape(literal);
        } else {
            if ((c & 0x80) != 0 && literal->is_bytes)
                parse_fail(literal->parser, literal->span,
                           "bytes can only contain ASCII literal characters");
            text_add_bytes(literal->out, &c, 1);
            if (has_braces && (c == '{' || c == '}') && literal->at < literal->end &&
                *literal->at == c)
                literal->at++;
        }
    }
}

// --- Strings with others beside them -----------------------------------------------------------------------------

// Strings that are being joined: the text since the last field, and the fields.
struct joined {
    struct node *node; // NODE_FSTRING
    struct text text;
    const struct token *text_start; // NULL: no text since the last field
};

static struct node *string_node(struct parser *parser, const struct text *text,
                                const struct token *start) {
    struct node *node = node_new(parser, NODE_STRING, start);
    node->text = text->length == 0 ? "" : text->bytes;
    node->length = (int64_t)text->length;
    return node_end(parser, node);
}

static void end_joined_text(struct parser *parser, struct joined *joined) {
    if (joined->text.length > 0)
        node_add(parser, joined->node, string_node(parser, &joined->text, joined->text_start));
    joined->text = text_new(parser->arena);
    joined->text_start = NULL;
}

static void read_fields(struct parser *parser, struct joined *joined, const char *closing);

static struct node *parse_format(struct parser *parser) {
    struct joined joined = {.node = node_new(parser, NODE_FSTRING, parser->next),
                            .text = text_new(parser->arena)};
    read_fields(parser, &joined, "}");
    end_joined_text(parser, &joined);
    return node_end(parser, joined.node);
}

static const char *parse_conversion(struct parser *parser) {
    if (!accept_token(parser, "!")) return NULL;
    if (parser->next->kind != TOKEN_NAME)
        fail_here(parser, "f-string: %s conversion character",
                  parser->next->kind == TOKEN_OPERATOR ? "missing" : "invalid");
    const char *name = expect_name(parser);
    if (strcmp(name, "r") != 0 && strcmp(name, "s") != 0 && strcmp(name, "a") != 0)
        parse_fail(parser, parser->next[-1].span,
                   "f-string: invalid conversion character '%s': expected 's', 'r', or 'a'", name);
    return name;
}

static _Noreturn void refuse_field_end(struct parser *parser, bool shows_source,
                                       const struct node *field) {
    if (field->parts[1] != NULL) fail_here(parser, "f-string: expecting '}', or format specs");
    if (field->text != NULL) fail_here(parser, "f-string: expecting ':' or '}'");
    if (shows_source) fail_here(parser, "f-string: expecting '!', or ':', or '}'");
    refuse_next(parser);
}

static void read_field(struct parser *parser, struct joined *joined) {
    const struct token *start = parser->next++;
    if (next_is(parser, "} = ! :"))
        fail_here(parser, "f-string: valid expression required before '%s'",
                  token_text(parser, parser->next));
    parse_deeper(parser);
    struct node *field = parent_of(parser, NODE_FIELD, start, parse_expressions(parser));
    const bool shows_source = accept_token(parser, "=");
    if (shows_source) {
        const char *from = start->start + 1;
        text_add_bytes(&joined->text, from, (size_t)(parser->next->start - from));
        if (joined->text_start == NULL) joined->text_start = start;
    }
    field->text = parse_conversion(parser);
    node_add(parser, field, accept_token(parser, ":") ? parse_format(parser) : NULL);
    if (shows_source && field->text == NULL && field->parts[1] == NULL) field->text = "r";
    if (!next_is(parser, "}")) refuse_field_end(parser, shows_source, field);
    parser->next++;
    parser->depth--;
    end_joined_text(parser, joined);
    node_add(parser, joined->node, node_end(parser, field));
}

static void read_fields(struct parser *parser, struct joined *joined, const char *closing) {
    while (parser->next->kind != TOKEN_FSTRING_END && !next_is(parser, closing)) {
        const struct token *token = parser->next;
        if (token->kind == TOKEN_FSTRING_MIDDLE) {
            struct literal literal = {parser,       token->span,  &joined->text,
                                      token->start, token->start, token->start + token->length,
                                      false};
            if (joined->text_start == NULL) joined->text_start = token;
            read_literal(&literal, token->is_raw, !token->is_format);
            parser->next++;
        } else if (next_is(parser, "{")) {
            read_field(parser, joined);
        } else {
            refuse_next(parser);
        }
    }
}

struct prefix {
    bool is_raw, is_bytes;
    const char *quote;
};

static struct prefix prefix_of(const struct token *token) {
    struct prefix prefix = {.quote = token->start};
    for (; *prefix.quote != '"' && *prefix.quote != '\''; prefix.quote++) {
        prefix.is_raw = prefix.is_raw || (*prefix.quote | 32) == 'r';
        prefix.is_bytes = prefix.is_bytes || (*prefix.quote | 32) == 'b';
    }
    return prefix;
}

static void read_string(struct parser *parser, struct joined *joined) {
    const struct token *token = parser->next++;
    const struct prefix prefix = prefix_of(token);
    const int whole = token->length - (int)(prefix.quote - token->start);
    const int quotes =
        whole >= 6 && prefix.quote[1] == *prefix.quote && prefix.quote[2] == *prefix.quote ? 3 : 1;
    if (joined->text_start == NULL) joined->text_start = token;
    struct literal literal = {parser,
                              token->span,
                              &joined->text,
                              prefix.quote + quotes,
                              prefix.quote + quotes,
                              token->start + token->length - quotes,
                              prefix.is_bytes};
    read_literal(&literal, prefix.is_raw, false);
}

struct node *parse_strings(struct parser *parser) {
    const struct token *start = parser->next;
    struct joined joined = {.node = node_new(parser, NODE_FSTRING, start),
                            .text = text_new(parser->arena)};
    bool is_fstring = false, is_text = false, is_bytes = false;
    while (parser->next->kind == TOKEN_STRING || parser->next->kind == TOKEN_FSTRING_START) {
        if (parser->next->kind == TOKEN_FSTRING_START) {
            is_fstring = is_text = true;
            parser->next++;
            read_fields(parser, &joined, "");
            parser->next++;
        } else {
            const bool bytes_here = prefix_of(parser->next).is_bytes;
            is_bytes = is_bytes || bytes_here;
            is_text = is_text || !bytes_here;
            read_string(parser, &joined);
        }
    }
    if (is_bytes && is_text) {
        node_end(parser, joined.node);
        parse_fail(parser, joined.node->span, "cannot mix bytes and nonbytes literals");
    }
    if (is_fstring) {
        end_joined_text(parser, &joined);
        return node_end(parser, joined.node);
    }
    struct node *node = string_node(parser, &joined.text, start);
    node->is_bytes = is_bytes;
    return node;
}
