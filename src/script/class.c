// Classes: making them and their instances.

#include <string.h>

#include "script/inside.h"

enum { MOST_BASES = 100 };

bool is_subclass(const struct class *class, const struct class *of) {
    for (int64_t i = 0; i < class->order->count; i++)
        if (class->order->items[i].object == (const struct object *)of) return true;
    return false;
}

bool class_find(const struct class *class, const char *name, struct value *value) {
    const int64_t length = (int64_t)strlen(name);
    const uint64_t hash = bytes_hash(name, length);
    for (int64_t i = 0; i < class->order->count; i++) {
        *value = dict_at(as_class(class->order->items[i])->names, name, length, hash);
        if (value->kind != VALUE_ABSENT) return true;
    }
    return false;
}

static const struct native_row *constructor_of(const struct class *class) {
    for (int64_t i = 0; i < class->order->count; i++)
        if (as_class(class->order->items[i])->construct != NULL)
            return as_class(class->order->items[i])->construct;
    return NULL;
}

static bool is_container(const struct machine *machine, const struct class *class) {
    static const enum object_kind kinds[] = {OBJECT_LIST, OBJECT_TUPLE, OBJECT_DICT, OBJECT_SET};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_subclass(class, machine->classes[kinds[i]])) return true;
    return false;
}

struct instance *instance_new(struct machine *machine, struct class *class) {
    struct instance *instance = object_new(machine, OBJECT_INSTANCE, sizeof *instance);
    machine_keep(machine, value_of_object(instance));
    instance->class = class;
    instance->names = as_dict(dict_new(machine));
    return instance;
}

bool construct(struct machine *machine, struct class *class, const struct arguments *arguments,
               struct value *result) {
    struct value initialize, nothing;
    const bool has_initialize = class_find(class, "__init__", &initialize);
    const struct native_row *row = constructor_of(class);
    const struct arguments no_arguments = {0};
    struct value inner = NO_VALUE;
    if (class->construct == NULL && is_container(machine, class)) {
        if (!call_native(machine, row, NO_VALUE, has_initialize ? &no_arguments : arguments,
                         &inner))
            return false;
        machine_keep(machine, inner);
    } else if (row != NULL && (!has_initialize || class->construct != NULL)) {
        return call_native(machine, row, NO_VALUE, arguments, result);
    }
    const bool is_exception = is_subclass(class, machine->exceptions[EXCEPTION]);
    *result = is_exception ? exception_new(machine, class, arguments->count, arguments->values)
                           : value_of_object(instance_new(machine, class));
    machine_keep(machine, *result);
    as_instance(*result)->inner = inner;
    if (has_initialize && !call_with_self(machine, initialize, *result, arguments, &nothing))
        return false;
    if (has_initialize)
        return nothing.kind == VALUE_NONE ||
               machine_raise(machine, TYPE_ERROR, "__init__() should return None, not '%s'",
                             type_name(nothing));
    return is_exception || inner.kind != VALUE_ABSENT ||
           (arguments->count == 0 &&
            (arguments->keywords == NULL || dict_count(arguments->keywords) == 0)) ||
           machine_raise(machine, TYPE_ERROR, "%s() takes no arguments", class->name);
}

// Is the class behind the first of what is left of a list? at: how many of it were taken.
static bool stands_behind(const struct list *list, int64_t at, const struct object *class) {
    for (int64_t i = at + 1; i < list->count; i++)
        if (list->items[i].object == class) return true;
    return false;
}

// What is left of the orders of the bases, and of the list of bases.
struct merging {
    struct list *lists[MOST_BASES + 1];
    int64_t at[MOST_BASES + 1], count;
};

// The first class that stands behind none; NULL: there is none, and *is_left says if classes are left.
static struct object *next_in_order(const struct merging *merging, bool *is_left) {
    *is_left = false;
    for (int64_t b = 0; b < merging->count; b++) {
        if (merging->at[b] == merging->lists[b]->count) continue;
        struct object *next = merging->lists[b]->items[merging->at[b]].object;
        bool is_behind = false;
        for (int64_t other = 0; other < merging->count; other++)
            is_behind |= stands_behind(merging->lists[other], merging->at[other], next);
        *is_left = true;
        if (!is_behind) return next;
    }
    return NULL;
}

// C3; false where the bases contradict each other.
static bool set_order(struct machine *machine, struct class *class) {
    struct merging merging = {.count = class->bases->count + 1};
    struct object *next;
    bool is_left;
    class->order = as_list(tuple_new(machine, 0, NULL));
    list_append(machine, class->order, value_of_object(class));
    for (int64_t b = 0; b + 1 < merging.count; b++)
        merging.lists[b] = as_class(class->bases->items[b])->order;
    merging.lists[merging.count - 1] = class->bases;
    while ((next = next_in_order(&merging, &is_left)) != NULL) {
        list_append(machine, class->order, value_of_object(next));
        for (int64_t b = 0; b < merging.count; b++)
            if (merging.at[b] < merging.lists[b]->count)
                merging.at[b] += merging.lists[b]->items[merging.at[b]].object == next;
    }
    return !is_left;
}

static bool raise_no_order(struct machine *machine, const struct class *class) {
    struct text text = text_new(machine->arena);
    for (int64_t b = 0; b + 1 < class->bases->count; b++)
        text_add_format(&text, "%s%s", b > 0 ? ", " : "", as_class(class->bases->items[b])->name);
    return machine_raise(machine, TYPE_ERROR,
                         "Cannot create a consistent method resolution order (MRO) for bases %s",
                         text.bytes);
}

static struct class *class_without_order(struct machine *machine, const char *module,
                                         const char *name) {
    struct class *class = object_new(machine, OBJECT_CLASS, sizeof *class);
    machine_keep(machine, value_of_object(class));
    class->name = name;
    class->module = module;
    class->names = as_dict(dict_new(machine));
    class->bases = as_list(tuple_new(machine, 0, NULL));
    return class;
}

struct class *class_new(struct machine *machine, const char *module, const char *name,
                        const struct native_row *construct_row, const struct native_row *methods) {
    struct class *class = class_without_order(machine, module, name);
    class->construct = construct_row;
    class->methods = methods;
    set_order(machine, class);
    return class;
}

bool build_class(struct machine *machine, const struct node *node, struct value *value) {
    struct frame *frame = machine->call->frame;
    const struct value module = dict_named(frame->globals, "__name__");
    struct class *class = class_without_order(
        machine, module.kind == VALUE_OBJECT ? bytes_of(module) : "__main__", node->text);
    *value = value_of_object(class);
    const struct node *bases = node->parts[1];
    for (int i = 0; i < bases->part_count; i++) {
        struct value base;
        if (!evaluate(machine, bases->parts[i]->parts[0], &base)) return false;
        machine->call->node = bases->parts[i];
        if (!is_kind(base, OBJECT_CLASS))
            return machine_raise(machine, TYPE_ERROR, "a base must be a class, not '%s'",
                                 type_name(base));
        if (as_class(base) != machine->type_object) list_append(machine, class->bases, base);
    }
    if (class->bases->count >= MOST_BASES)
        return machine_raise(machine, TYPE_ERROR, "onestep's classes have at most %d bases",
                             MOST_BASES);
    list_append(machine, class->bases, value_of_object(machine->type_object));
    if (!set_order(machine, class)) return raise_no_order(machine, class);
    struct frame *body = frame_new(machine, frame->program, frame->globals, frame_around(frame),
                                   node->scope, node->text);
    body->names = class->names;
    body->owner = class;
    struct value nothing;
    return run_in_frame(machine, body, node->parts[0], &nothing);
}
