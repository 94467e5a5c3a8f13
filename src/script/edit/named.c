// The rows of data/edits.txt: mistakes that have a name.

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "script/edit/candidates.h"
#include "script/edit/pattern.h"
#include "script/edit/visit.h"
#include "script/steps/words.h"

extern const char data_edits[];

// "from -> to": patterns of an expression, or of a statement. `to` may be several statements.
struct arrow {
    struct program from, to;
    const char *kinds[LETTERS]; // of the letters of both
    bool is_optional;           // it is made where it matches
    bool is_condition;          // it changes nothing: it must only match
};

enum { MOST_ARROWS = 12 };

struct row {
    const char *name;
    int count;
    struct arrow arrows[MOST_ARROWS];
};

// The matches of an arrow, each an edit.
struct mending {
    struct edits *edits;
    const struct definitions *definitions;
    const struct row *row;
    const struct arrow *arrow;
    struct bindings bindings;
    double price;
    int indent;         // of the statement
    bool is_operand;    // what is replaced is one, of an operator
    bool is_anywhere;   // in closed lines, too
    const char *number; // that a free letter stands for; NULL: none
    struct found *found;
};

struct found {
    int count;
    struct edit *edits;
    struct bindings bindings; // of the first match
};

static const struct node *pattern_in(const struct program *program) {
    const struct node *statement = program->tree->parts[0];
    return statement->kind == NODE_EXPRESSION ? statement->parts[0] : statement;
}

// ---- The text that a pattern makes -------------------------------------------------------------------

static bool is_of_name(char byte) {
    return byte == '_' || byte == '.' || (byte >= '0' && byte <= '9') ||
           (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

// Must a node stand in parentheses where it becomes an operand?
static bool is_loose(const struct node *node) {
    const bool is_number = node->kind == NODE_UNARY && node->parts[0]->kind <= NODE_FLOAT &&
                           node->parts[0]->kind != NODE_NAME;
    if (is_number) return false;
    return node->kind == NODE_BINARY || node->kind == NODE_UNARY || node->kind == NODE_BOOLEAN ||
           node->kind == NODE_COMPARE || node->kind == NODE_CONDITIONAL ||
           node->kind == NODE_LAMBDA;
}

// Does a letter begin at `at` that stands for an expression? Not in a name, nor as a keyword.
static bool is_letter_at(const char *pattern, const char *at) {
    const bool begins = at == pattern || !is_of_name(at[-1]);
    const bool is_letter = (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z');
    return begins && is_letter && (!is_of_name(at[1]) || at[1] == '.') && at[1] != '=';
}

// What a letter at `at` stands for, in parentheses where it needs them there.
static const char *text_of_letter(const struct mending *mending, const char *pattern,
                                  const char *at, const struct node *bound) {
    struct arena *arena = mending->edits->arena;
    const char *text = bound->kind == NODE_NAME
                           ? bound->text
                           : text_of_node(arena, mending->edits->program, bound);
    const bool is_whole = (at == pattern || strchr("( ", at[-1]) != NULL) &&
                          (at[1] == '\0' || strchr(",)", at[1]) != NULL) &&
                          (at == pattern || at[-1] == '(' || at[-2] == ',');
    const bool is_power = bound->kind == NODE_BINARY && bound->operator== OP_POWER;
    const bool binds_most = is_power && (at[1] == '\0' || strchr(".[*", at[1]) == NULL);
    const bool needs_them = !is_whole && is_loose(bound) && !binds_most;
    return needs_them ? arena_format(arena, "(%s)", text) : text;
}

// With what its letters stand for in this program.
static const char *filled(const struct mending *mending, const char *pattern) {
    struct arena *arena = mending->edits->arena;
    struct text text = text_new(arena);
    text_add(&text, "");
    for (const char *at = pattern; *at != '\0'; at++) {
        if (strncmp(at, "; ", 2) == 0) { // statements, each in a line of its own
            text_add_format(&text, "\n%*s", mending->indent, "");
            at++;
            continue;
        }
        const bool is_number = at > pattern && at[-1] == '_' && *at == 'n' && !is_of_name(at[1]);
        if (is_number && mending->bindings.number != NULL) {
            text_add(&text, mending->bindings.number);
            continue;
        }
        const bool is_letter = is_letter_at(pattern, at);
        const struct node *bound = is_letter ? mending->bindings.letters[(unsigned char)*at] : NULL;
        if (bound == NULL && is_letter && mending->number != NULL) {
            text_add(&text, mending->number);
            continue;
        }
        if (bound == NULL) {
            text_add_bytes(&text, at, 1);
            continue;
        }
        text_add(&text, text_of_letter(mending, pattern, at, bound));
    }
    return text.bytes;
}

static const char *text_of_pattern(const struct mending *mending, const struct node *to) {
    const bool is_all = to == pattern_in(&mending->arrow->to);
    return filled(mending, is_all ? mending->arrow->to.source
                                  : text_of_node(mending->edits->arena, &mending->arrow->to, to));
}

// ---- The smallest edit --------------------------------------------------------------------------------

static void add_found(const struct mending *mending, struct edit edit) {
    struct found *found = mending->found;
    edit.name = mending->row->name;
    edit.price = mending->price;
    for (int i = 0; i < found->count; i++) // what is inside of another piece
        if ((edit.start < found->edits[i].end && found->edits[i].start < edit.end) ||
            (edit.start == found->edits[i].start && edit.end == found->edits[i].end))
            return;
    found->edits = arena_grow(mending->edits->arena, found->edits,
                              (size_t)found->count * sizeof edit, sizeof edit);
    if (found->count == 0) found->bindings = mending->bindings;
    found->edits[found->count++] = edit;
}

static void replace(const struct mending *mending, const struct node *to, const struct node *node) {
    const char *text = text_of_pattern(mending, to);
    const bool binds_most = to->kind == NODE_BINARY && to->operator== OP_POWER;
    if (mending->is_operand && is_loose(to) && !binds_most)
        text = arena_format(mending->edits->arena, "(%s)", text);
    add_found(mending, edit_of_node(mending->edits, node, text, NULL, 0));
}

static bool are_alike(const struct mending *mending, const struct node *to,
                      const struct node *from) {
    struct arena *arena = mending->edits->arena;
    return strcmp(text_of_node(arena, &mending->arrow->to, to),
                  text_of_node(arena, &mending->arrow->from, from)) == 0;
}

// f(x) becomes f(x, dim=0).
static void add_argument(const struct mending *mending, const struct form *to,
                         const struct node *node) {
    struct edit edit = edit_of_node(mending->edits, node, NULL, NULL, 0);
    const int last = to->count - 1;
    edit.start = --edit.end;
    edit.text = arena_format(mending->edits->arena, ", %s=%s", to->keywords[last],
                             text_of_pattern(mending, to->operands[last]));
    add_found(mending, edit);
}

// f(x, dim=0) becomes f(x).
static void drop_argument(const struct mending *mending, const struct node *node) {
    const struct node *last = node->parts[node->part_count - 1];
    struct edit edit = edit_of_node(mending->edits, last, "", NULL, 0);
    if (node->part_count > 2) {
        const struct node *before = node->parts[node->part_count - 2];
        edit.start = edit_of_node(mending->edits, before, "", NULL, 0).end;
    }
    add_found(mending, edit);
}

static void mend(const struct mending *mending, const struct node *to, const struct node *from,
                 const struct node *node);

static void mend_operand(struct mending mending, const struct node *to, const struct node *from,
                         const struct node *node, bool is_operand) {
    mending.is_operand = is_operand;
    mend(&mending, to, from, node);
}

// Where the two forms differ in one operand only, that alone is replaced.
static void mend(const struct mending *mending, const struct node *to, const struct node *from,
                 const struct node *node) {
    struct arena *arena = mending->edits->arena;
    const struct form a = form_of(arena, to), b = form_of(arena, from);
    const struct node *value = node;
    if (letter_of(from) == '\0' && strcmp(form_of(arena, node).operation, b.operation) != 0)
        value = looked_through(mending->definitions, node);
    if (value != node) {
        mend_operand(*mending, to, from, value, false);
        return;
    }
    const struct form form = form_of(arena, node);
    const bool is_call = node->kind == NODE_CALL && node->parts[0]->kind != NODE_CALL;
    const bool is_same =
        letter_of(from) == '\0' && from->kind < NODE_BLOCK && strcmp(a.operation, b.operation) == 0;
    int different = -1, differences = 0;
    for (int i = 0; is_same && i < a.count && i < b.count; i++) {
        if (are_alike(mending, a.operands[i], b.operands[i])) continue;
        different = i;
        differences++;
    }
    if (is_same && a.count == b.count && differences == 1 && form.count == b.count)
        mend_operand(*mending, a.operands[different], b.operands[different],
                     form.operands[different], node->kind != NODE_CALL);
    else if (is_same && is_call && differences == 0 && a.count == b.count + 1 &&
             a.keywords[b.count] != NULL)
        add_argument(mending, &a, node);
    else if (is_same && is_call && differences == 0 && a.count + 1 == b.count)
        drop_argument(mending, node);
    else
        replace(mending, to, node);
}

// ---- Matches ------------------------------------------------------------------------------------------

// The letter of `to` that stands for nothing yet; '\0' if there is none.
static char free_letter(const struct program *to, const struct bindings *bindings) {
    for (const char *at = to->source; *at != '\0'; at++) {
        if (is_letter_at(to->source, at) && bindings->letters[(unsigned char)*at] == NULL)
            return *at;
    }
    return '\0';
}

// Each name in sight in the place of a letter, the nearest first.
static void mend_with_names(struct mending mending, char letter, const struct visited *visited) {
    const char *text;
    for (int i = 0;
         i < 24 && (text = name_before(visited->sight, visited->node->span.line, i)) != NULL; i++) {
        struct node *name = arena_allocate(mending.edits->arena, sizeof *name);
        struct found one = {0};
        *name = (struct node){.kind = NODE_NAME, .text = text};
        mending.found = &one;
        mending.bindings.letters[(unsigned char)letter] = name;
        mending.price = 6 + i * 0.1 - (strstr(text, "key") != NULL ? 2 : 0);
        mend(&mending, pattern_in(&mending.arrow->to), pattern_in(&mending.arrow->from),
             visited->node);
        for (int k = 0; k < one.count; k++) add_edit(mending.edits, one.edits[k]);
    }
}

static void try_arrow(void *context, const struct visited *visited) {
    struct mending mending = *(const struct mending *)context;
    mending.bindings.kinds = mending.arrow->kinds;
    const struct node *from = pattern_in(&mending.arrow->from);
    const int line = visited->node->span.line;
    if ((visited->node->kind >= NODE_BLOCK) != (from->kind >= NODE_BLOCK)) return;
    if (!mending.is_anywhere && mending.edits->closed != NULL && mending.edits->closed[line])
        return;
    if (!pattern_matches(mending.edits->arena, mending.edits->program, from, visited->node,
                         &mending.bindings))
        return;
    mending.indent = visited->statement->span.column;
    const char letter = free_letter(&mending.arrow->to, &mending.bindings);
    if (letter != '\0' && mending.number == NULL)
        mend_with_names(mending, letter, visited);
    else
        mend(&mending, pattern_in(&mending.arrow->to), from, visited->node);
}

// ---- Rows ---------------------------------------------------------------------------------------------

// The text without the kinds of its letters, "S:scores"; these go to `kinds`.
static const char *without_kinds(struct arena *arena, const char *pattern, const char **kinds) {
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    struct text text = text_new(arena);
    text_add(&text, "");
    for (const char *at = pattern; *at != '\0'; at++) {
        text_add_bytes(&text, at, 1);
        const bool begins =
            strchr(word, *at) != NULL && at[1] == ':' && (at == pattern || !is_of_name(at[-1]));
        const size_t length = begins ? strspn(at + 2, word) : 0;
        if (length < 2) continue;
        kinds[(unsigned char)*at] = arena_copy_bytes(arena, at + 2, length);
        at += 1 + length;
    }
    return text.bytes;
}

static struct program pattern_of(struct arena *arena, const char *start, const char *end,
                                 const char **kinds) {
    struct syntax_error error = {0};
    while (start < end && *start == ' ') start++;
    while (end > start && end[-1] == ' ') end--;
    const char *source =
        without_kinds(arena, arena_copy_bytes(arena, start, (size_t)(end - start)), kinds);
    const struct program program = parse_program(arena, "data/edits.txt", source, &error);
    if (error.message != NULL || program.tree->part_count == 0)
        fail(arena->failure, FAIL_RUNTIME, "data/edits.txt: \"%s\" can't be read: %s", source,
             error.message != NULL ? error.message : "it is empty");
    return program;
}

static const char *found_before(const char *text, const char *words, const char *end) {
    const char *found = strstr(text, words);
    return found != NULL && found < end ? found : NULL;
}

// The first arrow, " -> " or " => "; NULL if there is none.
static const char *arrow_before(const char *text, const char *end) {
    const char *both = found_before(text, " -> ", end), *one = found_before(text, " => ", end);
    return both == NULL || (one != NULL && one < both) ? one : both;
}

// Where the next arrow's " ;; " or " || " stands; NULL behind the last.
static const char *next_before(const char *text, const char *end) {
    const char *both = found_before(text, " ;; ", end), *either = found_before(text, " || ", end);
    return both == NULL || (either != NULL && either < both) ? either : both;
}

// "name   right -> wrong  ;; right -> wrong". False for another line. `is_wrong`: from the right form to the wrong one; only
// that way goes " => ".
static bool read_row(struct arena *arena, const char *line, size_t length, bool is_wrong,
                     struct row *row) {
    const char *end = line + length;
    const size_t name = strcspn(line, " ");
    *row = (struct row){0};
    if (length == 0 || strchr("# ", *line) != NULL || arrow_before(line, end) == NULL) return false;
    if (!is_wrong && found_before(line, " => ", end) != NULL) return false;
    row->name = arena_copy_bytes(arena, line, name);
    for (const char *at = line + name; at != NULL && row->count < MOST_ARROWS;) {
        const char *next = next_before(at, end);
        const char *last = next != NULL ? next : end, *arrow = arrow_before(at, last);
        if (arrow == NULL) fail(arena->failure, FAIL_RUNTIME, "data/edits.txt: %s", row->name);
        struct arrow *added = &row->arrows[row->count++];
        const struct program right = pattern_of(arena, at, arrow, added->kinds),
                             wrong = pattern_of(arena, arrow + 4, last, added->kinds);
        added->from = is_wrong ? right : wrong;
        added->to = is_wrong ? wrong : right;
        added->is_condition = strcmp(right.source, wrong.source) == 0;
        added->is_optional =
            (next != NULL && next[1] == '|') || (at > line + name && at[-2] == '|');
        at = next != NULL ? next + 4 : NULL;
    }
    return true;
}

static bool is_row_of(const char *line, const char *name) {
    const size_t length = strlen(name);
    return strncmp(line, name, length) == 0 && line[length] == ' ';
}

const char *words_of_mistake(struct arena *arena, const char *name) {
    struct text words = text_new(arena);
    bool is_its = false;
    for (const char *line = data_edits; *line != '\0';) {
        const size_t end = strcspn(line, "\n");
        if (strncmp(line, "  | ", 4) != 0)
            is_its = is_row_of(line, name);
        else if (is_its)
            text_add_format(&words, "%s%.*s", words.length > 0 ? " " : "", (int)end - 4, line + 4);
        line += end + (line[end] != '\0');
    }
    return words.length > 0 ? words.bytes : NULL;
}

// `name`: of which rows; NULL: of all.
static void for_each_row(struct edits *edits, const char *name, bool is_wrong,
                         void (*action)(struct mending *mending)) {
    const struct definitions definitions = definitions_of(edits->arena, edits->program);
    for (const char *line = data_edits; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        struct row row;
        if ((name == NULL || is_row_of(line, name)) &&
            read_row(edits->arena, line, length, is_wrong, &row)) {
            struct mending mending = {.edits = edits,
                                      .definitions = &definitions,
                                      .row = &row,
                                      .arrow = row.arrows,
                                      .price = 4,
                                      .bindings.definitions = &definitions};
            action(&mending);
        }
        line += length + (line[length] != '\0');
    }
}

// Does each word of a line stand in the program, or none of them?
static bool has_words(struct arena *arena, const struct program *program, const char *words,
                      bool wanted) {
    for (size_t length; words += strspn(words, " "), (length = strcspn(words, " \n")) > 0;
         words += length) {
        const char *word = arena_copy_bytes(arena, words, length);
        if ((find_word(program->source, word) != NULL) != wanted) return false;
    }
    return true;
}

// "needs: transpose", "where: view" and "lacks: group_size", behind the rows of a name: may the mistake be made in the program?
// Where it is sought it must have what it needs; to be made on purpose, the others as well.
static bool may_be_made(struct arena *arena, const struct program *program, const char *name,
                        bool is_sought) {
    static const struct {
        const char *key;
        bool wanted, is_for_all;
    } rules[] = {
        {"  needs: ", true, true}, {"  where: ", true, false}, {"  lacks: ", false, false}};
    bool is_its = false, may = true;
    for (const char *line = data_edits; *line != '\0'; line += strcspn(line, "\n") + 1) {
        if (strncmp(line, "  ", 2) != 0)
            is_its = is_row_of(line, name) || (is_its && *line == '\n');
        for (size_t i = 0; is_its && i < sizeof rules / sizeof *rules; i++) {
            const size_t length = strlen(rules[i].key);
            if (strncmp(line, rules[i].key, length) != 0 || (is_sought && !rules[i].is_for_all))
                continue;
            may = may && has_words(arena, program, line + length, rules[i].wanted);
        }
    }
    return may;
}

// From the wrong form to the right one: each match by itself.
static void mend_row(struct mending *mending) {
    if (mending->row->count > 1) return;
    struct found found = {0};
    mending->found = &found;
    visit_nodes(mending->edits, try_arrow, mending);
    for (int i = 0; i < found.count; i++) add_edit(mending->edits, found.edits[i]);
}

void add_named_edits(struct edits *edits) {
    for_each_row(edits, NULL, false, mend_row);
}

// ---- Mistakes -----------------------------------------------------------------------------------------

static int compare_places(const void *a, const void *b) {
    const struct edit *one = a, *other = b;
    return one->start < other->start ? -1 : one->start > other->start;
}

// All pieces as one edit.
static void add_together(const struct mending *mending, const struct found *found) {
    if (found->count == 0) return;
    qsort(found->edits, (size_t)found->count, sizeof *found->edits, compare_places);
    for (int i = 0; i + 1 < found->count; i++) found->edits[i].also = &found->edits[i + 1];
    add_edit(mending->edits, found->edits[0]);
}

// Of all arrows of a row: all their matches. False if there is none, or one has none that must have one. What the letters of an
// arrow stand for at its first match, they stand for in the arrows behind it.
static bool find_all(struct mending *mending, struct found *found) {
    for (int i = 0; i < mending->row->count; i++) {
        struct found found_by_arrow = {0};
        mending->arrow = &mending->row->arrows[i];
        mending->found = &found_by_arrow;
        visit_nodes(mending->edits, try_arrow, mending);
        // what happens together with the first may stand anywhere: a layer that draws before, or after
        mending->is_anywhere = i > 0 && found_by_arrow.count == 0 && !mending->arrow->is_optional;
        if (mending->is_anywhere) visit_nodes(mending->edits, try_arrow, mending);
        mending->is_anywhere = false;
        if (found_by_arrow.count == 0 && !mending->arrow->is_optional) return false;
        if (found_by_arrow.count == 0) continue;
        mending->bindings = found_by_arrow.bindings;
        mending->bindings.number = NULL; // in the arrows behind it any
        mending->found = found;
        const int before = found->count;
        for (int k = 0; k < found_by_arrow.count && !mending->arrow->is_condition; k++)
            add_found(mending, found_by_arrow.edits[k]);
        const bool is_lost = found->count == before && !mending->arrow->is_condition;
        if (is_lost && !mending->arrow->is_optional) return false; // inside of another's piece
    }
    return found->count > 0;
}

static bool has_letter(const char *pattern, char letter) {
    for (const char *at = pattern; *at != '\0'; at++) {
        if (*at == letter && is_letter_at(pattern, at)) return true;
    }
    return false;
}

// A letter that stands only behind the arrows; '\0' if none does.
static char letter_to_fill(const struct row *row) {
    for (int i = 0; i < row->count; i++) {
        const char *to = row->arrows[i].to.source;
        for (const char *at = to; *at != '\0'; at++) {
            bool is_bound = !is_letter_at(to, at);
            for (int k = 0; k < row->count && !is_bound; k++)
                is_bound = has_letter(row->arrows[k].from.source, *at);
            if (!is_bound) return *at;
        }
    }
    return '\0';
}

// From the right form to the wrong one, with each number that a free letter may stand for: all matches together, and each by
// itself.
static void make_row(struct mending *mending) {
    static const char *const numbers[] = {"-2", "0", "1", "-1", "2", "3", "4", "5"};
    static const double SINGLE = 2;
    const char letter = letter_to_fill(mending->row);
    const bool is_free = letter != '\0';
    if (letter >= 'A' && letter <= 'Z') return; // for any expression: it says too little
    for (size_t i = 0; i < (is_free ? sizeof numbers / sizeof *numbers : 1); i++) {
        struct found found = {0};
        struct mending one = *mending;
        one.number = numbers[i];
        if (is_free) one.price += 0.1 * (double)(i + 1);
        if (!find_all(&one, &found)) return;
        const int count = found.count;
        struct edit *singles = arena_array(mending->edits->arena, (size_t)count, sizeof *singles);
        memcpy(singles, found.edits, (size_t)count * sizeof *singles);
        for (int k = 0; k < count; k++) found.edits[k].is_variant = is_free;
        add_together(&one, &found);
        for (int k = 0; k < count && count > 1 && mending->row->count == 1; k++) {
            singles[k].price += SINGLE;
            singles[k].is_variant = true;
            add_edit(mending->edits, singles[k]);
        }
    }
}

void add_named_mistakes(struct edits *edits) {
    for_each_row(edits, NULL, true, make_row);
}

static void seek_row(struct mending *mending) {
    const struct edits *edits = mending->edits;
    if (may_be_made(edits->arena, edits->program, mending->row->name, true)) make_row(mending);
}

void add_mistakes_named(struct edits *edits, const char *name) {
    if (name == NULL)
        for_each_row(edits, NULL, true, seek_row);
    else if (may_be_made(edits->arena, edits->program, name, false))
        for_each_row(edits, name, true, make_row);
}
