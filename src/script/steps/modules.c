#include "script/steps/modules.h"

#include <string.h>

#include "base/text.h"

enum { MOST_DEPTH = 12, MOST_LISTED = 4096 };

static const struct dict *dict_in(struct value value, const char *name) {
    if (!is_kind(value, OBJECT_INSTANCE)) return NULL;
    const struct value group = dict_named(((struct instance *)value.object)->names, name);
    return is_kind(group, OBJECT_DICT) ? (const struct dict *)group.object : NULL;
}

bool is_module(struct value value) {
    return dict_in(value, "_modules") != NULL && dict_in(value, "_parameters") != NULL;
}

// "heads", "heads[1]": PyTorch calls the second "heads.1".
static const char *part_path(struct arena *arena, const char *path, const char *name) {
    const bool is_number = *name != '\0' && strspn(name, "0123456789") == strlen(name);
    if (*path == '\0') return arena_copy(arena, name);
    return arena_format(arena, is_number ? "%s[%s]" : "%s.%s", path, name);
}

static const char *key_text(struct value key) {
    return is_kind(key, OBJECT_STR) ? ((const struct str *)key.object)->bytes : "?";
}

// ---- Where a module is ----------------------------------------------------------------------------

struct hunt {
    struct arena *arena;
    struct value wanted;
    int left; // modules to be looked at
};

static const char *path_in(struct hunt *hunt, struct value module, const char *path, int depth) {
    const struct dict *parts = dict_in(module, "_modules");
    struct value key, part;
    if (parts == NULL || depth == MOST_DEPTH) return NULL;
    for (int64_t i = 0; dict_next(parts, &i, &key, &part) && hunt->left-- > 0;)
        if (value_is_same(part, hunt->wanted)) return part_path(hunt->arena, path, key_text(key));
    for (int64_t i = 0; dict_next(parts, &i, &key, &part) && hunt->left > 0;) {
        if (!is_module(part)) continue;
        const char *found =
            path_in(hunt, part, part_path(hunt->arena, path, key_text(key)), depth + 1);
        if (found != NULL) return found;
    }
    return NULL;
}

const char *path_inside(struct arena *arena, struct value module, const char *path,
                        struct value wanted) {
    struct hunt hunt = {arena, wanted, MOST_LISTED};
    return path_in(&hunt, module, path, 0);
}

static const char *path_in_list(struct hunt *hunt, const struct list *list, const char *name) {
    for (int64_t i = 0; i < list->count && hunt->left-- > 0; i++) {
        const char *path = arena_format(hunt->arena, "%s[%lld]", name, (long long)i);
        if (value_is_same(list->items[i], hunt->wanted)) return path;
        const char *found = path_in(hunt, list->items[i], path, 0);
        if (found != NULL) return found;
    }
    return NULL;
}

const char *path_by_names(struct arena *arena, const struct dict *names, struct value wanted) {
    struct hunt hunt = {arena, wanted, MOST_LISTED};
    struct value key, value;
    for (int64_t i = 0; dict_next(names, &i, &key, &value) && hunt.left-- > 0;)
        if (value_is_same(value, wanted) && strcmp(key_text(key), "self") != 0)
            return arena_copy(arena, key_text(key));
    for (int64_t i = 0; dict_next(names, &i, &key, &value) && hunt.left-- > 0;) {
        const bool is_list = is_kind(value, OBJECT_LIST) || is_kind(value, OBJECT_TUPLE);
        const char *found = is_list
                                ? path_in_list(&hunt, (struct list *)value.object, key_text(key))
                                : path_in(&hunt, value, key_text(key), 0);
        if (found != NULL) return found;
    }
    return NULL;
}

// ---- Its members ----------------------------------------------------------------------------------

struct visit {
    struct arena *arena;
    void (*visit)(void *context, const char *path, const struct tensor_object *object);
    void *context;
    int left;
};

static void visit_group(struct visit *visit, struct value module, const char *group,
                        const char *path) {
    const struct dict *members = dict_in(module, group);
    struct value key, member;
    for (int64_t i = 0; members != NULL && dict_next(members, &i, &key, &member);)
        if (is_tensor_value(member))
            visit->visit(visit->context, part_path(visit->arena, path, key_text(key)),
                         (const struct tensor_object *)member.object);
}

static void visit_all(struct visit *visit, struct value module, const char *path, int depth) {
    struct value key, part;
    if (depth == MOST_DEPTH || visit->left-- <= 0) return;
    visit_group(visit, module, "_parameters", path);
    visit_group(visit, module, "_buffers", path);
    const struct dict *parts = dict_in(module, "_modules");
    for (int64_t i = 0; parts != NULL && dict_next(parts, &i, &key, &part);)
        if (is_module(part))
            visit_all(visit, part, part_path(visit->arena, path, key_text(key)), depth + 1);
}

void visit_members(struct arena *arena, struct value module, const char *path,
                   void (*visit)(void *context, const char *path,
                                 const struct tensor_object *object),
                   void *context) {
    struct visit all = {arena, visit, context, MOST_LISTED};
    visit_all(&all, module, path, 0);
}

// ---- Values in sight --------------------------------------------------------------------------------

struct value attribute_in_sight(struct value of, const char *name) {
    static const char *const groups[] = {"_parameters", "_buffers", "_modules"};
    if (!is_kind(of, OBJECT_INSTANCE)) return NO_VALUE;
    struct value value = dict_named(((struct instance *)of.object)->names, name);
    for (int i = 0; i < 3 && value.kind == VALUE_ABSENT; i++) {
        const struct dict *group = dict_in(of, groups[i]);
        if (group != NULL) value = dict_named(group, name);
    }
    return value;
}

struct value value_in_sight(const struct node *node, const struct dict *names,
                            const struct dict *globals) {
    if (node->kind == NODE_NAME) {
        const struct value value = dict_named(names, node->text);
        return value.kind != VALUE_ABSENT ? value : dict_named(globals, node->text);
    }
    if (node->kind != NODE_ATTRIBUTE) return NO_VALUE;
    return attribute_in_sight(value_in_sight(node->parts[0], names, globals), node->text);
}
