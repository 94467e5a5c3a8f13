// Edits of what is called: a related function, an argument too few, a function too many.

#include <string.h>

#include "script/edit/visit.h"
#include "script/steps/words.h"

// Bits, in the order of how usual a slip is.
static const double RELATIVE = 6, ARGUMENT = 6, OPTIMIZER = 3, IN_PLACE = 1.5, WRAPPED = 8,
                    DIVIDED = 6.5, REFOLDED = 10;

static const char *text_of(const struct edits *edits, const struct node *node) {
    return text_of_node(edits->arena, edits->program, node);
}

static void put(struct edits *edits, const struct node *node, const char *text, const char *words,
                double price) {
    add_edit(edits, edit_of_node(edits, node, text, words, price));
}

// torch.relu, of which torch.nn.functional has relatives that torch does not have.
static const char *beside(const struct edits *edits, const struct node *called, const char *other) {
    static const char *const functional[] = {"gelu", "leaky_relu", "silu"};
    if (called->kind == NODE_NAME) return other;
    const char *library = text_of(edits, called->parts[0]);
    for (size_t i = 0; i < sizeof functional / sizeof *functional; i++)
        if (strcmp(library, "torch") == 0 && strcmp(other, functional[i]) == 0)
            library = "torch.nn.functional";
    return arena_format(edits->arena, "%s.%s", library, other);
}

// Functions that take each other's place.
static void exchange_function(struct edits *edits, const struct node *node) {
    static const char *const relatives[][2] = {
        {"triu", "tril"},
        {"rand", "randn"},
        {"mean", "sum"},
        {"view", "reshape"},
        {"zeros", "ones"},
        {"softmax", "log_softmax"},
        {"std", "var"},
        {"max", "sum"},
        {"argmax", "argmin"},
        {"repeat", "repeat_interleave"},
        {"cat", "stack"},
        {"sin", "cos"},
        {"add_", "copy_"},
        {"masked_fill", "masked_fill_"},
        {"zeros_like", "ones_like"},
        {"Adam", "AdamW"},
        {"train", "eval"},
    };
    static const char *const modes[] = {"Adam", "AdamW", "train", "eval"};
    const struct node *called = node->parts[0];
    for (size_t i = 0; i < sizeof relatives / sizeof *relatives; i++) {
        for (int k = 0; k < 2; k++) {
            if (strcmp(called->text, relatives[i][k]) != 0) continue;
            if (called->kind == NODE_NAME && strcmp(called->text, "train") == 0) continue;
            const char *other = relatives[i][1 - k];
            struct edit edit = edit_of_node(edits, called, beside(edits, called, other),
                                            "a related function", RELATIVE);
            for (size_t mode = 0; mode < sizeof modes / sizeof *modes; mode++)
                if (strcmp(other, modes[mode]) == 0) edit.price = OPTIMIZER;
            edit.is_forgotten = strcmp(other, "train") == 0;
            add_edit(edits, edit);
        }
    }
}

// ReLU and the like.
static void exchange_activation(struct edits *edits, const struct node *node) {
    static const char *const activations[] = {"relu",    "gelu", "tanh", "leaky_relu",
                                              "sigmoid", "silu", "abs"};
    const struct node *called = node->parts[0];
    bool is_one = false;
    for (size_t i = 0; i < sizeof activations / sizeof *activations; i++)
        is_one = is_one || strcmp(called->text, activations[i]) == 0;
    for (size_t i = 0; is_one && i < sizeof activations / sizeof *activations; i++)
        put(edits, called, beside(edits, called, activations[i]), "another activation function",
            RELATIVE + 0.1 * (double)i);
    if (is_one && node->part_count == 2)
        put(edits, node,
            arena_format(edits->arena, "torch.nn.functional.gelu(%s, approximate='tanh')",
                         text_of(edits, node->parts[1])),
            "another activation function", RELATIVE + 1);
}

// scores.div_(2) in the middle of a line changes `scores`, too.
static void leave_in_place(struct edits *edits, const struct visited *visited) {
    const struct node *called = visited->node->parts[0];
    const size_t length = called->kind == NODE_ATTRIBUTE ? strlen(called->text) : 0;
    if (length < 2 || called->text[length - 1] != '_') return;
    const bool is_alone = visited->parent == visited->statement;
    put(edits, called,
        arena_format(edits->arena, "%s.%.*s", text_of(edits, called->parts[0]), (int)length - 1,
                     called->text),
        "in place", is_alone ? RELATIVE : IN_PLACE);
}

// Arguments that a call may lack.
static void add_arguments(struct edits *edits, const struct node *node) {
    static const char *const arguments[][2] = {
        {"sum", "keepdim=True"},
        {"mean", "keepdim=True"},
        {"max", "keepdim=True"},
        {"var", "keepdim=True"},
        {"var", "unbiased=False"},
        {"triu", "diagonal=1"},
        {"tril", "diagonal=-1"},
        {"Linear", "bias=False"},
        {"GELU", "approximate='tanh'"},
        {"gelu", "approximate='tanh'"},
        {"sum", "dim=-1"},
        {"mean", "dim=-1"},
        {"repeat_interleave", "dim=1"},
        {"softmax", "dim=-1"},
        {"cross_entropy", "reduction='sum'"},
    };
    const struct node *called = node->parts[0];
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        const char *text = arguments[i][1];
        bool has_it = strcmp(called->text, arguments[i][0]) != 0;
        for (int k = 1; k < node->part_count && !has_it; k++)
            has_it = node->parts[k]->text != NULL &&
                     strncmp(text, node->parts[k]->text, strlen(node->parts[k]->text)) == 0;
        if (has_it) continue;
        struct edit edit = edit_of_node(edits, node, text, "an argument left out", ARGUMENT);
        edit.start = --edit.end;
        if (node->part_count > 1) edit.text = arena_format(edits->arena, ", %s", text);
        add_edit(edits, edit);
    }
}

// Scores that are divided where the lesson divides nothing, and by the sum of all.
static void change_softmax(struct edits *edits, const struct visited *visited) {
    const struct node *node = visited->node, *called = node->parts[0];
    const bool is_function = called->kind == NODE_ATTRIBUTE && node->part_count > 1 &&
                             strcmp(text_of(edits, called), "torch.softmax") == 0;
    const char *name;
    if (!is_function) return;
    const char *of = text_of(edits, node->parts[1]);
    put(edits, node, arena_format(edits->arena, "torch.exp(%s) / torch.exp(%s).sum()", of, of),
        "divided by the sum of all numbers", DIVIDED);
    put(edits, node, arena_format(edits->arena, "torch.exp(%s)", of), "not divided", DIVIDED);
    put(edits, node,
        arena_format(edits->arena, "torch.exp(%s - (%s).amax(dim=-1, keepdim=True))", of, of),
        "not divided", DIVIDED + 1);
    for (int i = 0; (name = name_before(visited->sight, node->span.line, i)) != NULL; i++) {
        struct edit edit = edit_of_node(edits, node->parts[1],
                                        arena_format(edits->arena, "(%s) / %s**0.5", of, name),
                                        "divided by a root", DIVIDED + price_of_name(i));
        edit.reads = name;
        edit.reading = READ_AS_NUMBER;
        add_edit(edits, edit);
    }
}

// A table of numbers drawn evenly.
static void draw_evenly(struct edits *edits, const struct node *node) {
    const struct node *called = node->parts[0];
    if (strcmp(called->text, "Embedding") != 0 || node->part_count != 3) return;
    put(edits, node,
        arena_format(edits->arena, "%s.from_pretrained(torch.rand(%s, %s))", text_of(edits, called),
                     text_of(edits, node->parts[1]), text_of(edits, node->parts[2])),
        "drawn by torch.rand", WRAPPED);
}

void change_function(struct edits *edits, const struct visited *visited) {
    const struct node *node = visited->node, *called = node->parts[0];
    if (called->kind != NODE_ATTRIBUTE && called->kind != NODE_NAME) return;
    exchange_function(edits, node);
    exchange_activation(edits, node);
    leave_in_place(edits, visited);
    add_arguments(edits, node);
    change_softmax(edits, visited);
    draw_evenly(edits, node);
}

void wrap_value(struct edits *edits, const struct node *value) {
    static const struct {
        const char *before, *behind, *words;
    } wraps[] = {
        {"torch.relu(", ")", "a ReLU too many"},
        {"-(", ")", "another sign"},
        {"torch.softmax(", ", dim=-1)", "a softmax too many"},
    };
    const char *written = text_of(edits, value);
    for (size_t i = 0; i < sizeof wraps / sizeof *wraps; i++)
        put(edits, value,
            arena_format(edits->arena, "%s%s%s", wraps[i].before, written, wraps[i].behind),
            wraps[i].words, WRAPPED + 0.1 * (double)i);
}

// ---- What is done to a value afterwards -----------------------------------------------------------

static void put_behind(struct edits *edits, const struct node *statement, const char *words,
                       double price, const char *value) {
    const char *name = statement->parts[0]->text;
    struct edit edit =
        edit_of_node(edits, statement,
                     arena_format(edits->arena, "%s\n%*s%s = %s", text_of(edits, statement),
                                  statement->span.column, "", name, value),
                     words, price);
    edit.reading = READS_ITS_VALUE;
    add_edit(edits, edit);
}

static void exchange(int *order, int i, int k) {
    const int moved = order[i];
    order[i] = order[k];
    order[k] = moved;
}

// The next order of some numbers, as in a dictionary; false behind the last.
static bool next_order(int *order, int count) {
    int i = count - 2, k = count - 1;
    while (i >= 0 && order[i] > order[i + 1]) i--;
    if (i < 0) return false;
    while (order[k] < order[i]) k--;
    exchange(order, i, k);
    for (int first = i + 1, last = count - 1; first < last; first++, last--)
        exchange(order, first, last);
    return true;
}

// Dimensions in another order, read in the shape that there was.
static void refold(struct edits *edits, const struct node *statement) {
    enum { MOST = 4 };
    const char *name = statement->parts[0]->text;
    for (int count = 2; count <= MOST; count++) {
        int order[MOST] = {0, 1, 2, 3};
        while (next_order(order, count)) {
            const char *dims = "";
            for (int i = 0; i < count; i++)
                dims = arena_format(edits->arena, "%s%s%d", dims, i > 0 ? ", " : "", order[i]);
            put_behind(
                edits, statement, "dimensions in another order", REFOLDED,
                arena_format(edits->arena, "%s.permute(%s).reshape(%s.shape)", name, dims, name));
        }
    }
}

static void change_value(void *context, const struct visited *visited) {
    static const char *const functions[] = {"exp",  "log",        "abs",     "relu", "square",
                                            "sqrt", "reciprocal", "sigmoid", "tanh"};
    struct edits *edits = context;
    const struct node *node = visited->node;
    const char *other;
    if (node != visited->statement || node->kind != NODE_ASSIGN || node->part_count != 2) return;
    const char *name = node->parts[0]->text;
    if (node->parts[0]->kind != NODE_NAME) return;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        put_behind(edits, node, "a function too many", WRAPPED + 0.1 * (double)i,
                   arena_format(edits->arena, "torch.%s(%s)", functions[i], name));
    refold(edits, node);
    for (int i = 0; (other = name_before(visited->sight, node->span.line, i)) != NULL; i++) {
        struct edit edit =
            edit_of_node(edits, node,
                         arena_format(edits->arena, "%s\n%*s%s = %s - %s", text_of(edits, node),
                                      node->span.column, "", name, name, other),
                         "taken away", WRAPPED + price_of_name(i));
        edit.reads = other;
        edit.reading = READ_AS_TERM;
        add_edit(edits, edit);
    }
}

void add_changed_values(struct edits *edits) {
    visit_nodes(edits, change_value, edits);
}
