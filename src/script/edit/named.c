// The rows of data/edits.txt: mistakes that have a name.

#include <string.h>

#include "base/text.h"
#include "script/edit/pattern.h"
#include "script/edit/visit.h"
#include "script/steps/words.h"

extern const char data_edits[];

// A row, or one of its arrows, as two patterns.
struct row {
    const char *name;
    struct program right, wrong; // of one expression each
};

struct mending {
    struct edits *edits;
    const struct row *row;
    struct bindings bindings;
    double price;
};

static const struct node *expression_of(const struct program *program) {
    return program->tree->parts[0]->parts[0];
}

// ---- The text of the right form ---------------------------------------------------------------------

static bool is_of_name(char byte) {
    return byte == '_' || byte == '.' || (byte >= '0' && byte <= '9') ||
           (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

// Must a node stand in parentheses where it becomes an operand?
static bool is_loose(const struct node *node) {
    return node->kind == NODE_BINARY || node->kind == NODE_UNARY || node->kind == NODE_BOOLEAN ||
           node->kind == NODE_COMPARE || node->kind == NODE_CONDITIONAL ||
           node->kind == NODE_LAMBDA;
}

// A pattern's text, with what its letters stand for in this program.
static const char *text_of_right(const struct mending *mending, const struct node *right) {
    struct arena *arena = mending->edits->arena;
    const char *pattern = text_of_node(arena, &mending->row->right, right);
    struct text text = text_new(arena);
    text_add(&text, "");
    for (const char *at = pattern; *at != '\0'; at++) {
        const bool begins = at == pattern || !is_of_name(at[-1]);
        const bool is_letter = begins && (!is_of_name(at[1]) || at[1] == '.') && at[1] != '=' &&
                               (unsigned char)*at < 128;
        const struct node *bound = is_letter ? mending->bindings.letters[(unsigned char)*at] : NULL;
        if (bound == NULL) {
            text_add_bytes(&text, at, 1);
            continue;
        }
        const bool is_whole = (at == pattern || strchr("( ", at[-1]) != NULL) &&
                              (at[1] == '\0' || strchr(",)", at[1]) != NULL) &&
                              (at == pattern || at[-1] == '(' || at[-2] == ',');
        const char *own = bound->kind == NODE_NAME
                              ? bound->text
                              : text_of_node(arena, mending->edits->program, bound);
        text_add_format(&text, !is_whole && is_loose(bound) ? "(%s)" : "%s", own);
    }
    return text.bytes;
}

// ---- The smallest edit --------------------------------------------------------------------------------

static void add_mended(const struct mending *mending, struct edit edit) {
    edit.name = mending->row->name;
    edit.price = mending->price;
    add_edit(mending->edits, edit);
}

static void replace(const struct mending *mending, const struct node *right,
                    const struct node *node) {
    add_mended(mending, edit_of_node(mending->edits, node, text_of_right(mending, right), NULL, 0));
}

static bool are_alike(const struct mending *mending, const struct node *right,
                      const struct node *wrong) {
    struct arena *arena = mending->edits->arena;
    return strcmp(text_of_node(arena, &mending->row->right, right),
                  text_of_node(arena, &mending->row->wrong, wrong)) == 0;
}

// f(x) becomes f(x, dim=0).
static void add_argument(const struct mending *mending, const struct form *right,
                         const struct node *node) {
    struct edit edit = edit_of_node(mending->edits, node, NULL, NULL, 0);
    const int last = right->count - 1;
    edit.start = --edit.end;
    edit.text = arena_format(mending->edits->arena, ", %s=%s", right->keywords[last],
                             text_of_right(mending, right->operands[last]));
    add_mended(mending, edit);
}

// f(x, dim=0) becomes f(x).
static void drop_argument(const struct mending *mending, const struct node *node) {
    const struct node *last = node->parts[node->part_count - 1];
    struct edit edit = edit_of_node(mending->edits, last, "", NULL, 0);
    if (node->part_count > 2) {
        const struct node *before = node->parts[node->part_count - 2];
        edit.start = edit_of_node(mending->edits, before, "", NULL, 0).end;
    }
    add_mended(mending, edit);
}

// Where the two forms differ in one operand only, that alone is replaced.
static void mend(const struct mending *mending, const struct node *right, const struct node *wrong,
                 const struct node *node) {
    struct arena *arena = mending->edits->arena;
    const struct form a = form_of(arena, right), b = form_of(arena, wrong),
                      own = form_of(arena, node);
    const bool is_call = node->kind == NODE_CALL && node->parts[0]->kind != NODE_CALL;
    const bool is_same = letter_of(wrong) == '\0' && strcmp(a.operation, b.operation) == 0;
    int different = -1, differences = 0;
    for (int i = 0; is_same && i < a.count && i < b.count; i++) {
        if (are_alike(mending, a.operands[i], b.operands[i])) continue;
        different = i;
        differences++;
    }
    if (is_same && a.count == b.count && differences == 1 && own.count == b.count)
        mend(mending, a.operands[different], b.operands[different], own.operands[different]);
    else if (is_same && is_call && differences == 0 && a.count == b.count + 1 &&
             a.keywords[b.count] != NULL)
        add_argument(mending, &a, node);
    else if (is_same && is_call && differences == 0 && a.count + 1 == b.count)
        drop_argument(mending, node);
    else
        replace(mending, right, node);
}

// ---- Rows ---------------------------------------------------------------------------------------------

// The letter of the right form that the wrong one does not have; '\0' if there is none.
static char free_letter(const struct node *right, const struct bindings *bindings) {
    const char letter = letter_of(right);
    if (letter != '\0') return bindings->letters[(unsigned char)letter] == NULL ? letter : '\0';
    for (int i = 0; i < right->part_count; i++) {
        const char below = right->parts[i] != NULL ? free_letter(right->parts[i], bindings) : '\0';
        if (below != '\0') return below;
    }
    return '\0';
}

static void try_row(void *context, const struct visited *visited) {
    struct mending mending = *(const struct mending *)context;
    struct arena *arena = mending.edits->arena;
    const struct node *right = expression_of(&mending.row->right);
    const struct node *wrong = expression_of(&mending.row->wrong);
    if (visited->node->kind >= NODE_BLOCK ||
        !pattern_matches(arena, mending.edits->program, wrong, visited->node, &mending.bindings))
        return;
    const char letter = free_letter(right, &mending.bindings);
    if (letter == '\0') {
        mend(&mending, right, wrong, visited->node);
        return;
    }
    const char *text;
    for (int i = 0;
         i < 24 && (text = name_before(visited->sight, visited->node->span.line, i)) != NULL; i++) {
        struct node *name = arena_allocate(arena, sizeof *name);
        *name = (struct node){.kind = NODE_NAME, .text = text};
        mending.bindings.letters[(unsigned char)letter] = name;
        mending.price = 6 + i * 0.1 - (strstr(text, "key") != NULL ? 2 : 0);
        mend(&mending, right, wrong, visited->node);
    }
}

static struct program pattern_of(struct arena *arena, const char *start, const char *end) {
    struct syntax_error error = {0};
    while (start < end && *start == ' ') start++;
    while (end > start && end[-1] == ' ') end--;
    const char *source = arena_copy_bytes(arena, start, (size_t)(end - start));
    const struct program program = parse_program(arena, "data/edits.txt", source, &error);
    if (error.message != NULL || program.tree->part_count != 1 ||
        program.tree->parts[0]->kind != NODE_EXPRESSION)
        fail(arena->failure, FAIL_RUNTIME, "data/edits.txt: \"%s\" is no expression", source);
    return program;
}

// "name   right -> wrong". False for a comment or an empty line.
static bool read_row(struct arena *arena, const char *line, size_t length, struct row *row) {
    const char *end = line + length, *arrow = strstr(line, " -> ");
    if (length == 0 || *line == '#' || arrow == NULL || arrow >= end) return false;
    const size_t name = strcspn(line, " ");
    row->name = arena_copy_bytes(arena, line, name);
    row->right = pattern_of(arena, line + name, arrow);
    row->wrong = pattern_of(arena, arrow + 4, end);
    return true;
}

void add_named_edits(struct edits *edits) {
    for (const char *line = data_edits; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        struct row row;
        if (read_row(edits->arena, line, length, &row)) {
            struct mending mending = {.edits = edits, .row = &row, .price = 4};
            visit_nodes(edits, try_row, &mending);
        }
        line += length + (line[length] != '\0');
    }
}
