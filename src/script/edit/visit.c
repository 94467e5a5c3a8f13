#include "script/edit/visit.h"

#include <string.h>

#include "base/text.h"
#include "script/steps/words.h"

enum { MOST_EDITS = 8000 }; // of a program: more could not be tried

// Do all its pieces stand in closed lines?
static bool is_closed(const struct edits *edits, const struct edit *edit) {
    bool is_open = edits->closed == NULL;
    for (; edit != NULL && !is_open; edit = edit->also)
        is_open = !edits->closed[line_of_place(edits->program->source, edit->start)];
    return !is_open;
}

void add_edit(struct edits *edits, struct edit edit) {
    const char *source = edits->program->source;
    const size_t length = edit.end - edit.start;
    if (edits->count == MOST_EDITS) return;
    if (is_closed(edits, &edit)) return;
    if (edit.also == NULL && strlen(edit.text) == length &&
        strncmp(source + edit.start, edit.text, length) == 0)
        return;
    if (edits->judge != NULL && !edits->judge->is_sensible(edits->judge, &edit)) return;
    for (int i = 0; i < edits->count; i++) {
        struct edit *other = &edits->all[i];
        if (edit.also != NULL || other->also != NULL || other->start != edit.start ||
            other->end != edit.end || strcmp(other->text, edit.text) != 0)
            continue;
        const bool has_both = edit.name != NULL && other->name != NULL;
        if (has_both && strcmp(edit.name, other->name) != 0) continue; // one edit, two names
        if (edit.price < other->price) *other = edit;
        return;
    }
    edits->all =
        arena_grow(edits->arena, edits->all, (size_t)edits->count * sizeof edit, sizeof edit);
    edits->all[edits->count++] = edit;
}

struct edit edit_of_node(const struct edits *edits, const struct node *node, const char *text,
                         const char *words, double price) {
    const char *source = edits->program->source;
    const struct span *span = &node->span;
    return (struct edit){
        .start = (size_t)(place_in_source(source, span->line, span->column) - source),
        .end = (size_t)(place_in_source(source, span->end_line, span->end_column) - source),
        .text = text,
        .words = words,
        .price = price};
}

// ---- Names in sight ---------------------------------------------------------------------------------

const char *name_before(const struct sight *sight, int line, int i) {
    for (int k = sight->name_count - 1; k >= 0; k--) {
        if (sight->lines[k] < line && i-- == 0) return sight->names[k];
    }
    return NULL;
}

double price_of_name(int i) {
    enum { NEAR = 16 };
    return i < NEAR ? 0.15 * i : 0.15 * NEAR + 0.02 * (i - NEAR);
}

static bool add_name(const char **names, int *count, const char *name) {
    for (int i = 0; i < *count; i++) {
        if (strcmp(names[i], name) == 0) return false;
    }
    if (*count == MOST_IN_SIGHT) return false;
    names[(*count)++] = name;
    return true;
}

static void bind_name(struct sight *sight, const char *name, int line) {
    if (add_name(sight->names, &sight->name_count, name))
        sight->lines[sight->name_count - 1] = line;
}

static void add_target(struct sight *sight, const struct node *target) {
    if (target->kind == NODE_NAME) bind_name(sight, target->text, target->span.line);
    if (target->kind != NODE_TUPLE && target->kind != NODE_LIST) return;
    for (int i = 0; i < target->part_count; i++) add_target(sight, target->parts[i]);
}

// What the statements below a node bind, those of functions inside excepted.
static void add_bound(struct sight *sight, const struct node *node) {
    if (node == NULL) return;
    if (node->kind == NODE_ASSIGN)
        for (int i = 0; i + 1 < node->part_count; i++) add_target(sight, node->parts[i]);
    if (node->kind == NODE_FOR) add_target(sight, node->parts[0]);
    if (node->kind == NODE_DEF || node->kind == NODE_CLASS || node->kind < NODE_BLOCK) return;
    for (int i = 0; i < node->part_count; i++) add_bound(sight, node->parts[i]);
}

static void add_attributes(struct arena *arena, struct sight *sight, const struct node *node) {
    if (node == NULL) return;
    if (node->kind == NODE_ATTRIBUTE && node->parts[0]->kind == NODE_NAME &&
        strcmp(node->parts[0]->text, "self") == 0)
        add_name(sight->attributes, &sight->attribute_count,
                 arena_format(arena, "self.%s", node->text));
    for (int i = 0; i < node->part_count; i++) add_attributes(arena, sight, node->parts[i]);
}

static void add_parameters(struct sight *sight, const struct node *parameters) {
    for (int i = 0; i < parameters->part_count; i++) {
        const char *name = parameters->parts[i]->text;
        if (name != NULL && strcmp(name, "self") != 0) bind_name(sight, name, 0);
    }
}

// ---- Visits -----------------------------------------------------------------------------------------

struct visiting {
    const struct edits *edits;
    void (*visit)(void *context, const struct visited *visited);
    void *context;
};

static void visit_below(const struct visiting *visiting, const struct visited *above);

// What is in sight inside of a class or a function.
static const struct sight *sight_inside(struct arena *arena, const struct visited *visited) {
    struct sight *sight = arena_allocate(arena, sizeof *sight);
    *sight = *visited->sight;
    if (visited->node->kind == NODE_CLASS) {
        sight->attribute_count = 0;
        add_attributes(arena, sight, visited->node);
    } else {
        sight->name_count = 0;
        add_parameters(sight, visited->node->parts[0]);
        add_bound(sight, visited->node->parts[1]);
    }
    return sight;
}

static void visit_one(const struct visiting *visiting, struct visited visited) {
    const enum node_kind kind = visited.node->kind;
    visiting->visit(visiting->context, &visited);
    if (kind == NODE_CLASS || kind == NODE_DEF)
        visited.sight = sight_inside(visiting->edits->arena, &visited);
    visit_below(visiting, &visited);
}

static void visit_below(const struct visiting *visiting, const struct visited *above) {
    const struct node *node = above->node;
    const bool is_block = node->kind == NODE_BLOCK;
    for (int i = 0; i < node->part_count; i++) {
        if (node->parts[i] == NULL) continue;
        struct visited visited = *above;
        visited.node = node->parts[i];
        visited.parent = node;
        if (is_block) {
            visited.statement = visited.node;
            visited.siblings = (const struct node *const *)node->parts;
            visited.position = i;
            visited.sibling_count = node->part_count;
        }
        visit_one(visiting, visited);
    }
}

void visit_nodes(const struct edits *edits,
                 void (*visit)(void *context, const struct visited *visited), void *context) {
    const struct visiting visiting = {edits, visit, context};
    struct sight sight = {0};
    add_bound(&sight, edits->program->tree);
    const struct visited top = {.node = edits->program->tree, .sight = &sight};
    visit_below(&visiting, &top);
}
