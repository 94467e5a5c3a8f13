// Where names are bound. A name that a function assigns anywhere is its own, unless it says `global` or `nonlocal`.

#include <string.h>

#include "script/dict.h"

static void note(struct machine *machine, struct scope *scope, const struct node *node, int how) {
    const struct value name = value_of_object(name_of(machine, node));
    const struct value there = dict_of_str(scope->bound, (struct str *)name.object);
    if (there.kind == VALUE_ABSENT || how != SCOPE_LOCAL)
        dict_set(machine, scope->bound, name, value_of_int(how));
}

static void note_text(struct machine *machine, struct scope *scope, const char *text) {
    const struct value name = value_of_object(interned(machine, text));
    if (dict_of_str(scope->bound, (struct str *)name.object).kind == VALUE_ABSENT)
        dict_set(machine, scope->bound, name, value_of_int(SCOPE_LOCAL));
}

static void find_bound(struct machine *machine, struct scope *scope, const struct node *node);

static void find_in_parts(struct machine *machine, struct scope *scope, const struct node *node,
                          int first) {
    for (int i = first; i < node->part_count; i++)
        if (node->parts[i] != NULL) find_bound(machine, scope, node->parts[i]);
}

// Names in a target.
static void find_targets(struct machine *machine, struct scope *scope, const struct node *target) {
    if (target->kind == NODE_NAME) {
        note(machine, scope, target, SCOPE_LOCAL);
    } else if (target->kind == NODE_TUPLE || target->kind == NODE_LIST ||
               target->kind == NODE_STARRED) {
        for (int i = 0; i < target->part_count; i++) find_targets(machine, scope, target->parts[i]);
    } else {
        find_bound(machine, scope, target);
    }
}

static void note_alias(struct machine *machine, struct scope *scope, const struct node *alias,
                       bool is_from) {
    const char *name = alias->alias != NULL ? alias->alias : alias->text;
    const char *dot = alias->alias == NULL && !is_from ? strchr(name, '.') : NULL;
    note_text(machine, scope,
              dot == NULL ? name : arena_copy_bytes(machine->arena, name, (size_t)(dot - name)));
}

static void find_bound(struct machine *machine, struct scope *scope, const struct node *node) {
    switch (node->kind) {
    case NODE_DEF:
    case NODE_CLASS:
        note_text(machine, scope, node->text);
        find_in_parts(machine, scope, node, node->kind == NODE_DEF ? 3 : 1); // decorators and bases
        return;
    case NODE_LAMBDA:
        return;
    case NODE_LIST_COMPREHENSION:
    case NODE_SET_COMPREHENSION:
    case NODE_DICT_COMPREHENSION:
    case NODE_GENERATOR:
        if (scope->is_class) return;
        for (int i = 0; i < node->part_count; i++) // only := binds outside of a comprehension
            if (node->parts[i]->kind != NODE_CLAUSE)
                find_bound(machine, scope, node->parts[i]);
            else
                find_in_parts(machine, scope, node->parts[i], 1);
        return;
    case NODE_WALRUS:
        note(machine, scope, node->parts[0], SCOPE_LOCAL);
        break;
    case NODE_ASSIGN:
        for (int i = 0; i + 1 < node->part_count; i++) find_targets(machine, scope, node->parts[i]);
        find_bound(machine, scope, node->parts[node->part_count - 1]);
        return;
    case NODE_AUGMENTED:
    case NODE_ANNOTATED:
    case NODE_FOR:
        find_targets(machine, scope, node->parts[0]);
        break;
    case NODE_DEL:
        for (int i = 0; i < node->part_count; i++) find_targets(machine, scope, node->parts[i]);
        return;
    case NODE_ITEM:
        if (node->parts[1] != NULL) find_targets(machine, scope, node->parts[1]);
        break;
    case NODE_HANDLER:
        if (node->text != NULL) note_text(machine, scope, node->text);
        break;
    case NODE_IMPORT:
    case NODE_FROM:
        for (int i = 0; i < node->part_count; i++)
            note_alias(machine, scope, node->parts[i], node->kind == NODE_FROM);
        return;
    case NODE_GLOBAL:
    case NODE_NONLOCAL:
        for (int i = 0; i < node->part_count; i++)
            note(machine, scope, node->parts[i],
                 node->kind == NODE_GLOBAL ? SCOPE_GLOBAL : SCOPE_NONLOCAL);
        return;
    default:
        break;
    }
    find_in_parts(machine, scope, node, 0);
}

static void find_all(struct machine *machine, struct scope *scope, const struct node *node) {
    switch (node->kind) {
    case NODE_DEF:
    case NODE_LAMBDA:
        for (int i = 0; i < node->parts[0]->part_count; i++)
            note_text(machine, scope, node->parts[0]->parts[i]->text);
        find_bound(machine, scope, node->parts[1]);
        break;
    case NODE_CLASS:
        find_bound(machine, scope, node->parts[0]);
        break;
    case NODE_BLOCK:
        find_bound(machine, scope, node);
        break;
    default: // a comprehension: its targets
        for (int i = 0; i < node->part_count; i++)
            if (node->parts[i]->kind == NODE_CLAUSE)
                find_targets(machine, scope, node->parts[i]->parts[0]);
    }
}

struct scope *scope_of(struct machine *machine, const struct node *node, struct scope *outer) {
    if (node->scope != NULL) return node->scope;
    struct scope *scope = arena_allocate(machine->arena, sizeof *scope);
    scope->outer = outer;
    scope->is_class = node->kind == NODE_CLASS;
    scope->is_program = node->kind == NODE_BLOCK;
    const struct value bound = dict_new(machine);
    // Kept for as long as the machine: scopes belong to the tree.
    list_append(machine, machine->scopes, bound);
    scope->bound = (struct dict *)bound.object;
    ((struct node *)node)->scope = scope;
    find_all(machine, scope, node);
    return scope;
}

int slot_of(const struct scope *scope, const struct str *name) {
    if (scope->is_program) return SLOT_GLOBAL;
    const struct value bound = dict_of_str(scope->bound, name);
    if (bound.kind == VALUE_INT && bound.integer == SCOPE_GLOBAL) return SLOT_GLOBAL;
    if (bound.kind == VALUE_INT && bound.integer == SCOPE_LOCAL)
        return scope->is_class ? SLOT_CLASS : SLOT_LOCAL;
    int out = 0;
    for (const struct scope *outer = scope->outer; outer != NULL && !outer->is_program;
         outer = outer->outer) {
        if (outer->is_class) continue;
        const struct value there = dict_of_str(outer->bound, name);
        if (there.kind == VALUE_INT && there.integer == SCOPE_LOCAL) return SLOT_OUTER + out;
        if (there.kind == VALUE_INT && there.integer == SCOPE_GLOBAL) return SLOT_GLOBAL;
        out++;
    }
    return scope->is_class ? SLOT_CLASS : SLOT_GLOBAL;
}
