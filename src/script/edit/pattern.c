#include "script/edit/pattern.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "script/steps/words.h"

// ---- Forms ------------------------------------------------------------------------------------------

static bool is_name(const struct node *node, const char *name) {
    return node->kind == NODE_NAME && strcmp(node->text, name) == 0;
}

// torch, nn, F, torch.nn.functional, math: what stands before the point is a module, no tensor.
static bool is_library(const struct node *node) {
    static const char *const libraries[] = {"torch", "nn", "F",    "functional",
                                            "math",  "np", "numpy"};
    if (node->kind == NODE_ATTRIBUTE) return is_library(node->parts[0]);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (is_name(node, libraries[i])) return true;
    }
    return false;
}

// A number as it is written, with its sign.
static bool is_number(const struct node *node, double *number) {
    if (node->kind == NODE_UNARY && node->operator== OP_MINUS &&
                                    is_number(node->parts[0], number)) {
        *number = -*number;
        return true;
    }
    if (node->kind != NODE_INT && node->kind != NODE_FLOAT) return false;
    *number = node->kind == NODE_INT ? (double)node->integer : node->number;
    return true;
}

static bool is_infinity(const struct node *node) {
    if (node->kind == NODE_ATTRIBUTE && strcmp(node->text, "inf") == 0) return true;
    if (node->kind != NODE_CALL || !is_name(node->parts[0], "float") || node->part_count != 2)
        return false;
    const struct node *text = node->parts[1]->parts[0];
    return text->kind == NODE_STRING && strstr(text->text, "inf") != NULL && text->text[0] != '-';
}

static bool is_minus_infinity(const struct node *node) {
    if (node->kind == NODE_UNARY && node->operator== OP_MINUS) return is_infinity(node->parts[0]);
    if (node->kind != NODE_CALL || !is_name(node->parts[0], "float") || node->part_count != 2)
        return false;
    const struct node *text = node->parts[1]->parts[0];
    return text->kind == NODE_STRING && strcmp(text->text, "-inf") == 0;
}

static void add_operand(struct form *form, const struct node *node, const char *keyword) {
    if (form->count == MOST_OPERANDS) return;
    form->operands[form->count] = node;
    form->keywords[form->count++] = keyword;
}

static void add_arguments(struct form *form, const struct node *call) {
    for (int i = 1; i < call->part_count; i++)
        add_operand(form, call->parts[i]->parts[0], call->parts[i]->text);
}

// The operation of a function or method: one name for each, in small letters, without the _ of one in place.
static const char *operation_of(struct arena *arena, const char *name) {
    static const char *const same[][2] = {
        {"matmul", "@"}, {"mm", "@"},  {"bmm", "@"}, {"div", "/"},
        {"mul", "*"},    {"add", "+"}, {"sub", "-"}, {"t", "transpose"},
    };
    char *operation = arena_copy(arena, name);
    const size_t length = strlen(operation);
    if (length > 1 && operation[length - 1] == '_') operation[length - 1] = '\0';
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        if (strcmp(operation, same[i][0]) == 0) return same[i][1];
    }
    return operation;
}

static struct form form_of_call(struct arena *arena, const struct node *node) {
    const struct node *called = node->parts[0];
    struct form form = {.operation = "call"};
    if (called->kind == NODE_CALL) { // nn.Softmax(dim=-1)(x)
        const struct form inner = form_of_call(arena, called);
        char *small = arena_copy(arena, inner.operation);
        if (small[0] >= 'A' && small[0] <= 'Z') small[0] = (char)(small[0] - 'A' + 'a');
        form.operation = small;
        add_arguments(&form, node);
        for (int i = 0; i < inner.count; i++)
            add_operand(&form, inner.operands[i], inner.keywords[i]);
    } else if (called->kind == NODE_NAME) {
        form.operation = operation_of(arena, called->text);
        add_arguments(&form, node);
    } else if (called->kind == NODE_ATTRIBUTE && is_name(called->parts[0], "self")) {
        add_operand(&form, called, NULL); // self.W_query(x)
        add_arguments(&form, node);
    } else if (called->kind == NODE_ATTRIBUTE) {
        form.operation = operation_of(arena, called->text);
        if (!is_library(called->parts[0])) add_operand(&form, called->parts[0], NULL);
        add_arguments(&form, node);
        double first, second;
        const bool swaps = form.count == 3 && strcmp(form.operation, "transpose") == 0 &&
                           is_number(form.operands[1], &first) &&
                           is_number(form.operands[2], &second);
        if (swaps && (first - second == 1 || second - first == 1)) form.count = 1;
    } else {
        add_operand(&form, called, NULL);
        add_arguments(&form, node);
    }
    return form;
}

static struct form form_of_binary(const struct node *node) {
    double exponent;
    struct form form = {.operation = operator_text(node->operator)};
    add_operand(&form, node->parts[0], NULL);
    add_operand(&form, node->parts[1], NULL);
    if (node->operator== OP_POWER && is_number(node->parts[1], &exponent) && exponent == 0.5) {
        form.operation = "sqrt";
        form.count = 1;
    }
    return form;
}

struct form form_of(struct arena *arena, const struct node *node) {
    struct form form = {.operation = ""};
    if (is_number(node, &form.number)) {
        form.operation = "number";
    } else if (is_minus_infinity(node)) {
        form.operation = "-inf";
    } else if (node->kind == NODE_CALL) {
        form = form_of_call(arena, node);
    } else if (node->kind == NODE_BINARY) {
        form = form_of_binary(node);
    } else if (node->kind == NODE_NAME) {
        form.operation = arena_format(arena, "name %s", node->text);
    } else if (node->kind == NODE_ATTRIBUTE &&
               (strcmp(node->text, "T") == 0 || strcmp(node->text, "mT") == 0)) {
        form.operation = "transpose";
        add_operand(&form, node->parts[0], NULL);
    } else {
        form.operation = arena_format(arena, "%d %s %d", (int)node->kind,
                                      node->text != NULL ? node->text : "", (int)node->operator);
        if (node->kind == NODE_SLICE)
            form.operation = arena_format(arena, "slice %d%d%d", node->parts[0] != NULL,
                                          node->parts[1] != NULL, node->parts[2] != NULL);
        if (node->kind == NODE_TUPLE || node->kind == NODE_LIST) form.operation = "items";
        if (node->kind == NODE_COMPARE) form.operation = operator_text(node->operators[0]);
        for (int i = 0; i < node->part_count; i++) {
            if (node->parts[i] != NULL) add_operand(&form, node->parts[i], NULL);
        }
    }
    return form;
}

// ---- Matching ---------------------------------------------------------------------------------------

char letter_of(const struct node *pattern) {
    const bool is_letter = pattern->kind == NODE_NAME && pattern->text[1] == '\0';
    return is_letter && (unsigned char)pattern->text[0] < 128 ? pattern->text[0] : '\0';
}

// The operand that stands for one of the pattern's: of the same keyword, or at the same place.
static int counterpart(const struct form *pattern, const struct form *form, int i,
                       const bool *used) {
    const char *keyword = pattern->keywords[i];
    for (int k = 0; k < form->count && keyword != NULL; k++) {
        if (!used[k] && form->keywords[k] != NULL && strcmp(form->keywords[k], keyword) == 0)
            return k;
    }
    const bool is_there = i < form->count && !used[i] && form->keywords[i] == NULL;
    return is_there ? i : -1;
}

static void add_definitions(struct arena *arena, struct definitions *definitions,
                            const struct node *node, const struct node *function) {
    if (node == NULL || node->kind < NODE_BLOCK) return;
    if (node->kind == NODE_ASSIGN && node->part_count == 2 && node->parts[0]->kind == NODE_NAME) {
        definitions->all = arena_grow(arena, definitions->all,
                                      (size_t)definitions->count * sizeof *definitions->all,
                                      sizeof *definitions->all);
        definitions->all[definitions->count++] =
            (struct definition){.name = node->parts[0]->text,
                                .function = function,
                                .line = node->span.end_line,
                                .end_line = function != NULL ? function->span.end_line : INT32_MAX,
                                .value = node->parts[1]};
    }
    const struct node *inside = node->kind == NODE_DEF ? node : function;
    for (int i = 0; i < node->part_count; i++)
        add_definitions(arena, definitions, node->parts[i], inside);
}

struct definitions definitions_of(struct arena *arena, const struct program *program) {
    struct definitions definitions = {0};
    add_definitions(arena, &definitions, program->tree, NULL);
    return definitions;
}

const struct node *looked_through(const struct definitions *definitions, const struct node *node) {
    if (definitions == NULL || node->kind != NODE_NAME) return node;
    for (int i = definitions->count - 1; i >= 0; i--) {
        const struct definition *one = &definitions->all[i];
        const int first = one->function != NULL ? one->function->span.line : 0;
        if (one->line < node->span.line && node->span.line <= one->end_line &&
            first <= node->span.line && strcmp(one->name, node->text) == 0)
            return one->value;
    }
    return node;
}

// ---- Kinds ------------------------------------------------------------------------------------------

// Is the expression what `fits` asks for, or was it made from that by masks, dropout, a factor or a divisor?
static bool leads_to(struct arena *arena, const struct definitions *definitions,
                     const struct node *node, const char *word,
                     bool (*fits)(struct arena *arena, const struct definitions *definitions,
                                  const struct form *form, const char *word)) {
    static const char *const passed[] = {"/", "*", "masked_fill", "dropout"};
    enum { MOST = 20 };
    for (int i = 0; i < MOST; i++) {
        const struct form form = form_of(arena, looked_through(definitions, node));
        if (fits(arena, definitions, &form, word)) return true;
        bool is_passed = node->kind == NODE_NAME && looked_through(definitions, node) != node &&
                         strncmp(form.operation, "name ", 5) == 0;
        node = looked_through(definitions, node);
        if (is_passed) continue;
        for (size_t k = 0; k < sizeof passed / sizeof *passed; k++)
            is_passed = is_passed || strcmp(form.operation, passed[k]) == 0;
        if (!is_passed || form.count == 0) return false;
        node = form.operands[0];
    }
    return false;
}

static bool is_operation(struct arena *arena, const struct definitions *definitions,
                         const struct form *form, const char *word) {
    (void)definitions;
    return strcmp(form->operation, operation_of(arena, word)) == 0;
}

static bool is_scores(struct arena *arena, const struct definitions *definitions,
                      const struct form *form, const char *word) {
    (void)word;
    if (strcmp(form->operation, "@") != 0 || form->count != 2) return false;
    const struct form second = form_of(arena, looked_through(definitions, form->operands[1]));
    return strcmp(second.operation, "transpose") == 0;
}

static bool is_weights(struct arena *arena, const struct definitions *definitions,
                       const struct form *form, const char *word) {
    return strcmp(form->operation, "softmax") == 0 && form->count > 0 &&
           leads_to(arena, definitions, form->operands[0], word, is_scores);
}

static bool is_of_kind(struct arena *arena, const struct program *program,
                       const struct definitions *definitions, const struct node *node,
                       const char *kind) {
    if (kind == NULL) return true;
    if (strcmp(kind, "scores") == 0) return leads_to(arena, definitions, node, kind, is_scores);
    if (strcmp(kind, "weights") == 0) return leads_to(arena, definitions, node, kind, is_weights);
    return strstr(text_of_node(arena, program, node), kind) != NULL ||
           strstr(text_of_node(arena, program, looked_through(definitions, node)), kind) != NULL ||
           leads_to(arena, definitions, node, kind, is_operation);
}

// "W_query_n": a name with any number behind it.
static bool is_numbered(const struct node *pattern) {
    const size_t length = pattern->kind == NODE_NAME ? strlen(pattern->text) : 0;
    return length > 2 && strcmp(pattern->text + length - 2, "_n") == 0;
}

static bool numbered_matches(const struct node *pattern, const struct node *node,
                             struct bindings *bindings) {
    const size_t length = strlen(pattern->text) - 1;
    if (node->kind != NODE_NAME || strncmp(pattern->text, node->text, length) != 0) return false;
    const char *number = node->text + length;
    if (*number == '\0' || number[strspn(number, "0123456789")] != '\0') return false;
    if (bindings->number == NULL) bindings->number = number;
    return strcmp(bindings->number, number) == 0;
}

// "L(X)", "W_query_n(X)": what is called is matched, too.
static bool called_matches(struct arena *arena, const struct program *program,
                           const struct node *pattern, const struct node *node,
                           struct bindings *bindings) {
    if (node->kind != NODE_CALL || node->part_count != pattern->part_count) return false;
    if (!pattern_matches(arena, program, pattern->parts[0], node->parts[0], bindings)) return false;
    for (int i = 1; i < node->part_count; i++) {
        if (!pattern_matches(arena, program, pattern->parts[i]->parts[0], node->parts[i]->parts[0],
                             bindings))
            return false;
    }
    return true;
}

bool pattern_matches(struct arena *arena, const struct program *program, const struct node *pattern,
                     const struct node *node, struct bindings *bindings) {
    const char letter = letter_of(pattern);
    if (letter != '\0') {
        const struct node **bound = &bindings->letters[(unsigned char)letter];
        const char *kind = bindings->kinds != NULL ? bindings->kinds[(unsigned char)letter] : NULL;
        if (!is_of_kind(arena, program, bindings->definitions, node, kind)) return false;
        if (*bound == NULL) *bound = node;
        return *bound == node || strcmp(text_of_node(arena, program, *bound),
                                        text_of_node(arena, program, node)) == 0;
    }
    if (is_numbered(pattern)) return numbered_matches(pattern, node, bindings);
    const bool matches_called =
        pattern->kind == NODE_CALL &&
        (letter_of(pattern->parts[0]) != '\0' || is_numbered(pattern->parts[0]));
    if (matches_called) return called_matches(arena, program, pattern, node, bindings);
    const struct form wanted = form_of(arena, pattern);
    struct form form = form_of(arena, node);
    if (strcmp(wanted.operation, form.operation) != 0)
        form = form_of(arena, looked_through(bindings->definitions, node));
    bool used[MOST_OPERANDS] = {false};
    if (strcmp(wanted.operation, form.operation) != 0 || wanted.count != form.count ||
        wanted.number != form.number)
        return false;
    for (int i = 0; i < wanted.count; i++) {
        const int k = counterpart(&wanted, &form, i, used);
        if (k < 0 ||
            !pattern_matches(arena, program, wanted.operands[i], form.operands[k], bindings))
            return false;
        used[k] = true;
    }
    return true;
}
