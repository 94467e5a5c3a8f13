// Edits that mend what slips from anybody's hand, whatever the program computes.

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "script/edit/visit.h"
#include "script/steps/words.h"

// Prices in bits (edit.h): how usual a slip is, judged from the reports that were tried. What matters is their order.
static const double DIM = 5, NAME = 6, NUMBER = 6.5, LEFT_OUT = 7, ARGUMENT = 6, EXCHANGED = 7,
                    OPERATOR = 7.5, COMPARED = 5.5, BIAS = 5.5, TRANSPOSED = 6.5, MOVED = 8,
                    SCALED = 7, SEED = 3.5, NO_SEED = 8, ONE = 1.5, OPTIMIZER = 3, ADDED = 8,
                    SETTING = 1.5, TERM = 7, COUNTED = 8, ROOT = 1.5;

static const char *text_of(const struct edits *edits, const struct node *node) {
    return text_of_node(edits->arena, edits->program, node);
}

static void put(struct edits *edits, const struct node *node, const char *text, const char *words,
                double price) {
    add_edit(edits, edit_of_node(edits, node, text, words, price));
}

// "(a + b)" of a sum that becomes an operand.
static const char *as_operand(const struct edits *edits, const struct node *node) {
    const bool is_loose = node->kind == NODE_BINARY || node->kind == NODE_UNARY;
    return arena_format(edits->arena, is_loose ? "(%s)" : "%s", text_of(edits, node));
}

// ---- Names ------------------------------------------------------------------------------------------

// An edit that reads a name.
static void put_reading(struct edits *edits, const struct node *node, const char *text,
                        const char *words, double price, const char *name, enum read_as reading) {
    struct edit edit = edit_of_node(edits, node, text, words, price);
    edit.reads = name;
    edit.reading = reading;
    add_edit(edits, edit);
}

static void exchange_name(struct edits *edits, const struct visited *visited) {
    const struct node *node = visited->node;
    const struct sight *sight = visited->sight;
    const bool is_own = node->kind == NODE_ATTRIBUTE && node->parts[0]->kind == NODE_NAME &&
                        strcmp(node->parts[0]->text, "self") == 0;
    const char *name;
    bool is_in_sight = false;
    for (int i = 0; node->kind == NODE_NAME && i < sight->name_count; i++)
        is_in_sight = is_in_sight || strcmp(sight->names[i], node->text) == 0;
    for (int i = 0; is_in_sight && (name = name_before(sight, node->span.line, i)) != NULL; i++)
        put_reading(edits, node, name, "another name", NAME + price_of_name(i), name, READ_AS_NAME);
    if (is_in_sight && visited->parent->kind == NODE_ARGUMENT)
        for (int more = -1; more <= 1; more += 2)
            put_reading(edits, node,
                        arena_format(edits->arena, "%s %c 1", node->text, more < 0 ? '-' : '+'),
                        "one more or less", COUNTED, node->text, READ_AS_NUMBER);
    for (int i = 0; is_own && i < sight->attribute_count; i++)
        put(edits, node, sight->attributes[i], "another name", NAME + 0.15 * i);
}

// ---- Numbers ----------------------------------------------------------------------------------------

// The value of an int with its sign; false if the node is none.
static bool is_int(const struct node *node, int64_t *value) {
    if (node->kind == NODE_UNARY && node->operator== OP_MINUS && is_int(node->parts[0], value)) {
        *value = -*value;
        return true;
    }
    if (node->kind != NODE_INT || node->integer > INT32_MAX) return false;
    *value = (int64_t)node->integer;
    return true;
}

// Is it a number that the exercise gives, as in `d_out, num_heads = 2, 2` or Attention(window_size=3)? It is less likely wrong.
static bool is_setting(const struct visited *visited) {
    static const char *const arguments[] = {"dim", "diagonal", "p", "eps", "value", "lr"};
    const struct node *parent = visited->parent, *statement = visited->statement;
    if (statement->kind == NODE_ASSIGN)
        if (parent == statement ||
            (parent->kind == NODE_TUPLE && parent == statement->parts[statement->part_count - 1]))
            return true;
    if (parent->kind != NODE_ARGUMENT || parent->text == NULL) return false;
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        if (strcmp(parent->text, arguments[i]) == 0) return false;
    }
    return true;
}

// Numbers that stand in the place of each other, the usual ones first.
static void put_numbers(struct edits *edits, const struct node *node, const char *const *numbers,
                        const char *words, double price) {
    for (int i = 0; numbers[i] != NULL; i++) put(edits, node, numbers[i], words, price + 0.05 * i);
}

static void exchange_number(struct edits *edits, const struct visited *visited) {
    static const char *const usual[] = {"-1", "-2", "0", "1", "2", "0.5", "float('-inf')", NULL};
    static const char *const seeds[] = {"123", "789", "42", "0", "1337", NULL};
    static const char *const rates[] = {"0.01", "0.1", "0.001", "0.0001", NULL};
    static const char *const epsilons[] = {"1e-5", "1e-6", "1e-8", "1e-12", "1e-3", NULL};
    static const double MOST_OF_EPSILON = 1e-4;
    const struct node *node = visited->node;
    const double price = NUMBER + (is_setting(visited) ? SETTING : 0);
    const bool is_seed = visited->parent->kind == NODE_ARGUMENT &&
                         visited->statement->kind == NODE_EXPRESSION &&
                         strstr(text_of(edits, visited->statement), "manual_seed(") != NULL;
    if (is_seed) {
        put_numbers(edits, node, seeds, "another seed", SEED);
        return;
    }
    const bool is_rate = visited->parent->kind == NODE_ARGUMENT && visited->parent->text != NULL &&
                         strcmp(visited->parent->text, "lr") == 0;
    if (is_rate) put_numbers(edits, node, rates, "another learning rate", ONE);
    if (node->kind == NODE_FLOAT && node->number <= MOST_OF_EPSILON)
        put_numbers(edits, node, epsilons, "another eps", NUMBER);
    put_numbers(edits, node, usual, "another number", price);
    put(edits, node, "-0.5", "another number", price + ROOT);
    int64_t number;
    if (!is_int(node, &number)) return;
    for (int more = -1; more <= 1; more += 2)
        put(edits, node, arena_format(edits->arena, "%" PRId64, number + more), "one more or less",
            price);
}

// ---- Calls ------------------------------------------------------------------------------------------

// An argument with a keyword that may be one too many; a dim that may be another.
static void change_argument(struct edits *edits, const struct node *node, int i) {
    static const char *const dims[] = {"-1", "-2", "0", "1", "2", "-3"};
    const struct node *argument = node->parts[i];
    const bool is_dim = argument->text != NULL && strstr(argument->text, "dim") == argument->text;
    for (size_t k = 0; is_dim && k < sizeof dims / sizeof *dims; k++)
        put(edits, argument->parts[0], dims[k], "another dim", DIM + 0.05 * (double)k);
    if (argument->text == NULL) return;
    if (strcmp(argument->text, "bias") == 0 && argument->parts[0]->kind == NODE_NAME)
        for (int is_true = 0; is_true < 2; is_true++)
            put(edits, argument->parts[0], is_true ? "True" : "False", "another bias", BIAS);
    struct edit edit = edit_of_node(edits, argument, "", "an argument too many", LEFT_OUT);
    if (i > 1) edit.start = edit_of_node(edits, node->parts[i - 1], "", "", 0).end;
    add_edit(edits, edit);
}

static void change_call(struct edits *edits, const struct visited *visited) {
    const struct node *node = visited->node, *called = node->parts[0];
    change_function(edits, visited);
    for (int i = 1; i < node->part_count; i++) change_argument(edits, node, i);
    if (node->part_count >= 2 && node->parts[1]->stars == 0)
        put(edits, node,
            visited->parent->kind == NODE_BINARY ? as_operand(edits, node->parts[1]->parts[0])
                                                 : text_of(edits, node->parts[1]->parts[0]),
            "a call too many", LEFT_OUT);
    if (called->kind == NODE_ATTRIBUTE)
        put(edits, node, text_of(edits, called->parts[0]), "a call too many", LEFT_OUT);
    if (node->part_count == 3 && node->parts[1]->text == NULL && node->parts[2]->text == NULL) {
        const char *first = text_of(edits, node->parts[1]),
                   *second = text_of(edits, node->parts[2]);
        put(edits, node,
            arena_format(edits->arena, "%s(%s, %s)", text_of(edits, called), second, first),
            "arguments exchanged", EXCHANGED);
    }
}

// ---- Operators --------------------------------------------------------------------------------------

static const struct node *first_name(const struct node *node) {
    if (node->kind == NODE_NAME) return node;
    for (int i = 0; i < node->part_count; i++) {
        const struct node *name = node->parts[i] != NULL ? first_name(node->parts[i]) : NULL;
        if (name != NULL) return name;
    }
    return NULL;
}

// keys @ queries.T becomes queries @ keys.T.
static void exchange_names(struct edits *edits, const struct node *node) {
    const char *source = edits->program->source;
    const struct node *a = first_name(node->parts[0]), *b = first_name(node->parts[1]);
    if (a == NULL || b == NULL) return;
    struct edit first = edit_of_node(edits, a, "", "names exchanged", EXCHANGED);
    const struct edit second = edit_of_node(edits, b, "", "", 0);
    first.text = arena_format(edits->arena, "%s%.*s%s", b->text, (int)(second.start - first.end),
                              source + first.end, a->text);
    first.end = second.end;
    add_edit(edits, first);
}

static void change_binary(struct edits *edits, const struct node *node) {
    static const enum operator others[][2] = {
        {OP_ADD, OP_SUBTRACT},        {OP_SUBTRACT, OP_ADD},        {OP_MULTIPLY, OP_DIVIDE},
        {OP_DIVIDE, OP_MULTIPLY},     {OP_MULTIPLY, OP_MATMUL},     {OP_MATMUL, OP_MULTIPLY},
        {OP_DIVIDE, OP_FLOOR_DIVIDE}, {OP_FLOOR_DIVIDE, OP_DIVIDE}, {OP_AND_BITS, OP_OR_BITS},
        {OP_OR_BITS, OP_AND_BITS},    {OP_MODULO, OP_FLOOR_DIVIDE}, {OP_FLOOR_DIVIDE, OP_MODULO},
        {OP_MULTIPLY, OP_ADD},        {OP_ADD, OP_MULTIPLY},        {OP_MULTIPLY, OP_POWER},
        {OP_POWER, OP_MULTIPLY}};
    const struct node *a = node->parts[0], *b = node->parts[1];
    struct arena *arena = edits->arena;
    const char *left = as_operand(edits, a), *right = as_operand(edits, b);
    const char *sign = operator_text(node->operator);
    put(edits, node, arena_format(arena, "%s %s %s", right, sign, left), "operands exchanged",
        EXCHANGED);
    put(edits, node, text_of(edits, a), "an operation too many", LEFT_OUT);
    put(edits, node, text_of(edits, b), "an operation too many", LEFT_OUT + 1);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i][0] != node->operator) continue;
        put(edits, node,
            arena_format(arena, others[i][1] == OP_POWER ? "%s%s%s" : "%s %s %s", text_of(edits, a),
                         operator_text(others[i][1]), right),
            "another operator", OPERATOR);
    }
    exchange_names(edits, node);
    if (b->kind == NODE_INT && b->integer == 1 && sign[1] == '\0' && strchr("+-", *sign) != NULL)
        put(edits, node, text_of(edits, a), "one more or less", ONE);
    if (node->operator== OP_DIVIDE)
        put(edits, b, arena_format(arena, "%s**0.5", right), "a root left out", SCALED);
    if (node->operator!= OP_MATMUL) return;
    if (a->kind == NODE_ATTRIBUTE && strcmp(a->text, "T") == 0)
        put(edits, node, arena_format(arena, "%s.T @ %s", right, text_of(edits, a->parts[0])),
            "operands exchanged", EXCHANGED);
    put(edits, b, arena_format(arena, "%s.transpose(-2, -1)", right), "not transposed", TRANSPOSED);
    put(edits, a, arena_format(arena, "%s.transpose(-2, -1)", left), "not transposed", TRANSPOSED);
    put(edits, node, arena_format(arena, "%s[..., -1:] @ %s[..., -1:, :]", left, right),
        "only the last term of the sum, as of a loop with = for +=", TERM);
}

static void change_comparison(struct edits *edits, const struct node *node) {
    static const enum operator others[][2] = {
        {OP_EQUAL, OP_UNEQUAL}, {OP_UNEQUAL, OP_EQUAL},   {OP_LESS, OP_AT_MOST},
        {OP_AT_MOST, OP_LESS},  {OP_MORE, OP_AT_LEAST},   {OP_AT_LEAST, OP_MORE},
        {OP_LESS, OP_MORE},     {OP_MORE, OP_LESS},       {OP_AT_LEAST, OP_AT_MOST},
        {OP_AT_LEAST, OP_LESS}, {OP_AT_MOST, OP_AT_LEAST}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i][0] != node->operators[0]) continue;
        put(edits, node,
            arena_format(edits->arena, "%s %s %s", text_of(edits, node->parts[0]),
                         operator_text(others[i][1]), text_of(edits, node->parts[1])),
            "another comparison", COMPARED);
    }
    put(edits, node->parts[0],
        arena_format(edits->arena, "%s.abs()", as_operand(edits, node->parts[0])),
        "a sign that counts", ADDED);
}

// a + 1 or a - 1; of a - 1 and a + 1 it may be a.
static const char *moved_by_one(const struct edits *edits, const struct node *node, bool is_more) {
    const bool is_moved = node->kind == NODE_BINARY && node->parts[1]->kind == NODE_INT &&
                          node->parts[1]->integer == 1 &&
                          node->operator==(is_more ? OP_SUBTRACT : OP_ADD);
    if (is_moved) return text_of(edits, node->parts[0]);
    return arena_format(edits->arena, "%s %s 1", text_of(edits, node), is_more ? "+" : "-");
}

// x[a:b] becomes x[a + 1:b + 1].
static void move_slice(struct edits *edits, const struct node *slice) {
    const struct node *start = slice->parts[0], *end = slice->parts[1];
    if (start == NULL || end == NULL || slice->parts[2] != NULL) return;
    for (int i = 0; i < 2; i++)
        put(edits, slice,
            arena_format(edits->arena, "%s:%s", moved_by_one(edits, start, i == 0),
                         moved_by_one(edits, end, i == 0)),
            "one more or less", NUMBER);
}

// A list of numbers is data: its numbers are not tried.
static bool is_data(const struct node *node) {
    int count = 0;
    for (int i = 0; node->kind == NODE_LIST && i < node->part_count; i++)
        count += node->parts[i] != NULL &&
                 (node->parts[i]->kind == NODE_INT || node->parts[i]->kind == NODE_FLOAT);
    return count > 1;
}

// (a, b) becomes (b, a).
static void exchange_items(struct edits *edits, const struct node *node) {
    const char *source = edits->program->source;
    for (int i = 0; i + 1 < node->part_count; i++) {
        const struct node *a = node->parts[i], *b = node->parts[i + 1];
        struct edit edit = edit_of_node(edits, a, "", "items exchanged", EXCHANGED);
        const struct edit last = edit_of_node(edits, b, "", "", 0);
        edit.text =
            arena_format(edits->arena, "%s%.*s%s", text_of(edits, b), (int)(last.start - edit.end),
                         source + edit.end, text_of(edits, a));
        edit.end = last.end;
        add_edit(edits, edit);
    }
}

static void change_expression(struct edits *edits, const struct visited *visited) {
    const struct node *node = visited->node;
    switch (node->kind) {
    case NODE_NAME:
        exchange_name(edits, visited);
        break;
    case NODE_ATTRIBUTE:
        exchange_name(edits, visited);
        if (strcmp(node->text, "inf") == 0 && visited->parent->kind != NODE_UNARY)
            put(edits, node, arena_format(edits->arena, "-%s", text_of(edits, node)),
                "a sign left out", NUMBER);
        if (strcmp(node->text, "T") == 0 || strcmp(node->text, "mT") == 0)
            put(edits, node, text_of(edits, node->parts[0]), "transposed", TRANSPOSED);
        break;
    case NODE_INT:
    case NODE_FLOAT:
        if (visited->parent->kind != NODE_UNARY) exchange_number(edits, visited);
        break;
    case NODE_TUPLE:
    case NODE_LIST:
        if (!is_data(node)) exchange_items(edits, node);
        break;
    case NODE_TRUE:
    case NODE_FALSE:
        put(edits, node, node->kind == NODE_TRUE ? "False" : "True", "True for False", ARGUMENT);
        break;
    case NODE_UNARY:
        if (node->parts[0]->kind == NODE_INT || node->parts[0]->kind == NODE_FLOAT)
            exchange_number(edits, visited);
        if (node->parts[0]->kind == NODE_ATTRIBUTE && strcmp(node->parts[0]->text, "inf") == 0)
            put_numbers(edits, node, (const char *const[]){"-1", "1", "-10", NULL},
                        "a number for infinity", NUMBER);
        put(edits, node, text_of(edits, node->parts[0]), "a sign too many", LEFT_OUT);
        break;
    case NODE_BINARY:
        change_binary(edits, node);
        break;
    case NODE_CALL:
        change_call(edits, visited);
        break;
    case NODE_COMPARE:
        if (node->part_count == 2) change_comparison(edits, node);
        break;
    case NODE_SUBSCRIPT:
        if (node->parts[1]->kind == NODE_SLICE) move_slice(edits, node->parts[1]);
        break;
    default:
        break;
    }
}

// ---- Statements -------------------------------------------------------------------------------------

static bool is_plain(const struct node *statement) {
    return statement->kind == NODE_ASSIGN || statement->kind == NODE_AUGMENTED ||
           statement->kind == NODE_EXPRESSION;
}

// y = f(x) becomes y = x + f(x).
static void add_terms(struct edits *edits, const struct visited *visited) {
    const struct node *node = visited->node, *value = node->parts[1];
    const char *name, *written = text_of(edits, value);
    for (int i = 0; (name = name_before(visited->sight, node->span.line, i)) != NULL; i++)
        put_reading(edits, value, arena_format(edits->arena, "%s + %s", name, written),
                    "a sum left out", TERM + price_of_name(i), name, READ_AS_TERM);
}

static bool has_sibling(const struct edits *edits, const struct visited *visited,
                        const char *text) {
    for (int i = 0; i < visited->sibling_count; i++) {
        if (strstr(text_of(edits, visited->siblings[i]), text) != NULL) return true;
    }
    return false;
}

// What a training that says loss.backward() may lack.
static void add_optimizer(struct edits *edits, const struct visited *visited) {
    const struct node *node = visited->node;
    const char *name, *written = text_of(edits, node);
    if (strstr(written, ".backward(") == NULL) return;
    for (int i = 0; (name = name_before(visited->sight, node->span.line, i)) != NULL; i++) {
        if (strstr(name, "optim") == NULL && strcmp(name, "opt") != 0) continue;
        const int indent = node->span.column;
        struct edit edit = edit_of_node(
            edits, node,
            arena_format(edits->arena, "%s.zero_grad()\n%*s%s", name, indent, "", written),
            "gradients not set to zero", OPTIMIZER);
        edit.name = "no-zero-grad";
        if (!has_sibling(edits, visited, ".zero_grad(")) add_edit(edits, edit);
        if (!has_sibling(edits, visited, ".step("))
            put(edits, node,
                arena_format(edits->arena, "%s\n%*s%s.step()", written, indent, "", name),
                "no step of the optimizer", OPTIMIZER);
    }
}

static void change_statement(struct edits *edits, const struct visited *visited) {
    const struct node *node = visited->node;
    struct arena *arena = edits->arena;
    if (!is_plain(node)) return;
    const char *written = text_of(edits, node);
    if (node->kind == NODE_EXPRESSION) add_optimizer(edits, visited);
    put(edits, node, "pass", "a line too many",
        strstr(written, "manual_seed(") != NULL ? SEED : LEFT_OUT + 1);
    for (int more = 1; more <= 2; more++) { // it changes places with the line behind
        if (visited->position + more >= visited->sibling_count) break;
        const struct node *next = visited->siblings[visited->position + more];
        if (!is_plain(next)) break;
        struct edit edit = edit_of_node(edits, node, "", "lines exchanged", MOVED + more);
        const struct edit last = edit_of_node(edits, next, "", "", 0);
        const char *source = edits->program->source;
        edit.text = arena_format(arena, "%s%.*s%s", text_of(edits, next),
                                 (int)(last.start - edit.end), source + edit.end, written);
        edit.end = last.end;
        add_edit(edits, edit);
    }
    if (node->kind == NODE_AUGMENTED)
        put(edits, node,
            arena_format(arena, "%s = %s", text_of(edits, node->parts[0]),
                         text_of(edits, node->parts[1])),
            "added to", OPERATOR);
    for (int i = 0; i < 2 && strchr(written, '(') != NULL; i++) // what draws nothing needs no seed
        put(edits, node,
            arena_format(arena, "torch.manual_seed(%s)\n%*s%s", i == 0 ? "123" : "789",
                         node->span.column, "", written),
            "no seed set", NO_SEED + 0.1 * i + (node->span.column > 0 ? 2 * SETTING : 0));
    if (node->kind != NODE_ASSIGN || node->part_count != 2) return;
    if (node->parts[0]->kind == NODE_TUPLE) exchange_items(edits, node->parts[0]);
    add_terms(edits, visited);
    wrap_value(edits, node->parts[1]);
    put(edits, node,
        arena_format(arena, "%s += %s", text_of(edits, node->parts[0]),
                     text_of(edits, node->parts[1])),
        "not added to", OPERATOR);
}

static void change(void *context, const struct visited *visited) {
    struct edits *edits = context;
    const struct node *node = visited->node;
    if (node == visited->statement) {
        change_statement(edits, visited);
        return;
    }
    const bool is_target = visited->statement != NULL && visited->statement->kind == NODE_ASSIGN &&
                           visited->statement->parts[0] == node;
    if (node->kind < NODE_BLOCK && !is_target && !is_data(visited->parent))
        change_expression(edits, visited);
}

void add_usual_edits(struct edits *edits) {
    visit_nodes(edits, change, edits);
}
