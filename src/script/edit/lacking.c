// Edits that put in what a program lacks: a piece of an expression, or a whole line.

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "script/edit/visit.h"
#include "script/steps/words.h"

// Bits, in the order of how usual a slip is.
static const double PIECE = 6, ITEM = 6, OFFSET = 4.5, LINE = 5.5, LAYER = 4, NAME_FOR_CALL = 8,
                    WIDTH = 6, LETTERS_OF_TERM = 12.5;

static const char *text_of(const struct edits *edits, const struct node *node) {
    return text_of_node(edits->arena, edits->program, node);
}

static void put(struct edits *edits, const struct node *node, const char *text, const char *words,
                double price) {
    add_edit(edits, edit_of_node(edits, node, text, words, price));
}

// ---- Words of a source ------------------------------------------------------------------------------

static bool is_of_word(char byte) {
    return isalnum((unsigned char)byte) || byte == '_';
}

// The first place of a word at or behind `at`; NULL if there is none.
static const char *word_in(const char *source, const char *at, const char *word) {
    const size_t length = strlen(word);
    for (at = strstr(at, word); at != NULL; at = strstr(at + 1, word)) {
        const bool begins = at == source || (!is_of_word(at[-1]) && at[-1] != '.');
        if (begins && !is_of_word(at[length])) return at;
    }
    return NULL;
}

static int times_in(const char *source, const char *word) {
    int count = 0;
    for (const char *at = word_in(source, source, word); at != NULL; count++)
        at = word_in(source, at + 1, word);
    return count;
}

// A text with a word in the place of another.
static const char *with_word(struct arena *arena, const char *text, const char *word,
                             const char *other) {
    struct text with = text_new(arena);
    text_add(&with, "");
    const char *at = text;
    for (const char *found; (found = word_in(text, at, word)) != NULL;) {
        text_add_bytes(&with, at, (size_t)(found - at));
        text_add(&with, other);
        at = found + strlen(word);
    }
    text_add(&with, at);
    return with.bytes;
}

// ---- Pieces -----------------------------------------------------------------------------------------

static bool is_one_of(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return false;
}

// `x` of x.contiguous(); the node itself if it is something else.
static const struct node *before_contiguous(const struct node *node) {
    const bool is_call = node->kind == NODE_CALL && node->parts[0]->kind == NODE_ATTRIBUTE;
    return is_call && strcmp(node->parts[0]->text, "contiguous") == 0 ? node->parts[0]->parts[0]
                                                                      : node;
}

// x.view(...) becomes x.transpose(1, 2).view(...), and x.mean() x.abs().mean().
static void add_method(struct edits *edits, const struct node *node) {
    static const char *const reshaping[] = {"view", "reshape", "flatten"};
    static const char *const reducing[] = {"mean", "sum", "max"};
    static const char *const transposed[] = {"transpose(1, 2)", "transpose(0, 1)",
                                             "transpose(-2, -1)"};
    const struct node *called = node->parts[0];
    if (called->kind != NODE_ATTRIBUTE) return;
    const struct node *of = before_contiguous(called->parts[0]);
    if (of->kind == NODE_CALL) return;
    const char *written = text_of(edits, of);
    const bool is_loose = of->kind == NODE_BINARY || of->kind == NODE_UNARY;
    for (size_t i = 0; i < sizeof transposed / sizeof *transposed; i++)
        if (is_one_of(called->text, reshaping, sizeof reshaping / sizeof *reshaping))
            put(edits, of,
                arena_format(edits->arena, is_loose ? "(%s).%s" : "%s.%s", written, transposed[i]),
                "not transposed", PIECE + 0.1 * (double)i);
    if (is_one_of(called->text, reducing, sizeof reducing / sizeof *reducing))
        put(edits, of, arena_format(edits->arena, is_loose ? "(%s).abs()" : "%s.abs()", written),
            "a sign that counts", PIECE);
}

// sqrt(v) becomes sqrt(v + 1e-5).
static void add_eps(struct edits *edits, const struct node *node) {
    const struct node *called = node->parts[0];
    const bool has_name = called->kind == NODE_ATTRIBUTE || called->kind == NODE_NAME;
    if (!has_name || strcmp(called->text, "sqrt") != 0 || node->part_count > 2) return;
    const struct node *of = node->part_count == 2            ? node->parts[1]->parts[0]
                            : called->kind == NODE_ATTRIBUTE ? called->parts[0]
                                                             : NULL;
    if (of == NULL || of->kind == NODE_BINARY) return;
    put(edits, of,
        arena_format(edits->arena, node->part_count == 2 ? "%s + 1e-5" : "(%s + 1e-5)",
                     text_of(edits, of)),
        "eps left out", PIECE);
}

// diagonal=1 becomes diagonal=past + 1, or diagonal=all - new + 1.
static void add_offset(struct edits *edits, const struct visited *visited) {
    enum { MOST = 6 };
    const struct node *node = visited->node, *number = node->parts[0];
    const char *name, *other;
    if (node->text == NULL || strcmp(node->text, "diagonal") != 0 || number->kind != NODE_INT)
        return;
    for (int i = 0; i < MOST && (name = name_before(visited->sight, node->span.line, i)) != NULL;
         i++) {
        const char *written = text_of(edits, number);
        put(edits, number, arena_format(edits->arena, "%s + %s", name, written),
            "counted from the wrong place", OFFSET + 0.1 * i);
        for (int k = 0; k < MOST; k++)
            if ((other = name_before(visited->sight, node->span.line, k)) != NULL && k != i)
                put(edits, number, arena_format(edits->arena, "%s - %s + %s", name, other, written),
                    "counted from the wrong place", OFFSET + 0.5 + 0.1 * (i + k));
    }
}

// n**-0.5 becomes keys.shape[-1]**-0.5.
static void add_width(struct edits *edits, const struct visited *visited) {
    enum { MOST = 10 };
    const struct node *node = visited->node, *base = node->parts[0], *power = node->parts[1];
    const char *name;
    if (power->kind == NODE_UNARY) power = power->parts[0];
    if (node->operator!= OP_POWER || power->kind != NODE_FLOAT || base->kind != NODE_NAME) return;
    for (int i = 0; i < MOST && (name = name_before(visited->sight, node->span.line, i)) != NULL;
         i++)
        put(edits, base, arena_format(edits->arena, "%s.shape[-1]", name), "another width",
            WIDTH + price_of_name(i));
}

// "bhid,bhjd->bhij" becomes "bhid,bhjd->bhji": two letters of a term that stand beside each other.
static void exchange_letters(struct edits *edits, const struct node *node) {
    const struct node *called = node->parts[0];
    const bool has_name = called->kind == NODE_ATTRIBUTE || called->kind == NODE_NAME;
    if (!has_name || strcmp(called->text, "einsum") != 0 || node->part_count < 2) return;
    const struct node *terms = node->parts[1]->parts[0];
    const char *written = text_of(edits, terms);
    for (size_t i = 0; terms->kind == NODE_STRING && i + 1 < strlen(written); i++) {
        size_t other = i + 1 + (written[i + 1] == ' ');
        if (!isalpha((unsigned char)written[i]) || !isalpha((unsigned char)written[other]))
            continue;
        char *letters = arena_copy(edits->arena, written);
        letters[i] = written[other];
        letters[other] = written[i];
        put(edits, terms, letters, "letters exchanged", LETTERS_OF_TERM);
    }
}

// [a, b] becomes [a, b, c].
static void add_item(struct edits *edits, const struct visited *visited) {
    enum { MOST = 8 };
    const struct node *node = visited->node;
    const char *name;
    if (node->kind != NODE_LIST || node->part_count < 3) return;
    for (int i = 0; i < node->part_count; i++) {
        if (node->parts[i]->kind != NODE_NAME) return;
    }
    const struct node *last = node->parts[node->part_count - 1];
    const char *written = text_of(edits, node);
    for (int i = 0, tried = 0;
         tried < MOST && (name = name_before(visited->sight, node->span.line, i)) != NULL; i++) {
        if (word_in(written, written, name) != NULL) continue;
        put(edits, last, arena_format(edits->arena, "%s, %s", text_of(edits, last), name),
            "an item left out", ITEM + 0.1 * tried++);
    }
}

// A call in a comparison may be meant for a name: arange(n) > rows becomes columns > rows.
static void name_operands(struct edits *edits, const struct visited *visited) {
    enum { MOST = 6 };
    const char *name;
    for (int i = 0; i < visited->node->part_count; i++) {
        const struct node *operand = visited->node->parts[i];
        for (int k = 0; operand->kind == NODE_CALL && k < MOST &&
                        (name = name_before(visited->sight, operand->span.line, k)) != NULL;
             k++)
            put(edits, operand, name, "another operand", NAME_FOR_CALL + 0.1 * k);
    }
}

static void add_pieces(struct edits *edits, const struct visited *visited) {
    const struct node *node = visited->node;
    if (node->kind == NODE_CALL) {
        add_method(edits, node);
        add_eps(edits, node);
        exchange_letters(edits, node);
    }
    if (node->kind == NODE_BINARY) add_width(edits, visited);
    if (node->kind == NODE_ARGUMENT) add_offset(edits, visited);
    if (node->kind == NODE_LIST) add_item(edits, visited);
    if (node->kind == NODE_COMPARE) name_operands(edits, visited);
}

// ---- Lines ------------------------------------------------------------------------------------------

// A line before a statement.
static void put_before(struct edits *edits, const struct node *statement, const char *line,
                       double price) {
    put(edits, statement,
        arena_format(edits->arena, "%s\n%*s%s", line, statement->span.column, "",
                     text_of(edits, statement)),
        "a line left out", price);
}

// `shortcut = x`, once more where x is another value.
static void repeat_alias(struct edits *edits, const struct visited *visited) {
    const struct node *node = visited->node;
    for (int i = 0; i + 1 < visited->position; i++) {
        const struct node *alias = visited->siblings[i];
        const bool is_alias = alias->kind == NODE_ASSIGN && alias->part_count == 2 &&
                              alias->parts[0]->kind == NODE_NAME &&
                              alias->parts[1]->kind == NODE_NAME;
        if (is_alias) put_before(edits, node, text_of(edits, alias), LINE);
    }
}

// Behind `queries = rotate(queries)`, the same for `keys`.
static void repeat_for_other(struct edits *edits, const struct visited *visited) {
    enum { MOST = 8 };
    const struct node *node = visited->node;
    if (node->kind != NODE_ASSIGN || node->part_count != 2 || node->parts[0]->kind != NODE_NAME)
        return;
    const char *name = node->parts[0]->text, *written = text_of(edits, node), *other;
    if (node->parts[1]->kind == NODE_NAME || times_in(written, name) < 2) return;
    for (int i = 0; i < MOST && (other = name_before(visited->sight, node->span.line, i)) != NULL;
         i++) {
        if (strcmp(other, name) == 0) continue;
        put(edits, node,
            arena_format(edits->arena, "%s\n%*s%s", written, node->span.column, "",
                         with_word(edits->arena, written, name, other)),
            "a line left out", LINE + 0.1 * i);
    }
}

// What a statement gives goes through a layer that the program makes and never uses.
static void use_layer(struct edits *edits, const struct node *value, const char *layer) {
    const char *source = edits->program->source;
    if (times_in(source, layer) != 1) return;
    const char *made = word_in(source, source, layer) + strlen(layer);
    if (strncmp(made, " = ", 3) != 0 || strcspn(made, "(") > strcspn(made, "\n")) return;
    struct edit edit = edit_of_node(
        edits, value, arena_format(edits->arena, "%s(%s)", layer, text_of(edits, value)),
        "a layer that is never used", LAYER);
    edit.is_forgotten = true;
    add_edit(edits, edit);
}

static void use_layers(struct edits *edits, const struct visited *visited) {
    const struct node *node = visited->node;
    const bool gives = (node->kind == NODE_RETURN || node->kind == NODE_ASSIGN) &&
                       node->part_count > 0 && node->parts[node->part_count - 1] != NULL;
    const char *name;
    if (!gives) return;
    const struct node *value = node->parts[node->part_count - 1];
    for (int i = 0; i < visited->sight->attribute_count; i++)
        use_layer(edits, value, visited->sight->attributes[i]);
    for (int i = 0; (name = name_before(visited->sight, node->span.line, i)) != NULL; i++)
        use_layer(edits, value, name);
}

static void add_line(struct edits *edits, const struct visited *visited) {
    const enum node_kind kind = visited->node->kind;
    const bool is_plain = kind == NODE_ASSIGN || kind == NODE_AUGMENTED || kind == NODE_EXPRESSION;
    use_layers(edits, visited);
    if (!is_plain) return;
    repeat_alias(edits, visited);
    repeat_for_other(edits, visited);
}

static void add(void *context, const struct visited *visited) {
    if (visited->node == visited->statement)
        add_line(context, visited);
    else if (visited->statement != NULL)
        add_pieces(context, visited);
}

void add_lacking_pieces(struct edits *edits) {
    visit_nodes(edits, add, edits);
}
