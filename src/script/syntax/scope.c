#include "script/syntax/scope.h"

#include <string.h>

// ---- Names of a scope ---------------------------------------------------------------------------

enum {
    IS_USED = 1,
    IS_BOUND = 2,
    IS_PARAMETER = 4,
    IS_GLOBAL = 8,
    IS_NONLOCAL = 16,
    IS_ANNOTATED = 32,
    IS_IMPORTED = 64,
    BINDS = IS_BOUND | IS_PARAMETER | IS_IMPORTED
};

struct scope_name {
    const char *text; // NULL: an open place
    int how;
};

static struct scope_name *place_of(const struct scope *scope, const char *text) {
    uint32_t hash = 2166136261u; // FNV-1a
    for (const char *at = text; *at != '\0'; at++) hash = (hash ^ (unsigned char)*at) * 16777619u;
    for (uint32_t i = hash;; i++) {
        struct scope_name *name = &scope->names[i & (uint32_t)(scope->room - 1)];
        if (name->text == NULL || strcmp(name->text, text) == 0) return name;
    }
}

static int how_of(const struct scope *scope, const char *text) {
    return scope->room == 0 ? 0 : place_of(scope, text)->how;
}

const char *next_bound(const struct scope *scope, int *i) {
    while (*i < scope->room) {
        const struct scope_name *name = &scope->names[(*i)++];
        if (name->text != NULL && (name->how & BINDS) != 0) return name->text;
    }
    return NULL;
}

struct finding {
    struct arena *arena;
    struct syntax_error *error;
    struct declaration *declarations; // `nonlocal`: the last one
};
struct declaration {
    struct declaration *before;
    const struct scope *scope;
    const struct node *node;
};

static void note(struct finding *finding, struct scope *scope, const char *text, int how) {
    if (2 * scope->count >= scope->room) {
        const struct scope old = *scope;
        scope->room = old.room == 0 ? 8 : 2 * old.room;
        scope->names = arena_array(finding->arena, (size_t)scope->room, sizeof *scope->names);
        for (int i = 0; i < old.room; i++)
            if (old.names[i].text != NULL) *place_of(scope, old.names[i].text) = old.names[i];
    }
    struct scope_name *name = place_of(scope, text);
    scope->count += name->text == NULL;
    name->text = text;
    name->how |= how;
}

static void note_error(struct finding *finding, const struct node *node, const char *message) {
    if (finding->error->message == NULL)
        *finding->error = (struct syntax_error){"SyntaxError", message, node->span};
}

// ---- What binds them ----------------------------------------------------------------------------

static void visit(struct finding *finding, struct scope *scope, struct node *node);

static void visit_parts(struct finding *finding, struct scope *scope, const struct node *node,
                        int first) {
    for (int i = first; i < node->part_count; i++)
        if (node->parts[i] != NULL) visit(finding, scope, node->parts[i]);
}

static void visit_target(struct finding *finding, struct scope *scope, struct node *target) {
    if (target->kind == NODE_NAME)
        note(finding, scope, target->text, IS_BOUND);
    else if (target->kind == NODE_TUPLE || target->kind == NODE_LIST ||
             target->kind == NODE_STARRED)
        for (int i = 0; i < target->part_count; i++) visit_target(finding, scope, target->parts[i]);
    else
        visit(finding, scope, target);
}

static struct scope *open_scope(struct finding *finding, struct node *node, struct scope *outer) {
    struct scope *scope = arena_allocate(finding->arena, sizeof *scope);
    scope->outer = outer;
    scope->is_class = node->kind == NODE_CLASS;
    scope->is_program = outer == NULL;
    scope->is_comprehension = node->kind != NODE_DEF && node->kind != NODE_LAMBDA &&
                              !scope->is_class && !scope->is_program;
    node->scope = scope;
    return scope;
}

// A def or a lambda: its defaults and annotations belong to the scope around it.
static void visit_function(struct finding *finding, struct scope *scope, struct node *node) {
    const struct node *parameters = node->parts[0];
    if (node->kind == NODE_DEF) note(finding, scope, node->text, IS_BOUND);
    for (int i = 0; i < parameters->part_count; i++)
        visit_parts(finding, scope, parameters->parts[i], 0);
    visit_parts(finding, scope, node, 2);
    struct scope *inner = open_scope(finding, node, scope);
    for (int i = 0; i < parameters->part_count; i++)
        note(finding, inner, parameters->parts[i]->text, IS_PARAMETER);
    visit(finding, inner, node->parts[1]);
}

static void visit_class(struct finding *finding, struct scope *scope, struct node *node) {
    note(finding, scope, node->text, IS_BOUND);
    visit_parts(finding, scope, node, 1);
    visit(finding, open_scope(finding, node, scope), node->parts[0]);
}

// The first iterable belongs to the scope around a comprehension.
static void visit_comprehension(struct finding *finding, struct scope *scope, struct node *node) {
    struct scope *inner = open_scope(finding, node, scope);
    for (int i = 0; i < node->part_count; i++) {
        struct node *part = node->parts[i];
        if (part->kind != NODE_CLAUSE) continue;
        const bool is_first = node->parts[i - 1]->kind != NODE_CLAUSE;
        visit(finding, is_first ? scope : inner, part->parts[1]);
        visit_target(finding, inner, part->parts[0]);
        visit_parts(finding, inner, part, 2);
    }
    for (int i = 0; node->parts[i]->kind != NODE_CLAUSE; i++) visit(finding, inner, node->parts[i]);
}

static void visit_walrus(struct finding *finding, struct scope *scope, struct node *node) {
    struct scope *binds = scope;
    while (binds->is_comprehension) binds = binds->outer;
    note(finding, binds, node->parts[0]->text, IS_BOUND);
    visit(finding, scope, node->parts[1]);
}

static bool is_found(const struct scope *scope, const char *text) {
    for (scope = scope->outer; scope != NULL && !scope->is_program; scope = scope->outer)
        if (!scope->is_class && (how_of(scope, text) & BINDS) != 0) return true;
    return false;
}

// global, nonlocal
static void visit_declaration(struct finding *finding, struct scope *scope,
                              const struct node *node) {
    const bool is_global = node->kind == NODE_GLOBAL;
    const char *word = is_global ? "global" : "nonlocal";
    if (!is_global && scope->is_program)
        note_error(finding, node, "nonlocal declaration not allowed at module level");
    for (int i = 0; i < node->part_count; i++) {
        const char *text = node->parts[i]->text, *wrong = NULL;
        const int how = how_of(scope, text);
        if (how & IS_PARAMETER)
            wrong = "name '%s' is parameter and %s";
        else if (how & IS_USED)
            wrong = "name '%s' is used prior to %s declaration";
        else if (how & IS_ANNOTATED)
            wrong = "annotated name '%s' can't be %s";
        else if (how & IS_BOUND)
            wrong = "name '%s' is assigned to before %s declaration";
        else if (how & (is_global ? IS_NONLOCAL : IS_GLOBAL))
            note_error(finding, node,
                       arena_format(finding->arena, "name '%s' is nonlocal and global", text));
        if (wrong != NULL)
            note_error(finding, node, arena_format(finding->arena, wrong, text, word));
        note(finding, scope, text, is_global ? IS_GLOBAL : IS_NONLOCAL);
    }
    if (is_global) return;
    struct declaration *declaration = arena_allocate(finding->arena, sizeof *declaration);
    *declaration = (struct declaration){finding->declarations, scope, node};
    finding->declarations = declaration;
}

static void visit_aliases(struct finding *finding, struct scope *scope, const struct node *node) {
    for (int i = 0; i < node->part_count; i++) {
        const struct node *alias = node->parts[i];
        const char *text = alias->alias != NULL ? alias->alias : alias->text;
        const size_t length = node->kind == NODE_IMPORT && alias->alias == NULL
                                  ? strcspn(text, ".") // `import torch.nn` binds torch
                                  : strlen(text);
        note(finding, scope, arena_copy_bytes(finding->arena, text, length), IS_IMPORTED);
    }
}

// Which parts of other statements are targets, and whatever stands in expressions.
static void visit_statement(struct finding *finding, struct scope *scope, struct node *node) {
    const enum node_kind kind = node->kind;
    const int targets = kind == NODE_ASSIGN ? node->part_count - 1
                        : kind == NODE_DEL  ? node->part_count
                        : kind == NODE_AUGMENTED || kind == NODE_ANNOTATED || kind == NODE_FOR ? 1
                                                                                               : 0;
    for (int i = 0; i < targets; i++) visit_target(finding, scope, node->parts[i]);
    if (kind == NODE_ANNOTATED && node->parts[0]->kind == NODE_NAME)
        note(finding, scope, node->parts[0]->text, IS_ANNOTATED);
    if (kind == NODE_HANDLER && node->text != NULL) note(finding, scope, node->text, IS_BOUND);
    if (kind != NODE_ITEM) {
        visit_parts(finding, scope, node, targets);
        return;
    }
    visit(finding, scope, node->parts[0]);
    if (node->parts[1] != NULL) visit_target(finding, scope, node->parts[1]);
}

static void visit(struct finding *finding, struct scope *scope, struct node *node) {
    switch (node->kind) {
    case NODE_NAME:
        note(finding, scope, node->text, IS_USED);
        return;
    case NODE_DEF:
    case NODE_LAMBDA:
        visit_function(finding, scope, node);
        return;
    case NODE_CLASS:
        visit_class(finding, scope, node);
        return;
    case NODE_LIST_COMPREHENSION:
    case NODE_SET_COMPREHENSION:
    case NODE_DICT_COMPREHENSION:
    case NODE_GENERATOR:
        visit_comprehension(finding, scope, node);
        return;
    case NODE_WALRUS:
        visit_walrus(finding, scope, node);
        return;
    case NODE_GLOBAL:
    case NODE_NONLOCAL:
        visit_declaration(finding, scope, node);
        return;
    case NODE_IMPORT:
    case NODE_FROM:
        visit_aliases(finding, scope, node);
        return;
    case NODE_YIELD:
        scope->is_generator = true;
        visit_parts(finding, scope, node, 0);
        return;
    default:
        visit_statement(finding, scope, node);
    }
}

static void check_nonlocal(struct finding *finding, const struct declaration *declaration) {
    for (int i = 0; i < declaration->node->part_count; i++) {
        const char *text = declaration->node->parts[i]->text;
        if (!is_found(declaration->scope, text))
            note_error(finding, declaration->node,
                       arena_format(finding->arena, "no binding for nonlocal '%s' found", text));
    }
}

void find_scopes(struct arena *arena, struct node *tree, struct syntax_error *error) {
    struct finding finding = {arena, error, NULL};
    visit_parts(&finding, open_scope(&finding, tree, NULL), tree, 0);
    for (const struct declaration *at = finding.declarations; at != NULL; at = at->before)
        check_nonlocal(&finding, at);
}

// ---- Where they are found -----------------------------------------------------------------------

int slot_of(const struct scope *scope, const char *name) {
    const int how = how_of(scope, name);
    const int here = scope->is_class ? SLOT_CLASS : SLOT_LOCAL;
    if (scope->is_program || (how & IS_GLOBAL)) return SLOT_GLOBAL;
    if ((how & BINDS) && !(how & IS_NONLOCAL)) return here;
    int out = 0;
    for (const struct scope *outer = scope->outer; !outer->is_program; outer = outer->outer) {
        const int there = outer->is_class ? 0 : how_of(outer, name);
        if (there & IS_GLOBAL) return SLOT_GLOBAL;
        if ((there & BINDS) && !(there & IS_NONLOCAL)) return SLOT_OUTER + out;
        out += !outer->is_class;
    }
    return scope->is_class ? SLOT_CLASS : SLOT_GLOBAL;
}
