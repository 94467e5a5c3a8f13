#include <string.h>

#include "script/syntax/parser.h"

// --- Arguments of a call -----------------------------------------------------------------------------------------

// What may not stand before an = in a call.
static void refuse_keyword(struct parser *parser, const struct node *value,
                           const struct token *start) {
    const bool is_constant =
        value->kind == NODE_TRUE || value->kind == NODE_FALSE || value->kind == NODE_NONE;
    if (is_constant && parser->next == start + 1)
        parse_fail(parser, value->span, "cannot assign to %s", kind_in_words(value));
    parse_fail(parser, span_to(value->span, parser->next->span),
               "expression cannot contain assignment, perhaps you meant \"==\"?");
}

static struct node *parse_generator_argument(struct parser *parser, struct node *element,
                                             const struct token *start) {
    struct node *generator = parent_of(parser, NODE_GENERATOR, start, element);
    parse_clauses(parser, generator);
    generator->stars = 1; // no brackets of its own
    return node_end(parser, generator);
}

static struct node *parse_argument(struct parser *parser) {
    const struct token *start = parser->next;
    struct node *argument = node_new(parser, NODE_ARGUMENT, start), *value;
    if (accept_token(parser, "* **")) {
        argument->stars = start->length;
        if (argument->stars == 1 && !starts_expression(parser->next))
            parse_fail(parser, start->span, "Invalid star expression");
        value = parse_expression(parser);
        if (next_is(parser, "="))
            parse_fail(parser, argument->span, "cannot assign to %s argument unpacking",
                       argument->stars == 1 ? "iterable" : "keyword");
    } else if (start->kind == TOKEN_NAME && token_is(start + 1, "=")) {
        argument->text = expect_name(parser);
        parser->next++;
        if (next_is(parser, ", )"))
            parse_fail(parser, start->span, "expected argument value expression");
        value = parse_expression(parser);
        if (next_is(parser, "for"))
            parse_fail(parser, start->span,
                       "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
    } else {
        value = parse_named(parser);
        if (next_is(parser, "=")) refuse_keyword(parser, value, start);
        if (next_is(parser, "for async")) value = parse_generator_argument(parser, value, start);
    }
    node_add(parser, argument, value);
    return node_end(parser, argument);
}

// What an argument must not stand behind; NULL: it may stand there.
static const char *wrong_order(const struct node *argument, bool has_keyword, bool has_stars) {
    if (argument->text != NULL || argument->stars == 2) return NULL;
    if (argument->stars == 1)
        return has_stars ? "iterable argument unpacking follows keyword argument unpacking" : NULL;
    if (has_stars) return "positional argument follows keyword argument unpacking";
    return has_keyword ? "positional argument follows keyword argument" : NULL;
}

static bool has_text(const struct node *node, const char *text) {
    for (int i = 0; i < node->part_count; i++)
        if (node->parts[i]->text != NULL && strcmp(node->parts[i]->text, text) == 0) return true;
    return false;
}

// The only argument may be a generator without brackets of its own: then it has those of the call.
static void check_bare(struct parser *parser, struct node *call, int first,
                       const struct token *opening) {
    for (int i = first; i < call->part_count; i++) {
        struct node *generator = call->parts[i]->parts[0];
        if (generator->kind != NODE_GENERATOR || generator->stars == 0) continue;
        if (call->part_count > first + 1 || token_is(parser->next - 1, ","))
            parse_fail(parser, generator->span, "Generator expression must be parenthesized");
        generator->span = span_to(opening->span, parser->next->span);
    }
}

void parse_arguments(struct parser *parser, struct node *call) {
    const struct token *opening = parser->next - 1;
    const char *wrong = NULL;
    bool has_keyword = false, has_stars = false;
    const int first = call->part_count;
    struct node named = {.part_count = 0}; // arguments only
    while (!next_is(parser, ")")) {
        struct node *argument = parse_argument(parser);
        if (wrong == NULL) wrong = wrong_order(argument, has_keyword, has_stars);
        has_keyword = has_keyword || argument->text != NULL;
        has_stars = has_stars || argument->stars == 2;
        if (argument->text != NULL && has_text(&named, argument->text))
            fail_late(parser, argument->span,
                      arena_format(parser->arena, "keyword argument repeated: %s", argument->text));
        node_add(parser, call, argument);
        named.parts = call->parts + first;
        named.part_count = call->part_count - first;
        if (!accept_token(parser, ",")) break;
    }
    if (!next_is(parser, ")")) refuse_next(parser);
    if (wrong != NULL) fail_here(parser, "%s", wrong);
    check_bare(parser, call, first, opening);
    parser->next++;
}

// --- Parameters --------------------------------------------------------------------------------------------------

struct parameters {
    struct node *node;
    bool is_annotated; // of a def, not of a lambda
    bool has_default, has_star, has_slash, has_stars;
};

static struct node *parse_default(struct parser *parser, enum parameter_form form) {
    if (!next_is(parser, "=")) return NULL;
    if (form == PARAMETER_STAR || form == PARAMETER_STARS)
        fail_here(parser, "var-%s argument cannot have default value",
                  form == PARAMETER_STAR ? "positional" : "keyword");
    parser->next++;
    if (next_is(parser, ", ) :"))
        parse_fail(parser, parser->next[-1].span, "expected default value expression");
    return parse_expression(parser);
}

static void parse_parameter(struct parser *parser, enum parameter_form form,
                            struct parameters *all) {
    struct node *node = node_new(parser, NODE_PARAMETER, parser->next), *annotation = NULL;
    node->parameter = form;
    node->text = expect_name(parser);
    if (has_text(all->node, node->text))
        fail_late(parser, node->span,
                  arena_format(parser->arena, "duplicate argument '%s' in function definition",
                               node->text));
    if (all->is_annotated && accept_token(parser, ":"))
        annotation =
            form == PARAMETER_STAR ? parse_starred_or_named(parser) : parse_expression(parser);
    node_end(parser, node); // CPython's place of a parameter is without its default
    struct node *value = parse_default(parser, form);
    node_add(parser, node, value);
    node_add(parser, node, annotation);
    if (form == PARAMETER_PLAIN && value == NULL && all->has_default)
        parse_fail(parser, node->span,
                   "parameter without a default follows parameter with a default");
    if (form == PARAMETER_PLAIN && value != NULL) all->has_default = true;
    node_add(parser, all->node, node);
}

static void parse_slash(struct parser *parser, struct parameters *all) {
    if (all->node->part_count == 0) fail_here(parser, "at least one argument must precede /");
    if (all->has_slash) fail_here(parser, "/ may appear only once");
    if (all->has_star) fail_here(parser, "/ must be ahead of *");
    all->has_slash = true;
    parser->next++;
    for (int i = 0; i < all->node->part_count; i++)
        all->node->parts[i]->parameter = PARAMETER_POSITIONAL_ONLY;
}

static void parse_star(struct parser *parser, struct parameters *all, const char *closing) {
    const struct span here = parser->next->span;
    if (all->has_star) fail_here(parser, "* argument may appear only once");
    all->has_star = true;
    parser->next++;
    if (parser->next->kind == TOKEN_NAME) {
        parse_parameter(parser, PARAMETER_STAR, all);
    } else if (!next_is(parser, ",") || token_is(parser->next + 1, closing) ||
               token_is(parser->next + 1, "**")) {
        if (!next_is(parser, ",") && !next_is(parser, closing)) refuse_next(parser);
        parse_fail(parser, here, "named arguments must follow bare *");
    }
}

struct node *parse_parameters(struct parser *parser, const char *closing) {
    struct parameters all = {.node = node_new(parser, NODE_PARAMETERS, parser->next),
                             .is_annotated = *closing == ')'};
    while (!next_is(parser, closing)) {
        if (all.has_stars) fail_here(parser, "arguments cannot follow var-keyword argument");
        if (next_is(parser, "("))
            fail_here(parser, "%s parameters cannot be parenthesized",
                      all.is_annotated ? "Function" : "Lambda expression");
        if (next_is(parser, "/")) {
            parse_slash(parser, &all);
        } else if (next_is(parser, "*")) {
            parse_star(parser, &all, closing);
        } else {
            all.has_stars = accept_token(parser, "**");
            parse_parameter(parser,
                            all.has_stars  ? PARAMETER_STARS
                            : all.has_star ? PARAMETER_KEYWORD_ONLY
                                           : PARAMETER_PLAIN,
                            &all);
        }
        if (all.has_slash && next_is(parser, "*") && token_is(parser->next - 1, "/"))
            fail_here(parser, "expected comma between / and *");
        if (!accept_token(parser, ",")) break;
    }
    if (all.node->part_count > 0) node_end(parser, all.node);
    return all.node;
}
